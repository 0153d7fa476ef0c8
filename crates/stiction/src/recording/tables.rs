//! A recording in memory: flat columns with one entry per step or contact (or three, or nine of them).

use crate::contact::Mode;
use crate::recording::columns::columns;
use crate::recording::joint_table::JointTable;
use crate::recording::moved_table::MovedTable;
use crate::recording::row_table::RowTable;
use crate::recording::run::{Poses, Run};
use crate::recording::sink::{RecordedStep, Sink};
use crate::report::forces::COUNTS;
use crate::report::{Certificate, ContactForce, HandBacks, Work};

/// Capacity reserved ahead for the states of a run is at most this many numbers (64 MiB); longer runs grow as they go.
const RESERVED: usize = 8 << 20;

/// What a run did: the sink that keeps all its steps. Archives and pages are written from it.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// What stays the same.
    pub run: Run,
    /// Time after each step (s).
    pub time: Vec<f64>,
    /// Configuration after each step.
    pub qpos: Vec<f64>,
    /// Generalized velocity after each step.
    pub qvel: Vec<f64>,
    /// Poses of the bodies after each step.
    pub poses: Poses,
    /// Bodies that the removal of overlap moved in all steps.
    pub moved: MovedTable,
    /// Contacts of all steps.
    pub contacts: ContactTable,
    /// Other rows of all steps.
    pub rows: RowTable,
    /// What joints, connects and welds transmitted in all steps.
    pub joints: JointTable,
    /// Force of each actuator in each step (N or N m), see [`Transmitted`](crate::report::Transmitted).
    pub actuator_force: Vec<f64>,
    /// Tension of each fixed tendon likewise.
    pub tendon_tension: Vec<f64>,
    /// Certificate of each step.
    pub certificates: Vec<Certificate>,
    /// By what the energy changed in each step.
    pub works: Vec<Work>,
    /// Total energy after each step (J).
    pub energy: Vec<f64>,
    /// Kinetic energy after each step (J).
    pub kinetic_energy: Vec<f64>,
    /// Sets of trees that a stepper handed back in each step.
    pub hand_backs: Vec<HandBacks>,
    /// Contact problems not solved to tolerance, in each step.
    pub unsolved: Vec<i64>,
    /// Pivots in each step.
    pub pivots: Vec<i64>,
    /// Iterations in each step.
    pub iterations: Vec<i64>,
}

/// Stands for the margin of a contact without dry friction.
pub const NO_MARGIN: f64 = -1.0;

columns! {
    /// Contacts of all steps, one entry of each vector per act of a contact (or three, or nine)
    /// ([`Simulation::contact_acts`](crate::sim::Simulation::contact_acts)).
    pub struct ContactTable("contact") {
        /// Number of the act among those of its contact in the step, which follow each other.
        pub act: i32,
        /// First geom.
        pub geom1: i32,
        /// Second geom.
        pub geom2: i32,
        /// Where the impulse acts (m, world).
        pub point: f64 [3],
        /// Rows: normal and two tangents.
        pub frame: f64 [3, 3],
        /// Gap (m).
        pub gap: f64,
        /// Law, as code of [`LAW_NAMES`](crate::recording::LAW_NAMES).
        pub law: i32,
        /// Mode, as code of [`MODE_NAMES`](crate::recording::MODE_NAMES).
        pub mode: i32,
        /// Coefficient of dry friction; infinite without slip.
        pub mu: f64,
        /// Coefficient of viscous friction (N s/m); 0 without.
        pub viscosity: f64,
        /// Friction needed over friction available; [`NO_MARGIN`] where there is no dry friction.
        pub margin: f64,
        /// Coefficient of restitution.
        pub restitution: f64,
        /// a_n (m/s).
        pub bias: f64,
        /// Normal impulse that Poisson's impact law gives in any case (N s).
        pub preload: f64,
        /// Prescribed part of the relative velocity (m/s).
        pub drift: f64 [3],
        /// Relative velocity of which the laws hold (m/s).
        pub velocity: f64 [3],
        /// Relative velocity before the impulse (m/s).
        pub before: f64 [3],
        /// Relative velocity before the step (m/s).
        pub start: f64 [3],
        /// Relative velocity of the bodies after the impulse (m/s): `velocity`, but where the laws hold of displacements.
        pub after: f64 [3],
        /// How long the forces of which the impulse is the sum act (s).
        pub duration: f64,
        /// Impulse on the second geom, in the contact frame (N s).
        pub impulse: f64 [3],
        /// Of what acts as a force, the force at the instant of the velocity, in the contact frame (N); NaN for impulses.
        pub sustained: f64 [3],
        /// Work on the two bodies (J).
        pub work: f64,
        /// What the normal force and friction did along the relative velocity (J).
        pub normal_work: f64,
        /// See `normal_work`.
        pub friction_work: f64,
        /// Slip over the step of a contact that sticks (m); the same of all its acts.
        pub slip: f64,
        /// The same since it sticks (m).
        pub shift: f64,
    }
}

