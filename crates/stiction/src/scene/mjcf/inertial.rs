//! `<inertial>`: the mass properties of a body.

use super::Reader;
use super::attributes::{Attributes, check};
use super::document::Element;
use super::orientation::{ORIENTATIONS, pose};
use crate::model::{Inertial, comparison};
use crate::scene::SceneError;
use crate::spatial::Transform;
use nalgebra::{Matrix3, Vector3};

const INERTIAL: Attributes = Attributes {
    read: &["pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "mass", "diaginertia", "fullinertia"],
    inert: &[],
    unmodelled: &[],
};

/// Relative slack of the triangle inequality between principal moments: the moments of a plate or a rod, written
/// with ten digits, must pass.
const SLACK: f64 = 1e-9;

impl<'d> Reader<'d> {
    /// Reads `<inertial>` of a body.
    pub(super) fn inertial(
        &mut self,
        body: &str,
        element: Element<'d>,
        frame: &Transform,
    ) -> Result<Inertial, SceneError> {
        check(element, &INERTIAL, &mut self.notes);
        element.required("pos", "the centre of mass, three numbers in metres, is needed")?;
        element.required("mass", "the mass in kg is needed")?;
        let mass = element.nonnegative("mass")?.unwrap_or_default();
        let pose = *frame * pose(element, &self.compiler)?;
        let local = match (element.vector("diaginertia")?, element.numbers::<6>("fullinertia")?) {
            (Some(_), Some(_)) => {
                return Err(element.invalid(Some("fullinertia"), "diaginertia is given as well; keep one"));
            }
            (Some(diagonal), None) => {
                if let Some(moment) = diagonal.iter().find(|moment| **moment < 0.0) {
                    let message = format!("moment {moment} is negative; zero or more is needed");
                    return Err(element.invalid(Some("diaginertia"), message));
                }
                Matrix3::from_diagonal(&diagonal)
            }
            (None, Some([xx, yy, zz, xy, xz, yz])) => {
                if let Some(form) = ORIENTATIONS.iter().find(|form| element.has(form)) {
                    let message =
                        "a full inertia is given in the body's axes; no orientation may be given with it";
                    return Err(element.invalid(Some(form), message));
                }
                Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
            }
            (None, None) if mass == 0.0 => Matrix3::zeros(),
            (None, None) => {
                let message = "neither diaginertia nor fullinertia is given; one is needed";
                return Err(element.invalid(None, message));
            }
        };
        check_moments(body, element, &local)?;
        let rotation = pose.rotation;
        Ok(Inertial {
            mass,
            center_of_mass: pose.translation,
            inertia: rotation * local * rotation.transpose(),
        })
    }
}

/// No mass distribution has a principal moment larger than the sum of the other two.
fn check_moments(body: &str, element: Element<'_>, inertia: &Matrix3<f64>) -> Result<(), SceneError> {
    let attribute = if element.has("fullinertia") { "fullinertia" } else { "diaginertia" };
    let mut moments: Vector3<f64> = match attribute {
        "diaginertia" => inertia.diagonal(),
        _ => inertia.symmetric_eigenvalues(),
    };
    moments.as_mut_slice().sort_by(f64::total_cmp);
    let [least, middle, largest] = [moments[0], moments[1], moments[2]];
    if least < -SLACK * largest.abs() {
        let message = format!(
            "body {body:?} has the negative principal moment {least:?} kg m^2; zero or more is needed"
        );
        return Err(element.invalid(Some(attribute), message));
    }
    if largest > (least + middle) * (1.0 + SLACK) {
        let message = format!(
            "body {body:?} has a principal moment above the sum of the other two, {} kg m^2; no distribution of \
             mass has such an inertia",
            comparison(largest, least + middle)
        );
        return Err(element.invalid(Some(attribute), message));
    }
    Ok(())
}
