//! The read-out of the last step for `run --json`: contacts and pairs of geoms, by name, in world axes.

use serde::Serialize;
use stiction::contact::Mode;
use stiction::sim::recording::MODE_NAMES;
use stiction::sim::{ContactForce, PairForce, Simulation};

/// What contacts and pairs carried in a step.
#[derive(Debug, Default, Serialize)]
pub(crate) struct ReadOut {
    contacts: Vec<ContactRow>,
    pairs: Vec<PairRow>,
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
}

impl ReadOut {
    /// Of the simulation's last step.
    pub(crate) fn new(simulation: &Simulation) -> Self {
        let model = simulation.model();
        let geoms = |geoms: [usize; 2]| geoms.map(|g| model.geoms[g].name.clone());
        let bodies = |geoms: [usize; 2]| geoms.map(|g| model.bodies[model.geoms[g].body].name.clone());
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
        };
        Self {
            contacts: simulation.contact_forces().iter().map(contact).collect(),
            pairs: simulation.contact_pairs().iter().map(pair).collect(),
        }
    }
}
