//! Experiments of papers, run again, a folder a paper.
//!
//! | folder | paper | experiments |
//! |---|---|---|
//! | [`a10`] | G. Arechavaleta, E. Lopez-Damian, J. L. Morales, *On the use of iterative LCP solvers for dry frictional contacts in grasping*, 2010 | small friction boxes of hands |
//! | [`d15`] | E. Drumwright, *Rapidly computable viscous friction and no-slip rigid contact models*, 2015 | blocks in grippers (table I), growth with the number of contacts |
//! | [`mj14`] | H. Mylapilli, A. Jain, *Evaluation of complementarity techniques for minimal coordinate contact dynamics*, 2014 | a thrown sphere, a pendulum of twelve balls |
//!
//! A paper's folder opens with its citation and the list of its experiments; a file or folder of it holds one experiment,
//! with the published numbers beside ours. The next papers go beside these.

pub mod a10;
pub mod d15;
pub mod mj14;
