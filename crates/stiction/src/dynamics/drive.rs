//! Drives: the force of an actuator along its transmission, and the gains of it that resist motion.
//!
//! MuJoCo's affine actuators without activation: `f = (g0 + g1 l + g2 l') u + b0 + b1 l + b2 l'`, of the control `u` and of
//! length `l` and rate `l'` of the transmission, control and force clamped to their ranges.

use crate::model::{Actuator, JointKind, Model, Transmission};

/// The drives of each of `count` things that drives act on; `of` tells on which one a transmission acts, if on any. Names order
/// the drives of a thing, so that the bits of sums over them do not depend on the order of writing.
pub(crate) fn drives_of(
    model: &Model,
    count: usize,
    of: impl Fn(Transmission) -> Option<usize>,
) -> Vec<Vec<usize>> {
    let mut drives = vec![Vec::new(); count];
    let mut by_name: Vec<usize> = (0..model.actuators.len()).collect();
    by_name.sort_by(|a, b| model.actuators[*a].name.cmp(&model.actuators[*b].name));
    for drive in by_name {
        if let Some(place) = of(model.actuators[drive].transmission) {
            drives[place].push(drive);
        }
    }
    drives
}

/// A drive's force before the gear (N or N m) if it had no limits, and its derivatives by length and rate.
pub(crate) fn unlimited_force(actuator: &Actuator, control: f64, length: f64, rate: f64) -> (f64, [f64; 2]) {
    let control = match actuator.control_range {
        Some([low, high]) => control.clamp(low, high),
        None => control,
    };
    let ([g0, g1, g2], [b0, b1, b2]) = (actuator.gain, actuator.bias);
    let force = (g0 + g1 * length + g2 * rate) * control + b0 + b1 * length + b2 * rate;
    (force, [g1 * control + b1, g2 * control + b2])
}

/// A force within the limits of a drive.
pub(crate) fn clamp_force(actuator: &Actuator, force: f64) -> f64 {
    actuator.force_range.map_or(force, |[low, high]| force.clamp(low, high))
}

/// A drive's force before the gear (N or N m), and its derivatives by length and rate, which are zero where the force is
/// clamped.
pub(crate) fn drive_force(actuator: &Actuator, control: f64, length: f64, rate: f64) -> (f64, [f64; 2]) {
    let (force, slopes) = unlimited_force(actuator, control, length, rate);
    let clamped = clamp_force(actuator, force);
    (clamped, if clamped == force { slopes } else { [0.0; 2] })
}

/// Whether what a drive acts on has one velocity; drives on joints with several are pure forces.
pub(crate) fn is_single(model: &Model, actuator: &Actuator) -> bool {
    let single = |kind: &JointKind| !matches!(kind, JointKind::Ball | JointKind::Free);
    match actuator.transmission {
        Transmission::Joint(link) => single(&model.links[link].kind),
        Transmission::Loop(joint) => single(&model.loop_joints[joint].kind),
        Transmission::Tendon(_) => true,
    }
}

/// Length and rate of a drive's transmission; zero for joints with several dofs, whose drives are pure forces.
pub(crate) fn length_and_rate(model: &Model, actuator: &Actuator, q: &[f64], v: &[f64]) -> (f64, f64) {
    let gear = actuator.gear[0];
    match actuator.transmission {
        Transmission::Joint(link) => {
            let link = &model.links[link];
            match link.kind {
                JointKind::Hinge { .. } | JointKind::Slide { .. } => (gear * q[link.q], gear * v[link.v]),
                JointKind::Ball | JointKind::Free => (0.0, 0.0),
            }
        }
        // Theirs are in `loop_joints`.
        Transmission::Loop(_) => (0.0, 0.0),
        Transmission::Tendon(tendon) => {
            let path = &model.tendons[tendon].path;
            (gear * path.value(q), gear * path.rate(v))
        }
    }
}

/// Position and rate gain of a drive along its joint or tendon that a step may treat implicitly. None of one that is
/// clamped, and only those that resist motion: a destabilising one stays explicit.
pub(crate) fn resisting_gains(
    model: &Model,
    actuator: &Actuator,
    control: f64,
    q: &[f64],
    v: &[f64],
) -> [f64; 2] {
    let (length, rate) = length_and_rate(model, actuator, q, v);
    let (_, slopes) = drive_force(actuator, control, length, rate);
    let gear = actuator.gear[0] * actuator.gear[0];
    slopes.map(|slope| gear * (-slope).max(0.0))
}
