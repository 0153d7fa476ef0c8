//! Inertia of bodies, from what is given or from their geoms, and the check that every joint moves some.
//!
//! The columns of a body's joints against the composite inertia of everything below it are a principal block of
//! the mass matrix (Walker and Orin 1982; Featherstone, *Rigid Body Dynamics Algorithms*, 2008, section 6.2): if
//! that block is not positive definite, neither is the mass matrix.

use super::spec::{BodySpec, Inertial, JointSpec};
use crate::model::JointKind;
use crate::spatial::{Inertia, Motion, Transform};
use nalgebra::{Matrix3, Vector3};

/// Pivots of a joint block at most this times the size of the terms they are sums of are rounding errors. A wire a
/// metre long and three micrometres thick still passes.
const PIVOT_TOLERANCE: f64 = 1e-13;

/// Inertia of a body about its origin in its own axes.
pub(crate) fn own_inertia(spec: &BodySpec) -> Inertia {
    let mut inertia = match &spec.inertial {
        Some(given) => Inertia::new(given.mass, &given.center_of_mass, &given.inertia),
        None => inertia_from_geoms(spec),
    };
    inertia.rotational = symmetric(&inertia.rotational);
    inertia
}

impl BodySpec {
    /// Mass properties as given, or else of the geoms.
    pub fn mass_properties(&self) -> Inertial {
        if let Some(given) = self.inertial {
            return given;
        }
        let Inertia { mass, moment, rotational } = own_inertia(self);
        let center_of_mass = if mass > 0.0 { moment / mass } else { Vector3::zeros() };
        let steiner = Inertia::new(mass, &center_of_mass, &Matrix3::zeros());
        Inertial { mass, center_of_mass, inertia: rotational - steiner.rotational }
    }
}

/// Sum over the geoms of mass (given, or density times volume) times the shape's inertia for mass one.
fn inertia_from_geoms(spec: &BodySpec) -> Inertia {
    let mut sum = Inertia::zero();
    // Names order the sum, so that its bits do not depend on the order of writing.
    let mut geoms: Vec<_> = spec.geoms.iter().collect();
    geoms.sort_by(|a, b| a.name.cmp(&b.name));
    for geom in geoms {
        let Some(unit) = geom.solid.or_else(|| geom.shape.unit_inertia()) else { continue };
        let density = geom.mass.map_or(geom.density, |mass| mass / unit.mass);
        let mass = geom.mass.unwrap_or(density * unit.mass);
        sum += Inertia::new(mass, &unit.center_of_mass, &(unit.inertia * density)).transformed(&geom.pose);
    }
    sum
}

fn symmetric(m: &Matrix3<f64>) -> Matrix3<f64> {
    (m + m.transpose()) * 0.5
}

/// Inertia of every body and all below it at zero displacement, about the body's origin in its axes. Bodies come
/// parents first; that of the world is left as its own.
pub(crate) fn composite_inertias(own: &[Inertia], parents: &[usize], poses: &[&Transform]) -> Vec<Inertia> {
    let mut composite = own.to_vec();
    for body in (1..own.len()).rev() {
        if parents[body] != 0 {
            let carried = composite[body].transformed(poses[body]);
            composite[parents[body]] += carried;
        }
    }
    composite
}

/// Why a body's joints cannot be simulated, and which one it is.
#[derive(Debug, PartialEq)]
pub(crate) enum Defect {
    /// Nothing below the joint has mass.
    Massless(usize),
    /// Some motion in this and the joints before it moves no inertia.
    Singular(usize),
}

/// Looks for a joint of a body whose block of the mass matrix at zero displacement is not positive definite.
///
/// `composite` is the inertia of the body and all below it about the body's origin; `kinds` the joints' kinds with
/// unit axes.
pub(crate) fn joint_defect(composite: &Inertia, joints: &[JointSpec], kinds: &[JointKind]) -> Option<Defect> {
    let nothing = composite.mass == 0.0 && composite.rotational.amax() == 0.0;
    if let Some(j) = joints.iter().position(|joint| nothing && joint.armature == 0.0) {
        return Some(Defect::Massless(j));
    }
    let columns = joint_columns(joints, kinds);
    let n = columns.len();
    // Cholesky factor by rows; the pivots are the block's Schur complements.
    let mut factor = vec![0.0; n * n];
    for i in 0..n {
        let (joint, column) = columns[i];
        let momentum = composite.times(&column);
        for j in 0..i {
            let mut entry = columns[j].1.dot(&momentum);
            for k in 0..j {
                entry -= factor[i * n + k] * factor[j * n + k];
            }
            factor[i * n + j] = entry / factor[j * n + j];
        }
        let armature = joints[joint].armature;
        let mut pivot = column.dot(&momentum) + armature;
        for k in 0..i {
            pivot -= factor[i * n + k] * factor[i * n + k];
        }
        let enough = pivot > PIVOT_TOLERANCE * (term_size(composite, &column) + armature);
        if !enough {
            return Some(Defect::Singular(joint));
        }
        factor[i * n + i] = pivot.sqrt();
    }
    None
}

/// Upper bound of the terms `column . (inertia column)` is a sum of.
fn term_size(inertia: &Inertia, column: &Motion) -> f64 {
    let (w, v) = (column.angular.norm(), column.linear.norm());
    inertia.rotational.trace() * w * w + 2.0 * inertia.moment.norm() * w * v + inertia.mass * v * v
}

/// Motion of the body per unit velocity of each dof at zero displacement: at the body's origin, in its axes, with
/// the number of the joint.
fn joint_columns(joints: &[JointSpec], kinds: &[JointKind]) -> Vec<(usize, Motion)> {
    let mut columns = Vec::new();
    for (index, (joint, kind)) in joints.iter().zip(kinds).enumerate() {
        let turn = |axis: Vector3<f64>| (index, Motion::new(axis, joint.position.cross(&axis)));
        let shift = |axis: Vector3<f64>| (index, Motion::new(Vector3::zeros(), axis));
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        match *kind {
            JointKind::Hinge { axis } => columns.push(turn(axis)),
            JointKind::Slide { axis } => columns.push(shift(axis)),
            JointKind::Ball => columns.extend(axes.map(turn)),
            JointKind::Free => {
                columns.extend(axes.map(shift));
                columns.extend(axes.map(|axis| (index, Motion::new(axis, Vector3::zeros()))));
            }
        }
    }
    columns
}
