//! One run of the pendulum, and what is kept of it.

use serde::Serialize;
use stiction::model::{Base, GeomId, Model};
use stiction::sim::{SimError, Simulation, StageTimes};

/// Work of contact impulses above this is energy added by an impact (J): rounding of some hundred joules.
const WORK: f64 = 1e-9;

/// The motion of the last ball at the ends of steps, and the energy of all.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    pub(super) time: Vec<f64>,
    /// Centre (m) and vertical velocity (m/s) of the last ball.
    pub(super) position: Vec<[f64; 3]>,
    pub(super) rise: Vec<f64>,
    /// Kinetic and potential energy (J), and whether a contact was in the problem.
    pub(super) energy: Vec<f64>,
    pub(super) touched: Vec<bool>,
}

/// What a run came to.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Tally {
    pub(super) steps: usize,
    pub(super) contact_steps: usize,
    pub(super) first_contact: Option<f64>,
    pub(super) most_contacts: usize,
    /// Unknowns of the largest complementarity problem, and rows of all constraints.
    pub(super) unknowns: usize,
    pub(super) rows: usize,
    /// Means over steps with contacts.
    pub(super) iterations: f64,
    pub(super) pivots: f64,
    pub(super) unsolved: usize,
    pub(super) regularized: usize,
    pub(super) worst_residual: f64,
    pub(super) worst_penetration: f64,
    pub(super) worst_bilateral: f64,
    /// Contacts that bounced, and impacts whose restitution was reduced because they would have added energy.
    pub(super) bounces: usize,
    pub(super) reduced: usize,
    /// Steps whose contact impulses fed energy in, and the most that one did (J).
    pub(super) adding: usize,
    pub(super) most_added: f64,
    /// Where the time went (s).
    pub(super) times: StageTimes,
    #[serde(skip)]
    pub(super) trace: Trace,
}

/// Takes the steps of a simulation that has been put at its start. `geom` is the last ball.
pub(super) fn swing(simulation: &mut Simulation, geom: GeomId, steps: usize) -> Result<Tally, SimError> {
    let mut tally = Tally { steps, ..Tally::default() };
    simulation.measure_stages();
    for _ in 0..steps {
        let report = simulation.step()?;
        let certificate = &report.certificate;
        if report.contacts > 0 {
            tally.contact_steps += 1;
            tally.first_contact.get_or_insert(report.time);
            tally.iterations += report.iterations as f64;
            tally.pivots += report.pivots as f64;
        }
        tally.most_contacts = tally.most_contacts.max(report.contacts);
        tally.unknowns = tally.unknowns.max(report.variables);
        tally.rows = tally.rows.max(report.rows);
        tally.unsolved += usize::from(!report.solved());
        tally.regularized += usize::from(report.regularized > 0);
        tally.worst_residual = tally.worst_residual.max(certificate.residual);
        tally.worst_penetration = tally.worst_penetration.max(certificate.penetration);
        tally.worst_bilateral = tally.worst_bilateral.max(certificate.bilateral);
        tally.bounces += report.bounces;
        tally.reduced += report.reduced_impacts;
        tally.adding += usize::from(certificate.contact_work > WORK);
        tally.most_added = tally.most_added.max(certificate.contact_work);
        let trace = &mut tally.trace;
        let (position, rise) = centre(simulation, geom);
        trace.time.push(report.time);
        trace.position.push(position);
        trace.rise.push(rise);
        trace.energy.push(report.energy);
        trace.touched.push(report.contacts > 0);
    }
    let contact_steps = tally.contact_steps.max(1) as f64;
    tally.iterations /= contact_steps;
    tally.pivots /= contact_steps;
    tally.times = simulation.stage_times();
    Ok(tally)
}

/// Where a geom is (m) and how fast it rises (m/s) at the end of the last step.
fn centre(simulation: &Simulation, geom: GeomId) -> ([f64; 3], f64) {
    let (model, data): (&Model, _) = (simulation.model(), simulation.data());
    let geom = &model.geoms[geom];
    let local = geom.pose.translation;
    match model.bodies[geom.body].base {
        Base::Link(link) => {
            let pose = &data.link_pose[link.index()];
            let motion = data.link_velocity[link.index()].at(&pose.vector(&local));
            (pose.point(&local).into(), motion.linear.z)
        }
        _ => (local.into(), 0.0),
    }
}

impl Trace {
    /// The largest rise of the energy within `steps` steps in a row without a contact (J).
    pub(super) fn largest_free_rise(&self, steps: usize) -> f64 {
        let mut worst: f64 = 0.0;
        let mut free = 0; // energies since the last contact, that at its end included
        for (i, touched) in self.touched.iter().enumerate() {
            free = if *touched { 0 } else { (free + 1).min(steps) };
            let lowest = self.energy[i.saturating_sub(free)..i].iter().copied().fold(f64::INFINITY, f64::min);
            if free > 0 {
                worst = worst.max(self.energy[i] - lowest);
            }
        }
        worst
    }

    /// When the last balls of two runs are first farther apart than this (s).
    pub(super) fn parts_from(&self, other: &Trace, distance: f64) -> Option<f64> {
        let apart = |(a, b): (&[f64; 3], &[f64; 3])| {
            (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>().sqrt() > distance
        };
        let step = self.position.iter().zip(&other.position).position(apart)?;
        Some(self.time[step])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_may_rise_in_contact_and_from_there_but_not_within_a_free_second() {
        let trace = |energy: &[f64], touched: &[bool]| Trace {
            energy: energy.to_vec(),
            touched: touched.to_vec(),
            ..Trace::default()
        };
        let energy = [5.0, 3.0, 4.0, 4.5, 9.0, 9.25];
        let contact_between = trace(&energy, &[false, false, false, false, true, false]);
        assert_eq!(contact_between.largest_free_rise(10), 1.5);
        assert_eq!(contact_between.largest_free_rise(1), 1.0);
        assert_eq!(trace(&energy, &[true; 6]).largest_free_rise(10), 0.0);
        assert_eq!(trace(&[3.0, 2.0, 1.0], &[false; 3]).largest_free_rise(10), 0.0);
    }

    #[test]
    fn two_runs_part_when_their_last_balls_do() {
        let run = |offset: [f64; 3]| Trace {
            time: vec![0.1, 0.2, 0.3],
            position: offset.iter().map(|x| [*x, 0.0, 1.0]).collect(),
            ..Trace::default()
        };
        let (a, b) = (run([0.0; 3]), run([0.0, 0.002, 0.02]));
        assert_eq!(a.parts_from(&b, 1e-3), Some(0.2));
        assert_eq!(a.parts_from(&b, 1e-2), Some(0.3));
        assert_eq!(a.parts_from(&b, 1e-1), None);
    }
}
