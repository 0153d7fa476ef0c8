//! Stage 8 of a step: the certificate, computed from the rows and velocities after the fact.
//!
//! The solver's dimensionless residual says how well the posed problem was solved; the physical certificate says in SI
//! units how well the result obeys the laws, whatever the formulation: no closed contact approaches, none pulls, every
//! impulse lies in its friction cone, friction never feeds power in, nothing overlaps, bilateral constraints hold.

use crate::constraint::position_error::larger;
use crate::constraint::rows::RowBlock;
use crate::contact::{BlockKind, IslandReport};
use crate::model::{BodyId, Law};
use crate::report::{HandBacks, RowForce, Work};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use stiction_solvers::Status;

/// A field of [`Certificate`], for whatever lists, writes or reads them all.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CertificateField {
    /// Name, as in recordings (`certificate_NAME`) and in Python.
    pub name: &'static str,
    /// SI unit; empty for a dimensionless number.
    pub unit: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What it is, in a sentence.
    pub doc: &'static str,
    /// Whether it is a violation of a law: zero or positive, zero is perfect.
    pub violation: bool,
    /// Its value.
    pub get: fn(&Certificate) -> f64,
    /// Its place.
    pub get_mut: fn(&mut Certificate) -> &mut f64,
}

/// Declares the certificate, field by field, to the macro `$declare`: `name: unit, title, whether a violation;`. Whatever
/// needs the fields by name where Rust compiles, as the attributes in Python, is declared from here too; whatever needs them
/// where it runs reads [`Certificate::FIELDS`].
#[doc(hidden)]
#[macro_export]
macro_rules! certificate_fields {
    ($declare:ident) => {
        $declare! {
            /// Worst scaled natural-map residual of the islands' problems (dimensionless).
            residual: "", "residual (scaled)", true;
            /// Deepest overlap of contacts, and of limits that are lengths, at the end of the step, as the laws left it (m).
            penetration: "m", "penetration", true;
            /// Worst crossing of limits that are angles, at the end of the step likewise (rad).
            penetration_angular: "rad", "crossed limits", true;
            /// Farthest that the removal of overlap at the beginning of the step moved a body's origin (m).
            projection: "m", "moved by projection", true;
            /// Farthest that it turned a body (rad).
            projection_angular: "rad", "turned by projection", true;
            /// Worst speed below what a unilateral row allows (m/s).
            approach: "m/s", "approach at closed contacts", true;
            /// Worst rate below what a limit that is an angle allows (rad/s).
            approach_angular: "rad/s", "approach at limits", true;
            /// Worst negative normal impulse as a force (N).
            pull: "N", "pull", true;
            /// Worst negative impulse of a limit that is an angle as a torque (N m).
            pull_angular: "N m", "pull of limits", true;
            /// Worst excess of a tangential force over the friction bound (N).
            cone_violation: "N", "outside the friction cone", true;
            /// Worst excess of the friction of joints that turn over its bound (N m).
            cone_violation_angular: "N m", "beyond joint friction", true;
            /// Worst power that friction feeds into a contact (W).
            sliding_power: "W", "power fed in by friction", true;
            /// Worst power of a normal force where the row opens, `lambda_n (u_n + a_n) / h` (W).
            complementarity: "W", "force where contacts open", true;
            /// Worst power that dry friction fails to take, `(mu lambda_n |u_t| + lambda_t . u_t) / h` (W): zero when sliding
            /// friction is as large as it can be and against the sliding.
            dissipation: "W", "missing friction power", true;
            /// Fastest sliding of a contact without slip that presses (m/s).
            slip: "m/s", "slip without leave", true;
            /// Farthest that the points of a contact that sticks slipped over the step (m).
            sticking_slip: "m", "slip of sticking contacts", true;
            /// The same since the contact sticks (m).
            sticking_shift: "m", "shift of sticking contacts", true;
            /// Worst difference between viscous friction and its coefficient times the velocity after the step (N).
            viscous_error: "N", "error of viscous friction", true;
            /// Worst error of a bilateral constraint at the end of the step (m).
            bilateral: "m", "bilateral error", true;
            /// Worst error of a bilateral constraint of angles, likewise (rad).
            bilateral_angular: "rad", "bilateral error of angles", true;
            /// Worst speed of a bilateral constraint's row beyond what it allows, giving way where it does, after the step (m/s).
            bilateral_velocity: "m/s", "bilateral velocity error", true;
            /// Worst rate of a row that holds an angle, likewise (rad/s).
            bilateral_velocity_angular: "rad/s", "bilateral rate error", true;
            /// Work of all contact, limit and joint-friction impulses, `1/2 lambda . J (v_free + v+)` (J), where `v_free`
            /// already meets the bilateral rows.
            contact_work: "J", "work of contact impulses", false;
            /// Change of the total energy in the step (J).
            energy_change: "J", "energy gain in a step", false;
        }
    };
}

