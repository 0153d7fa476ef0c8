//! Time against the number of links of a chain: where the recursive factor of the mass matrix overtakes the explicit one
//! (see `stiction::dynamics::factorize_by_size`), and how the cost of a step grows.
//!
//! `factor` is the set-up with one solve; `delassus` is that and the Delassus matrix of contacts, three rows each, on every
//! fourth link; `step` is a step of a chain that swings freely, that also has dampers, and that hangs on an equality at its far end.
//!
//! `cargo bench -p stiction --bench chain [FILTER]`.
#![allow(clippy::unwrap_used, reason = "a chain that does not run is a failed benchmark")]

use divan::{Bencher, black_box};
use nalgebra::{Matrix3, Vector3};
use std::sync::Arc;
use stiction::dynamics::{
    Data, Node, OperationalSpace, articulate, factorize, forward_kinematics, half_solve, mass_matrix,
    point_jacobian, solve,
};
use stiction::model::{
    BodyHandle, BodySpec, EqualitySpec, Inertial, JointSpec, LinkId, Model, ModelBuilder, TreeId,
};
use stiction::sim::{Settings, Simulation};
use stiction::spatial::{Force, Transform};

fn main() {
    divan::main();
}

/// Balls on rods of 0.1 m, hinged about x and y in turn; `anchor` ties the last one to where it is.
fn scene(links: usize, damping: f64, anchor: bool) -> Simulation {
    let mut builder = ModelBuilder::new("chain");
    builder.timestep = 1e-4;
    let mut last = BodyHandle::WORLD;
    for i in 0..links {
        let axis = if i % 2 == 0 { Vector3::x() } else { Vector3::y() };
        let ball = Inertial {
            mass: 0.1,
            center_of_mass: -Vector3::z() * 0.1,
            inertia: Matrix3::from_diagonal_element(1.6e-5),
        };
        let body = BodySpec {
            name: format!("link{i}"),
            pose: Transform::from_translation(Vector3::z() * -0.1),
            inertial: Some(ball),
            joints: vec![JointSpec { damping, ..JointSpec::hinge(axis) }],
            ..BodySpec::default()
        };
        last = builder.add_body(last, body).unwrap();
    }
    if anchor {
        let bodies = [last, BodyHandle::WORLD];
        builder.add_equality(EqualitySpec::Connect {
            name: "anchor".into(),
            bodies,
            anchor: -Vector3::z() * 0.1,
        });
    }
    let model = Arc::new(builder.build().unwrap());
    let mut simulation = Simulation::new(model, Settings::default()).unwrap();
    for (i, q) in simulation.state.q.iter_mut().enumerate() {
        *q = 0.05 * libm::sin(1.7 * i as f64);
    }
    simulation
}

/// Links with contacts.
fn touched(links: usize) -> impl Iterator<Item = usize> {
    (0..links).filter(|i| i % 4 == 3)
}

struct Chain {
    model: Model,
    data: Data,
    zeros: Vec<f64>,
    x: Vec<f64>,
}

impl Chain {
    fn new(links: usize) -> Self {
        let simulation = scene(links, 0.0, false);
        let model = (**simulation.model()).clone();
        let mut data = Data::new(&model);
        let zeros = vec![0.0; model.nv()];
        forward_kinematics(&model, &mut data, TreeId::new(0), &simulation.state.q, &zeros);
        Self { x: zeros.clone(), model, data, zeros }
    }

    fn explicit_factor(&mut self) {
        mass_matrix(&self.model, &mut self.data, TreeId::new(0));
        factorize(&self.model, &mut self.data, TreeId::new(0), &self.zeros).unwrap();
        self.solve();
    }

    fn recursive_factor(&mut self) {
        articulate(&self.model, &mut self.data, TreeId::new(0), &self.zeros).unwrap();
        self.solve();
    }

    fn solve(&mut self) {
        self.x.fill(1.0);
        solve(&self.model, &mut self.data, TreeId::new(0), &mut self.x);
    }

    /// Half-solved contact rows by explicit factor, and their Gram matrix.
    fn explicit_delassus(&mut self, y: &mut [f64], matrix: &mut [f64]) {
        self.explicit_factor();
        let n = self.model.nv();
        for (contact, rows) in touched(n).zip(y.chunks_exact_mut(3 * n)) {
            let point = self.data.link_pose[contact].translation - Vector3::z() * 0.12;
            for (axis, row) in rows.chunks_exact_mut(n).enumerate() {
                point_jacobian(
                    &self.model,
                    &self.data,
                    LinkId::new(contact),
                    &point,
                    &Vector3::ith(axis, 1.0),
                    row,
                );
                half_solve(&self.model, &mut self.data, TreeId::new(0), row);
            }
        }
        let total = y.len() / n;
        for (a, y_a) in y.chunks_exact(n).enumerate() {
            let end = used(n, a);
            for (b, y_b) in y.chunks_exact(n).enumerate().skip(a) {
                let value = dot(&y_a[..end], &y_b[..end]);
                (matrix[a * total + b], matrix[b * total + a]) = (value, value);
            }
        }
    }

