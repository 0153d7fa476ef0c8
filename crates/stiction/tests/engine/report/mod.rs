//! What a step reports.

mod forces;
