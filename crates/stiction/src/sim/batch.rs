//! Many simulations of one model at once, on several threads.
//!
//! Environments share the model and nothing else, and each is advanced by one thread alone: results are those of one
//! simulation after the other, bit for bit, whatever the number of threads. An environment that fails keeps its error;
//! the others go on.

use crate::model::Model;
use crate::report::StepReport;
use crate::settings::Settings;
use crate::sim::simulation::{SimError, Simulation};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Why a batch cannot be made or advanced.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The model cannot be simulated with these settings.
    #[error(transparent)]
    Simulation(#[from] SimError),
    /// The system gives no threads.
    #[error("threads cannot be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A list of numbers of the wrong length.
    #[error("{quantity} has {found} numbers; {expected} are needed: {layout}")]
    Shape {
        /// Which list.
        quantity: &'static str,
        /// Given length.
        found: usize,
        /// Needed length.
        expected: usize,
        /// What the needed length is made of.
        layout: String,
    },
    /// More results than are kept.
    #[error(
        "{batch} environments of {steps} steps with {width} numbers each are more than the {MOST_NUMBERS} numbers that are kept, \
         or than this machine has memory for; roll out fewer steps at a time"
    )]
    TooLarge {
        /// Environments.
        batch: usize,
        /// Steps of each.
        steps: usize,
        /// Numbers kept of a step.
        width: usize,
    },
}

/// Most numbers in the results of a rollout: 17 GB.
const MOST_NUMBERS: usize = 1 << 31;

/// What is to be simulated: lists are row-major, one row an environment.
#[derive(Clone, Copy, Debug)]
pub struct RolloutPlan<'a> {
    /// Number of environments.
    pub batch: usize,
    /// Steps of each.
    pub steps: usize,
    /// Configurations to start from (batch x nq).
    pub qpos: &'a [f64],
    /// Generalized velocities to start from (batch x nv).
    pub qvel: &'a [f64],
    /// Controls in every step (batch x steps x nu); `None`: those of the scene's start.
    pub ctrl: Option<&'a [f64]>,
}

/// What environments did; lists are row-major. Rows after an error are NaN, their counts zero.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Rollout {
    /// Number of environments.
    pub batch: usize,
    /// Steps asked for.
    pub steps: usize,
    /// Time after each step (batch x steps; s).
    pub time: Vec<f64>,
    /// Configurations after each step (batch x steps x nq).
    pub qpos: Vec<f64>,
    /// Generalized velocities after each step (batch x steps x nv).
    pub qvel: Vec<f64>,
    /// Total energy after each step (batch x steps; J).
    pub energy: Vec<f64>,
    /// Certified residual of each step (batch x steps; dimensionless).
    pub residual: Vec<f64>,
    /// Islands that were not solved to tolerance in each step (batch x steps).
    pub unsolved: Vec<i64>,
    /// Why an environment stopped, by environment.
    pub errors: Vec<Option<String>>,
}

/// The part of a rollout that belongs to one environment.
struct Track<'a> {
    start: (&'a [f64], &'a [f64]),
    ctrl: Option<&'a [f64]>,
    time: &'a mut [f64],
    qpos: &'a mut [f64],
    qvel: &'a mut [f64],
    energy: &'a mut [f64],
    residual: &'a mut [f64],
    unsolved: &'a mut [i64],
    error: &'a mut Option<String>,
    stop: &'a AtomicBool,
}

impl Track<'_> {
    /// Simulates the environment from its start, by a simulation that may have done anything before.
    fn run(&mut self, simulation: &mut Simulation) -> Result<(), String> {
        simulation.start_over().map_err(|e| e.to_string())?;
        let (nq, nv, nu) = (self.start.0.len(), self.start.1.len(), simulation.state.ctrl.len());
        simulation.state.q.copy_from_slice(self.start.0);
        simulation.state.v.copy_from_slice(self.start.1);
        for step in 0..self.time.len() {
            if self.stop.load(Ordering::Relaxed) {
                return Err(format!("stopped after {step} of {} steps", self.time.len()));
            }
            if let Some(ctrl) = self.ctrl {
                simulation.state.ctrl.copy_from_slice(&ctrl[step * nu..(step + 1) * nu]);
            }
            let report = simulation.step().map_err(|e| e.to_string())?;
            let state = &simulation.state;
            self.time[step] = state.time;
            self.qpos[step * nq..(step + 1) * nq].copy_from_slice(&state.q);
            self.qvel[step * nv..(step + 1) * nv].copy_from_slice(&state.v);
            self.energy[step] = report.energy;
            self.residual[step] = report.certificate.residual;
            self.unsolved[step] = report.unsolved as i64;
        }
        Ok(())
    }
}

