//! What a step reports.

mod forces;
mod joint_forces;
