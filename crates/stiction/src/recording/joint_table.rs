//! What joints, connects and welds, drives and tendons transmitted, in a recording.

use crate::recording::columns::columns;
use crate::recording::row_table::SourceTable;
use crate::report::JointForce;

columns! {
    /// Wrenches of joints, connects and welds of all steps ([`JointForce`]).
    pub struct JointTable("joint") {
        /// What it is of, as index into the [`SourceTable`].
        pub source: i32,
        /// Where it acts (m, world axes).
        pub point: f64[3],
        /// Force on the child or second body (N, world axes).
        pub force: f64[3],
        /// Moment about the point (N m, world axes).
        pub moment: f64[3],
    }
}

impl JointTable {
    /// Ends a step with these.
    pub(crate) fn push_step(&mut self, sources: &SourceTable, joints: &[JointForce]) {
        for joint in joints {
            self.source.push(sources.place(joint.source, joint.index) as i32);
            self.point.extend_from_slice(joint.point.as_slice());
            self.force.extend_from_slice(joint.force.as_slice());
            self.moment.extend_from_slice(joint.moment.as_slice());
        }
        self.ptr.push(self.source.len() as i64);
    }
}
