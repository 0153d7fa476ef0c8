//! Random and hand-made trees for the tests of the dynamics, written as links so that these tests depend on no
//! other part of the crate.

use nalgebra::{DMatrix, Matrix3, UnitQuaternion, Vector3};
use stiction::dynamics::{Data, forward_kinematics, integrate, mass_matrix};
use stiction::model::{BodyId, Dof, JointKind, Link, LinkId, Model, ModelBuilder, Tree, TreeId};
use stiction::spatial::{Inertia, Transform};

/// SplitMix64 (Steele, Lea, Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    /// Uniform in [-1, 1].
    pub fn symmetric(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    /// Uniform in [lower, upper].
    pub fn between(&mut self, lower: f64, upper: f64) -> f64 {
        lower + (upper - lower) * 0.5 * (self.symmetric() + 1.0)
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
    pub fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.symmetric(), self.symmetric(), self.symmetric())
    }
    pub fn direction(&mut self) -> Vector3<f64> {
        loop {
            let x = self.vector();
            if x.norm() > 0.1 && x.norm() < 1.0 {
                return x.normalize();
            }
        }
    }
    pub fn orientation(&mut self) -> UnitQuaternion<f64> {
        UnitQuaternion::from_scaled_axis(self.direction() * self.between(0.0, 3.0))
    }
    pub fn vec(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.symmetric()).collect()
    }
    pub fn inertia(&mut self) -> Inertia {
        let axes = self.orientation().to_rotation_matrix().into_inner();
        // Second moments of mass are positive, so the triangle inequality holds.
        let m = Vector3::new(self.between(0.01, 0.1), self.between(0.01, 0.1), self.between(0.01, 0.1));
        let central = Matrix3::from_diagonal(&Vector3::new(m.y + m.z, m.x + m.z, m.x + m.y));
        let mass = self.between(0.5, 2.0);
        Inertia::new(mass, &(self.vector() * 0.3), &(axes * central * axes.transpose() * mass))
    }
}

/// Assembles links into a model, tree by tree.
pub struct Assembly {
    pub model: Model,
}

impl Assembly {
    pub fn new(gravity: Vector3<f64>) -> Self {
        let mut model = ModelBuilder::new("assembly").build().unwrap();
        model.gravity = gravity;
        Self { model }
    }

    /// Adds a link; a link on the world starts a new tree, others must belong to the last tree.
    pub fn link(
        &mut self,
        parent: Option<usize>,
        placement: Transform,
        kind: JointKind,
        inertia: Inertia,
    ) -> usize {
        let model = &mut self.model;
        let (index, q, v) = (model.links.len(), model.q0.len(), model.dofs.len());
        match parent {
            None => model.trees.push(Tree {
                rank: 0,
                tendons: Vec::new(),
                links: index..index + 1,
                dofs: v..v + kind.nv(),
                coords: q..q + kind.nq(),
                lone_body: kind == JointKind::Free,
            }),
            Some(p) => {
                let tree = model.trees.last_mut().unwrap();
                assert!(tree.links.contains(&p));
                tree.links.end += 1;
                tree.dofs.end += kind.nv();
                tree.coords.end += kind.nq();
                tree.lone_body = false;
            }
        }
        match kind {
            JointKind::Free => {
                let t = placement.translation;
                model.q0.extend([t.x, t.y, t.z, 1.0, 0.0, 0.0, 0.0]);
            }
            JointKind::Ball => model.q0.extend([1.0, 0.0, 0.0, 0.0]),
            _ => model.q0.push(0.0),
        }
        let mut above = parent.map(|p| model.links[p].v + model.links[p].kind.nv() - 1);
        for k in 0..kind.nv() {
            model.dofs.push(Dof {
                link: LinkId::new(index),
                parent: above,
                damping: 0.0,
                armature: 0.0,
                friction_loss: 0.0,
            });
            above = Some(v + k);
        }
        model.links.push(Link {
            name: format!("joint{index}"),
            body: BodyId::new(0),
            parent: parent.map(LinkId::new),
            placement,
            kind,
            inertia,
            q,
            v,
            tree: TreeId::new(model.trees.len() - 1),
            reference: 0.0,
            range: None,
            stiffness: 0.0,
            spring_reference: 0.0,
        });
        index
    }
}