    /// The same by recursions.
    fn recursive_delassus(
        &mut self,
        space: &mut OperationalSpace,
        nodes: &mut Vec<Node>,
        y: &mut [f64],
        matrix: &mut [f64],
    ) {
        self.recursive_factor();
        let n = self.model.nv();
        space.begin(&self.model);
        nodes.clear();
        y.fill(0.0);
        for (contact, rows) in touched(n).zip(y.chunks_exact_mut(3 * n)) {
            let arm = -Vector3::z() * 0.12;
            let loads: [Force; 3] = std::array::from_fn(|axis| {
                let axis = Matrix3::identity().column(axis).into_owned();
                Force::new(arm.cross(&axis), axis)
            });
            nodes.extend(space.wrenches(&self.model, &self.data, &[(LinkId::new(contact), &loads)], rows));
        }
        let total = y.len() / n;
        let rows = |i: usize| &y[3 * n * i..3 * n * (i + 1)];
        for (i, a) in nodes.iter().enumerate() {
            for (j, b) in nodes.iter().enumerate().skip(i) {
                space.block(&self.model, n, (a, rows(i)), (b, rows(j)), |r, c, value| {
                    let (r, c) = (3 * i + r, 3 * j + c);
                    (matrix[r * total + c], matrix[c * total + r]) = (value, value);
                });
            }
        }
    }
}

/// Number of dofs that the row of a contact on every fourth link has.
fn used(n: usize, row: usize) -> usize {
    n.min(4 * (row / 3) + 4)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    for (a, b) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
        for i in 0..4 {
            sums[i] += a[i] * b[i];
        }
    }
    sums.iter().sum()
}

const LINKS: [usize; 12] = [4, 12, 24, 32, 40, 48, 56, 68, 80, 100, 200, 400];

#[divan::bench_group(sample_count = 50)]
mod factor {
    use super::*;

    #[divan::bench(args = LINKS)]
    fn explicit(bencher: Bencher, links: usize) {
        let mut chain = Chain::new(links);
        bencher.bench_local(|| black_box(&mut chain).explicit_factor());
    }

    #[divan::bench(args = LINKS)]
    fn recursive(bencher: Bencher, links: usize) {
        let mut chain = Chain::new(links);
        bencher.bench_local(|| black_box(&mut chain).recursive_factor());
    }
}

#[divan::bench_group(sample_count = 50)]
mod delassus {
    use super::*;

    #[divan::bench(args = LINKS)]
    fn explicit(bencher: Bencher, links: usize) {
        let mut chain = Chain::new(links);
        let rows = 3 * touched(links).count();
        let (mut y, mut matrix) = (vec![0.0; rows * links], vec![0.0; rows * rows]);
        bencher.bench_local(|| black_box(&mut chain).explicit_delassus(&mut y, &mut matrix));
    }

    #[divan::bench(args = LINKS)]
    fn recursive(bencher: Bencher, links: usize) {
        let mut chain = Chain::new(links);
        let rows = 3 * touched(links).count();
        let (mut y, mut matrix) = (vec![0.0; rows * links], vec![0.0; rows * rows]);
        let (mut space, mut nodes) = (OperationalSpace::default(), Vec::new());
        bencher.bench_local(|| {
            black_box(&mut chain).recursive_delassus(&mut space, &mut nodes, &mut y, &mut matrix);
        });
    }
}

#[divan::bench_group(sample_count = 100, sample_size = 1)]
mod step {
    use super::*;

    const LINKS: [usize; 6] = [12, 25, 50, 100, 200, 400];

    fn time_steps(bencher: Bencher, mut simulation: Simulation) {
        for _ in 0..10 {
            simulation.step().unwrap();
        }
        bencher.bench_local(|| simulation.step().unwrap());
    }

    #[divan::bench(args = LINKS)]
    fn swinging(bencher: Bencher, links: usize) {
        time_steps(bencher, scene(links, 0.0, false));
    }

    #[divan::bench(args = LINKS)]
    fn with_dampers(bencher: Bencher, links: usize) {
        time_steps(bencher, scene(links, 1e-4, false));
    }

    #[divan::bench(args = LINKS)]
    fn hanging_at_both_ends(bencher: Bencher, links: usize) {
        time_steps(bencher, scene(links, 0.0, true));
    }
}
