//! What stays the same during a run: what was simulated and how, the shapes to draw it with, and the state it starts
//! from.

use crate::dynamics::{Data, body_motion, forward_kinematics_all};
use crate::geometry::{ConvexMesh, HeightField, Shape};
use crate::model::{Base, BodyId, Law, Model, State};
use crate::recording::row_table::SourceTable;
use crate::sim::Simulation;
use crate::spatial::Transform;

/// Names of the laws, by code.
pub const LAW_NAMES: [&str; 5] = Law::KINDS;

/// Names of the contact modes, by code.
pub const MODE_NAMES: [&str; 3] = ["open", "stick", "slip"];

/// Names of the shapes, by code.
pub const SHAPE_NAMES: [&str; 8] =
    ["plane", "sphere", "capsule", "box", "cylinder", "ellipsoid", "mesh", "hfield"];

/// Code of a mesh in [`SHAPE_NAMES`].
pub(crate) const MESH: i32 = 6;

/// Code of a height field in [`SHAPE_NAMES`].
pub(crate) const HEIGHT_FIELD: i32 = 7;

/// What stays the same during a run, and the state before its first step.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Name of the scene.
    pub scene_name: String,
    /// Fingerprint of the model.
    pub fingerprint: u64,
    /// Contact model.
    pub contact_model: String,
    /// Solver.
    pub solver: String,
    /// Step size (s).
    pub timestep: f64,
    /// Gravity (m/s^2).
    pub gravity: Vec<f64>,
    /// Bodies, the world first.
    pub bodies: BodyTable,
    /// What rows besides those of contacts may be of.
    pub sources: SourceTable,
    /// Names of the actuators.
    pub actuators: Vec<String>,
    /// Geoms.
    pub geoms: GeomTable,
    /// Meshes of geoms.
    pub meshes: MeshTable,
    /// Height fields of geoms.
    pub height_fields: HeightFieldTable,
    /// Time before the first step (s).
    pub time0: f64,
    /// Configuration before the first step.
    pub qpos0: Vec<f64>,
    /// Generalized velocity before the first step.
    pub qvel0: Vec<f64>,
    /// Poses of the bodies before the first step.
    pub poses0: Poses,
}

/// Bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyTable {
    /// Names.
    pub names: Vec<String>,
    /// Masses (kg).
    pub mass: Vec<f64>,
    /// 1 for the world and what is fixed to it.
    pub fixed: Vec<i32>,
}

/// Geoms.
#[derive(Clone, Debug, Default)]
pub struct GeomTable {
    /// Names.
    pub names: Vec<String>,
    /// The body each is on.
    pub body: Vec<i32>,
    /// Shapes, as codes of [`SHAPE_NAMES`].
    pub kind: Vec<i32>,
    /// Sizes, three each (m).
    pub size: Vec<f64>,
    /// Which mesh or height field; -1 for others.
    pub data: Vec<i32>,
    /// Poses in the bodies' frames.
    pub poses: Poses,
    /// Colours, four numbers each; NaN where the scene gives none.
    pub rgba: Vec<f64>,
}

/// Meshes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshTable {
    /// First vertex of each mesh, and the number of all.
    pub vertex_ptr: Vec<i64>,
    /// Vertices, three numbers each (m).
    pub vertex: Vec<f64>,
    /// First triangle of each mesh, and the number of all.
    pub triangle_ptr: Vec<i64>,
    /// Triangles, three vertices each.
    pub triangle: Vec<i32>,
}

/// Height fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeightFieldTable {
    /// Rows and columns of each.
    pub grid: Vec<i64>,
    /// First height of each, and the number of all.
    pub ptr: Vec<i64>,
    /// Heights (m).
    pub height: Vec<f64>,
}

/// Positions (3 each, m) and orientations (4 each, w first).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Poses {
    /// Positions (m).
    pub position: Vec<f64>,
    /// Unit quaternions, w first.
    pub orientation: Vec<f64>,
}

impl Run {
    /// The run that begins with a simulation's present state; `data` is working memory for its kinematics.
    pub(crate) fn of(simulation: &Simulation, data: &mut Data) -> Self {
        let (model, state) = (simulation.model(), &simulation.state);
        let formulation = &simulation.settings().formulation;
        let mut poses0 = Poses::default();
        poses0.push_bodies(model, data, state);
        let (geoms, meshes, height_fields) = shapes(model);
        Self {
            scene_name: model.name.clone(),
            fingerprint: simulation.fingerprint(),
            contact_model: formulation.name().into(),
            solver: formulation.solver_text(),
            timestep: simulation.timestep(),
            gravity: model.gravity.as_slice().to_vec(),
            bodies: BodyTable {
                names: model.bodies.iter().map(|b| b.name.clone()).collect(),
                mass: model.bodies.iter().map(|b| b.mass).collect(),
                fixed: model.bodies.iter().map(|b| i32::from(b.base == Base::World)).collect(),
            },
            sources: SourceTable::of_model(model),
            actuators: model.actuators.iter().map(|actuator| actuator.name.clone()).collect(),
            geoms,
            meshes,
            height_fields,
            time0: state.time,
            qpos0: state.q.to_vec(),
            qvel0: state.v.to_vec(),
            poses0,
        }
    }
}

