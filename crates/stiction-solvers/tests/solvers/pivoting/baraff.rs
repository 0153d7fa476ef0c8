//! Baraff's extension of Dantzig's method: exact on contacts computed by hand, and in agreement with all combinations.
// Test code, where a panic is a failed test.

use rand::{RngExt, SeedableRng};
use stiction_solvers::pivoting::baraff::{Baraff, FrictionLcp, IndexLaw};
use stiction_solvers::{Problem, Solution, Status};

fn planar(contacts: usize, mu: f64) -> Vec<IndexLaw> {
    (0..contacts).flat_map(|c| [IndexLaw::Normal, IndexLaw::Friction { normal: 2 * c, mu }]).collect()
}

#[test]
fn a_block_on_an_incline_sticks_or_slides_as_its_slope_says() {
    for (slope, slides) in [(0.3_f64, false), (0.7, true)] {
        let (mu, g) = (0.5, 9.81);
        let problem = FrictionLcp {
            matrix: vec![1.0, 0.0, 0.0, 1.0],
            q: vec![-g * slope.cos(), g * slope.sin()],
            laws: planar(1, mu),
        };
        let mut x = Solution::default();
        let report = Baraff::default().solve(&problem, &[], &mut x);
        assert_eq!(report.status, Status::Solved);
        let acceleration = if slides { g * (slope.sin() - mu * slope.cos()) } else { 0.0 };
        assert!((x.w[1] - acceleration).abs() < 1e-13 && (x.z[0] - g * slope.cos()).abs() < 1e-13, "{x:?}");
    }
}

#[test]
fn a_column_that_pushes_itself_down_is_a_ray_and_not_a_force() {
    // Painleve: the folded column of a sliding contact has the wrong sign.
    let problem = FrictionLcp { matrix: vec![-0.5], q: vec![-9.81], laws: vec![IndexLaw::Normal] };
    let mut x = Solution::default();
    let report = Baraff::default().solve(&problem, &[], &mut x);
    assert_eq!(report.status, Status::Ray);
    assert_eq!(x.z, [0.0]);
}

/// Contacts of one or two rigid motions: `M = J J^T` of few columns, and thus singular.
fn random(rng: &mut rand_pcg::Pcg64, contacts: usize, columns: usize, mu: f64) -> FrictionLcp {
    let n = 2 * contacts;
    let rows: Vec<Vec<f64>> =
        (0..n).map(|_| (0..columns).map(|_| rng.random_range(-1.0..1.0)).collect()).collect();
    let velocity: Vec<f64> = (0..columns).map(|_| rng.random_range(-1.0..1.0)).collect();
    let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let matrix = rows.iter().flat_map(|a| rows.iter().map(|b| inner(a, b)).collect::<Vec<_>>()).collect();
    FrictionLcp {
        matrix,
        q: rows.iter().map(|row| inner(row, &velocity)).collect(),
        laws: planar(contacts, mu),
    }
}

#[test]
fn random_contacts_are_solved_to_the_tolerance_and_again_from_their_modes_without_a_pivot() {
    let mut rng = rand_pcg::Pcg64::seed_from_u64(7);
    let (mut solved, mut tried) = (0, 0);
    let (mut baraff, mut x) = (Baraff::default(), Solution::default());
    for k in 0..2000 {
        let contacts = 1 + k % 5;
        let problem = random(&mut rng, contacts, 2 * contacts + 1, 0.3);
        tried += 1;
        let report = baraff.solve(&problem, &[], &mut x);
        if report.status == Status::Solved {
            solved += 1;
            assert!(problem.residual(&x).natural_map <= 1e-10);
            let modes = baraff.modes().to_vec();
            let again = baraff.solve(&problem, &modes, &mut x);
            assert_eq!((again.status, again.pivots), (Status::Solved, 0));
        }
    }
    assert!(solved * 100 >= tried * 98, "{solved} of {tried}");
}

#[test]
fn a_solved_sub_problem_leaves_only_the_new_contacts_to_raise() {
    let mut rng = rand_pcg::Pcg64::seed_from_u64(11);
    let (mut baraff, mut x) = (Baraff::default(), Solution::default());
    let mut compared = 0;
    for _ in 0..200 {
        let whole = random(&mut rng, 6, 13, 0.0);
        let part = FrictionLcp {
            matrix: (0..8).flat_map(|i| whole.matrix[i * 12..i * 12 + 8].to_vec()).collect(),
            q: whole.q[..8].to_vec(),
            laws: whole.laws[..8].to_vec(),
        };
        let first = baraff.solve(&part, &[], &mut x);
        assert_eq!(first.status, Status::Solved);
        let mut modes = baraff.modes().to_vec();
        modes.resize(12, Default::default());
        let report = baraff.solve(&whole, &modes, &mut x);
        assert_eq!(report.status, Status::Solved);
        // Loomis and Balkcom, theorem 1: of twelve indices eight are solved, and friction is never raised.
        assert!(report.iterations <= 2, "{report:?}");
        compared += 1;
    }
    assert_eq!(compared, 200);
}
