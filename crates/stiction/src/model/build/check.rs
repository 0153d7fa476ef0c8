//! Checks of single specifications: every number is looked at before anything is computed with it.

use super::element::Element;
use super::error::ModelError;
use super::spec::{ActuatorSpec, CableSpec, GeomSpec, Inertial, JointSpec, TendonSpec};
use crate::geometry::Shape;
use crate::model::{JointKind, Law, TimeFunction};
use crate::spatial::Transform;
use nalgebra::{Matrix3, Vector3};

/// Rotations may be off by this (largest entry of `R^T R - 1`): far above rounding, far below what is visible.
const ROTATION_TOLERANCE: f64 = 1e-9;

/// Inertias may be asymmetric and break the triangle inequality by this, relative to the largest entry, so that
/// thin rods and plates survive being written with twelve digits.
const INERTIA_TOLERANCE: f64 = 1e-9;

pub(crate) fn finite(element: &Element, quantity: &'static str, value: f64) -> Result<(), ModelError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(ModelError::NotFinite { element: element.clone(), quantity, value })
}

pub(crate) fn all_finite<'a>(
    element: &Element,
    quantity: &'static str,
    values: impl IntoIterator<Item = &'a f64>,
) -> Result<(), ModelError> {
    values.into_iter().try_for_each(|&value| finite(element, quantity, value))
}

pub(crate) fn not_negative(element: &Element, quantity: &'static str, value: f64) -> Result<(), ModelError> {
    finite(element, quantity, value)?;
    if value >= 0.0 {
        return Ok(());
    }
    Err(ModelError::Negative { element: element.clone(), quantity, value })
}

pub(crate) fn positive(element: &Element, quantity: &'static str, value: f64) -> Result<(), ModelError> {
    finite(element, quantity, value)?;
    if value > 0.0 {
        return Ok(());
    }
    Err(ModelError::NotPositive { element: element.clone(), quantity, value })
}

pub(crate) fn range(element: &Element, quantity: &'static str, range: [f64; 2]) -> Result<(), ModelError> {
    all_finite(element, quantity, &range)?;
    if range[0] < range[1] {
        return Ok(());
    }
    Err(ModelError::EmptyRange { element: element.clone(), quantity, range })
}

/// A range that may have no width, at which what it is of is held.
pub(crate) fn range_or_value(element: &Element, range: [f64; 2]) -> Result<(), ModelError> {
    let quantity = "range";
    all_finite(element, quantity, &range)?;
    if range[0] <= range[1] {
        return Ok(());
    }
    Err(ModelError::EmptyRange { element: element.clone(), quantity, range })
}

/// A pose: finite, and its matrix a rotation.
pub(crate) fn pose(element: &Element, quantity: &'static str, pose: &Transform) -> Result<(), ModelError> {
    all_finite(element, quantity, pose.translation.iter())?;
    all_finite(element, quantity, pose.rotation.iter())?;
    let r = &pose.rotation;
    let skew = (r.tr_mul(r) - Matrix3::identity()).amax();
    let deviation = if r.determinant() > 0.0 { skew } else { skew.max(1.0 - r.determinant()) };
    if deviation <= ROTATION_TOLERANCE {
        return Ok(());
    }
    Err(ModelError::NotARotation { element: element.clone(), quantity, deviation })
}

/// A vector scaled to unit length without overflow or underflow; `None` if it is zero.
pub(crate) fn direction(v: &Vector3<f64>) -> Option<Vector3<f64>> {
    let largest = v.amax();
    if largest == 0.0 {
        return None;
    }
    // Dividing by a power of two changes no digit, so an axis of unit length keeps its bits.
    let scaled = v / libm::scalbn(1.0, libm::ilogb(largest).clamp(-1000, 1000));
    Some(scaled / scaled.norm())
}

/// A joint by itself; the joint kind with its axis normalised.
pub(crate) fn joint(element: &Element, spec: &JointSpec) -> Result<JointKind, ModelError> {
    all_finite(element, "position", spec.position.iter())?;
    finite(element, "reference", spec.reference)?;
    finite(element, "spring reference", spec.spring_reference)?;
    not_negative(element, "stiffness", spec.stiffness)?;
    not_negative(element, "damping", spec.damping)?;
    not_negative(element, "armature", spec.armature)?;
    not_negative(element, "friction loss", spec.friction_loss)?;
    if let Some(limits) = spec.range {
        joint_range(element, spec.kind, limits)?;
    }
    let unit = |axis: &Vector3<f64>| {
        all_finite(element, "axis", axis.iter())?;
        direction(axis).ok_or_else(|| ModelError::ZeroAxis { element: element.clone() })
    };
    Ok(match &spec.kind {
        JointKind::Hinge { axis } => JointKind::Hinge { axis: unit(axis)? },
        JointKind::Slide { axis } => JointKind::Slide { axis: unit(axis)? },
        JointKind::Ball => JointKind::Ball,
        JointKind::Free => JointKind::Free,
    })
}

fn joint_range(element: &Element, kind: JointKind, limits: [f64; 2]) -> Result<(), ModelError> {
    match kind {
        JointKind::Free => Err(ModelError::FreeRange { element: element.clone() }),
        JointKind::Ball => {
            all_finite(element, "range", &limits)?;
            if limits[0] == 0.0 && limits[1] > 0.0 {
                return Ok(());
            }
            Err(ModelError::BallRange { element: element.clone(), range: limits })
        }
        JointKind::Hinge { .. } | JointKind::Slide { .. } => range_or_value(element, limits),
    }
}

