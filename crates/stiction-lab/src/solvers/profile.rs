//! Performance profiles: for each solver the share of problems it solves within a factor of the fastest.
//!
//! `rho_s(tau) = |{p : t_ps <= tau min_s t_ps}| / |P|`, where `t_ps` is infinite if solver `s` did not solve problem
//! `p`, and `P` are the problems of one class that some solver solved. `rho_s(1)` is how often the solver is the
//! fastest, the limit for large `tau` how often it solves.
//!
//! # References
//! E. D. Dolan, J. J. More, *Benchmarking optimization software with performance profiles*, Mathematical Programming 91
//! (2002) 201-213.

use super::outcome::Outcome;
use crate::plot::{Panel, Picture, Scale, Series};
use serde::Serialize;
use std::collections::BTreeMap;

/// The horizontal axis of the picture ends at this factor.
const LARGEST_FACTOR: f64 = 1000.0;

/// One solver on the problems of one class.
#[derive(Clone, Debug, Serialize)]
pub struct Profile {
    /// Name of the class.
    pub class: &'static str,
    /// Name of the solver.
    pub solver: &'static str,
    /// Problems of the class.
    pub problems: usize,
    /// Those that it solved.
    pub solved: usize,
    /// Those that any solver solved.
    pub solved_by_any: usize,
    /// Worst residual among the solved.
    pub worst_residual: f64,
    /// Iterations, summed over the solved.
    pub iterations: usize,
    /// Pivots or factorizations, summed over the solved.
    pub pivots: usize,
    /// Time (us), summed over the solved.
    pub time_us: f64,
    /// Time over that of the fastest, ascending, for the solved problems.
    pub ratios: Vec<f64>,
}

impl Profile {
    /// `rho(tau)`: the share of the class's solvable problems solved within this factor of the fastest.
    pub fn share(&self, tau: f64) -> f64 {
        let within = self.ratios.partition_point(|&ratio| ratio <= tau);
        within as f64 / self.solved_by_any.max(1) as f64
    }

    /// The corners of `rho` up to [`LARGEST_FACTOR`].
    fn steps(&self) -> Vec<[f64; 2]> {
        let mut points = vec![[1.0, 0.0], [1.0, self.share(1.0)]];
        let mut height = self.share(1.0);
        for &ratio in self.ratios.iter().filter(|ratio| **ratio > 1.0 && **ratio <= LARGEST_FACTOR) {
            points.push([ratio, height]);
            height = self.share(ratio);
            points.push([ratio, height]);
        }
        points.push([LARGEST_FACTOR, height]);
        points
    }
}

/// The profiles by class, each class in the order in which its solvers first appear.
pub fn profiles(outcomes: &[Outcome]) -> Vec<Profile> {
    let mut fastest: BTreeMap<&str, f64> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|outcome| outcome.solved()) {
        let least = fastest.entry(&outcome.problem).or_insert(f64::INFINITY);
        *least = least.min(outcome.time_us);
    }
    let mut keys: Vec<(&'static str, &'static str)> = Vec::new();
    for outcome in outcomes {
        if !keys.contains(&(outcome.class, outcome.solver)) {
            keys.push((outcome.class, outcome.solver));
        }
    }
    keys.sort_by_key(|key| key.0); // stable: the order of solvers stays
    let of = |(class, solver): (&'static str, &'static str)| {
        let mine: Vec<&Outcome> =
            outcomes.iter().filter(|o| o.class == class && o.solver == solver).collect();
        let solved: Vec<&&Outcome> = mine.iter().filter(|o| o.solved()).collect();
        // A time below the clock's resolution is counted as one nanosecond.
        let ratio = |o: &&&Outcome| {
            let least = fastest.get(o.problem.as_str()).copied().unwrap_or(f64::INFINITY);
            o.time_us.max(1e-3) / least.max(1e-3)
        };
        let mut ratios: Vec<f64> = solved.iter().map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        let any = mine.iter().filter(|o| fastest.contains_key(o.problem.as_str())).count();
        Profile {
            class,
            solver,
            problems: mine.len(),
            solved: solved.len(),
            solved_by_any: any,
            worst_residual: solved.iter().map(|o| o.residual).fold(0.0, f64::max),
            iterations: solved.iter().map(|o| o.iterations).sum(),
            pivots: solved.iter().map(|o| o.pivots).sum(),
            // From +0: an empty sum of floats is -0.
            time_us: solved.iter().fold(0.0, |sum, o| sum + o.time_us),
            ratios,
        }
    };
    keys.into_iter().map(of).collect()
}

/// The profiles as a picture: a panel a class, a step line a solver, which keeps its stroke in all panels.
pub fn picture(profiles: &[Profile]) -> Picture {
    let mut solvers: Vec<&str> = Vec::new();
    for profile in profiles {
        if !solvers.contains(&profile.solver) {
            solvers.push(profile.solver);
        }
    }
    let panel = |of_class: &[Profile]| {
        let problems = of_class.iter().map(|profile| profile.solved_by_any).max().unwrap_or(0);
        let series = of_class.iter().map(|profile| Series {
            name: profile.solver.into(),
            points: profile.steps(),
            style: solvers.iter().position(|solver| *solver == profile.solver).unwrap_or(0),
        });
        Panel {
            title: format!(
                "{}: share of {problems} solvable problems within a factor of the fastest",
                of_class.first().map_or("", |profile| profile.class)
            ),
            x: Scale::LOG,
            y: Scale::Linear { at_least: 1.0 },
            series: series.collect(),
        }
    };
    let panels: Vec<Panel> = profiles.chunk_by(|a, b| a.class == b.class).map(panel).collect();
    Picture::new("performance-profiles", 1, &panels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(problem: &str, solver: &'static str, status: &'static str, time_us: f64) -> Outcome {
        Outcome {
            problem: problem.into(),
            class: "lcp",
            n: 1,
            solver,
            status,
            residual: 1e-12,
            iterations: 1,
            pivots: 2,
            time_us,
            certificate: None,
            basis: Vec::new(),
            infeasibility: Vec::new(),
            tried: Vec::new(),
            history: Vec::new(),
            answer: None,
        }
    }

    #[test]
    fn the_profile_of_a_case_counted_by_hand() {
        let outcomes = [
            outcome("a", "s", "solved", 1.0),
            outcome("a", "t", "solved", 3.0),
            outcome("b", "s", "ray", 0.1),
            outcome("b", "t", "solved", 5.0),
            outcome("c", "s", "ray", 1.0),
            outcome("c", "t", "stalled", 1.0),
        ];
        let profiles = profiles(&outcomes);
        let [s, t] = &profiles[..] else { panic!("{profiles:?}") };
        assert_eq!((s.problems, s.solved, s.solved_by_any), (3, 1, 2));
        assert_eq!((s.share(1.0), s.share(100.0)), (0.5, 0.5));
        assert_eq!((t.share(1.0), t.share(2.9), t.share(3.0)), (0.5, 0.5, 1.0));
        assert_eq!(t.pivots, 4);
    }
}