impl ContactTable {
    /// Force on the second geom in world axes, averaged over a step of `h` seconds (N).
    pub fn force(&self, contact: usize, h: f64) -> [f64; 3] {
        let (frame, impulse) = (&self.frame[9 * contact..], &self.impulse[3 * contact..]);
        std::array::from_fn(|axis| (0..3).map(|row| frame[3 * row + axis] * impulse[row]).sum::<f64>() / h)
    }

    /// One entry for each contact of a step, as [`Simulation::contact_forces`](crate::sim::Simulation::contact_forces) has it: where it is
    /// and what it does at last, with the sums of force and works; its margin is that of all acts together.
    pub fn sums(&self) -> Self {
        let mut sums = Self { ptr: vec![0], ..Self::default() };
        for step in 0..self.ptr.len().saturating_sub(1) {
            let mut entries = self.of_step(step).peekable();
            while let Some(first) = entries.next() {
                let mut last = first;
                while let Some(next) = entries.next_if(|&next| self.act[next] > 0) {
                    last = next;
                }
                sums.push_sum(self, first..last + 1);
            }
            sums.ptr.push(sums.gap.len() as i64);
        }
        sums
    }

    /// Appends what acts come to that are those of one contact.
    fn push_sum(&mut self, other: &Self, acts: std::ops::Range<usize>) {
        let pressing = |act: usize| other.impulse[3 * act].max(0.0);
        let all: f64 = acts.clone().map(pressing).sum();
        let is_sustained = |&act: &usize| other.sustained[3 * act].is_finite();
        let told = acts.clone().rev().find(is_sustained).unwrap_or(acts.end - 1);
        self.push_entry(other, told);
        let entry = self.gap.len() - 1;
        let sum = |of: &dyn Fn(usize) -> f64| acts.clone().map(of).sum::<f64>();
        let world: [f64; 3] = std::array::from_fn(|axis| sum(&|act| other.force(act, 1.0)[axis]));
        for row in 0..3 {
            let frame = &other.frame[9 * told + 3 * row..][..3];
            self.impulse[3 * entry + row] = frame.iter().zip(world).map(|(a, b)| a * b).sum();
        }
        self.act[entry] = 0;
        self.work[entry] = sum(&|act| other.work[act]);
        self.normal_work[entry] = sum(&|act| other.normal_work[act]);
        self.friction_work[entry] = sum(&|act| other.friction_work[act]);
        if all > 0.0 {
            if self.margin[entry] != NO_MARGIN {
                self.margin[entry] = sum(&|act| other.margin[act] * (pressing(act) / all));
            }
            let counts = |&act: &usize| pressing(act) > COUNTS * all;
            self.mode[entry] = acts.rev().find(counts).map_or(self.mode[entry], |act| other.mode[act]);
        }
    }

