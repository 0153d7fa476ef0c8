//! Scenes on which other engines went wrong, with the right answers.

mod geometry;
mod joints;
mod laws;
mod motion;
mod reports;
