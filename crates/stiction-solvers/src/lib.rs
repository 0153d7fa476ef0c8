//! Complementarity problems and solvers.