/// A geom by itself.
pub(crate) fn geom(element: &Element, spec: &GeomSpec) -> Result<(), ModelError> {
    shape(element, &spec.shape)?;
    pose(element, "pose", &spec.pose)?;
    if let Some(mass) = spec.mass {
        not_negative(element, "mass", mass)?;
    }
    not_negative(element, "density", spec.density)?;
    not_negative(element, "friction", spec.friction)?;
    all_finite(element, "surface velocity", spec.surface_velocity.iter())?;
    contact_dimension(element, spec.contact_dimension)
}

/// MuJoCo's `condim`.
pub(crate) fn contact_dimension(element: &Element, value: u8) -> Result<(), ModelError> {
    if matches!(value, 1 | 3 | 4 | 6) {
        return Ok(());
    }
    Err(ModelError::ContactDimension { element: element.clone(), value })
}

/// The numbers of a shape.
pub(crate) fn shape(element: &Element, shape: &Shape) -> Result<(), ModelError> {
    shape.validate().map_err(|source| ModelError::Shape { element: element.clone(), source })
}

/// A cable by itself.
pub(crate) fn cable(element: &Element, spec: &CableSpec) -> Result<(), ModelError> {
    if spec.points.len() < 2 {
        return Err(ModelError::CablePoints { element: element.clone(), found: spec.points.len() });
    }
    all_finite(element, "point", spec.points.iter().flat_map(|(_, point)| point.iter()))?;
    range(element, "range", spec.range)?;
    if spec.range[1] <= 0.0 {
        return Err(ModelError::CableLength { element: element.clone(), value: spec.range[1] });
    }
    Ok(())
}

/// A tendon by itself.
pub(crate) fn tendon(element: &Element, spec: &TendonSpec) -> Result<(), ModelError> {
    if spec.joints.is_empty() {
        return Err(ModelError::EmptyTendon { element: element.clone() });
    }
    all_finite(element, "coefficient", spec.joints.iter().map(|(_, coefficient)| coefficient))?;
    not_negative(element, "stiffness", spec.stiffness)?;
    not_negative(element, "damping", spec.damping)?;
    not_negative(element, "friction loss", spec.friction_loss)?;
    if let Some(limits) = spec.range {
        range_or_value(element, limits)?;
    }
    if let Some(relaxed) = spec.spring_range {
        all_finite(element, "spring range", &relaxed)?;
        if relaxed[0] > relaxed[1] {
            let (element, quantity) = (element.clone(), "spring range");
            return Err(ModelError::EmptyRange { element, quantity, range: relaxed });
        }
    }
    Ok(())
}

/// A drive by itself.
pub(crate) fn actuator(element: &Element, spec: &ActuatorSpec) -> Result<(), ModelError> {
    all_finite(element, "gear", &spec.gear)?;
    all_finite(element, "gain", &spec.gain)?;
    all_finite(element, "bias", &spec.bias)?;
    if let Some(limits) = spec.control_range {
        range(element, "control range", limits)?;
    }
    if let Some(limits) = spec.force_range {
        range(element, "force range", limits)?;
    }
    Ok(())
}

/// A function of time.
pub(crate) fn motion(element: &Element, function: &TimeFunction) -> Result<(), ModelError> {
    match function {
        TimeFunction::Harmonic { middle, amplitude, frequency, phase } => {
            all_finite(element, "motion", [middle, amplitude, frequency, phase])
        }
        TimeFunction::Polynomial(coefficients) => all_finite(element, "motion", coefficients),
    }
}

/// The law of a rule.
pub(crate) fn law(element: &Element, law: Law) -> Result<(), ModelError> {
    match law {
        Law::Frictionless | Law::NoSlip => Ok(()),
        Law::Coulomb { mu } => not_negative(element, "friction", mu),
        Law::Viscous { viscosity } => not_negative(element, "viscosity", viscosity),
        Law::CoulombViscous { mu, viscosity } => {
            not_negative(element, "friction", mu)?;
            not_negative(element, "viscosity", viscosity)
        }
    }
}

/// A coefficient of restitution.
pub(crate) fn restitution(element: &Element, value: f64) -> Result<(), ModelError> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(ModelError::RestitutionRange { element: element.clone(), value })
}

/// Mass properties: positive semidefinite, and principal moments that some distribution of mass has (each at most
/// the sum of the others).
pub(crate) fn inertial(element: &Element, inertial: &Inertial) -> Result<(), ModelError> {
    not_negative(element, "mass", inertial.mass)?;
    all_finite(element, "centre of mass", inertial.center_of_mass.iter())?;
    all_finite(element, "inertia", inertial.inertia.iter())?;
    let tolerance = INERTIA_TOLERANCE * inertial.inertia.amax();
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let (upper, lower) = (inertial.inertia[(i, j)], inertial.inertia[(j, i)]);
        if (upper - lower).abs() > tolerance {
            return Err(ModelError::AsymmetricInertia { element: element.clone(), upper, lower });
        }
    }
    let symmetric = (inertial.inertia + inertial.inertia.transpose()) * 0.5;
    let moments = symmetric.symmetric_eigenvalues();
    let (smallest, largest) = (moments.min(), moments.max());
    if smallest < -tolerance {
        return Err(ModelError::NegativeInertia { element: element.clone(), moment: smallest });
    }
    let sum = symmetric.trace() - largest;
    if largest > sum + tolerance {
        return Err(ModelError::ImpossibleInertia { element: element.clone(), largest, sum });
    }
    Ok(())
}
