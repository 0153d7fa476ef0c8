//! Solves that somebody watches: they end when they are told to, say so, and tell of their iterations.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::common::hard;
use stiction_solvers::select::registry::SOLVERS;
use stiction_solvers::{Problem, Progress, Solution, Start, Status, Watch, watched};

/// Ends the solve after so many questions.
struct Patience(Cell<usize>);

impl Watch for Patience {
    fn interrupts(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left == 0
    }
}

#[test]
fn every_solver_ends_at_any_question_with_a_whole_answer_and_is_as_good_as_new_afterwards() {
    for problem in hard(24) {
        for entry in SOLVERS.iter().filter(|entry| entry.serves(problem.class())) {
            let mut solver = entry.make(1e-10).unwrap();
            let mut y = Solution::default();
            let whole = solver.solve(&problem, Start::Cold, &mut y).unwrap();
            for patience in [0, 1, 3, 10, 30, 100, 300] {
                let mut x = Solution::default();
                let watch = Rc::new(Patience(Cell::new(patience)));
                let report = watched(watch.clone(), || solver.solve(&problem, Start::Cold, &mut x)).unwrap();
                assert_eq!((x.z.len(), x.w.len()), (problem.dim(), problem.dim()), "{}", entry.name);
                assert!(x.z.iter().all(|z| z.is_finite()), "{}", entry.name);
                assert_ne!((report.status, patience), (Status::Infeasible, 0), "{}", entry.name);
                if report.status == Status::Interrupted {
                    assert_eq!(watch.0.get(), 0, "{}", entry.name);
                }
            }
            let mut x = Solution::default();
            let again = solver.solve(&problem, Start::Cold, &mut x).unwrap();
            assert_eq!((again, x), (whole, y), "{}", entry.name);
        }
    }
}

/// Method, iteration, natural map and iterate.
type Heard = (String, usize, f64, Vec<f64>);

/// Keeps what it hears.
#[derive(Default)]
struct Listener {
    heard: RefCell<Vec<Heard>>,
    patience: usize,
}

impl Watch for Listener {
    fn wants_progress(&self) -> bool {
        true
    }

    fn hears(&self, progress: &Progress) -> bool {
        let mut heard = self.heard.borrow_mut();
        heard.push((progress.method.into(), progress.iteration, progress.natural_map, progress.z.to_vec()));
        heard.len() >= self.patience
    }
}

#[test]
fn the_iterations_told_are_those_of_the_history_and_have_the_residual_of_their_iterate() {
    for problem in hard(24) {
        for entry in SOLVERS.iter().filter(|entry| entry.serves(problem.class()) && entry.name != "robust") {
            let Ok(mut solver) = entry.make_with(1e-10, "history=true") else { continue };
            let listener = Rc::new(Listener { patience: usize::MAX, ..Listener::default() });
            let mut x = Solution::default();
            let _ = watched(listener.clone(), || solver.solve(&problem, Start::Cold, &mut x)).unwrap();
            let heard = listener.heard.borrow();
            let told: Vec<_> =
                heard.iter().map(|(_, iteration, natural_map, _)| (*iteration, *natural_map)).collect();
            let kept: Vec<_> =
                solver.history().iter().map(|entry| (entry.iteration, entry.natural_map)).collect();
            assert!(kept.iter().all(|entry| told.contains(entry)), "{}: {kept:?} {told:?}", entry.name);
            for (_, _, natural_map, z) in heard.iter().filter(|(.., z)| !z.is_empty()) {
                let residual = problem.residual(&Solution { z: z.clone(), w: vec![] }).natural_map;
                assert!(residual == *natural_map, "{} {residual} {natural_map}", entry.name);
            }
        }
    }
}

#[test]
fn a_listener_who_has_heard_enough_ends_the_solve_and_hears_no_more() {
    for problem in hard(24) {
        let entry = SOLVERS.iter().find(|entry| entry.name == "robust").unwrap();
        let listener = Rc::new(Listener { patience: 2, ..Listener::default() });
        let mut solver = entry.make(1e-300).unwrap();
        let mut x = Solution::default();
        let report = watched(listener.clone(), || solver.solve(&problem, Start::Cold, &mut x)).unwrap();
        assert_eq!((report.status, listener.heard.borrow().len()), (Status::Interrupted, 2));
        assert!(listener.heard.borrow().iter().all(|(method, ..)| !method.is_empty()));
    }
}

/// Measures how long it is not asked.
struct Clock {
    last: Cell<Instant>,
    longest: Cell<Duration>,
    end: Instant,
}

impl Clock {
    fn until(seconds: f64) -> Rc<Clock> {
        let now = Instant::now();
        Rc::new(Clock {
            last: Cell::new(now),
            longest: Cell::default(),
            end: now + Duration::from_secs_f64(seconds),
        })
    }
}

impl Watch for Clock {
    fn interrupts(&self) -> bool {
        let now = Instant::now();
        self.longest.set(self.longest.get().max(now - self.last.replace(now)));
        now >= self.end
    }
}

#[test]
#[ignore = "slow: large problems by every solver, to see the clock"]
fn no_solver_of_large_problems_is_deaf_for_longer_than_a_blink() {
    for n in [300, 999] {
        for problem in hard(n) {
            // The conic library hears between two of its iterations only, which last as long as they last.
            let heedful = |name: &str| name != "interior-point";
            let serving = SOLVERS.iter().filter(|entry| entry.serves(problem.class()) && heedful(entry.name));
            for entry in serving {
                let mut solver = entry.make(1e-10).unwrap();
                let mut x = Solution::default();
                let clock = Clock::until(2.0);
                let begin = Instant::now();
                let report = watched(clock.clone(), || solver.solve(&problem, Start::Cold, &mut x)).unwrap();
                let after = clock.last.get().elapsed();
                let longest = clock.longest.get().max(after);
                eprintln!(
                    "{n} {} {}: {longest:?}, {:?} after {:?}",
                    problem.class(),
                    entry.name,
                    report.status,
                    begin.elapsed()
                );
                // A tenth of a second, and three times that where the machine does other work.
                assert!(longest.as_secs_f64() < 0.3, "{n} {}", entry.name);
            }
        }
    }
}
