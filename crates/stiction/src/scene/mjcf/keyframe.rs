//! `<keyframe>`: stored states.

use super::Reader;
use super::attributes::{Attributes, check};
use super::document::Element;
use super::orientation::quaternion;
use crate::model::{ElementKind, Keyframe};
use crate::scene::{EntryKind, SceneError};

const KEY: Attributes = Attributes {
    read: &["name", "time", "qpos", "qvel", "ctrl"],
    inert: &["plastic"],
    unmodelled: &[
        ("act", "drives have no activation"),
        ("mpos", "mocap bodies start where the file puts them"),
        ("mquat", "mocap bodies start where the file puts them"),
    ],
};

/// A quaternion whose norm is off by more than this was not meant to be one of unit length.
const UNIT: f64 = 1e-6;

impl<'d> Reader<'d> {
    /// Reads a `<keyframe>` section, after everything that has coordinates.
    pub(super) fn keyframes(&mut self, section: Element<'d>) -> Result<(), SceneError> {
        for element in section.children() {
            self.key(element)?;
        }
        Ok(())
    }

    fn key(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        check(element, &KEY, &mut self.notes);
        self.names.register("keyframe", element)?;
        let mut name = element.name().to_string();
        if name.is_empty() {
            name = format!("key{}", self.keys);
            element.note(&mut self.notes, EntryKind::Inferred, Some("name"), format!("called {name:?}"));
        }
        self.keys += 1;
        let q = self.state(element, "qpos", self.coordinates)?;
        let q = if q.is_empty() { q } else { self.normalised(element, q)? };
        let v = self.state(element, "qvel", self.velocities)?;
        let ctrl = self.controls_of(element)?;
        let time = element.number("time")?.unwrap_or_default();
        self.place(ElementKind::Keyframe, &name, element);
        self.builder.add_keyframe(Keyframe { name, time, q, v, ctrl });
        Ok(())
    }

    /// As many numbers as the model needs, or none for the default; a shorter list is completed from the default.
    fn state(&mut self, element: Element<'d>, name: &str, needed: usize) -> Result<Vec<f64>, SceneError> {
        let mut given = element.list(name, 0, usize::MAX)?.unwrap_or_default();
        let count = given.len();
        if count == 0 || count == needed {
            return Ok(given);
        }
        if count > needed {
            let message = format!("{count} numbers; this scene needs {needed}");
            return Err(element.invalid(Some(name), message));
        }
        let default = match name {
            "qpos" => self.reference_pose()?,
            _ => vec![0.0; needed],
        };
        given.extend(default.into_iter().skip(count));
        let message = format!(
            "{count} of {needed} numbers are given; the others are as at the reference pose, at rest"
        );
        element.note(&mut self.notes, EntryKind::Inferred, Some(name), message);
        Ok(given)
    }

    /// The configuration at zero displacement, from a trial build on first use.
    fn reference_pose(&mut self) -> Result<Vec<f64>, SceneError> {
        let pose = match self.reference_pose.take() {
            Some(pose) => pose,
            None => self.build(self.builder.clone())?.q0,
        };
        self.reference_pose = Some(pose.clone());
        Ok(pose)
    }

    fn normalised(&mut self, element: Element<'d>, mut q: Vec<f64>) -> Result<Vec<f64>, SceneError> {
        for at in self.quaternions.clone() {
            let part = &mut q[at..at + 4];
            let given = [part[0], part[1], part[2], part[3]];
            let norm = libm::sqrt(given.iter().map(|x| x * x).sum());
            let Some(unit) = quaternion(given) else {
                let message =
                    format!("the quaternion at numbers {} to {} is zero; use 1 0 0 0", at + 1, at + 4);
                return Err(element.invalid(Some("qpos"), message));
            };
            if (norm - 1.0).abs() > UNIT {
                let message = format!(
                    "the quaternion at numbers {} to {} has length {norm}; normalised",
                    at + 1,
                    at + 4
                );
                element.note(&mut self.notes, EntryKind::Repaired, Some("qpos"), message);
            }
            part.copy_from_slice(&[unit.w, unit.i, unit.j, unit.k]);
        }
        Ok(q)
    }

    /// Controls of the actuators that are in the model.
    fn controls_of(&mut self, element: Element<'d>) -> Result<Vec<f64>, SceneError> {
        if self.controls.unknown_count && element.has("ctrl") {
            let message = "an actuator that is not supported takes an unknown share of these numbers";
            element.note(&mut self.notes, EntryKind::Ignored, Some("ctrl"), message);
            return Ok(Vec::new());
        }
        let given = self.state(element, "ctrl", self.controls.kept.len())?;
        let kept = given.into_iter().zip(&self.controls.kept);
        Ok(kept.filter(|(_, kept)| **kept).map(|(control, _)| control).collect())
    }
}
