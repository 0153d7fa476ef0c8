//! Rigid multibody dynamics with contact and dry friction, certified every step.
//!
//! # Quick start
//! A model is built in code, or loaded from a scene file; a simulation takes steps; every step reports what it did and how well
//! the laws of contact hold.
//!
//! ```
//! use nalgebra::Vector3;
//! use std::sync::Arc;
//! use stiction::{BodyHandle, BodySpec, GeomSpec, JointSpec, ModelBuilder, Settings, Shape, Simulation, Transform};
//!
//! let mut builder = ModelBuilder::new("drop");
//! builder.add_geom(BodyHandle::WORLD, GeomSpec::new(Shape::Plane))?;
//! let ball = BodySpec {
//!     pose: Transform::from_translation(Vector3::new(0.0, 0.0, 0.2)),
//!     joints: vec![JointSpec::free()],
//!     geoms: vec![GeomSpec { mass: Some(1.0), ..GeomSpec::new(Shape::Sphere { radius: 0.1 }) }],
//!     ..BodySpec::default()
//! };
//! builder.add_body(BodyHandle::WORLD, ball)?;
//!
//! let mut simulation = Simulation::new(Arc::new(builder.build()?), Settings::default())?;
//! for _ in 0..200 {
//!     let report = simulation.step()?;
//!     assert!(report.solved() && report.certificate.penetration < 1e-6);
//! }
//! assert!((simulation.state.q[2] - 0.1).abs() < 1e-6); // It lies on the floor,
//! let force: f64 = simulation.contact_forces().iter().map(|contact| contact.force.z).sum();
//! assert!((force.abs() - 9.81).abs() < 1e-6); // which carries its weight.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same from a scene in MJCF, MuJoCo's format (feature `mjcf`). A [`Snapshot`] holds all that the future depends on:
//!
//! ```
//! # #[cfg(feature = "mjcf")] {
//! use stiction::{Simulation, scene};
//!
//! let xml = r#"
//! <mujoco>
//!   <worldbody>
//!     <geom type="plane" size="1 1 1"/>
//!     <body pos="0 0 0.1">
//!       <freejoint/>
//!       <geom type="box" size="0.1 0.1 0.1" mass="2"/>
//!     </body>
//!   </worldbody>
//! </mujoco>"#;
//! let mut simulation = Simulation::from_scene(scene::mjcf::parse(xml, "box.xml")?)?;
//! simulation.step()?;
//! let snapshot = simulation.snapshot();
//! simulation.step()?;
//! let then = simulation.state.clone();
//!
//! simulation.restore(&snapshot)?;
//! simulation.step()?;
//! assert_eq!(simulation.state, then); // bit for bit
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//! The folders are layers: each uses those above it only (`tests/engine/layers.rs` holds it so).
//!
//! | module | what it is |
//! |---|---|
//! | [`spatial`] | transforms, rotations, motions, forces, inertias |
//! | [`geometry`] | shapes, pairs that may touch, contact points |
//! | [`model`] | what does not change while a scene moves, its builder; the state, which does |
//! | [`dynamics`] | algorithms on kinematic trees: kinematics, mass matrix, forward and inverse dynamics |
//! | [`contact`] | contacts, their laws, and the formulations that pose complementarity problems |
//! | [`constraint`] | the kinds of constraints, their rows, islands |
//! | `step` | the stages of a step |
//! | [`report`] | certificate, contact forces, margins |
//! | [`scene`] | scene files and what was made of them |
//! | [`settings`] | how a scene is simulated: user over scene over default |
//! | [`sim`] | [`Simulation`], snapshots, batches |
//! | [`recording`] | what happened, as tables in a file |
//!
//! The solvers of the complementarity problems are a crate of their own, `stiction_solvers`.
//!
//! # Features
//! None is on by default: `mjcf` reads scenes, `mesh` the mesh and picture files that they name, `record` writes and reads
//! recordings, `parallel` runs batches on several threads.

pub mod constraint;
pub mod contact;
pub mod dynamics;
pub mod geometry;
pub mod model;
#[cfg(feature = "record")]
pub mod recording;
pub mod report;
pub mod scene;
pub mod settings;
pub mod sim;
pub mod spatial;
pub(crate) mod step;

pub use contact::{Formulation, ImpactLaw};
pub use geometry::Shape;
pub use model::{ActuatorId, BodyId, GeomId, LinkId, TendonId, TreeId};
pub use model::{BodyHandle, BodySpec, GeomSpec, JointSpec, Law, Model, ModelBuilder, ModelError, State};
pub use report::{Certificate, ContactForce, StepReport};
pub use scene::{Scene, SceneError};
pub use sim::{Settings, SimError, Simulation, Snapshot, Stepper};
pub use spatial::Transform;
pub(crate) use stiction_solvers::select::suggestion;

/// The programs of the readme and of the book are tests.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../../../docs/src/certificate.md")]
    mod certificate {}
    #[doc = include_str!("../../../docs/src/extending.md")]
    mod extending {}
    #[doc = include_str!("../../../docs/src/getting-started.md")]
    mod getting_started {}
    #[doc = include_str!("../../../docs/src/solvers.md")]
    mod solvers {}
}
