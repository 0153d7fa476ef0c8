//! `<compiler>` and `<option>`: how the file is to be read, and the world's constants.

use crate::scene::Notes;
use crate::scene::error::SceneError;
use crate::scene::load_report::EntryKind;
use crate::scene::mjcf::document::attributes::{Attributes, check};
use crate::scene::mjcf::document::element::{Element, Switch, quoted};
use crate::scene::mjcf::document::orientation::turn;
use nalgebra::{UnitQuaternion, Vector3};
use std::path::{Path, PathBuf};

/// When the inertia of a body comes from its geoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InertiaFromGeom {
    /// Always, whatever `<inertial>` says.
    Always,
    /// Never.
    Never,
    /// Without `<inertial>`.
    Auto,
}

/// The settings of `<compiler>` that this reader heeds.
#[derive(Clone, Debug)]
pub(crate) struct Compiler {
    /// What the file's unit of angle is in radians.
    pub(crate) angle_unit: f64,
    /// Axis (0, 1, 2) and whether it turns with the frame, per Euler rotation.
    euler_sequence: [(usize, bool); 3],
    /// Whether a range implies a limit.
    pub(crate) auto_limits: bool,
    pub(crate) inertia_from_geom: InertiaFromGeom,
    /// First and last group of geoms that give mass to their bodies.
    pub(crate) inertia_groups: [i32; 2],
    /// Folder of mesh and height field files, against the main file's.
    mesh_folder: String,
    /// Whether only the last name of a file's path counts.
    strip_path: bool,
    /// Whether shapes are fitted to the bounding boxes of meshes.
    pub(crate) fit_bounds: bool,
    /// Mass that all bodies together are to have (kg).
    pub(crate) total_mass: Option<f64>,
    /// Whether impossible principal moments are replaced by their mean.
    pub(crate) balance_inertia: bool,
    /// Least mass (kg) and least principal moment (kg m^2) of a body.
    pub(crate) bound_mass: f64,
    pub(crate) bound_inertia: f64,
}

impl Default for Compiler {
    fn default() -> Self {
        Self {
            angle_unit: std::f64::consts::PI / 180.0,
            euler_sequence: [(0, true), (1, true), (2, true)],
            auto_limits: true,
            inertia_from_geom: InertiaFromGeom::Auto,
            inertia_groups: [0, 5],
            mesh_folder: String::new(),
            strip_path: false,
            fit_bounds: false,
            total_mass: None,
            balance_inertia: false,
            bound_mass: 0.0,
            bound_inertia: 0.0,
        }
    }
}

const COMPILER: Attributes = Attributes {
    read: &[
        "angle",
        "autolimits",
        "coordinate",
        "eulerseq",
        "inertiafromgeom",
        "inertiagrouprange",
        "settotalmass",
        "assetdir",
        "meshdir",
        "strippath",
        "fitaabb",
        "balanceinertia",
        "boundinertia",
        "boundmass",
    ],
    inert: &[
        "conflict",
        "discardvisual",
        "passthrough",
        "savecanonical",
        "savecompiled",
        "saveinertial",
        "texturedir",
        "usethread",
        "fusestatic",
    ],
    unmodelled: &[("alignfree", "bodies keep the frame the file gives them")],
};

impl Compiler {
    /// Reads one `<compiler>` element on top of what earlier ones said.
    pub(crate) fn read(&mut self, element: Element<'_>, notes: &mut Notes) -> Result<(), SceneError> {
        check(element, &COMPILER, notes);
        if let Some(unit) =
            element.keyword("angle", &[("degree", std::f64::consts::PI / 180.0), ("radian", 1.0)])?
        {
            self.angle_unit = unit;
        }
        if element.keyword("coordinate", &[("local", false), ("global", true)])? == Some(true) {
            let message = "\"global\" is not supported (nor by MuJoCo since 2.3.4); write local frames";
            return Err(element.invalid(Some("coordinate"), message));
        }
        if let Some(sequence) = element.attribute("eulerseq") {
            self.euler_sequence = euler_sequence(sequence).ok_or_else(|| {
                let message = format!("{} is not three letters out of x, y, z, X, Y, Z", quoted(sequence));
                element.invalid(Some("eulerseq"), message)
            })?;
        }
        if let Some(auto) = element.boolean("autolimits")? {
            self.auto_limits = auto;
        }
        let words = [
            ("true", InertiaFromGeom::Always),
            ("false", InertiaFromGeom::Never),
            ("auto", InertiaFromGeom::Auto),
        ];
        if let Some(when) = element.keyword("inertiafromgeom", &words)? {
            self.inertia_from_geom = when;
        }
        if let Some([first, last]) = element.interval("inertiagrouprange")? {
            self.inertia_groups = [first as i32, last as i32];
        }
        if let Some(mass) = element.number("settotalmass")? {
            self.total_mass = (mass > 0.0).then_some(mass);
        }
        if let Some(folder) = element.attribute("meshdir").or(element.attribute("assetdir")) {
            self.mesh_folder = folder.to_string();
        }
        if let Some(strip) = element.boolean("strippath")? {
            self.strip_path = strip;
        }
        if let Some(fit) = element.boolean("fitaabb")? {
            self.fit_bounds = fit;
        }
        if let Some(balance) = element.boolean("balanceinertia")? {
            self.balance_inertia = balance;
        }
        self.bound_mass = element.nonnegative("boundmass")?.unwrap_or(self.bound_mass);
        self.bound_inertia = element.nonnegative("boundinertia")?.unwrap_or(self.bound_inertia);
        Ok(())
    }

