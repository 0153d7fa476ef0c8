//! `<inertial>`: the mass properties of a body.

use crate::model::build::error::comparison;
use crate::model::{BodySpec, Inertial};
use crate::scene::error::SceneError;
use crate::scene::load_report::EntryKind;
use crate::scene::mjcf::Reader;
use crate::scene::mjcf::compiler::Compiler;
use crate::scene::mjcf::document::attributes::{Attributes, check};
use crate::scene::mjcf::document::element::Element;
use crate::scene::mjcf::document::orientation::{ORIENTATIONS, pose};
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
    pub(crate) fn inertial(
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
        let local = self.possible(body, element, local)?;
        let rotation = pose.rotation;
        Ok(Inertial {
            mass,
            center_of_mass: pose.translation,
            inertia: rotation * local * rotation.transpose(),
        })
    }

    /// The inertia, or what `balanceinertia` makes of an impossible one: no mass distribution has a principal moment
    /// larger than the sum of the other two.
    fn possible(
        &mut self,
        body: &str,
        element: Element<'_>,
        inertia: Matrix3<f64>,
    ) -> Result<Matrix3<f64>, SceneError> {
        let attribute = if element.has("fullinertia") { "fullinertia" } else { "diaginertia" };
        let mut moments: Vector3<f64> = match attribute {
            "diaginertia" => inertia.diagonal(),
            _ => inertia.symmetric_eigenvalues(),
        };
        moments.as_mut_slice().sort_by(f64::total_cmp);
        if moments[0] < -SLACK * moments[2].abs() {
            let message = format!(
                "body {body:?} has the negative principal moment {:?} kg m^2; zero or more is needed",
                moments[0]
            );
            return Err(element.invalid(Some(attribute), message));
        }
        let [least, middle, largest] = moments.map(|moment| moment.max(self.compiler.bound_inertia)).into();
        if largest <= (least + middle) * (1.0 + SLACK) {
            return Ok(inertia);
        }
        let sides = comparison(largest, least + middle);
        if self.compiler.balance_inertia {
            let mean = (least + middle + largest) / 3.0;
            let message = format!(
                "a principal moment is above the sum of the other two, {sides} kg m^2; all three are set to their mean, \
                 {mean} kg m^2, as balanceinertia asks"
            );
            element.note(&mut self.notes, EntryKind::Repaired, Some(attribute), message);
            return Ok(Matrix3::from_diagonal_element(mean));
        }
        let message = format!(
            "body {body:?} has a principal moment above the sum of the other two, {sides} kg m^2; no distribution of \
             mass has such an inertia"
        );
        Err(element.invalid(Some(attribute), message))
    }

    /// Raises the mass and the principal moments of a body to what `boundmass` and `boundinertia` ask for.
    pub(crate) fn bound_inertia(&mut self, element: Element<'_>, spec: &mut BodySpec) {
        let Compiler { bound_mass, bound_inertia, .. } = self.compiler;
        if bound_mass == 0.0 && bound_inertia == 0.0 {
            return;
        }
        let mut inertial = spec.mass_properties();
        if inertial.mass < bound_mass {
            let message = format!("the mass {} kg is raised to boundmass, {bound_mass} kg", inertial.mass);
            element.note(&mut self.notes, EntryKind::Repaired, None, message);
            inertial.mass = bound_mass;
            spec.inertial = Some(inertial);
        }
        let axes = inertial.inertia.symmetric_eigen();
        let least = axes.eigenvalues.min();
        if least < bound_inertia {
            let message =
                format!("the moment {least} kg m^2 is raised to boundinertia, {bound_inertia} kg m^2");
            element.note(&mut self.notes, EntryKind::Repaired, None, message);
            let moments = axes.eigenvalues.map(|moment| moment.max(bound_inertia));
            inertial.inertia =
                axes.eigenvectors * Matrix3::from_diagonal(&moments) * axes.eigenvectors.transpose();
            spec.inertial = Some(inertial);
        }
    }
}