impl GeomTable {
    /// Place of each geom in the order of all names, by which contacts are sorted.
    pub fn ranks(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by_key(|&geom| &self.names[geom]);
        let mut ranks = vec![0; order.len()];
        order.into_iter().enumerate().for_each(|(rank, geom)| ranks[geom] = rank);
        ranks
    }
}

impl MeshTable {
    /// Appends a mesh; returns its number.
    fn push(&mut self, mesh: &ConvexMesh) -> i32 {
        self.vertex.extend(mesh.vertices().iter().flat_map(|v| [v.x, v.y, v.z]));
        self.triangle.extend(mesh.triangles().iter().flatten().map(|&i| i as i32));
        self.vertex_ptr.push((self.vertex.len() / 3) as i64);
        self.triangle_ptr.push((self.triangle.len() / 3) as i64);
        self.vertex_ptr.len() as i32 - 2
    }
}

impl HeightFieldTable {
    /// Appends a height field; returns its number.
    fn push(&mut self, field: &HeightField) -> i32 {
        self.grid.extend(field.grid().map(|n| n as i64));
        self.height.extend_from_slice(field.heights());
        self.ptr.push(self.height.len() as i64);
        self.ptr.len() as i32 - 2
    }
}

impl Poses {
    /// Forgets all poses and keeps their memory.
    pub(crate) fn clear(&mut self) {
        self.position.clear();
        self.orientation.clear();
    }

    /// Appends the poses of all bodies at a state.
    pub(crate) fn push_bodies(&mut self, model: &Model, data: &mut Data, state: &State) {
        forward_kinematics_all(model, data, &state.q, &state.v);
        for body in BodyId::all(&model.bodies) {
            self.push(&body_motion(model, data, &state.mocap, body).0);
        }
    }

    /// Appends other poses.
    pub(crate) fn extend(&mut self, poses: &Self) {
        self.position.extend_from_slice(&poses.position);
        self.orientation.extend_from_slice(&poses.orientation);
    }

    fn push(&mut self, pose: &Transform) {
        self.position.extend_from_slice(pose.translation.as_slice());
        self.orientation.extend_from_slice(&pose.quaternion());
    }
}

/// Shapes and poses of the geoms, and what their meshes and height fields are.
fn shapes(model: &Model) -> (GeomTable, MeshTable, HeightFieldTable) {
    let mut geoms = GeomTable::default();
    let mut meshes = MeshTable { vertex_ptr: vec![0], triangle_ptr: vec![0], ..Default::default() };
    let mut fields = HeightFieldTable { ptr: vec![0], ..Default::default() };
    for geom in &model.geoms {
        let (kind, size, data) = match &geom.shape {
            Shape::Plane => ("plane", [0.0; 3], -1),
            Shape::Sphere { radius } => ("sphere", [*radius, 0.0, 0.0], -1),
            Shape::Capsule { radius, half_length } => ("capsule", [*radius, *half_length, 0.0], -1),
            Shape::Box { half_extents } => ("box", (*half_extents).into(), -1),
            Shape::Cylinder { radius, half_length } => ("cylinder", [*radius, *half_length, 0.0], -1),
            Shape::Ellipsoid { radii } => ("ellipsoid", (*radii).into(), -1),
            Shape::Convex(mesh) => ("mesh", [0.0; 3], meshes.push(mesh)),
            Shape::HeightField(field) => {
                let [x, y] = field.half_size();
                ("hfield", [x, y, field.base()], fields.push(field))
            }
        };
        let pose = model.bodies[geom.body].pose.inverse() * geom.pose;
        geoms.names.push(geom.name.clone());
        geoms.body.push(geom.body.index() as i32);
        geoms.kind.push(SHAPE_NAMES.iter().position(|&name| name == kind).map_or(-1, |code| code as i32));
        geoms.size.extend_from_slice(&size);
        geoms.data.push(data);
        geoms.poses.push(&pose);
        geoms.rgba.extend_from_slice(&geom.color.unwrap_or([f64::NAN; 4]));
    }
    (geoms, meshes, fields)
}