    /// Where the file of a mesh or height field is.
    pub(crate) fn mesh_path(&self, element: Element<'_>, file: &str) -> PathBuf {
        let last = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let file = if self.strip_path { last } else { file };
        element.resolve(&Path::new(&self.mesh_folder).join(file).to_string_lossy())
    }

    /// Orientation from three Euler angles in the file's unit: lower-case axes turn with the frame, upper-case
    /// ones stay with the parent.
    pub(crate) fn euler(&self, angles: [f64; 3]) -> UnitQuaternion<f64> {
        let mut rotation = UnitQuaternion::identity();
        for ((axis, moving), angle) in self.euler_sequence.into_iter().zip(angles) {
            let mut direction = Vector3::zeros();
            direction[axis] = 1.0;
            let step = turn(direction, angle * self.angle_unit);
            rotation = if moving { rotation * step } else { step * rotation };
        }
        rotation
    }

    /// Whether a limit holds, from its switch and whether its range is set.
    ///
    /// # Errors
    /// A range without a switch where `autolimits` is off.
    pub(crate) fn limited(
        &self,
        element: Element<'_>,
        switch: Switch,
        range: Option<[f64; 2]>,
        names: [&str; 2],
    ) -> Result<bool, SceneError> {
        match switch {
            Switch::On => Ok(true),
            Switch::Off => Ok(false),
            Switch::Auto if range.is_some() && !self.auto_limits => {
                let message =
                    format!("given without {}, which is needed where autolimits is \"false\"", names[1]);
                Err(element.invalid(Some(names[0]), message))
            }
            Switch::Auto => Ok(range.is_some_and(|[lower, upper]| lower < upper)),
        }
    }
}

fn euler_sequence(text: &str) -> Option<[(usize, bool); 3]> {
    let axes: Option<Vec<_>> = text.chars().map(|c| "xyzXYZ".find(c).map(|at| (at % 3, at < 3))).collect();
    axes?.try_into().ok()
}

/// What `<option>` and its flags say.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) timestep: Option<f64>,
    pub(crate) gravity: Vector3<f64>,
    /// Effects that `<flag>` switches off.
    pub(crate) disabled: Disabled,
}

/// Effects switched off by `<flag NAME="disable"/>`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Disabled {
    pub(crate) actuation: bool,
    pub(crate) contact: bool,
    pub(crate) damper: bool,
    pub(crate) equality: bool,
    pub(crate) frictionloss: bool,
    pub(crate) gravity: bool,
    pub(crate) limit: bool,
    pub(crate) spring: bool,
}

impl Default for World {
    fn default() -> Self {
        Self { timestep: None, gravity: Vector3::new(0.0, 0.0, -9.81), disabled: Disabled::default() }
    }
}

/// Longer time steps are probably not meant (s).
const LONG: f64 = 0.05;

const SOFT_SOLVER: &str = "a setting of MuJoCo's soft constraint solver";
const FLUID: &str = "there is no surrounding fluid";

const OPTION: Attributes = Attributes {
    read: &["timestep", "gravity"],
    inert: &[],
    unmodelled: &[
        ("actuatorgroupdisable", "all drives are on"),
        ("ccd_iterations", "a setting of MuJoCo's collision detection"),
        ("ccd_tolerance", "a setting of MuJoCo's collision detection"),
        ("cone", "the contact model is chosen with stiction:contact_model"),
        ("density", FLUID),
        ("impratio", SOFT_SOLVER),
        ("integrator", "the step rule is chosen by the simulation"),
        ("iterations", SOFT_SOLVER),
        ("jacobian", SOFT_SOLVER),
        ("ls_iterations", SOFT_SOLVER),
        ("ls_tolerance", SOFT_SOLVER),
        ("magnetic", "there are no magnetometers"),
        ("noslip_iterations", SOFT_SOLVER),
        ("noslip_tolerance", SOFT_SOLVER),
        ("o_friction", "contact parameters are not overridden"),
        ("o_margin", "contact parameters are not overridden"),
        ("o_solimp", SOFT_SOLVER),
        ("o_solref", SOFT_SOLVER),
        ("sdf_initpoints", "a setting of MuJoCo's collision detection"),
        ("sdf_iterations", "a setting of MuJoCo's collision detection"),
        ("sleep_tolerance", "bodies never sleep"),
        ("solver", "the solver is chosen with stiction:solver"),
        ("tolerance", SOFT_SOLVER),
        ("viscosity", FLUID),
        ("wind", FLUID),
    ],
};

