//! Stored states: their lengths are checked, defaults filled in, quaternions normalised.

use super::check;
use super::element::{Element, ElementKind};
use super::error::ModelError;
use super::names::NameSpace;
use crate::model::{JointKind, Keyframe, Model};

pub(crate) fn add_keyframes(model: &mut Model, keyframes: Vec<Keyframe>) -> Result<(), ModelError> {
    let mut names = NameSpace::claim(ElementKind::Keyframe, keyframes.iter().map(|k| k.name.as_str()))?;
    for (number, mut key) in keyframes.into_iter().enumerate() {
        let element = names.resolve(&key.name, || format!("keyframe {number}"));
        check::finite(&element, "time", key.time)?;
        if key.q.is_empty() {
            key.q.clone_from(&model.q0);
        }
        complete(&element, "q", &mut key.q, model.nq())?;
        complete(&element, "v", &mut key.v, model.nv())?;
        complete(&element, "ctrl", &mut key.ctrl, model.actuators.len())?;
        normalize_quaternions(model, &element, &mut key.q)?;
        if key.loop_q.is_empty() {
            key.loop_q.clone_from(&model.loop_q0);
        }
        complete(&element, "loop_q", &mut key.loop_q, model.loop_q0.len())?;
        if key.mocap.is_empty() {
            key.mocap.clone_from(&model.mocap_poses);
        }
        if key.mocap.len() != model.mocap_poses.len() {
            let (found, expected) = (key.mocap.len(), model.mocap_poses.len());
            return Err(ModelError::KeyframeLength { element, quantity: "mocap", found, expected });
        }
        for pose in &key.mocap {
            check::all_finite(&element, "mocap", pose.translation.iter().chain(&pose.rotation))?;
        }
        key.name = element.name;
        model.keyframes.push(key);
    }
    Ok(())
}

/// Checks a keyframe's numbers; zeros where there are none.
fn complete(
    element: &Element,
    quantity: &'static str,
    values: &mut Vec<f64>,
    expected: usize,
) -> Result<(), ModelError> {
    if values.is_empty() {
        values.resize(expected, 0.0);
    }
    if values.len() != expected {
        let (element, found) = (element.clone(), values.len());
        return Err(ModelError::KeyframeLength { element, quantity, found, expected });
    }
    check::all_finite(element, quantity, values.iter())
}

fn normalize_quaternions(model: &Model, element: &Element, q: &mut [f64]) -> Result<(), ModelError> {
    for link in &model.links {
        let start = match link.kind {
            JointKind::Free => link.q + 3,
            JointKind::Ball => link.q,
            JointKind::Hinge { .. } | JointKind::Slide { .. } => continue,
        };
        let quaternion = &mut q[start..start + 4];
        let largest = quaternion.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        if largest == 0.0 {
            return Err(ModelError::ZeroQuaternion { element: element.clone(), joint: link.name.clone() });
        }
        let norm = quaternion.iter().map(|c| (c / largest) * (c / largest)).sum::<f64>().sqrt();
        quaternion.iter_mut().for_each(|c| *c = *c / largest / norm);
    }
    Ok(())
}
