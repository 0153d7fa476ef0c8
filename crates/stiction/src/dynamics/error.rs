//! What can go wrong in an algorithm on a well-formed model.

/// Why an algorithm has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AlgorithmError {
    /// Nothing resists a motion of a link: the mass matrix of its tree is not positive definite.
    #[error(
        "the mass matrix is not positive definite: pivot {value:e} at joint `{link}` (is all mass beyond the \
         joint zero or on its axis?)"
    )]
    NotPositiveDefinite {
        /// Name of the link (joint).
        link: String,
        /// The pivot (kg m^2 or kg), or NaN.
        value: f64,
    },
    /// The implicit rule for the rotation of a single body has no answer to round-off.
    #[error(
        "the rotation of `{link}` cannot be integrated: residual {residual:e} (turning too far in one step?)"
    )]
    NoConvergence {
        /// Name of the link (joint).
        link: String,
        /// Relative residual of Euler's equations, or NaN.
        residual: f64,
    },
}
