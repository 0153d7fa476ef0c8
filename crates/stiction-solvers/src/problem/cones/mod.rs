//! Contact with friction: a product of cones, and an affine map whose matrix is a Delassus operator.
//!
//! | file | what it is |
//! |---|---|
//! | [`cone`] | [`Cone`]: the laws of the blocks, friction cones among them |
//! | [`delassus`] | [`Delassus`]: the operator, dense, sparse by blocks, or as a product |
//! | [`cone_ncp`] | [`ConeNcp`]: the problem |
//! | [`assess`] | its residual, and the rounding floor of that |
//! | [`certificate`] | [`ConeCertificate`]: how far an answer is from each law, in the units of the data |

pub mod assess;
pub mod certificate;
pub mod cone;
pub mod cone_ncp;
pub mod delassus;

pub use assess::ConeScratch;
pub use certificate::ConeCertificate;
pub use cone::Cone;
pub use cone_ncp::{ConeData, ConeNcp, FrictionLaw};
pub use delassus::{BlockRows, BlockSparse, Delassus, Piece};