/// A random tree of about `joints` joints of all kinds, several per body: the first links of such a body are
/// massless, and one body in eight is a point mass.
pub fn random_tree(random: &mut Random, joints: usize, free_root: bool, gravity: Vector3<f64>) -> Model {
    let mut assembly = Assembly::new(gravity);
    grow_random_tree(&mut assembly, random, joints, free_root);
    assembly.model
}

/// Adds such a tree to a model.
pub fn grow_random_tree(assembly: &mut Assembly, random: &mut Random, joints: usize, free_root: bool) {
    let first = assembly.model.links.len();
    let mut bodies: Vec<usize> = vec![];
    while assembly.model.links.len() < first + joints {
        let mut parent = match bodies.len() {
            0 => None,
            n => Some(bodies[if random.below(2) == 0 { n - 1 } else { random.below(n) }]),
        };
        let root = parent.is_none();
        let kinds: Vec<JointKind> = if root && free_root {
            vec![JointKind::Free]
        } else {
            match random.below(6) {
                0 => vec![JointKind::Ball],
                1 => vec![JointKind::Slide { axis: random.direction() }],
                2 => vec![JointKind::Slide { axis: random.direction() }, JointKind::Ball],
                3 => {
                    vec![JointKind::Hinge { axis: Vector3::x() }, JointKind::Hinge { axis: Vector3::y() }]
                }
                _ => vec![JointKind::Hinge { axis: random.direction() }],
            }
        };
        let last = kinds.len() - 1;
        for (k, kind) in kinds.into_iter().enumerate() {
            let placement = if k == 0 {
                Transform::new(random.vector() * 0.5, &random.orientation())
            } else {
                Transform::from_translation(random.vector() * 0.1)
            };
            // A point mass resists rotation about two axes only, so it hangs on one joint of one dof.
            let single = k == 0 && last == 0 && kind.nv() == 1;
            let inertia = if k < last {
                Inertia::zero()
            } else if single && random.below(4) == 0 {
                let arm = match kind {
                    JointKind::Hinge { axis } => axis.cross(&random.direction()) + axis * 0.2,
                    _ => random.vector(),
                };
                Inertia::new(0.7, &arm, &Matrix3::zeros())
            } else {
                random.inertia()
            };
            let index = assembly.link(parent, placement, kind, inertia);
            let link = &mut assembly.model.links[index];
            if kind.nq() == 1 {
                link.reference = 0.3 * random.symmetric();
                assembly.model.q0[link.q] = link.reference;
            }
            if kind.nv() == 1 && random.below(3) == 0 {
                assembly.model.dofs[link.v].armature = random.between(0.0, 0.2);
            }
            parent = Some(index);
        }
        bodies.extend(parent);
    }
}

/// A random configuration away from `q0`, quaternions of length one.
pub fn random_configuration(model: &Model, random: &mut Random) -> Vec<f64> {
    let mut q = model.q0.clone();
    let v: Vec<f64> = random.vec(model.nv());
    for tree in TreeId::all(&model.trees) {
        integrate(model, tree, &model.q0, &v, 1.5, &mut q);
    }
    q
}

/// The mass matrix of a tree, both triangles.
pub fn dense_mass_matrix(model: &Model, data: &Data, tree: usize) -> DMatrix<f64> {
    let n = model.trees[tree].dofs.len();
    let block = &data.mass_matrix[data.tree_block(model, TreeId::new(tree))];
    DMatrix::from_fn(n, n, |i, j| block[i.max(j) * n + i.min(j)])
}

/// Kinematics and mass matrix at a state.
pub fn prepare(model: &Model, q: &[f64], v: &[f64]) -> Data {
    let mut data = Data::new(model);
    for tree in TreeId::all(&model.trees) {
        forward_kinematics(model, &mut data, tree, q, v);
        mass_matrix(model, &mut data, tree);
    }
    data
}

/// Largest difference over the largest entry.
pub fn relative_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let scale = a.iter().chain(b).fold(0.0f64, |m, x| m.max(x.abs()));
    let worst = a.iter().zip(b).fold(0.0f64, |m, (x, y)| m.max((x - y).abs()));
    assert!(worst.is_finite());
    if worst == 0.0 { 0.0 } else { worst / scale }
}
