//! Contact laws and formulations.

mod friction_box;
mod laws;
mod no_slip;
mod no_slip_sets;
mod own_solver;
mod polyhedral_solvers;
mod sphere_slide;
mod three_normals;
mod trot;
mod viscous;
