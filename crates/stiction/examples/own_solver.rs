//! Steps a simulation with a solver of one's own: damped projected Gauss-Seidel on the friction cones. The engine poses the
//! problems and judges the answers on the original data, whoever solves.

use std::sync::Arc;
use stiction::contact::{ExactCone, ExactConeSettings};
use stiction::scene::mjcf;
use stiction::sim::{Settings, Simulation};
use stiction_solvers::{Cone, ConeNcp, Problem, Report, Residual, Solution, Solver, Start, Status};

/// Sweeps over the contacts: the normal impulse first, then a step of the friction against the slip, brought back into its
/// disk. Both tangents take the same step, of the velocity before either has moved: only then does the friction come to
/// rest where it opposes the slip.
struct DampedGaussSeidel {
    sweeps: usize,
    /// Part of each correction that is taken, 0 to 1.
    damping: f64,
    tolerance: f64,
}

impl DampedGaussSeidel {
    fn sweep(&self, problem: &ConeNcp, g: &[f64], z: &mut [f64]) {
        let n = z.len();
        let velocity = |i: usize, z: &[f64]| {
            problem.q()[i] + g[i * n..][..n].iter().zip(z).map(|(g, z)| g * z).sum::<f64>()
        };
        for (cone, &normal) in problem.cones().iter().zip(problem.starts()) {
            let step = self.damping / g[normal * n + normal];
            z[normal] = (z[normal] - step * velocity(normal, z)).max(0.0);
            if let Cone::Coulomb { mu, .. } = *cone {
                let [s, t] = [normal + 1, normal + 2];
                let step = self.damping / (g[s * n + s] + g[t * n + t]);
                let [slip_s, slip_t] = [velocity(s, z), velocity(t, z)];
                z[s] -= step * slip_s;
                z[t] -= step * slip_t;
                let (bound, friction) = (mu * z[normal], z[s].hypot(z[t]));
                if friction > bound {
                    z[s] *= bound / friction;
                    z[t] *= bound / friction;
                }
            }
        }
    }
}

impl Solver<ConeNcp> for DampedGaussSeidel {
    fn solve(&mut self, problem: &ConeNcp, start: Start, x: &mut Solution) -> Report {
        let n = problem.dim();
        let g = problem.delassus().to_dense(n);
        x.resize(n);
        if !matches!(start, Start::Warm) {
            x.z.fill(0.0);
        }
        let mut report = Report {
            status: Status::MaxIterations,
            iterations: 0,
            pivots: 0,
            residual: Residual::INFINITE,
            regularization: 0.0,
        };
        while report.iterations < self.sweeps && report.status != Status::Solved {
            self.sweep(problem, &g, &mut x.z);
            report.iterations += 1;
            report.residual = problem.residual(x);
            if report.residual.natural_map <= self.tolerance {
                report.status = Status::Solved;
            }
        }
        report
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = mjcf::parse(
        r#"<mujoco>
             <option timestep="0.002"/>
             <worldbody>
               <geom type="plane" size="5 5 1" friction="0.5"/>
               <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1" friction="0.5"/></body>
             </worldbody>
             <keyframe><key name="start" qpos="0 0 0.1 1 0 0 0" qvel="2 0 0 0 0 0"/></keyframe>
           </mujoco>"#,
        "sliding box",
    )?;
    let mut simulation = Simulation::new(Arc::new(scene.model), Settings::default())?;
    simulation.start_over()?;
    let own = DampedGaussSeidel { sweeps: 5000, damping: 0.9, tolerance: 1e-9 };
    let cones = ExactCone::with_solver(ExactConeSettings::default(), Box::new(own))?;
    simulation.set_island_solver(Box::new(cones));

    let (mut sweeps, mut approach, mut excess): (usize, f64, f64) = (0, 0.0, 0.0);
    for _ in 0..500 {
        let report = simulation.step()?;
        sweeps = sweeps.max(report.iterations);
        approach = approach.max(report.certificate.approach);
        excess = excess.max(report.certificate.cone_violation);
        if !report.solved() {
            return Err(format!("step {}: {:?}", report.step, report.certificate).into());
        }
    }
    // It stops after v^2 / (2 mu g).
    println!(
        "stopped after {:.4} m, by Coulomb's law {:.4} m",
        simulation.state.q[0],
        4.0 / (2.0 * 0.5 * 9.81)
    );
    println!(
        "at most {sweeps} sweeps a step; worst approach {approach:.1e} m/s, friction excess {excess:.1e} N"
    );
    Ok(())
}
