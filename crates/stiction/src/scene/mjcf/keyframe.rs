//! `<keyframe>`: stored states.

use crate::model::{ElementKind, Keyframe, Model};
use crate::scene::error::SceneError;
use crate::scene::load_report::EntryKind;
use crate::scene::mjcf::Reader;
use crate::scene::mjcf::document::attributes::{Attributes, check};
use crate::scene::mjcf::document::element::Element;
use crate::scene::mjcf::document::orientation::quaternion;
use crate::spatial::Transform;
use nalgebra::{UnitQuaternion, Vector3};

const KEY: Attributes = Attributes {
    read: &["name", "time", "qpos", "qvel", "ctrl", "mpos", "mquat"],
    inert: &["plastic"],
    unmodelled: &[("act", "drives have no activation")],
};

/// A quaternion whose norm is off by more than this was not meant to be one of unit length.
const UNIT: f64 = 1e-6;

impl<'d> Reader<'d> {
    /// Reads a `<keyframe>` section, after everything that has coordinates.
    pub(crate) fn keyframes(&mut self, section: Element<'d>) -> Result<(), SceneError> {
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
        let mocap = self.mocap_poses(element)?;
        let time = element.number("time")?.unwrap_or_default();
        self.place(ElementKind::Keyframe, &name, element);
        self.builder.add_keyframe(Keyframe { name, time, q, v, ctrl, mocap, ..Keyframe::default() });
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
            "qpos" => self.reference()?.q0.clone(),
            _ => vec![0.0; needed],
        };
        given.extend(default.into_iter().skip(count));
        let message = format!(
            "{count} of {needed} numbers are given; the others are as at the reference pose, at rest"
        );
        element.note(&mut self.notes, EntryKind::Inferred, Some(name), message);
        Ok(given)
    }

    /// The model so far, from a trial build on first use.
    fn reference(&mut self) -> Result<&Model, SceneError> {
        let model = match self.reference.take() {
            Some(model) => model,
            None => Box::new(self.build(self.builder.clone())?),
        };
        Ok(self.reference.insert(model))
    }

    fn normalised(&mut self, element: Element<'d>, mut q: Vec<f64>) -> Result<Vec<f64>, SceneError> {
        for at in self.quaternions.clone() {
            let unit = self.unit_quaternion(element, "qpos", &q, at)?;
            q[at..at + 4].copy_from_slice(&[unit.w, unit.i, unit.j, unit.k]);
        }
        Ok(q)
    }

    /// The quaternion at four of an attribute's numbers, with a note when it had to be normalised.
    fn unit_quaternion(
        &mut self,
        element: Element<'d>,
        attribute: &str,
        numbers: &[f64],
        at: usize,
    ) -> Result<UnitQuaternion<f64>, SceneError> {
        let given = [numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]];
        let norm = libm::sqrt(given.iter().map(|x| x * x).sum());
        let place = format!("the quaternion at numbers {} to {}", at + 1, at + 4);
        let Some(unit) = quaternion(given) else {
            return Err(element.invalid(Some(attribute), format!("{place} is zero; use 1 0 0 0")));
        };
        if (norm - 1.0).abs() > UNIT {
            let message = format!("{place} has length {norm}; normalised");
            element.note(&mut self.notes, EntryKind::Repaired, Some(attribute), message);
        }
        Ok(unit)
    }

    /// Poses of all mocap bodies, in the order of the file; none when the keyframe says nothing about them.
    fn mocap_poses(&mut self, element: Element<'d>) -> Result<Vec<Transform>, SceneError> {
        if !element.has("mpos") && !element.has("mquat") {
            return Ok(Vec::new());
        }
        let mut poses = self.reference()?.mocap_poses.clone();
        let positions = element.list("mpos", 3 * poses.len(), 3 * poses.len())?.unwrap_or_default();
        for (pose, position) in poses.iter_mut().zip(positions.chunks_exact(3)) {
            pose.translation = Vector3::from_column_slice(position);
        }
        let rotations = element.list("mquat", 4 * poses.len(), 4 * poses.len())?.unwrap_or_default();
        for at in (0..rotations.len()).step_by(4) {
            let rotation = self.unit_quaternion(element, "mquat", &rotations, at)?;
            poses[at / 4] = Transform::new(poses[at / 4].translation, &rotation);
        }
        Ok(poses)
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