macro_rules! declare_certificate {
    ($($(#[doc = $doc:literal])+ $name:ident: $unit:literal, $title:literal, $violation:literal;)+) => {
        /// Violations of the laws in one step, all zero or positive, zero is perfect; and what the step did to the energy.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[non_exhaustive]
        pub struct Certificate {
            $($(#[doc = $doc])+ pub $name: f64,)+
        }

        impl Certificate {
            /// All fields, in their order.
            pub const FIELDS: &'static [CertificateField] = &[$(CertificateField {
                name: stringify!($name),
                unit: $unit,
                title: $title,
                doc: concat!($($doc),+).trim_ascii(),
                violation: $violation,
                get: |certificate| certificate.$name,
                get_mut: |certificate| &mut certificate.$name,
            },)+];
        }
    };
}

certificate_fields!(declare_certificate);

impl Certificate {
    /// Takes the larger of each field, so that zero, or the worst of several steps, remains.
    pub fn take_worst(&mut self, other: &Certificate) {
        for field in Self::FIELDS {
            raise((field.get_mut)(self), (field.get)(other));
        }
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepReport {
    /// Number of the step, from 0.
    pub step: u64,
    /// Time at its end (s).
    pub time: f64,
    /// Contacts in the problem; one that acts several times in the step is one.
    pub contacts: usize,
    /// Constraint rows, of a step with impulses at both ends those of its beginning.
    pub rows: usize,
    /// Islands with unilateral rows, likewise.
    pub islands: usize,
    /// Islands that were not solved to tolerance, or whose bilateral rows contradict each other.
    pub unsolved: usize,
    /// Sets of trees that the acceleration or the event-driven stepper handed to another rule for the whole step, by reason.
    #[serde(default)]
    pub hand_backs: HandBacks,
    /// Islands whose answer came from a regularised matrix (and was certified on the original).
    pub regularized: usize,
    /// Contacts that bounce.
    #[serde(default)]
    pub bounces: usize,
    /// Islands in which they bounce less than their coefficients of restitution say, because the impact would have added
    /// energy or has no solution otherwise.
    #[serde(default)]
    pub reduced_impacts: usize,
    /// The body that the removal of overlap at the beginning of the step moved farthest, if it moved any.
    #[serde(default)]
    pub projected_body: Option<BodyId>,
    /// Passes of the stepper with impulses at both ends; 0 of the others.
    #[serde(default)]
    pub passes: usize,
    /// Rounds in which contacts were added that were not foreseen.
    #[serde(default)]
    pub rounds: usize,
    /// Times that the step was taken again, since bodies met that were not expected to or contacts added energy.
    #[serde(default)]
    pub attempts: usize,
    /// Impacts within the step, where it was taken from impact to impact.
    #[serde(default)]
    pub events: usize,
    /// Sets of bodies that met more impacts in the step than it can hold, and went on without bounce.
    #[serde(default)]
    pub cut_impacts: usize,
    /// Times that a part of the step was taken in halves.
    #[serde(default)]
    pub halvings: usize,
    /// Complementarity variables of the largest island.
    pub variables: usize,
    /// Exchanges of whole index sets in all islands (see [`stiction_solvers::Report`]).
    pub iterations: usize,
    /// Pivots of all islands.
    pub pivots: usize,
    /// Worst status.
    pub status: Status,
    /// Kinetic and potential energy at the end (J).
    pub energy: f64,
    /// Kinetic energy at the end (J).
    pub kinetic_energy: f64,
    /// Violations.
    pub certificate: Certificate,
    /// By what the energy changed in the step.
    #[serde(default)]
    pub work: Work,
}

impl StepReport {
    /// Of a step that has not begun: at this time (s) and energy (J).
    pub(crate) fn at(time: f64, energy: f64) -> Self {
        Self {
            step: 0,
            time,
            contacts: 0,
            rows: 0,
            islands: 0,
            unsolved: 0,
            hand_backs: HandBacks::default(),
            regularized: 0,
            bounces: 0,
            reduced_impacts: 0,
            projected_body: None,
            passes: 0,
            rounds: 0,
            attempts: 0,
            events: 0,
            cut_impacts: 0,
            halvings: 0,
            variables: 0,
            iterations: 0,
            pivots: 0,
            status: Status::Solved,
            energy,
            kinetic_energy: 0.0,
            certificate: Certificate::default(),
            work: Work::default(),
        }
    }

    /// Whether every island was solved to tolerance.
    pub fn solved(&self) -> bool {
        self.unsolved == 0
    }

    pub(crate) fn add_projection(&mut self, [length, angle]: [f64; 2], farthest: Option<BodyId>) {
        [self.certificate.projection, self.certificate.projection_angular] = [length, angle];
        self.projected_body = farthest;
    }

    /// Adds that the bilateral rows of an island contradict each other, however its other rows were `solved`; an island counts once.
    pub(crate) fn add_contradiction(&mut self, solved: Option<&IslandReport>) {
        if solved.is_none_or(|island| island.solver.status == Status::Solved) {
            self.unsolved += 1;
            self.status = Status::Infeasible;
        }
    }

    /// Adds an island with how it was solved.
    pub(crate) fn add_island(&mut self, island: &IslandReport) {
        self.islands += 1;
        self.add_effort(island);
    }

    /// Adds how an island was solved that is counted already.
    pub(crate) fn add_effort(&mut self, island: &IslandReport) {
        let IslandReport { solver: report, variables, bounces, reduced } = *island;
        self.bounces += bounces;
        self.reduced_impacts += usize::from(reduced);
        self.iterations += report.iterations;
        self.pivots += report.pivots;
        self.variables = self.variables.max(variables);
        self.regularized += usize::from(report.regularization > 0.0);
        self.certificate.residual = self.certificate.residual.max(report.residual.natural_map);
        if report.status != Status::Solved {
            self.unsolved += 1;
            self.status = report.status;
        }
    }
}

/// A block of rows after a step: what it did, in a step of `h` seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockOutcome {
    /// With the law in force.
    pub(crate) kind: BlockKind,
    /// Whether the rows are rates of angles.
    pub(crate) angular: bool,
    /// Impulse of each row (N s or N m s).
    pub(crate) impulse: Vector3<f64>,
    /// Velocity of which the laws hold (m/s or rad/s).
    pub(crate) velocity: Vector3<f64>,
    /// Velocity after the impulse: the same, but where laws hold of displacements.
    pub(crate) after: Vector3<f64>,
    /// Velocity before the step, and with bilateral rows and smooth forces alone; right before an impact both are that.
    pub(crate) start: Vector3<f64>,
    pub(crate) free: Vector3<f64>,
}

impl BlockOutcome {
    /// Of a block, `kind` with the law in force, and the values of all rows: impulses, velocities of which the laws hold and after,
    /// before the step and free.
    pub(crate) fn of(
        block: &RowBlock,
        kind: BlockKind,
        impulse: &[f64],
        [velocity, after]: [&[f64]; 2],
        [start, free]: [&[f64]; 2],
    ) -> Self {
        let values = |rows: &[f64]| row_values(block, rows);
        let [impulse, velocity, after] = [impulse, velocity, after].map(values);
        let [start, free] = [start, free].map(values);
        Self { kind, angular: block.is_angular(0), impulse, velocity, after, start, free }
    }

    /// Takes the tangential velocities of a contact without tangential rows, before the step and after, from those of its bodies.
    pub(crate) fn slide(&mut self, start: &Vector3<f64>, velocity: &Vector3<f64>) {
        for (own, given) in
            [(&mut self.start, start), (&mut self.velocity, velocity), (&mut self.after, velocity)]
        {
            (own.y, own.z) = (given.y, given.z);
        }
    }

    /// What the normal and the tangential impulse of a contact did along the relative velocity, `1/2 lambda . (u- + u+)` (J).
    pub(crate) fn contact_works(&self) -> [f64; 2] {
        let mean = (self.start + self.after) * 0.5;
        [self.impulse.x * mean.x, self.impulse.y * mean.y + self.impulse.z * mean.z]
    }

    /// Work of its impulses (J).
    pub(crate) fn work(&self) -> f64 {
        0.5 * self.impulse.dot(&(self.after + self.free))
    }
}

impl Certificate {
    /// Adds what happened in a part of the step, or to a part of the bodies: of each violation the larger one remains, and
    /// works add up.
    pub(crate) fn add_part(&mut self, other: &Certificate) {
        for field in Self::FIELDS {
            let (value, other) = ((field.get_mut)(self), (field.get)(other));
            *value = if field.violation { larger(*value, other) } else { *value + other };
        }
    }

    /// Adds a block of rows, in a step of `h` seconds.
    pub(crate) fn add_block(&mut self, block: &BlockOutcome, h: f64) {
        self.contact_work += block.work();
        self.add_violations(block, h);
    }

    /// Adds the violations of a block of rows, in a step of `h` seconds.
    pub(crate) fn add_violations(&mut self, block: &BlockOutcome, h: f64) {
        let BlockOutcome { kind, angular, impulse, velocity, .. } = block;
        match *kind {
            BlockKind::Contact { bias, law, preload } => {
                self.add_normal(*angular, impulse.x, preload, velocity.x + bias, h);
                self.add_friction(law, bias, impulse, velocity, h);
            }
            BlockKind::Limit { bias } => self.add_normal(*angular, impulse.x, 0.0, velocity.x + bias, h),
            BlockKind::Friction { bound } => {
                let excess = (impulse.x.abs() - bound) / h;
                raise(
                    if *angular { &mut self.cone_violation_angular } else { &mut self.cone_violation },
                    excess,
                );
                let power = impulse.x * velocity.x / h;
                raise(&mut self.sliding_power, power);
                raise(&mut self.dissipation, bound * velocity.x.abs() / h + power);
            }
        }
    }

    /// Adds the row of a drive that may reach a limit of its force: what its impulse is off from where its law would have it, as a force.
    pub(crate) fn add_drive(&mut self, row: &RowForce) {
        let off = row.velocity + row.compliance * row.impulse;
        let right = (row.impulse - off / row.compliance).clamp(row.lower, row.upper);
        let worst = if row.angular { &mut self.cone_violation_angular } else { &mut self.cone_violation };
        raise(worst, (row.impulse - right).abs() / row.duration);
    }

    /// Adds a contact that sticks: its slip over the step and since it sticks (m).
    pub(crate) fn add_slip(&mut self, slip: f64, shift: f64) {
        raise(&mut self.sticking_slip, slip);
        raise(&mut self.sticking_shift, shift);
    }

    /// Adds a row that holds both ways with this velocity error (m/s, or rad/s if `angular`).
    pub(crate) fn add_bilateral_velocity(&mut self, angular: bool, error: f64) {
        let worst = if angular { &mut self.bilateral_velocity_angular } else { &mut self.bilateral_velocity };
        raise(worst, error.abs());
    }

    /// `0 <= lambda - p  perp  w >= 0`.
    fn add_normal(&mut self, angular: bool, impulse: f64, preload: f64, w: f64, h: f64) {
        let [approach, pull] = if angular {
            [&mut self.approach_angular, &mut self.pull_angular]
        } else {
            [&mut self.approach, &mut self.pull]
        };
        raise(approach, -w);
        raise(pull, -impulse / h);
        raise(&mut self.complementarity, ((impulse - preload) * w).abs() / h);
    }

    /// The tangential part of a contact under its law.
    fn add_friction(&mut self, law: Law, bias: f64, impulse: &Vector3<f64>, velocity: &Vector3<f64>, h: f64) {
        let slip = libm::hypot(velocity.y, velocity.z);
        let power = (impulse.y * velocity.y + impulse.z * velocity.z) / h;
        raise(&mut self.sliding_power, power);
        let viscous = h * law.viscosity();
        let whole = Friction::of(law, viscous, impulse, velocity, h);
        let part = if bias > 0.0 && viscous > 0.0 {
            // A contact that does not touch before the step and does not press in it touches for a part of it at most.
            let share = (-power / (law.viscosity() * slip * slip)).clamp(0.0, 1.0);
            let share = if share.is_nan() { 0.0 } else { share };
            let friction = Friction::of(law, share * viscous, impulse, velocity, h);
            let pressing = (impulse.x / h).max(0.0);
            Friction {
                excess: larger(friction.excess, pressing),
                missing: larger(friction.missing, pressing * slip),
            }
        } else {
            whole
        };
        let nearer = if part.excess < whole.excess { part } else { whole };
        match law {
            Law::Viscous { .. } => raise(&mut self.viscous_error, nearer.excess),
            Law::NoSlip if impulse.x > 0.0 => raise(&mut self.slip, slip),
            Law::NoSlip | Law::Frictionless => raise(&mut self.cone_violation, nearer.excess),
            Law::Coulomb { .. } | Law::CoulombViscous { .. } => {
                raise(&mut self.cone_violation, nearer.excess);
                raise(&mut self.dissipation, nearer.missing);
            }
        }
    }
}

/// What friction does beside its law, if `viscous` (kg) is what viscous friction has to the sliding velocity.
#[derive(Clone, Copy)]
struct Friction {
    /// Dry friction (N) beyond its bound.
    excess: f64,
    /// Power (W) that sliding should take and does not.
    missing: f64,
}

impl Friction {
    fn of(law: Law, viscous: f64, impulse: &Vector3<f64>, velocity: &Vector3<f64>, h: f64) -> Self {
        let slip = libm::hypot(velocity.y, velocity.z);
        let dry = libm::hypot(impulse.y + viscous * velocity.y, impulse.z + viscous * velocity.z);
        let bound = match law {
            Law::Coulomb { mu } | Law::CoulombViscous { mu, .. } => mu * impulse.x.max(0.0),
            Law::NoSlip | Law::Frictionless | Law::Viscous { .. } => 0.0,
        };
        let power = (impulse.y * velocity.y + impulse.z * velocity.z) / h;
        Self { excess: (dry - bound) / h, missing: (bound + viscous * slip) * slip / h + power }
    }
}

/// Raises a violation to another one; one that is not a number stays.
fn raise(violation: &mut f64, other: f64) {
    *violation = larger(*violation, other);
}

/// The values of a block's rows, zero-filled to three.
pub(crate) fn row_values(block: &RowBlock, rows: &[f64]) -> Vector3<f64> {
    let mut values = Vector3::zeros();
    for r in 0..block.count.min(3) {
        values[r] = rows[block.row + r];
    }
    values
}
