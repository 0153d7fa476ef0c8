//! The read-out of the last step for `run --json`: contacts and pairs of geoms, what joints, drives and tendons transmit, and other rows, by
//! name, in world axes.

use serde::Serialize;
use stiction::contact::Mode;
use stiction::model::GeomId;
use stiction::recording::MODE_NAMES;
use stiction::report::{ContactForce, JointForce, PairForce, PairMargins, RowForce, RowLaw, RowSource};
use stiction::sim::Simulation;

/// What contacts and pairs carried in a step.
#[derive(Debug, Default, Serialize)]
pub(crate) struct ReadOut {
    contacts: Vec<ContactRow>,
    pairs: Vec<PairRow>,
    joints: Vec<JointRow>,
    actuators: Vec<LineRow>,
    tendons: Vec<LineRow>,
    rows: Vec<OtherRow>,
}

/// Force and moment act on the second of the two.
#[derive(Debug, Serialize)]
struct ContactRow {
    bodies: [String; 2],
    geoms: [String; 2],
    point: [f64; 3],
    normal: [f64; 3],
    impulse: [f64; 3],
    force: [f64; 3],
    mode: &'static str,
    law: String,
    margin: Option<f64>,
    /// Of a contact that sticks: over the step, and since it sticks (m).
    slip: f64,
    shift: f64,
}

/// Force (N) and moment (N m) about the point (m) on the child or second body.
#[derive(Debug, Serialize)]
struct JointRow {
    kind: &'static str,
    name: String,
    point: [f64; 3],
    force: [f64; 3],
    moment: [f64; 3],
}

/// Force of an actuator or tension of a tendon (N, or N m where it turns something).
#[derive(Debug, Serialize)]
struct LineRow {
    name: String,
    force: f64,
}

/// Limits, dry friction of joints and tendons, equalities, and the implicit part of forces: mean force (N, or N m of angular ones).
#[derive(Debug, Serialize)]
struct OtherRow {
    law: &'static str,
    kind: &'static str,
    name: String,
    number: usize,
    angular: bool,
    force: f64,
}

#[derive(Debug, Serialize)]
struct PairRow {
    bodies: [String; 2],
    geoms: [String; 2],
    contacts: usize,
    pressing: usize,
    center: [f64; 3],
    force: [f64; 3],
    moment: [f64; 3],
    normal_force: f64,
    margin: Option<f64>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    margins: Option<Margins>,
}

/// Margins over all solutions, as [`PairMargins`]; none where a pair has none.
#[derive(Debug, Default, Serialize)]
struct Margins {
    largest_margin: Option<Margin>,
    margin_alone: Option<Margin>,
}

/// A number, or "inf", for which JSON has none.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Margin {
    Number(f64),
    Unbounded(&'static str),
}

impl From<f64> for Margin {
    fn from(value: f64) -> Self {
        if value.is_finite() { Margin::Number(value) } else { Margin::Unbounded("inf") }
    }
}

impl From<PairMargins> for Margins {
    fn from(margins: PairMargins) -> Self {
        Self { largest_margin: Some(margins.largest.into()), margin_alone: Some(margins.alone.into()) }
    }
}

impl ReadOut {
    /// Of the simulation's last step; the margins of pairs over all solutions take some time, and are there if asked for.
    pub(crate) fn new(simulation: &Simulation, margins: bool) -> Self {
        let model = simulation.model();
        let geoms = |geoms: [GeomId; 2]| geoms.map(|g| model.geoms[g].name.clone());
        let bodies = |geoms: [GeomId; 2]| geoms.map(|g| model.bodies[model.geoms[g].body].name.clone());
        let contact = |c: &ContactForce| ContactRow {
            bodies: bodies(c.contact.geoms),
            geoms: geoms(c.contact.geoms),
            point: c.contact.point.into(),
            normal: c.contact.frame.column(0).into_owned().into(),
            impulse: c.world_impulse().into(),
            force: c.force.into(),
            mode: match c.mode {
                Mode::Open => MODE_NAMES[0],
                Mode::Stick => MODE_NAMES[1],
                Mode::Slip => MODE_NAMES[2],
            },
            law: c.contact.law.to_string(),
            margin: c.margin,
            slip: c.slip,
            shift: c.shift,
        };
        let pair = |p: &PairForce| PairRow {
            bodies: bodies(p.geoms),
            geoms: geoms(p.geoms),
            contacts: p.contacts,
            pressing: p.pressing,
            center: p.center.into(),
            force: p.force.into(),
            moment: p.moment.into(),
            normal_force: p.normal_force,
            margin: p.margin,
            margins: margins
                .then(|| simulation.pair_margins(p.geoms).map_or_else(Margins::default, Margins::from)),
        };
        let transmitted = simulation.transmitted();
        let joint = |joint: &JointForce| JointRow {
            kind: joint.source.name(),
            name: joint.name(model).into(),
            point: joint.point.into(),
            force: joint.force.into(),
            moment: joint.moment.into(),
        };
        let line = |(name, force): (&str, &f64)| LineRow { name: name.into(), force: *force };
        let row = |row: &RowForce| OtherRow {
            law: RowLaw::KINDS[row.law.kind()],
            kind: row.source.name(),
            name: row.name(model).into(),
            number: row.number,
            angular: row.angular,
            force: row.impulse / simulation.timestep(),
        };
        let actuators = model.actuators.iter().map(|actuator| actuator.name.as_str());
        let tendons = RowSource::Tendon.names(model);
        Self {
            contacts: simulation.contact_forces().iter().map(contact).collect(),
            pairs: simulation.contact_pairs().iter().map(pair).collect(),
            joints: transmitted.joints.iter().map(joint).collect(),
            actuators: actuators.zip(&transmitted.actuators).map(line).collect(),
            tendons: tendons.zip(&transmitted.tendons).map(line).collect(),
            rows: simulation.row_forces().iter().map(row).collect(),
        }
    }
}
