//! What a run comes to: sizes, speed, and the worst of every certificate.

use crate::print::readout::ReadOut;
use serde::Serialize;
use std::path::Path;
use stiction::contact::ImpactLaw;
use stiction::dynamics;
use stiction::dynamics::Data;
use stiction::model::{BodyId, TreeId};
use stiction::report::{Certificate, CertificateField, HandBacks, StepReport, Work};
use stiction::sim::Simulation;
use stiction_lab::table::{count, pairs};

/// What part of the kinetic energy equalities take of velocities that they forbid before it is told: less is the error of steps.
const FORBIDDEN: f64 = 1e-2;

/// Sum and maximum of a count per step.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    sum: u64,
    max: usize,
}

impl Tally {
    fn add(&mut self, n: usize) {
        self.sum += n as u64;
        self.max = self.max.max(n);
    }

    fn mean(&self, steps: u64) -> f64 {
        if steps == 0 { 0.0 } else { self.sum as f64 / steps as f64 }
    }
}

/// Collects a run, report by report.
#[derive(Debug)]
pub(crate) struct Summary {
    scene: String,
    bodies: usize,
    dof: usize,
    dt: f64,
    contact_model: &'static str,
    solver: String,
    steps: u64,
    start_time: f64,
    wall: f64,
    contacts: Tally,
    pivots: Tally,
    unsolved_steps: u64,
    first_unsolved: Option<f64>,
    regularized_steps: u64,
    impact: ImpactLaw,
    bounces: u64,
    reduced_impacts: u64,
    ends: BothEnds,
    /// Sets of bodies that the stepper handed to another rule, and the steps in which there were any.
    hand_backs: HandBacks,
    hand_back_steps: u64,
    /// Largest of each field over all steps.
    worst: Certificate,
    /// By what the energy changed over all steps.
    work: Work,
    /// The farthest that the removal of overlap moved a body.
    farthest: Option<Jump>,
    /// The most that equalities took of velocities that were set, and the time at the end of the step (J, s).
    forbidden: Option<(f64, f64)>,
    start_energy: f64,
    end_energy: f64,
    last: Final,
    last_step: ReadOut,
    hash: u64,
}

/// What the removal of overlap at the beginning of a step did to the body that it moved farthest.
#[derive(Clone, Debug, Serialize)]
struct Jump {
    /// At the end of the step (s).
    time: f64,
    #[serde(skip)]
    id: BodyId,
    body: String,
    /// How far its origin moved (m).
    length: f64,
    /// The farthest that any body turned (rad).
    angle: f64,
}

/// What steps with impulses at both ends took, of all steps together.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct BothEnds {
    passes: u64,
    rounds: u64,
    attempts: u64,
    events: u64,
    cut_impacts: u64,
    halvings: u64,
}

impl BothEnds {
    fn add(&mut self, report: &StepReport) {
        self.passes += report.passes as u64;
        self.rounds += report.rounds as u64;
        self.attempts += report.attempts as u64;
        self.events += report.events as u64;
        self.cut_impacts += report.cut_impacts as u64;
        self.halvings += report.halvings as u64;
    }

    /// All of it that happened; nothing of other steps.
    fn text(&self, steps: u64) -> Option<String> {
        let Self { passes, rounds, attempts, events, cut_impacts, halvings } = *self;
        let mean = passes as f64 / steps.max(1) as f64;
        let counts = [
            (rounds, "rounds for contacts not foreseen"),
            (attempts, "taken again for bodies that met"),
            (halvings, "halvings"),
            (events, "impacts within steps"),
            (cut_impacts, "sets cut short in their impacts"),
        ];
        let mut text = format!("{mean:.2} mean");
        counts.iter().filter(|(n, _)| *n > 0).for_each(|(n, what)| text += &format!(", {n} {what}"));
        (passes + events > 0).then_some(text)
    }
}

/// What `run --json` prints.
#[derive(Debug, Serialize)]
pub(crate) struct Json<'a> {
    scene: &'a str,
    dt: f64,
    steps: u64,
    wall_s: f64,
    contact_model: &'a str,
    solver: &'a str,
    contacts: JsonContacts,
    unsolved_steps: u64,
    bounces: u64,
    reduced_impacts: u64,
    #[serde(flatten)]
    ends: BothEnds,
    /// Sets of bodies that the stepper handed to another rule, by reason, and the steps in which there were any.
    hand_backs: &'a HandBacks,
    hand_back_steps: u64,
    energy: JsonEnergy,
    /// By what the energy changed over all steps (J).
    work: &'a Work,
    /// Largest of each field over all steps.
    certificate: &'a Certificate,
    /// The farthest that the removal of overlap moved a body.
    largest_projection: &'a Option<Jump>,
    r#final: &'a Final,
    last_step: &'a ReadOut,
    state_hash: String,
}

#[derive(Debug, Serialize)]
struct JsonContacts {
    mean: f64,
    max: usize,
}