    fn push(&mut self, force: &ContactForce, act: i32) {
        let contact = &force.contact;
        self.act.push(act);
        self.geom1.push(contact.geoms[0].index() as i32);
        self.geom2.push(contact.geoms[1].index() as i32);
        self.point.extend_from_slice(contact.point.as_slice());
        // The columns of the frame are the rows of the recording.
        self.frame.extend_from_slice(contact.frame.as_slice());
        self.gap.push(contact.gap);
        self.law.push(contact.law.kind() as i32);
        self.mu.push(contact.law.mu());
        self.viscosity.push(contact.law.viscosity());
        self.mode.push(match force.mode {
            Mode::Open => 0,
            Mode::Stick => 1,
            Mode::Slip => 2,
        });
        self.margin.push(force.margin.unwrap_or(NO_MARGIN));
        self.restitution.push(contact.restitution);
        self.bias.push(force.bias);
        self.preload.push(force.preload);
        self.drift.extend_from_slice(contact.drift.as_slice());
        self.velocity.extend_from_slice(force.velocity.as_slice());
        self.before.extend_from_slice(force.before.as_slice());
        self.start.extend_from_slice(force.start.as_slice());
        self.after.extend_from_slice(force.after.as_slice());
        self.duration.push(force.duration);
        self.impulse.extend_from_slice(force.impulse.as_slice());
        let sustained = force.sustained.map_or([f64::NAN; 3], Into::into);
        self.sustained.extend_from_slice(&sustained);
        self.work.push(force.work);
        self.normal_work.push(force.normal_work);
        self.friction_work.push(force.friction_work);
        self.slip.push(force.slip);
        self.shift.push(force.shift);
    }
}

impl Recording {
    /// Steps recorded.
    pub fn steps(&self) -> usize {
        self.time.len()
    }
}

impl Sink for Recording {
    fn begin(&mut self, run: Run, expected_steps: usize) {
        let (nq, nv, bodies) = (run.qpos0.len(), run.qvel0.len(), run.bodies.names.len());
        let numbers_per_step = nq + nv + 7 * bodies + 16;
        let steps = expected_steps.min(RESERVED / numbers_per_step);
        *self = Self {
            run,
            time: Vec::with_capacity(steps),
            qpos: Vec::with_capacity(steps * nq),
            qvel: Vec::with_capacity(steps * nv),
            poses: Poses {
                position: Vec::with_capacity(3 * steps * bodies),
                orientation: Vec::with_capacity(4 * steps * bodies),
            },
            moved: MovedTable { ptr: vec![0], ..Default::default() },
            contacts: ContactTable { ptr: vec![0], ..Default::default() },
            rows: RowTable { ptr: vec![0], ..Default::default() },
            joints: JointTable { ptr: vec![0], ..Default::default() },
            actuator_force: Vec::new(),
            tendon_tension: Vec::new(),
            certificates: Vec::with_capacity(steps),
            works: Vec::with_capacity(steps),
            energy: Vec::with_capacity(steps),
            kinetic_energy: Vec::with_capacity(steps),
            hand_backs: Vec::with_capacity(steps),
            unsolved: Vec::with_capacity(steps),
            pivots: Vec::with_capacity(steps),
            iterations: Vec::with_capacity(steps),
        };
    }

    fn step(&mut self, step: &RecordedStep<'_>) {
        let RecordedStep { state, poses, moved, contacts, rows, transmitted, report } = *step;
        self.time.push(state.time);
        self.qpos.extend_from_slice(&state.q);
        self.qvel.extend_from_slice(&state.v);
        self.poses.extend(poses);
        self.moved.push_step(moved);
        for acts in contacts.chunk_by(|a, b| a.contact.key == b.contact.key) {
            acts.iter().zip(0..).for_each(|(force, act)| self.contacts.push(force, act));
        }
        self.contacts.ptr.push(self.contacts.gap.len() as i64);
        self.rows.push_step(&self.run.sources, rows);
        self.joints.push_step(&self.run.sources, &transmitted.joints);
        self.actuator_force.extend_from_slice(&transmitted.actuators);
        self.tendon_tension.extend_from_slice(&transmitted.tendons);
        self.certificates.push(report.certificate);
        self.works.push(report.work);
        self.energy.push(report.energy);
        self.kinetic_energy.push(report.kinetic_energy);
        self.hand_backs.push(report.hand_backs);
        self.unsolved.push(report.unsolved as i64);
        self.pivots.push(report.pivots as i64);
        self.iterations.push(report.iterations as i64);
    }
}
