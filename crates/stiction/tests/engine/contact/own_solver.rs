//! A user's own solver or formulation steps a simulation, and islands can be had as problems.

use crate::common::{STEPPERS, run, shipped, simulate_by, simulate_under};
use std::sync::{Arc, Mutex};
use stiction::contact::{
    ExactCone, ExactConeSettings, Formulation, IslandProblem, IslandReport, IslandSolver, Memory,
    RecordingSolver,
};
use stiction::sim::Stepper;
use stiction_solvers::{
    AnyProblem, ConeNcp, ConeSolver, Problem, Report, Residual, Solution, Solver, Start, Status, io,
};

/// Claims that whatever was found last is a solution.
struct Lazy;

impl Solver<ConeNcp> for Lazy {
    fn solve(&mut self, problem: &ConeNcp, _: Start, x: &mut Solution) -> Report {
        x.resize(problem.dim());
        x.z.fill(0.0);
        let residual = Residual::default();
        Report { status: Status::Solved, iterations: 1, pivots: 0, residual, regularization: 0.0 }
    }
}

#[test]
fn the_certificate_judges_a_users_solver_on_the_original_data() {
    let mut honest = simulate_under("cone", &shipped("incline"));
    let sweeps: ConeSolver = "nsgs tolerance=1e-12".parse().unwrap();
    let cone = ExactCone::with_solver(ExactConeSettings::default(), sweeps.make().unwrap()).unwrap();
    honest.set_island_solver(Box::new(cone));
    run(&mut honest, 0.1, |_, report| {
        assert!(report.solved() && report.certificate.approach < 1e-9, "{:?}", report.certificate);
    });

    let mut lazy = simulate_under("cone", &shipped("incline"));
    let cone = ExactCone::with_solver(ExactConeSettings::default(), Box::new(Lazy)).unwrap();
    lazy.set_island_solver(Box::new(cone));
    let report = lazy.step().unwrap();
    // Nothing holds the blocks: they fall into the slope by what gravity gives them in a step.
    let fall = 9.81 * lazy.timestep();
    assert!(report.certificate.approach > 0.5 * fall, "{:?}", report.certificate);
}

/// Answers with what another formulation finds, and counts.
#[derive(Debug)]
struct Counting {
    inner: Box<dyn IslandSolver>,
    solves: Arc<Mutex<usize>>,
}

impl IslandSolver for Counting {
    fn solve(&mut self, island: &IslandProblem, memory: &mut [Memory]) -> IslandReport {
        *self.solves.lock().unwrap() += 1;
        self.inner.solve(island, memory)
    }
}

#[test]
fn a_formulation_of_a_users_own_is_asked_for_every_island() {
    for stepper in STEPPERS {
        let [mut s, mut reference] =
            [(); 2].map(|()| simulate_by(stepper, "stewart-trinkle", &shipped("incline")));
        let solves = Arc::new(Mutex::new(0));
        let inner = Formulation::named("stewart-trinkle").unwrap().solver().unwrap();
        s.set_island_solver(Box::new(Counting { inner, solves: solves.clone() }));
        let (mut islands, mut passes) = (0, 0);
        run(&mut s, 0.05, |_, report| (islands, passes) = (islands + report.islands, passes + report.passes));
        run(&mut reference, 0.05, |_, _| {});
        assert!(islands > 0);
        // Impulses at both ends ask once for the end, and for the beginning in every pass but that which finds that all is well.
        let solves = *solves.lock().unwrap();
        match stepper {
            Stepper::TimeStepping => assert_eq!(solves, islands),
            _ => assert!(solves > 0 && solves <= islands + passes, "{solves}, {islands}, {passes}"),
        }
        assert_eq!(s.state_hash(), reference.state_hash());
    }
}

#[test]
fn posed_islands_are_written_read_back_and_solved_from_their_warm_start() {
    for model in ["cone", "stewart-trinkle", "friction-box", "no-slip"] {
        let mut s = simulate_under(model, &shipped("incline"));
        let islands = Arc::new(Mutex::new(Vec::new()));
        let inner = s.settings().formulation.solver().unwrap();
        s.set_island_solver(Box::new(RecordingSolver::new(inner, islands.clone())));
        run(&mut s, 0.02, |_, _| {});
        let islands = islands.lock().unwrap();
        assert!(!islands.is_empty(), "{model}");
        for (i, island) in islands.iter().enumerate() {
            let text = io::to_json_with_start("island", &island.problem, Some(&island.start));
            let [read] = io::parse(&text, "island.json", "island").unwrap().try_into().unwrap();
            assert_eq!(read.start.as_ref(), Some(&island.start), "{model} {i}");
            let mut x = Solution { z: island.start.clone(), w: Vec::new() };
            let report = solve(&read.problem, &mut x);
            assert_eq!(report.status, Status::Solved, "{model} {i}: {report:?}");
        }
    }
}

fn solve(problem: &AnyProblem, x: &mut Solution) -> Report {
    let entry = stiction_solvers::select::registry::find("robust").unwrap();
    entry.make(1e-9).unwrap().solve(problem, Start::Warm, x).unwrap()
}
