//! A second solve of no larger size allocates nothing, from every start; and no file takes memory for sizes it only claims.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use rand::SeedableRng;
use rand_pcg::Pcg64;
use stiction_solvers::samples::{Rng, frictionless, grasp};
use stiction_solvers::{
    ActiveSet, ActiveSetQp, ActiveSetQpSettings, Bounded, Dantzig, DantzigSettings, FactoredLcp, FbPlm,
    FbPlmSettings, FbRlm, FbRlmSettings, Lcp, Lemke, LemkeSettings, Mcp, Path, PathSettings, PgsSm,
    PgsSmSettings, Ppm, PpmSettings, Problem, Robust, RobustSettings, Smooth, Solution, Solver, Start,
    Status,
};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting the allocations of each thread and remembering the size of the largest.
struct Counting;

// SAFETY: every call is passed on to the system allocator unchanged; the counters allocate nothing.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        let _ = LARGEST.try_with(|largest| largest.set(largest.get().max(layout.size())));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of this thread while `work` runs.
fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1u8; 100]))), 1);
}

#[test]
fn a_second_solve_of_no_larger_size_allocates_nothing() {
    let mut random = Pcg64::seed_from_u64(21);
    let large = common::box_stack(&mut random, 4, 5e-3, 1.0, 0.1);
    let small = common::random_contact_problem(&mut random, 5, 9, 4);
    let unsolvable = Lcp::new(vec![0.0, 1.0, -1.0, 0.0], vec![-1.0, -1.0]).unwrap();
    let mut solver = Lemke::new(LemkeSettings::default()).unwrap();
    let mut x = Solution::default();
    let mut basis = ActiveSet::default();
    // The first round: every path once, at the largest size.
    let mut wrong = ActiveSet::new(96);
    (0..96).step_by(3).for_each(|i| wrong.set(i, true));
    for start in [Start::Cold, Start::Warm, Start::Basis(&wrong)] {
        assert_eq!(solver.solve(&large, start, &mut x).status, Status::Solved);
        basis.clone_from(solver.active_set());
    }
    let mut problem = large.clone();
    let count = allocations(|| {
        for _ in 0..3 {
            for source in [&small, &unsolvable, &large] {
                problem.resize(source.q().len());
                problem.matrix_mut().copy_from_slice(source.matrix());
                problem.q_mut().copy_from_slice(source.q());
                let _ = solver.solve(&problem, Start::Cold, &mut x);
                basis.clone_from(solver.active_set());
                let _ = solver.solve(&problem, Start::Basis(&basis), &mut x);
                let _ = solver.solve(&problem, Start::Warm, &mut x);
                x.z.fill(1.0);
                let _ = solver.solve(&problem, Start::Warm, &mut x);
                let _ = solver.solve(&problem, Start::Basis(&wrong), &mut x);
            }
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn the_robust_drivers_allocate_nothing_on_a_second_solve_that_the_first_method_wins() {
    use stiction_solvers::{BoxLcp, Mlcp, MlcpBlocks};

    let mut random = Pcg64::seed_from_u64(22);
    let large = common::box_stack(&mut random, 4, 5e-3, 1.0, 0.1);
    let small = common::random_contact_problem(&mut random, 5, 9, 4);
    let mut bounded = |n: usize| {
        let m = common::gram(n, n, &common::uniform(&mut random, n * n));
        let q = common::uniform(&mut random, n);
        let mut problem = BoxLcp::from(&Lcp::new(m, q).unwrap());
        for i in 0..n {
            let (lower, upper) = [(0.0, 0.1), (f64::NEG_INFINITY, f64::INFINITY)][i % 2];
            problem.set_bounds(i, lower, upper).unwrap();
        }
        problem
    };
    let (large_box, small_box) = (bounded(30), bounded(12));
    let mixed = Mlcp::new(&MlcpBlocks {
        a: &[2.0],
        c: &[-1.0],
        d: &[1.0],
        b: &[3.0],
        a_vector: &[1.0],
        b_vector: &[-4.0],
    })
    .unwrap();
    let mut lcps = Robust::<Lcp>::new(RobustSettings::default()).unwrap();
    let mut boxes = Robust::<BoxLcp>::new(RobustSettings::default()).unwrap();
    let mut mlcps = Robust::<Mlcp>::new(RobustSettings::default()).unwrap();
    let mut x = Solution::default();
    let mut solve_all = || {
        for lcp in [&large, &small] {
            assert_eq!(lcps.solve(lcp, Start::Cold, &mut x).status, Status::Solved);
            x.z[0] += 1e-3;
            assert_eq!(lcps.solve(lcp, Start::Warm, &mut x).status, Status::Solved);
            assert_eq!(lcps.tried().len(), 1);
        }
        for problem in [&large_box, &small_box] {
            assert_eq!(boxes.solve(problem, Start::Cold, &mut x).status, Status::Solved);
            x.z[0] += 1e-3;
            assert_eq!(boxes.solve(problem, Start::Warm, &mut x).status, Status::Solved);
            assert_eq!(boxes.tried().len(), 1);
        }
        assert_eq!(mlcps.solve(&mixed, Start::Cold, &mut x).status, Status::Solved);
    };
    solve_all();
    assert_eq!(allocations(|| (0..3).for_each(|_| solve_all())), 0);
}

#[test]
fn the_robust_drivers_of_factored_and_nonlinear_problems_allocate_nothing_on_a_second_solve() {
    let mut random = Pcg64::seed_from_u64(25);
    let mut contacts = |n: usize, m: usize| {
        let half = common::uniform(&mut random, n * m);
        let velocity = common::uniform(&mut random, m);
        let q = half.chunks_exact(m).map(|y| y.iter().zip(&velocity).map(|(y, v)| y * v).sum()).collect();
        FactoredLcp::from_half(m, half, q).unwrap()
    };
    let factored = [contacts(150, 12), contacts(20, 40), contacts(7, 3)];
    let cubes = |n: usize| Mcp::new(Cubes(n), vec![-2.0; n], vec![f64::INFINITY; n]).unwrap();
    let nonlinear = [cubes(9), cubes(4)];
    let mut normals = Robust::<FactoredLcp>::new(RobustSettings::default()).unwrap();
    let mut smooth = Robust::<Mcp<Cubes>>::new(RobustSettings::default()).unwrap();
    let mut x = Solution::default();
    let mut solve_all = || {
        for problem in &factored {
            for start in [Start::Cold, Start::Warm] {
                assert_eq!(normals.solve(problem, start, &mut x).status, Status::Solved);
                assert_eq!(normals.tried().len(), 1);
                x.z[0] += 1e-3;
            }
        }
        for problem in &nonlinear {
            for start in [Start::Cold, Start::Warm] {
                assert_eq!(smooth.solve(problem, start, &mut x).status, Status::Solved);
                assert_eq!(smooth.tried().len(), 1);
                x.z[0] += 1e-3;
            }
        }
    };
    solve_all();
    assert_eq!(allocations(|| (0..3).for_each(|_| solve_all())), 0);
}

#[test]
fn a_second_solve_by_sweeps_and_subspace_steps_allocates_nothing() {
    let mut random = Pcg64::seed_from_u64(26);
    let mut rng = Rng::new(26);
    let grasps = [12, 5].map(|contacts| grasp::friction_boxes(&mut rng, 3, contacts).unwrap());
    // With a sparse factor, with conjugate gradients, with a dense factor.
    let mut contacts = |n: usize, m: usize| {
        let half = common::uniform(&mut random, n * m);
        FactoredLcp::from_half(m, half, common::uniform(&mut random, n)).unwrap()
    };
    let column = |n: usize| frictionless::Column::new(&mut Rng::new(1), n, 10.0).problem().unwrap();
    let factored = [contacts(120, 130), contacts(30, 10), column(100), column(30)];
    for largest_dense in [500, 0] {
        let settings =
            PgsSmSettings { largest_dense, history: true, max_iterations: 50, ..Default::default() };
        let mut solver = PgsSm::new(settings).unwrap();
        // The sparse memory at its largest too.
        let _ = solver.solve(&column(120), Start::Cold, &mut Solution::default());
        no_allocation_after_the_largest(&mut solver, &factored);
        no_allocation_after_the_largest(&mut PgsSm::new(settings).unwrap(), &grasps);
    }
}

/// Solves each problem from every start twice over; nothing may be allocated after the first, largest one.
fn no_allocation_after_the_largest<P: Problem>(solver: &mut impl Solver<P>, problems: &[P]) {
    let mut x = Solution::default();
    let mut half = ActiveSet::new(problems[0].dim());
    (0..half.len()).step_by(2).for_each(|i| half.set(i, true));
    let _ = solver.solve(&problems[0], Start::Cold, &mut x);
    let _ = solver.solve(&problems[0], Start::Basis(&half), &mut x);
    let sets: Vec<ActiveSet> = problems
        .iter()
        .map(|problem| {
            let mut set = ActiveSet::new(problem.dim());
            (0..set.len()).step_by(3).for_each(|i| set.set(i, true));
            set
        })
        .collect();
    let count = allocations(|| {
        for _ in 0..2 {
            for (problem, set) in problems.iter().zip(&sets) {
                let _ = solver.solve(problem, Start::Cold, &mut x);
                let _ = solver.solve(problem, Start::Warm, &mut x);
                x.z.fill(0.1);
                let _ = solver.solve(problem, Start::Warm, &mut x);
                let _ = solver.solve(problem, Start::Basis(set), &mut x);
            }
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn a_second_solve_by_principal_pivoting_allocates_nothing() {
    let mut random = Pcg64::seed_from_u64(22);
    let symmetric = |random: &mut Pcg64, n: usize| {
        let q = common::uniform(random, n);
        Lcp::new(common::gram(n, n, &common::uniform(random, n * n)), q).unwrap()
    };
    let contact = common::random_contact_problem(&mut random, 10, 12, 4);
    let problems = [contact, symmetric(&mut random, 60), symmetric(&mut random, 30)];
    let mut solver = Dantzig::new(DantzigSettings::default()).unwrap();
    let mut x = Solution::default();
    // Both kinds of factor at their largest.
    let _ = solver.solve(&symmetric(&mut random, 60), Start::Cold, &mut x);
    no_allocation_after_the_largest(&mut solver, &problems);
}

#[test]
fn a_second_solve_in_factored_form_allocates_nothing() {
    let mut random = Pcg64::seed_from_u64(23);
    let mut contacts = |n: usize, m: usize| {
        let half = common::uniform(&mut random, n * m);
        FactoredLcp::from_half(m, half, common::uniform(&mut random, n)).unwrap()
    };
    // Solvable, infeasible, both smaller.
    let problems = [contacts(200, 200), contacts(200, 12), contacts(150, 160), contacts(7, 3)];
    no_allocation_after_the_largest(&mut Ppm::new(PpmSettings::default()).unwrap(), &problems);
    no_allocation_after_the_largest(
        &mut ActiveSetQp::new(ActiveSetQpSettings::default()).unwrap(),
        &problems,
    );
}

/// `z_i^3 - z_{i+1} - 1`.
struct Cubes(usize);

impl Smooth for Cubes {
    fn dim(&self) -> usize {
        self.0
    }

    fn value(&self, z: &[f64], f: &mut [f64]) {
        (0..self.0).for_each(|i| f[i] = z[i].powi(3) - z[(i + 1) % self.0] - 1.0);
    }

    fn jacobian(&self, z: &[f64], jacobian: &mut [f64]) {
        jacobian.fill(0.0);
        for i in 0..self.0 {
            jacobian[i * self.0 + i] = 3.0 * z[i] * z[i];
            jacobian[i * self.0 + (i + 1) % self.0] -= 1.0;
        }
    }
}

/// Allocations of solves from every start, after one of the first problem, which is the largest.
fn newton_allocations<P: Bounded>(solver: &mut impl Solver<P>, problems: &[P]) -> usize {
    let mut x = Solution::default();
    let _ = solver.solve(&problems[0], Start::Cold, &mut x);
    let mut set = ActiveSet::new(problems[0].dim());
    (0..set.len()).step_by(2).for_each(|i| set.set(i, true));
    allocations(|| {
        for problem in problems.iter().chain(problems) {
            let _ = solver.solve(problem, Start::Cold, &mut x);
            let _ = solver.solve(problem, Start::Warm, &mut x);
            x.z.fill(0.1);
            let _ = solver.solve(problem, Start::Warm, &mut x);
            let _ = solver.solve(problem, Start::Basis(&set), &mut x);
        }
    })
}

#[test]
fn a_second_solve_of_cones_by_descent_or_in_turns_allocates_nothing() {
    use stiction_solvers::{Cone, ConeNcp, Delassus, MncpPlm, MncpRlm, QpSplit};

    let mut random = Pcg64::seed_from_u64(25);
    let mut contacts = |count: usize, rank: usize| {
        let n = 3 * count + 2;
        let w = common::gram(n, rank, &common::uniform(&mut random, n * rank));
        let q = common::uniform(&mut random, n);
        let mut cones = vec![Cone::Coulomb { dim: 3, mu: 0.4 }; count];
        cones.extend([Cone::Free { dim: 1 }, Cone::Interval { lower: -0.1, upper: 0.1 }]);
        ConeNcp::new(cones, Delassus::Dense(w), q).unwrap()
    };
    // Regular, redundant, smaller.
    let problems = [contacts(10, 32), contacts(10, 20), contacts(4, 14)];
    let mut rlm = MncpRlm::new(Default::default()).unwrap();
    let mut plm = MncpPlm::new(Default::default()).unwrap();
    let mut split = QpSplit::new(Default::default()).unwrap();
    let mut set = ActiveSet::new(32);
    set.set(3, true);
    let solvers: [&mut dyn Solver<ConeNcp>; 3] = [&mut rlm, &mut plm, &mut split];
    for solver in solvers {
        let mut x = Solution::default();
        let _ = solver.solve(&problems[0], Start::Cold, &mut x);
        let count = allocations(|| {
            for problem in problems.iter().chain(&problems) {
                let _ = solver.solve(problem, Start::Cold, &mut x);
                let _ = solver.solve(problem, Start::Warm, &mut x);
                x.z.fill(0.1);
                let _ = solver.solve(problem, Start::Warm, &mut x);
                let _ = solver.solve(problem, Start::Basis(&set), &mut x);
            }
        });
        assert_eq!(count, 0);
    }
}

#[test]
fn a_second_solve_by_newtons_method_allocates_nothing() {
    let mut random = Pcg64::seed_from_u64(24);
    let unsolvable = Lcp::new(vec![0.0, 1.0, -1.0, 0.0], vec![-1.0, -1.0]).unwrap();
    let linear = [
        common::box_stack(&mut random, 2, 5e-3, 1.0, 0.1),
        common::random_contact_problem(&mut random, 5, 9, 4),
        unsolvable,
    ];
    let problem = |n: usize| Mcp::new(Cubes(n), vec![-2.0; n], vec![f64::INFINITY; n]).unwrap();
    let nonlinear = [problem(9), problem(4)];
    let mut rlm = FbRlm::new(FbRlmSettings { history: true, ..Default::default() }).unwrap();
    let mut plm = FbPlm::new(FbPlmSettings { history: true, ..Default::default() }).unwrap();
    let mut path = Path::new(PathSettings { history: true, ..Default::default() }).unwrap();
    // Without a crash the paths themselves are walked.
    let mut bare = Path::new(PathSettings { crash_rounds: 0, ..Default::default() }).unwrap();
    assert_eq!(newton_allocations(&mut rlm, &linear) + newton_allocations(&mut rlm, &nonlinear), 0);
    assert_eq!(newton_allocations(&mut plm, &linear) + newton_allocations(&mut plm, &nonlinear), 0);
    assert_eq!(newton_allocations(&mut path, &linear) + newton_allocations(&mut path, &nonlinear), 0);
    assert_eq!(newton_allocations(&mut bare, &linear) + newton_allocations(&mut bare, &nonlinear), 0);
}

/// Bytes of the largest allocation that a text of a few hundred bytes may lead to: a dense matrix of 4000 rows, which one
/// of them asks for and may have. Others claim a million times as much.
const LARGEST_MATRIX: usize = 8 * 4000 * 4000;

#[test]
fn sizes_that_are_not_there_are_refused_before_memory_is_taken() {
    let hostile = [
        "1000000000 0 1000000000 1000000000 1000000000 1000000000 1",
        "1000000000 1 1000000000 1000000000 1 1 1",
        "1000000000 2 1000000000 1000000000 2 CSparse",
        "4000 2 4000 4000 2 CSparse\n4000-by-4000, nzmax: 1 nnz: 1000000000000, 1-norm: 1\n0 : 1",
        "0 1 1000000000 1000000000 1",
        "0 1 18446744073709551615 18446744073709551615 1",
        "0 1 18446744073709551615 1 1",
        "1 0 1000000000 1000000000 0 2000000000 0",
        "2 1 2 2 18446744073709551615 18446744073709551615 18446744073709551615 1",
        "1 0 1 1 0 2 99999999999999999999999",
        r#"{"format": "stewart-trinkle-lcp-1", "mu": [1], "k": 1000000000, "W": [[1,0,0],[0,1,0],[0,0,1]], "q_contact": [0,0,0]}"#,
        r#"{"format": "lcp-1", "n": 1000000000, "M": [[1e999]], "q": [1]}"#,
        r#"{"format": "polynomial-mcp-1", "F": [[[1, [1000000000]]]], "lower": [0], "upper": [1]}"#,
    ];
    for text in hostile {
        LARGEST.set(0);
        assert!(stiction_solvers::io::parse(text, "the.file", "the").is_err(), "{text}");
        assert!(LARGEST.get() <= LARGEST_MATRIX, "{} bytes for {text}", LARGEST.get());
    }
}
