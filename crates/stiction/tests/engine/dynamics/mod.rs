//! Algorithms on trees.

mod algorithms;
mod free_motion;
mod long_trees;
mod operational_space;
mod oracle;
mod redundant;
