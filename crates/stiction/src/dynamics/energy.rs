//! Energy, momentum and centre of mass of a tree: what a motion without forces keeps.

use crate::dynamics::data::Data;
use crate::dynamics::passive::spring_displacement;
use crate::model::{Model, TreeId};
use crate::spatial::Inertia;
use nalgebra::Vector3;

/// Kinetic energy of one tree (J), with that of the rotors (armature): `1/2 v^T M v`. Needs
/// [`forward_kinematics`](crate::dynamics::kinematics::forward_kinematics) with the same `v`.
///
/// ```
/// # use stiction::{dynamics, model::*, geometry::Shape};
/// # use nalgebra::Vector3;
/// # let mut builder = ModelBuilder::new("pendulum");
/// # let bob = BodySpec {
/// #     pose: stiction::Transform::from_translation(-Vector3::z()),
/// #     joints: vec![JointSpec { position: Vector3::z(), ..JointSpec::hinge(Vector3::y()) }],
/// #     geoms: vec![GeomSpec { mass: Some(2.0), ..GeomSpec::new(Shape::Sphere { radius: 0.1 }) }],
/// #     ..BodySpec::default()
/// # };
/// # builder.add_body(BodyHandle::WORLD, bob)?;
/// # let model = builder.build()?;
/// // A pendulum of 1 m with a bob of 2 kg and 0.1 m radius, model.
/// let mut data = dynamics::Data::new(&model);
/// let v = [3.0];
/// dynamics::forward_kinematics_all(&model, &mut data, &model.q0, &v);
/// let inertia = 2.0 * (1.0 + 0.4 * 0.1 * 0.1);
/// assert!((dynamics::kinetic_energy(&model, &data, TreeId::new(0), &v) - 0.5 * inertia * 9.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn kinetic_energy(model: &Model, data: &Data, tree: TreeId, v: &[f64]) -> f64 {
    let mut twice = 0.0;
    for i in model.trees[tree].links.clone() {
        let velocity = &data.link_velocity[i];
        twice += velocity.dot(&data.link_inertia[i].times(velocity));
    }
    for k in model.trees[tree].dofs.clone() {
        twice += model.dofs[k].armature * v[k] * v[k];
    }
    0.5 * twice
}

/// Potential energy of one tree (J): gravity, zero at the world's origin, and springs, zero when relaxed. The spring of
/// a tendon over several trees counts with the tree of its first joint. Needs `forward_kinematics` with the same `q`.
pub fn potential_energy(model: &Model, data: &Data, tree: TreeId, q: &[f64]) -> f64 {
    let mut energy = 0.0;
    for i in model.trees[tree].links.clone() {
        let inertia = &data.link_inertia[i];
        let moment = data.link_pose[i].translation * inertia.mass + inertia.moment;
        energy -= model.gravity.dot(&moment);
        let link = &model.links[i];
        if link.stiffness != 0.0 {
            let (displacement, n) = spring_displacement(model, link, q);
            energy += 0.5 * link.stiffness * displacement[..n].iter().map(|d| d * d).sum::<f64>();
        }
    }
    for tendon in model.trees[tree].tendons.iter().map(|&t| &model.tendons[t]) {
        if tendon.path.terms.first().is_some_and(|term| model.links[term.link].tree == tree) {
            let stretch = tendon.stretch(tendon.path.value(q));
            energy += 0.5 * tendon.stiffness * stretch * stretch;
        }
    }
    energy
}

/// [`kinetic_energy`] plus [`potential_energy`] (J).
pub fn mechanical_energy(model: &Model, data: &Data, tree: TreeId, q: &[f64], v: &[f64]) -> f64 {
    kinetic_energy(model, data, tree, v) + potential_energy(model, data, tree, q)
}

/// Linear momentum of one tree (kg m/s).
pub fn linear_momentum(model: &Model, data: &Data, tree: TreeId) -> Vector3<f64> {
    model.trees[tree]
        .links
        .clone()
        .map(|i| data.link_inertia[i].times(&data.link_velocity[i]).linear)
        .fold(Vector3::zeros(), |sum, p| sum + p)
}

/// Angular momentum of one tree about the world's origin (N m s).
pub fn angular_momentum(model: &Model, data: &Data, tree: TreeId) -> Vector3<f64> {
    model.trees[tree]
        .links
        .clone()
        .map(|i| {
            let momentum = data.link_inertia[i].times(&data.link_velocity[i]);
            momentum.about(&data.link_pose[i].translation).angular
        })
        .fold(Vector3::zeros(), |sum, l| sum + l)
}

/// Inertia of one tree about the world's origin, as if its joints were locked.
pub fn locked_inertia(model: &Model, data: &Data, tree: TreeId) -> Inertia {
    let about_origin = |i: usize| data.link_inertia[i].about(&data.link_pose[i].translation);
    model.trees[tree].links.clone().map(about_origin).fold(Inertia::zero(), |sum, inertia| sum + inertia)
}

/// Mass of one tree (kg).
pub fn tree_mass(model: &Model, tree: TreeId) -> f64 {
    model.links[model.trees[tree].links.clone()].iter().map(|l| l.inertia.mass).sum()
}

/// Centre of mass of one tree in the world (m); `None` when all its inertia is in its rotors.
pub fn center_of_mass(model: &Model, data: &Data, tree: TreeId) -> Option<Vector3<f64>> {
    let mass = tree_mass(model, tree);
    let moment = model.trees[tree]
        .links
        .clone()
        .map(|i| data.link_pose[i].translation * data.link_inertia[i].mass + data.link_inertia[i].moment)
        .fold(Vector3::zeros(), |sum, m| sum + m);
    (mass > 0.0).then(|| moment / mass)
}
