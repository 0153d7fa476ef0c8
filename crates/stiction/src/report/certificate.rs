//! Stage 8 of a step: the certificate, computed from the rows and velocities after the fact.
//!
//! The solver's dimensionless residual says how well the posed problem was solved; the physical certificate says in SI
//! units how well the result obeys the laws, whatever the formulation: no closed contact approaches, none pulls, every
//! impulse lies in its friction cone, friction never feeds power in, nothing overlaps, bilateral constraints hold.

use crate::constraint::rows::RowBlock;
use crate::contact::{BlockKind, IslandReport};
use crate::model::Law;
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

/// Declares the certificate, field by field: `name: unit, title, whether a violation;`.
macro_rules! certificate {
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

certificate! {
    /// Worst scaled natural-map residual of the islands' problems (dimensionless).
    residual: "", "residual (scaled)", true;
    /// Deepest overlap of contacts and limits at the beginning of the step, after the projection (m, rad).
    penetration: "m", "penetration", true;
    /// Worst speed below what a unilateral row allows (m/s, rad/s).
    approach: "m/s", "approach at closed contacts", true;
    /// Worst negative normal impulse as a force (N).
    pull: "N", "pull", true;
    /// Worst excess of a tangential force over the friction bound (N).
    cone_violation: "N", "outside the friction cone", true;
    /// Worst power that friction feeds into a contact (W).
    sliding_power: "W", "power fed in by friction", true;
    /// Worst error of a bilateral constraint at the end of the step (m, rad).
    bilateral: "m", "bilateral error", true;
    /// Work of all contact, limit and joint-friction impulses, `1/2 lambda . J (v_free + v+)` (J), where `v_free`
    /// already meets the bilateral rows.
    contact_work: "J", "work of contact impulses", false;
    /// Change of the total energy in the step (J).
    energy_change: "J", "energy gain in a step", false;
}

impl Certificate {
    /// Takes the larger of each field, so that zero, or the worst of several steps, remains.
    pub fn take_worst(&mut self, other: &Certificate) {
        for field in Self::FIELDS {
            let worst = (field.get_mut)(self);
            *worst = worst.max((field.get)(other));
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
    /// Contacts in the problem.
    pub contacts: usize,
    /// Constraint rows.
    pub rows: usize,
    /// Islands with unilateral rows.
    pub islands: usize,
    /// Islands that were not solved to tolerance.
    pub unsolved: usize,
    /// Islands for which the acceleration stepper found no forces, so that the velocity level decided; they count as
    /// unsolved too.
    #[serde(default)]
    pub inconsistent: usize,
    /// Islands whose answer came from a regularised matrix (and was certified on the original).
    pub regularized: usize,
    /// Contacts that bounce.
    #[serde(default)]
    pub bounces: usize,
    /// Islands in which they bounce less than their coefficients of restitution say, because the impact would have added
    /// energy or has no solution otherwise.
    #[serde(default)]
    pub reduced_impacts: usize,
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
            inconsistent: 0,
            regularized: 0,
            bounces: 0,
            reduced_impacts: 0,
            variables: 0,
            iterations: 0,
            pivots: 0,
            status: Status::Solved,
            energy,
            kinetic_energy: 0.0,
            certificate: Certificate::default(),
        }
    }

    /// Whether every island was solved to tolerance.
    pub fn solved(&self) -> bool {
        self.unsolved == 0
    }

    pub(crate) fn add_island(&mut self, island: &IslandReport) {
        let IslandReport { solver: report, variables, bounces, reduced } = *island;
        self.islands += 1;
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

impl Certificate {
    /// Adds a block of rows under the law in force, with its impulse, the velocity that it leaves and the velocity with bilateral
    /// rows alone, in a step of `h` seconds.
    pub(crate) fn add_block(
        &mut self,
        kind: BlockKind,
        impulse: &Vector3<f64>,
        velocity: &Vector3<f64>,
        free: &Vector3<f64>,
        h: f64,
    ) {
        self.contact_work += 0.5 * impulse.dot(&(velocity + free));
        match kind {
            BlockKind::Contact { bias, law, .. } => {
                self.approach = self.approach.max(-(velocity.x + bias));
                self.pull = self.pull.max(-impulse.x / h);
                let excess = excess_friction(law, impulse, velocity, h);
                self.cone_violation = self.cone_violation.max(excess / h);
                let power = (impulse.y * velocity.y + impulse.z * velocity.z) / h;
                self.sliding_power = self.sliding_power.max(power);
            }
            BlockKind::Limit { bias } => {
                self.approach = self.approach.max(-(velocity.x + bias));
                self.pull = self.pull.max(-impulse.x / h);
            }
            BlockKind::Friction { bound } => {
                self.cone_violation = self.cone_violation.max((impulse.x.abs() - bound) / h);
                self.sliding_power = self.sliding_power.max(impulse.x * velocity.x / h);
            }
        }
    }
}

/// Impulse and velocity of a block's rows, zero-filled to three.
pub(crate) fn row_values(block: &RowBlock, impulse: &[f64], rates: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
    let mut values = (Vector3::zeros(), Vector3::zeros());
    for r in 0..block.count.min(3) {
        values.0[r] = impulse[block.row + r];
        values.1[r] = rates[block.row + r];
    }
    values
}

/// Tangential impulse beyond what the law allows (N s).
fn excess_friction(law: Law, lambda: &Vector3<f64>, rates: &Vector3<f64>, h: f64) -> f64 {
    let viscous = h * law.viscosity();
    let dry = libm::hypot(lambda.y + viscous * rates.y, lambda.z + viscous * rates.z);
    if lambda.x <= 0.0 || law.mu().is_finite() {
        let bound = if lambda.x > 0.0 { law.mu() * lambda.x } else { 0.0 };
        // An explicit viscous impulse answers the velocity before the step, not the one after.
        if matches!(law, Law::Viscous { .. }) { 0.0 } else { dry - bound }
    } else {
        0.0
    }
}