/// So many times a value, if there is memory for them.
fn filled<T: Clone>(value: T, count: usize) -> Option<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).ok()?;
    list.resize(count, value);
    Some(list)
}

/// Simulates every environment of a plan, on `threads` threads (0: one a processor).
///
/// # Errors
/// Lists of the wrong length, settings that cannot be used, no threads. What goes wrong in an environment is in
/// [`Rollout::errors`].
pub fn rollout(
    model: &Arc<Model>,
    settings: &Settings,
    plan: &RolloutPlan,
    threads: usize,
) -> Result<Rollout, BatchError> {
    rollout_until(model, settings, plan, threads, &AtomicBool::new(false))
}

/// The same until someone sets `stop`: environments that are not done then have that as their error.
///
/// # Errors
/// Those of [`rollout`].
pub fn rollout_until(
    model: &Arc<Model>,
    settings: &Settings,
    plan: &RolloutPlan,
    threads: usize,
    stop: &AtomicBool,
) -> Result<Rollout, BatchError> {
    let RolloutPlan { batch, steps, .. } = *plan;
    let (nq, nv, nu) = (model.nq(), model.nv(), model.actuators.len());
    let width = nq + nv + 4;
    let too_large = || BatchError::TooLarge { batch, steps, width };
    let rows = batch.checked_mul(steps).ok_or_else(too_large)?;
    rows.checked_mul(width).filter(|numbers| *numbers <= MOST_NUMBERS).ok_or_else(too_large)?;
    check_length("qpos", plan.qpos, &[("batch", batch), ("nq", nq)])?;
    check_length("qvel", plan.qvel, &[("batch", batch), ("nv", nv)])?;
    if let Some(ctrl) = plan.ctrl {
        check_length("ctrl", ctrl, &[("batch", batch), ("steps", steps), ("nu", nu)])?;
    }
    // Settings are refused here, once.
    drop(Simulation::new(model.clone(), settings.clone())?);
    let nothing = |width: usize| filled(f64::NAN, rows * width).ok_or_else(too_large);
    let mut result = Rollout {
        batch,
        steps,
        time: nothing(1)?,
        qpos: nothing(nq)?,
        qvel: nothing(nv)?,
        energy: nothing(1)?,
        residual: nothing(1)?,
        unsolved: filled(0, rows).ok_or_else(too_large)?,
        errors: vec![None; batch],
    };
    let mut tracks = result.tracks(plan, [nq, nv, nu], stop);
    pool(threads, batch)?.install(|| {
        tracks.par_iter_mut().for_each_init(
            || Simulation::new(model.clone(), settings.clone()),
            |simulation, track| {
                let done = match simulation {
                    Ok(simulation) => track.run(simulation),
                    Err(error) => Err(error.to_string()),
                };
                *track.error = done.err();
            },
        );
    });
    Ok(result)
}

impl Rollout {
    /// The parts of the environments, `[nq, nv, nu]` numbers a step.
    fn tracks<'a>(
        &'a mut self,
        plan: &RolloutPlan<'a>,
        [nq, nv, nu]: [usize; 3],
        stop: &'a AtomicBool,
    ) -> Vec<Track<'a>> {
        let steps = self.steps;
        let mut time = self.time.as_mut_slice();
        let mut qpos = self.qpos.as_mut_slice();
        let mut qvel = self.qvel.as_mut_slice();
        let mut energy = self.energy.as_mut_slice();
        let mut residual = self.residual.as_mut_slice();
        let mut unsolved = self.unsolved.as_mut_slice();
        let environments = self.errors.iter_mut().enumerate();
        let tracks = environments.map(|(i, error)| Track {
            start: (&plan.qpos[i * nq..(i + 1) * nq], &plan.qvel[i * nv..(i + 1) * nv]),
            ctrl: plan.ctrl.map(|ctrl| &ctrl[i * steps * nu..(i + 1) * steps * nu]),
            time: split_off(&mut time, steps),
            qpos: split_off(&mut qpos, steps * nq),
            qvel: split_off(&mut qvel, steps * nv),
            energy: split_off(&mut energy, steps),
            residual: split_off(&mut residual, steps),
            unsolved: split_off(&mut unsolved, steps),
            error,
            stop,
        });
        tracks.collect()
    }
}

