//! Dictionaries of a linear system that follow a path of pivots, with an artificial variable as its parameter.
//!
//! | file | what it is |
//! |---|---|
//! | `tableau` | for `w = M z + q + d t` with `w, z >= 0`: Lemke's path and that of Lemke and Howson |
//! | `bounded_tableau` | for unknowns in a box: the path to the Newton point of [`crate::newton::Path`] |
//! | `dictionary` | what both share: the pivot, its noise, when to build the dictionary anew, how ties are broken |
//! | `cycle_watch` | whether a path comes back to where it has been |
//!
//! Two of them because the bounded one pays for a second bound of each variable: Lemke's path on it takes longer.

pub(crate) mod bounded_tableau;
pub(crate) mod cycle_watch;
pub(crate) mod dictionary;
pub(crate) mod tableau;
