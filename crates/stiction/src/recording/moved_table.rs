//! The bodies that the removal of overlap moved, in a recording: one entry of each column per body and step.

use crate::recording::error::ReadProblem;
use crate::recording::npz::{NpzReader, NpzWriter};
use crate::recording::run::Poses;
use crate::recording::schema::step_pointers;
use crate::report::MovedBody;
use std::io::{Read, Seek, Write};

/// Bodies that the removal of overlap moved at the beginning of a step ([`MovedBody`]), of all steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MovedTable {
    /// Bodies before each step, and after the last.
    pub ptr: Vec<i64>,
    /// The body.
    pub body: Vec<i32>,
    /// Its pose after that.
    pub poses: Poses,
}

impl MovedTable {
    /// The bodies of a step.
    pub fn of_step(&self, step: usize) -> std::ops::Range<usize> {
        self.ptr[step] as usize..self.ptr[step + 1] as usize
    }

    /// Ends a step in which these were moved.
    pub(crate) fn push_step(&mut self, moved: &[MovedBody]) {
        for MovedBody { body, pose } in moved {
            self.body.push(body.index() as i32);
            self.poses.push(pose);
        }
        self.ptr.push(self.body.len() as i64);
    }

    pub(crate) fn write<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        let k = self.body.len();
        npz.array("moved_ptr", &[self.ptr.len()], &self.ptr)?;
        npz.array("moved_body", &[k], &self.body)?;
        npz.array("moved_pos", &[k, 3], &self.poses.position)?;
        npz.array("moved_quat", &[k, 4], &self.poses.orientation)
    }

    pub(crate) fn read<R: Read + Seek>(npz: &mut NpzReader<R>, steps: usize) -> Result<Self, ReadProblem> {
        let (ptr, k) = step_pointers(npz, "moved_ptr", steps)?;
        Ok(Self {
            ptr,
            body: npz.array("moved_body", &[k])?,
            poses: Poses {
                position: npz.array("moved_pos", &[k, 3])?,
                orientation: npz.array("moved_quat", &[k, 4])?,
            },
        })
    }
}