/// Kinetic and potential energy (J).
#[derive(Debug, Serialize)]
struct JsonEnergy {
    start: f64,
    end: f64,
}

/// The final state.
#[derive(Debug, Default, Serialize)]
struct Final {
    time: f64,
    qpos: Vec<f64>,
    qvel: Vec<f64>,
}

impl Summary {
    /// Before the first step.
    pub(crate) fn new(scene: &Path, simulation: &Simulation) -> Self {
        let model = simulation.model();
        let formulation = &simulation.settings().formulation;
        let energy = mechanical_energy(simulation);
        Self {
            scene: scene.display().to_string(),
            bodies: model.bodies.len() - 1,
            dof: model.nv(),
            dt: simulation.timestep(),
            contact_model: formulation.name(),
            solver: formulation.solver_text(),
            steps: 0,
            start_time: simulation.state.time,
            wall: 0.0,
            contacts: Tally::default(),
            pivots: Tally::default(),
            unsolved_steps: 0,
            first_unsolved: None,
            regularized_steps: 0,
            impact: simulation.settings().impact,
            bounces: 0,
            reduced_impacts: 0,
            ends: BothEnds::default(),
            hand_backs: HandBacks::default(),
            hand_back_steps: 0,
            worst: Certificate::default(),
            work: Work::default(),
            farthest: None,
            forbidden: None,
            start_energy: energy,
            end_energy: energy,
            last: Final::default(),
            last_step: ReadOut::default(),
            hash: 0,
        }
    }

    /// After each step.
    pub(crate) fn add(&mut self, report: &StepReport) {
        if self.steps == 0 {
            // As steps count it: with the springs and rotors of joints that close loops.
            self.start_energy = report.energy - report.certificate.energy_change;
        }
        self.steps += 1;
        self.contacts.add(report.contacts);
        self.pivots.add(report.pivots);
        self.worst.take_worst(&report.certificate);
        self.work += report.work;
        self.add_jump(report);
        let taken = -report.work.velocity_projection;
        let tells = taken > FORBIDDEN * (taken + report.kinetic_energy);
        if tells && taken > self.forbidden.map_or(0.0, |(most, _)| most) {
            self.forbidden = Some((taken, report.time));
        }
        self.regularized_steps += u64::from(report.regularized > 0);
        self.bounces += report.bounces as u64;
        self.reduced_impacts += report.reduced_impacts as u64;
        self.ends.add(report);
        self.hand_backs += report.hand_backs;
        self.hand_back_steps += u64::from(report.hand_backs.total() > 0);
        self.end_energy = report.energy;
        if !report.solved() {
            self.unsolved_steps += 1;
            self.first_unsolved.get_or_insert(report.time);
        }
    }

    fn add_jump(&mut self, report: &StepReport) {
        let (length, angle) = (report.certificate.projection, report.certificate.projection_angular);
        if let Some(id) = report.projected_body
            && self.farthest.as_ref().is_none_or(|jump| length > jump.length)
        {
            self.farthest = Some(Jump { time: report.time, id, body: String::new(), length, angle });
        }
    }

    /// Time the steps took (s).
    pub(crate) fn set_wall_time(&mut self, seconds: f64) {
        self.wall = seconds;
    }

    /// After the last step; with the margins of pairs over all solutions if asked.
    pub(crate) fn finish(&mut self, simulation: &Simulation, margins: bool) {
        let state = &simulation.state;
        self.last = Final { time: state.time, qpos: state.q.to_vec(), qvel: state.v.to_vec() };
        if let Some(jump) = &mut self.farthest {
            jump.body = simulation.model().bodies[jump.id].name.clone();
        }
        self.last_step = ReadOut::new(simulation, margins);
        self.hash = simulation.state_hash();
    }

    /// Steps taken.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Steps not solved to tolerance.
    pub(crate) fn unsolved_steps(&self) -> u64 {
        self.unsolved_steps
    }

    /// Time at the end of the first step that was not solved (s).
    pub(crate) fn first_unsolved(&self) -> Option<f64> {
        self.first_unsolved
    }

