//! The recursions of the operational space against dense matrices, on random trees, loops and long chains.

use crate::common::trees::*;
use nalgebra::{DMatrix, DVector, Vector3};
use proptest::prelude::*;
use stiction::dynamics::*;
use stiction::model::{JointKind, LinkId, Model, TreeId};
use stiction::spatial::{Force, Mobility, Transform};

/// The only tree of a model.
const ONLY: TreeId = TreeId::new(0);

/// What a row acts on.
#[derive(Clone, Copy, Debug)]
enum Grip {
    Link(usize),
    Links(usize, usize),
    Joint(usize),
}

/// A row's action: wrenches on links in a list, or coefficients on the dofs of one joint.
struct Block {
    grip: Grip,
    /// One list per link of the grip.
    loads: Vec<Vec<Force>>,
    /// Row-major.
    jacobian: Vec<f64>,
    rows: usize,
}

impl Block {
    /// Whether the joints resist a row's wrenches but for a hundredth, so that its Jacobian has lost digits by itself.
    fn is_resisted(&self, row: usize, jacobian: &[f64]) -> bool {
        let size = |f: &Force| f.angular.norm().max(f.linear.norm());
        let largest = self.loads.iter().map(|loads| size(&loads[row])).fold(0.0, f64::max);
        jacobian.iter().fold(0.0f64, |m, x| m.max(x.abs())) <= 1e-2 * largest
    }
}

fn random_wrench(random: &mut Random) -> Force {
    Force::new(random.vector(), random.vector())
}

/// The row of a wrench, by the power it has.
fn add_row(model: &Model, data: &Data, link: usize, load: &Force, row: &mut [f64]) {
    let mut tau = vec![0.0; model.nv()];
    add_wrench(model, data, LinkId::new(link), load, &mut tau);
    row.iter_mut().zip(&tau).for_each(|(row, tau)| *row += tau);
}

fn random_block(model: &Model, data: &Data, random: &mut Random) -> Block {
    let (n, link) = (model.nv(), random.below(model.links.len()));
    let rows = 1 + random.below(3);
    let mut jacobian = vec![0.0; rows * n];
    let grip = match random.below(3) {
        0 => Grip::Link(link),
        1 => Grip::Links(link, random.below(model.links.len())),
        _ => Grip::Joint(link),
    };
    let links = match grip {
        Grip::Link(a) => vec![a],
        Grip::Links(a, b) => vec![a, b],
        Grip::Joint(_) => vec![],
    };
    let loads: Vec<Vec<Force>> =
        links.iter().map(|_| (0..rows).map(|_| random_wrench(random)).collect()).collect();
    for (link, loads) in links.iter().zip(&loads) {
        for (load, row) in loads.iter().zip(jacobian.chunks_exact_mut(n)) {
            add_row(model, data, *link, load, row);
        }
    }
    if let Grip::Joint(link) = grip {
        let dofs = model.links[link].v..model.links[link].v + model.links[link].kind.nv();
        for row in jacobian.chunks_exact_mut(n) {
            row[dofs.clone()].iter_mut().for_each(|c| *c = random.symmetric());
        }
    }
    Block { grip, loads, jacobian, rows }
}

/// The node of a block and its half-solved rows.
fn half_solved(
    space: &mut OperationalSpace,
    model: &Model,
    data: &mut Data,
    block: &Block,
) -> (Node, Vec<f64>) {
    let mut y = vec![0.0; block.jacobian.len()];
    let node = match block.grip {
        Grip::Link(a) => space.wrenches(model, data, &[(LinkId::new(a), &block.loads[0])], &mut y).unwrap(),
        Grip::Links(a, b) => {
            let links = [(LinkId::new(a), &block.loads[0][..]), (LinkId::new(b), &block.loads[1][..])];
            space.wrenches(model, data, &links, &mut y).unwrap()
        }
        Grip::Joint(link) => {
            y.copy_from_slice(&block.jacobian);
            space.joint(model, data, LinkId::new(link), block.rows, &mut y)
        }
    };
    (node, y)
}

/// Added diagonals as springs, dampers and servos make them: from nothing to a thousand times a link's inertia.
fn random_diagonal(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n)
        .map(|_| if random.below(2) == 0 { 0.0 } else { libm::pow(10.0, random.between(-3.0, 3.0)) })
        .collect()
}

