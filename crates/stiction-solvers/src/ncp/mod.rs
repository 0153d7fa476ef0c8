//! Solvers of the cone problem of contact, [`ConeNcp`](crate::ConeNcp).
//!
//! | module | method | for |
//! |---|---|---|
