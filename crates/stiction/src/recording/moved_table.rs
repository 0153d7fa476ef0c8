//! The bodies that the removal of overlap moved, in a recording: one entry of each column per body and step.

use crate::recording::columns::columns;
use crate::report::MovedBody;

columns! {
    /// Bodies that the removal of overlap moved at the beginning of a step ([`MovedBody`]), of all steps.
    pub struct MovedTable("moved") {
        /// The body.
        pub body: i32,
        /// Where it was put (m).
        pub pos: f64[3],
        /// Its orientation there: a unit quaternion, w first.
        pub quat: f64[4],
    }
}

impl MovedTable {
    /// Ends a step in which these were moved.
    pub(crate) fn push_step(&mut self, moved: &[MovedBody]) {
        for MovedBody { body, pose } in moved {
            self.body.push(body.index() as i32);
            self.pos.extend_from_slice(pose.translation.as_slice());
            self.quat.extend_from_slice(&pose.quaternion());
        }
        self.ptr.push(self.body.len() as i64);
    }
}