    /// For `--json`.
    pub(crate) fn json(&self) -> Json<'_> {
        Json {
            scene: &self.scene,
            dt: self.dt,
            steps: self.steps,
            wall_s: self.wall,
            contact_model: self.contact_model,
            solver: &self.solver,
            contacts: JsonContacts { mean: self.contacts.mean(self.steps), max: self.contacts.max },
            unsolved_steps: self.unsolved_steps,
            bounces: self.bounces,
            reduced_impacts: self.reduced_impacts,
            ends: self.ends,
            hand_backs: &self.hand_backs,
            hand_back_steps: self.hand_back_steps,
            energy: JsonEnergy { start: self.start_energy, end: self.end_energy },
            work: &self.work,
            certificate: &self.worst,
            largest_projection: &self.farthest,
            r#final: &self.last,
            last_step: &self.last_step,
            state_hash: format!("{:016x}", self.hash),
        }
    }

    /// For people.
    pub(crate) fn table(&self) -> String {
        let mut text = pairs(&self.run_rows());
        text += "\ncertificate, worst over all steps\n";
        text += &pairs(&self.certificate_rows());
        text
    }

    fn run_rows(&self) -> Vec<(&'static str, String)> {
        let simulated = self.last.time - self.start_time;
        let tally = |t: &Tally| format!("{:.1} mean, {} max", t.mean(self.steps), t.max);
        let speed = |amount: f64| if self.wall > 0.0 { amount / self.wall } else { f64::INFINITY };
        let mut solved = format!("{} of {} steps", self.unsolved_steps, self.steps);
        if let Some(first) = self.first_unsolved {
            solved += &format!(", the first at t = {first} s");
        }
        if self.regularized_steps > 0 {
            solved += &format!(" ({} solved by regularisation)", self.regularized_steps);
        }
        let mut rows = vec![
            ("scene", self.scene.clone()),
            (
                "size",
                format!(
                    "{}, {}",
                    count(self.bodies, "body", "bodies"),
                    count(self.dof, "degree of freedom", "degrees of freedom")
                ),
            ),
            ("contact model", format!("{}, solver {}", self.contact_model, self.solver)),
            ("time", format!("{simulated:.6} s in {} steps of {} s", self.steps, self.dt)),
            (
                "speed",
                format!(
                    "{:.3} s, {:.0} steps/s, {:.2} x real time",
                    self.wall,
                    speed(self.steps as f64),
                    speed(simulated)
                ),
            ),
            ("contacts", tally(&self.contacts)),
            ("pivots", tally(&self.pivots)),
            ("unsolved", solved),
            (
                "energy",
                format!("{:.9} J at the start, {:.9} J at the end", self.start_energy, self.end_energy),
            ),
        ];
        rows.push(("work", work_text(&self.work)));
        if self.bounces > 0 {
            let mut text = format!("{} (impact law {})", self.bounces, self.impact);
            if self.reduced_impacts > 0 {
                text += &format!(
                    "; restitution reduced in {} impacts, which add no energy",
                    self.reduced_impacts
                );
            }
            rows.push(("bounces", text));
        }
        rows.extend(self.ends.text(self.steps).map(|text| ("passes", text)));
        if self.hand_back_steps > 0 {
            let reasons: Vec<String> =
                self.hand_backs.present().map(|(reason, count)| format!("{reason} {count}")).collect();
            rows.push((
                "handed back",
                format!("in {} of {} steps: {}", self.hand_back_steps, self.steps, reasons.join(", ")),
            ));
        }
        if let Some(jump) = &self.farthest {
            let Jump { time, body, length, angle, .. } = jump;
            rows.push((
                "moved",
                format!(
                    "by the removal of overlap, farthest in the step to t = {time} s: '{body}' by {length:.3e} m; turns up to \
                     {angle:.3e} rad"
                ),
            ));
        }
        if let Some((energy, time)) = self.forbidden {
            rows.push((
                "velocities",
                format!(
                    "equalities forbid some of those given: {} taken in the step to t = {time} s",
                    joules(energy)
                ),
            ));
        }
        rows.push(("state hash", format!("{:016x}", self.hash)));
        rows
    }

    /// What is exactly zero is one line for all.
    fn certificate_rows(&self) -> Vec<(&'static str, String)> {
        let row = |field: &CertificateField| {
            let value = format!("{:9.2e} {}", (field.get)(&self.worst), field.unit);
            (field.title, value.trim_end().to_string())
        };
        let fields = Certificate::FIELDS.iter();
        let (zero, other): (Vec<_>, Vec<_>) = fields.partition(|field| (field.get)(&self.worst) == 0.0);
        let mut rows: Vec<_> = other.into_iter().map(row).collect();
        if !zero.is_empty() {
            rows.push(("all else", format!("{:9.2e}", 0.0)));
        }
        rows
    }
}

/// All causes that did anything, and in any case the error of the integration.
fn work_text(work: &Work) -> String {
    let shown = Work::FIELDS.iter().filter(|field| (field.get)(work) != 0.0 || field.name == "numerical");
    let texts: Vec<String> =
        shown.map(|field| format!("{} {}", field.name, joules((field.get)(work)))).collect();
    texts.join(", ")
}

/// An energy with as many decimals as the rows above and below have, or what is less in powers of ten.
fn joules(energy: f64) -> String {
    if energy == 0.0 || energy.abs() >= 1e-3 { format!("{energy:.6} J") } else { format!("{energy:.2e} J") }
}

/// Kinetic and potential energy at the simulation's state (J).
pub(crate) fn mechanical_energy(simulation: &Simulation) -> f64 {
    let (model, state) = (simulation.model(), &simulation.state);
    let mut data = Data::new(model);
    dynamics::forward_kinematics_all(model, &mut data, &state.q, &state.v);
    TreeId::all(&model.trees)
        .map(|tree| dynamics::mechanical_energy(model, &data, tree, &state.q, &state.v))
        .sum()
}