/// Largest error of all Delassus entries of random blocks by the recursions, each relative to the root of the product of
/// its diagonals, against `J M^-1 J^T` with a dense Cholesky factor.
fn worst_entry(model: &Model, random: &mut Random) -> f64 {
    let n = model.nv();
    let q = random_configuration(model, random);
    let mut data = prepare(model, &q, &vec![0.0; n]);
    let added = random_diagonal(random, n);
    let mut matrix = dense_mass_matrix(model, &data, 0);
    (0..n).for_each(|k| matrix[(k, k)] += added[k]);
    let factor = matrix.cholesky().unwrap();
    articulate(model, &mut data, ONLY, &added).unwrap();

    let blocks: Vec<Block> = (0..8).map(|_| random_block(model, &data, random)).collect();
    let mut space = OperationalSpace::default();
    space.begin(model);
    let nodes: Vec<_> = blocks.iter().map(|b| half_solved(&mut space, model, &mut data, b)).collect();
    let dense = |a: &[f64], b: &[f64]| {
        DVector::from_column_slice(a).dot(&factor.solve(&DVector::from_column_slice(b)))
    };
    let mut worst: f64 = 0.0;
    for (a, (node_a, y_a)) in blocks.iter().zip(&nodes) {
        for (b, (node_b, y_b)) in blocks.iter().zip(&nodes) {
            space.block(model, n, (node_a, y_a), (node_b, y_b), |r, c, found| {
                let (x, z) = (&a.jacobian[r * n..][..n], &b.jacobian[c * n..][..n]);
                let scale = (dense(x, x) * dense(z, z)).sqrt();
                if !a.is_resisted(r, x) && !b.is_resisted(c, z) {
                    worst = worst.max((found - dense(x, z)).abs() / scale);
                }
            });
        }
    }
    worst
}

/// A chain of hinges about changing axes, with bodies of random inertia.
fn chain(random: &mut Random, links: usize) -> Model {
    let mut assembly = Assembly::new(Vector3::zeros());
    let mut parent = None;
    for _ in 0..links {
        let placement = Transform::new(random.vector() * 0.3, &random.orientation());
        let kind = JointKind::Hinge { axis: random.direction() };
        parent = Some(assembly.link(parent, placement, kind, random.inertia()));
    }
    assembly.model
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn delassus_blocks_by_recursion_are_those_of_the_dense_matrices_on_trees_and_loops(
        seed in any::<u64>(), joints in 1usize..40, free_root in any::<bool>()
    ) {
        let mut random = Random(seed);
        let model = random_tree(&mut random, joints, free_root, Vector3::zeros());
        let worst = worst_entry(&model, &mut random);
        prop_assert!(worst <= 1e-11, "{worst:e}");
    }

    #[test]
    fn the_recursive_factor_is_the_explicit_one(
        seed in any::<u64>(), joints in 1usize..40, free_root in any::<bool>()
    ) {
        let mut random = Random(seed);
        let model = random_tree(&mut random, joints, free_root, Vector3::zeros());
        let n = model.nv();
        let q = random_configuration(&model, &mut random);
        let mut explicit = prepare(&model, &q, &vec![0.0; n]);
        let mut recursive = explicit.clone();
        let added = random_diagonal(&mut random, n);
        factorize(&model, &mut explicit, ONLY, &added).unwrap();
        articulate(&model, &mut recursive, ONLY, &added).unwrap();
        prop_assert!(recursive.is_recursive(ONLY) && !explicit.is_recursive(ONLY));
        let x = random.vec(n);
        let both = |act: fn(&Model, &mut Data, TreeId, &mut [f64]), explicit: &mut Data, recursive: &mut Data| {
            let (mut a, mut b) = (x.clone(), x.clone());
            act(&model, explicit, ONLY, &mut a);
            act(&model, recursive, ONLY, &mut b);
            relative_difference(&a, &b)
        };
        for act in [half_solve, half_solve_transposed, solve] {
            let error = both(act, &mut explicit, &mut recursive);
            prop_assert!(error <= 1e-11, "{error:e}");
        }
    }

    #[test]
    fn the_diagonal_of_the_inverse_comes_with_the_mobilities(seed in any::<u64>(), joints in 1usize..40) {
        let mut random = Random(seed);
        let model = random_tree(&mut random, joints, seed % 2 == 0, Vector3::zeros());
        let n = model.nv();
        let q = random_configuration(&model, &mut random);
        let mut data = prepare(&model, &q, &vec![0.0; n]);
        let added = random_diagonal(&mut random, n);
        let mut matrix: DMatrix<f64> = dense_mass_matrix(&model, &data, 0);
        (0..n).for_each(|k| matrix[(k, k)] += added[k]);
        let inverse = matrix.cholesky().unwrap().inverse();
        articulate(&model, &mut data, ONLY, &added).unwrap();
        let (mut mobility, mut diagonal) = (vec![Mobility::zero(); model.links.len()], vec![0.0; n]);
        mobilities(&model, &data, ONLY, &mut mobility, &mut diagonal);
        for k in 0..n {
            let error = (diagonal[k] / inverse[(k, k)] - 1.0).abs();
            prop_assert!(error <= 1e-11, "dof {k}: {error:e}");
        }
    }
}

#[test]
fn delassus_blocks_of_chains_of_up_to_400_links_are_those_of_the_dense_matrices() {
    for (seed, links) in [(1, 70), (2, 100), (3, 200), (4, 400)] {
        let mut random = Random(seed);
        let model = chain(&mut random, links);
        let worst = worst_entry(&model, &mut random);
        assert!(worst <= 1e-11, "{links} links: {worst:e}");
    }
}
