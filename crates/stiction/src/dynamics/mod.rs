//! Algorithms on kinematic trees: one file each, free functions on an immutable [`Model`](crate::model::Model) and
//! a [`Data`] that holds everything they compute.
//!
//! Conventions (Featherstone, *Rigid Body Dynamics Algorithms*, 2008, with two changes):
//!
//! - All spatial quantities of a link are in *world axes at the link's own origin*. From link to link only the
//!   reference point changes, so no step of a recursion multiplies by a rotation matrix.
//! - Accelerations are classical: the rate of the angular velocity and the acceleration of the material point at
//!   the link's origin. Velocity-product terms are therefore the textbook ones (centripetal, Coriolis).
//!
//! Every function works on one tree and touches only that tree's ranges of the full-length slices it is given
//! (`q` of length nq, `v`, `tau` and accelerations of length nv); the `_all` variants loop over the trees.
//! Indices of trees and links, and lengths of slices, are the caller's responsibility, as with any slice.
//!
//! With `M a + c(q, v) = tau + J^T lambda` per tree: inverse dynamics gives tau, forward dynamics a, and the
//! Delassus operator of constraint rows is `J M^-1 J^T = Y^T Y`, Y from the factor `M = L^T D L`.
//!
//! | stage | needs | fills |
//! |---|---|---|
//! | [`forward_kinematics`] | q, v | poses, velocities, axes, velocity products, inertias |
//! | [`inverse_dynamics`], [`bias_forces`] | kinematics | generalized forces |
//! | [`mass_matrix`] | kinematics | `Data::mass_matrix` |
//! | [`factorize`], then [`solve`], [`half_solve`] | mass matrix | `Data::factor` |
//! | [`articulate`], then the same | kinematics | the same factor, in linear time |
//! | [`OperationalSpace`] | `articulate` | blocks of `J M^-1 J^T` |
//! | [`forward_dynamics`] | kinematics | accelerations, in linear time |
//! | [`point_jacobian`], [`angular_jacobian`], [`add_wrench`] | kinematics | one row, one product |
//! | [`mass_matrix_dense`], [`jacobian`] | mass matrix; kinematics | whole matrices, for users |
//! | [`body_motion`] | kinematics | pose and motion of a body |
//! | [`integrate`], [`difference`], [`passive_forces`] | q (and v) | q, v or tau |
//! | [`kinetic_energy`] and its neighbours, [`joint_reactions`] | kinematics | observables |
//! | [`runge_kutta_step`], [`coupled_runge_kutta_step`] | q, v | q, v |
//! | [`Model::redundant`](crate::model::Model::redundant), [`redundant_state`] | a model, a state | the same in redundant coordinates |
//! | [`RigidBodyStep`] | q, v | q, v of a single free rigid body |
//!
//! The files are named after the algorithms (`rnea`, `crba`, `aba`) or what they compute; `data` is the workspace, `factor/` the
//! two factors of the mass matrix, `redundant` the model in maximal coordinates. `constraint`, `step`, `report` and `contact`
//! call them; they import `model` and `spatial` only.
//!
//! # References
//! - R. Featherstone, *Rigid Body Dynamics Algorithms* (2008): tables 5.1 (RNEA), 6.2 (CRBA), 7.1 (ABA), section 6.5 (factor).
//! - M. W. Walker, D. E. Orin, *Efficient dynamic computer simulation of robotic mechanisms*, J. Dyn. Sys., Meas., Control 104
//!   (1982), doi:10.1115/1.3139699.
//! - G. Rodriguez, A. Jain, K. Kreutz-Delgado, *Spatial Operator Algebra for Multibody System Dynamics*, J. Astronautical
//!   Sciences 40 (1992).

pub(crate) mod aba;
pub(crate) mod crba;
pub(crate) mod data;
pub(crate) mod dense;
pub(crate) mod drive;
pub(crate) mod energy;
pub(crate) mod error;
pub(crate) mod factor;
pub(crate) mod integrate;
pub(crate) mod jacobian;
pub(crate) mod kinematics;
pub(crate) mod operational_space;
pub(crate) mod passive;
pub(crate) mod reaction;
pub(crate) mod redundant;
pub(crate) mod rigid_body;
pub(crate) mod rnea;
pub(crate) mod runge_kutta;

pub use aba::{forward_dynamics, forward_dynamics_all};
pub use crba::{mass_matrix, mass_matrix_all};
pub use data::Data;
pub use dense::{jacobian, mass_matrix_dense};
pub use energy::{
    angular_momentum, center_of_mass, kinetic_energy, linear_momentum, locked_inertia, mechanical_energy,
    potential_energy, tree_mass,
};
pub use error::AlgorithmError;
pub use factor::articulate;
pub use factor::{
    factorize, factorize_all, factorize_by_size, half_solve, half_solve_transposed, solve, solve_all,
};
pub use integrate::{difference, difference_all, integrate, integrate_all};
pub use jacobian::{add_wrench, angular_jacobian, point_jacobian, point_velocity};
pub(crate) use kinematics::base_motion;
pub use kinematics::{body_motion, forward_kinematics, forward_kinematics_all};
pub use operational_space::{Node, OperationalSpace, mobilities};
pub(crate) use passive::tension;
pub use passive::{passive_forces, passive_forces_all, pull};
pub use reaction::joint_reactions;
pub use redundant::redundant_state;
pub use rigid_body::RigidBodyStep;
pub(crate) use rigid_body::undisturbed_velocity;
pub use rnea::{bias_forces, bias_forces_all, gravity_forces, inverse_dynamics, inverse_dynamics_all};
pub use runge_kutta::{
    RungeKuttaStage, StageAccelerations, StageForces, coupled_runge_kutta_step, runge_kutta_step,
};
pub(crate) use runge_kutta::{STAGES, coast};
