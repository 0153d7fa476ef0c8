//! Contact geometry: pairs of shapes, and the pairs that may touch.

mod box_box;
mod broad;
mod convex;
mod random;
mod round;