/// Flags that are read.
const HEEDED_FLAGS: &[&str] =
    &["actuation", "contact", "damper", "equality", "frictionloss", "gravity", "limit", "spring"];

/// Flags without effect on motion.
const INERT_FLAGS: &[&str] = &[
    "energy",
    "fwdinv",
    "invdiscrete",
    "island",
    "midphase",
    "nativeccd",
    "multiccd",
    "sensor",
    "warmstart",
];

impl World {
    /// Reads one `<option>` element on top of what earlier ones said.
    pub(crate) fn read(&mut self, element: Element<'_>, notes: &mut Notes) -> Result<(), SceneError> {
        check(element, &OPTION, notes);
        if let Some(step) = element.number("timestep")? {
            if step <= 0.0 {
                return Err(element.invalid(Some("timestep"), format!("{step} is not positive (s)")));
            }
            if step > LONG {
                let message = format!(
                    "{step} s is long: contacts are looked for as far as bodies may go in a step, so most pairs are \
                     near each other and steps are slow; milliseconds are usual"
                );
                element.note(notes, EntryKind::Warning, Some("timestep"), message);
            }
            self.timestep = Some(step);
        }
        if let Some(gravity) = element.vector("gravity")? {
            self.gravity = gravity;
        }
        for flags in element.children() {
            self.read_flags(flags, notes)?;
        }
        Ok(())
    }

    fn read_flags(&mut self, element: Element<'_>, notes: &mut Notes) -> Result<(), SceneError> {
        let words = [("enable", false), ("disable", true)];
        let disabled = &mut self.disabled;
        for (name, off) in [
            ("actuation", &mut disabled.actuation),
            ("contact", &mut disabled.contact),
            ("damper", &mut disabled.damper),
            ("equality", &mut disabled.equality),
            ("frictionloss", &mut disabled.frictionloss),
            ("gravity", &mut disabled.gravity),
            ("limit", &mut disabled.limit),
            ("spring", &mut disabled.spring),
        ] {
            *off = element.keyword(name, &words)?.unwrap_or(*off);
        }
        for name in element
            .attribute_names()
            .filter(|name| !HEEDED_FLAGS.contains(name) && !INERT_FLAGS.contains(name))
        {
            let message = "this switch of MuJoCo's has no counterpart here";
            element.note(notes, EntryKind::Ignored, Some(name), message);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn euler(sequence: &str, angles: [f64; 3]) -> UnitQuaternion<f64> {
        let euler_sequence = euler_sequence(sequence).unwrap();
        Compiler { euler_sequence, angle_unit: 1.0, ..Compiler::default() }.euler(angles)
    }

    #[test]
    fn turning_about_fixed_axes_is_turning_about_moving_ones_in_the_opposite_order() {
        for a in ["x", "y", "z"] {
            for b in ["x", "y", "z"] {
                for c in ["x", "y", "z"] {
                    let fixed = euler(&format!("{a}{b}{c}").to_uppercase(), [0.3, -1.1, 2.0]);
                    let moving = euler(&format!("{c}{b}{a}"), [2.0, -1.1, 0.3]);
                    assert!(fixed.angle_to(&moving) < 1e-15, "{a}{b}{c}");
                }
            }
        }
    }

    #[test]
    fn a_mixed_sequence_turns_each_axis_in_its_own_frame() {
        // y about the moving axis after x, then Z about the parent's: Z x y.
        let mixed = euler("xyZ", [0.4, 0.5, 0.6]);
        let about = |axis: Vector3<f64>, angle: f64| turn(axis, angle);
        let expected = about(Vector3::z(), 0.6) * about(Vector3::x(), 0.4) * about(Vector3::y(), 0.5);
        assert!(mixed.angle_to(&expected) < 1e-15);
    }

    #[test]
    fn sequences_of_other_letters_or_lengths_are_none() {
        for bad in ["", "xy", "xyzx", "xyw", "x z"] {
            assert!(euler_sequence(bad).is_none(), "{bad}");
        }
    }
}