/// Takes the first `count` numbers from a slice.
fn split_off<'a, T>(slice: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (head, tail) = std::mem::take(slice).split_at_mut(count);
    *slice = tail;
    head
}

fn check_length(
    quantity: &'static str,
    list: &[f64],
    dimensions: &[(&'static str, usize)],
) -> Result<(), BatchError> {
    let expected = dimensions.iter().map(|(_, size)| size).product();
    if list.len() == expected {
        return Ok(());
    }
    let sizes: Vec<String> = dimensions.iter().map(|(name, size)| format!("{name} = {size}")).collect();
    Err(BatchError::Shape { quantity, found: list.len(), expected, layout: sizes.join(" times ") })
}

/// As many threads as are asked for, but no more than there are simulations to run; 0: what rayon chooses, one a processor.
fn pool(threads: usize, simulations: usize) -> Result<ThreadPool, BatchError> {
    Ok(ThreadPoolBuilder::new().num_threads(threads.min(simulations)).build()?)
}

/// Of each simulation of a batch the report of its last step, or why it stopped; `None` if it took no step.
pub type BatchReports = Vec<Option<Result<StepReport, SimError>>>;

/// Simulations of one model that are advanced together, as reinforcement learning does it.
#[derive(Debug)]
pub struct Batch {
    /// The simulations; set their states freely between steps.
    pub simulations: Vec<Simulation>,
    /// Threads that were asked for.
    threads: usize,
    pool: ThreadPool,
    /// The process that has the threads: they do not come along into a child that is forked.
    process: u32,
}

impl Batch {
    /// `count` simulations at the scene's start, for `threads` threads (0: one a processor).
    ///
    /// # Errors
    /// As [`Simulation::new`], or no threads.
    pub fn new(
        model: &Arc<Model>,
        settings: &Settings,
        count: usize,
        threads: usize,
    ) -> Result<Self, BatchError> {
        let simulations = (0..count).map(|_| {
            let mut simulation = Simulation::new(model.clone(), settings.clone())?;
            simulation.start_over()?;
            Ok(simulation)
        });
        let simulations = simulations.collect::<Result<Vec<_>, SimError>>()?;
        Ok(Self { simulations, threads, pool: pool(threads, count)?, process: std::process::id() })
    }

    /// Starts the threads again in a process that was forked since.
    ///
    /// # Errors
    /// No threads.
    fn own_threads(&mut self) -> Result<(), BatchError> {
        if self.process != std::process::id() {
            let lost = std::mem::replace(&mut self.pool, pool(self.threads, self.simulations.len())?);
            // Its threads are in the parent: nobody would answer.
            std::mem::forget(lost);
            self.process = std::process::id();
        }
        Ok(())
    }

    /// Takes `steps` steps in every environment; of each the last step's report, or why it stopped.
    ///
    /// # Errors
    /// This process was forked from the one that made the batch, and has no threads.
    pub fn step(&mut self, steps: usize) -> Result<BatchReports, BatchError> {
        self.step_until(steps, &AtomicBool::new(false))
    }

    /// The same until someone sets `stop`: environments end with a whole step.
    ///
    /// # Errors
    /// Those of [`Batch::step`].
    pub fn step_until(&mut self, steps: usize, stop: &AtomicBool) -> Result<BatchReports, BatchError> {
        self.own_threads()?;
        let simulations = &mut self.simulations;
        let advance = |simulation: &mut Simulation| {
            let mut last = None;
            for _ in 0..steps {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let step = simulation.step();
                let stop = step.is_err();
                last = Some(step);
                if stop {
                    break;
                }
            }
            last
        };
        Ok(self.pool.install(|| simulations.par_iter_mut().map(advance).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::mjcf;

    /// A ball that falls on a floor, and one on a motor.
    const SCENE: &str = r#"<mujoco>
      <worldbody>
        <geom type="plane" size="5 5 1"/>
        <body name="ball" pos="0 0 0.11"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
        <body name="arm" pos="1 0 1"><joint name="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.05"/></body>
      </worldbody>
      <actuator><motor name="motor" joint="hinge"/></actuator>
    </mujoco>"#;

    fn starts(model: &Model, batch: usize) -> (Vec<f64>, Vec<f64>) {
        let mut qpos = Vec::new();
        for i in 0..batch {
            let mut q = model.q0.clone();
            q[2] += 0.01 * i as f64;
            qpos.extend(q);
        }
        let qvel = (0..batch * model.nv()).map(|i| 0.1 * (i % 7) as f64).collect();
        (qpos, qvel)
    }

    fn batch_of(threads: usize, batch: usize, poison: Option<usize>) -> Rollout {
        let model = Arc::new(mjcf::parse(SCENE, "batch.xml").unwrap().model);
        let (mut qpos, qvel) = starts(&model, batch);
        if let Some(i) = poison {
            qpos[i * model.nq()] = f64::NAN;
        }
        let steps = 60;
        let ctrl: Vec<f64> = (0..batch * steps).map(|i| (i % 5) as f64 - 2.0).collect();
        let plan = RolloutPlan { batch, steps, qpos: &qpos, qvel: &qvel, ctrl: Some(&ctrl) };
        rollout(&model, &Settings::default(), &plan, threads).unwrap()
    }

    #[test]
    fn environments_move_as_if_each_were_alone_whatever_the_number_of_threads() {
        let [one, four] = [1, 4].map(|threads| batch_of(threads, 9, None));
        assert_eq!(one, four);
        let model = Arc::new(mjcf::parse(SCENE, "batch.xml").unwrap().model);
        let (qpos, qvel) = starts(&model, 9);
        for i in 0..9 {
            let mut alone = Simulation::new(model.clone(), Settings::default()).unwrap();
            alone.state.q.copy_from_slice(&qpos[i * model.nq()..(i + 1) * model.nq()]);
            alone.state.v.copy_from_slice(&qvel[i * model.nv()..(i + 1) * model.nv()]);
            for step in 0..60 {
                alone.state.ctrl[0] = ((i * 60 + step) % 5) as f64 - 2.0;
                let _ = alone.step().unwrap();
                let row = i * 60 + step;
                assert_eq!(*alone.state.q, one.qpos[row * model.nq()..(row + 1) * model.nq()]);
                assert_eq!(*alone.state.v, one.qvel[row * model.nv()..(row + 1) * model.nv()]);
            }
        }
    }

    #[test]
    fn an_environment_that_is_no_number_fails_by_itself() {
        let (good, poisoned) = (batch_of(2, 5, None), batch_of(2, 5, Some(3)));
        for i in 0..5 {
            let [a, b] = [&good, &poisoned].map(|r| &r.qpos[i * 60 * 8..(i + 1) * 60 * 8]);
            if i == 3 {
                assert!(poisoned.errors[i].as_ref().unwrap().contains("ball"), "{:?}", poisoned.errors[i]);
                assert!(b.iter().all(|x| x.is_nan()));
            } else {
                assert_eq!((a, &poisoned.errors[i]), (b, &None));
            }
        }
    }

    #[test]
    fn lists_of_the_wrong_length_are_refused_with_what_they_should_be() {
        let model = Arc::new(mjcf::parse(SCENE, "batch.xml").unwrap().model);
        let (qpos, qvel) = starts(&model, 2);
        let plan = RolloutPlan { batch: 2, steps: 3, qpos: &qpos, qvel: &qvel[1..], ctrl: None };
        let message = rollout(&model, &Settings::default(), &plan, 1).unwrap_err().to_string();
        assert_eq!(message, "qvel has 13 numbers; 14 are needed: batch = 2 times nv = 7");
    }

    #[test]
    fn a_batch_advances_every_simulation_and_reports_on_each() {
        let model = Arc::new(mjcf::parse(SCENE, "batch.xml").unwrap().model);
        let mut batch = Batch::new(&model, &Settings::default(), 3, 2).unwrap();
        batch.simulations[1].state.q[0] = f64::INFINITY;
        let reports = batch.step(10).unwrap();
        assert!(reports[0].as_ref().unwrap().as_ref().unwrap().step == 9);
        assert!(reports[1].as_ref().unwrap().is_err());
        assert_eq!(batch.simulations[0].state, batch.simulations[2].state);
    }

    #[test]
    fn results_that_no_memory_holds_are_refused_before_any_is_taken() {
        let model = Arc::new(mjcf::parse(SCENE, "batch.xml").unwrap().model);
        let (qpos, qvel) = starts(&model, 2);
        for steps in [1_000_000_000, 1 << 62, usize::MAX] {
            for ctrl in [None, Some(&[][..])] {
                let plan = RolloutPlan { batch: 2, steps, qpos: &qpos, qvel: &qvel, ctrl };
                let error = rollout(&model, &Settings::default(), &plan, 1).unwrap_err();
                assert!(matches!(error, BatchError::TooLarge { .. }), "{error}");
                assert!(error.to_string().contains("fewer steps at a time"), "{error}");
            }
        }
    }
}
