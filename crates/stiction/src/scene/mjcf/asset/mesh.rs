//! `<mesh>`: a solid from a file, from vertices in the scene, or built in.
//!
//! The collision shape is the convex hull, as in MuJoCo. The mass comes from the mesh by the rule that its attribute
//! `inertia` names. MuJoCo moves the frame of a geom to the principal axes of its mesh; here it stays where the file
//! puts it, and the shape is in the same place either way.

use crate::geometry::{ConvexMesh, MassProperties};
use crate::scene::error::SceneError;
use crate::scene::load_report::EntryKind;
use crate::scene::mesh::file;
use crate::scene::mesh::triangle_mesh::TriangleMesh;
use crate::scene::mjcf::Reader;
use crate::scene::mjcf::asset::builtin_mesh::builtin;
use crate::scene::mjcf::document::attributes::{Attributes, check};
use crate::scene::mjcf::document::element::{Element, quoted};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use std::sync::Arc;

const MESH: Attributes = Attributes {
    read: &[
        "name",
        "class",
        "file",
        "vertex",
        "face",
        "builtin",
        "params",
        "scale",
        "refpos",
        "refquat",
        "inertia",
        "content_type",
    ],
    inert: &["normal", "texcoord", "smoothnormal", "material"],
    unmodelled: &[("maxhullvert", "the hull keeps all its vertices")],
};

/// Most numbers in a list of vertices or faces.
const LONGEST: usize = 10_000_000;

/// A surface with less than this part of its hull's volume, or of an area of that size, has none but rounding errors.
const NOTHING: f64 = 1e-12;

/// How a mesh gives mass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum MassRule {
    Convex,
    Exact,
    #[default]
    Legacy,
    Shell,
}

/// A mesh that geoms can use.
#[derive(Clone, Debug)]
pub(crate) struct MeshAsset {
    pub(crate) hull: Arc<ConvexMesh>,
    /// Mass properties at density 1 (kg/m^3, or kg/m^2 for a shell), in the mesh's axes.
    pub(crate) solid: MassProperties,
}

impl<'d> Reader<'d> {
    /// Checks a `<mesh>` of a default class on its own.
    pub(crate) fn check_default_mesh(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        check(element, &MESH, &mut self.notes);
        element.numbers::<3>("scale")?;
        mass_rule(element)?;
        Ok(())
    }

    /// Reads a `<mesh>`.
    pub(crate) fn mesh(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        check(element, &MESH, &mut self.notes);
        let (mut scale, mut rule) = ([1.0; 3], MassRule::default());
        for layer in self.defaults.layers(element, &["mesh"], None)? {
            layer.overwrite("scale", &mut scale)?;
            rule = mass_rule(layer)?.unwrap_or(rule);
        }
        if let Some(zero) = scale.iter().find(|s| **s == 0.0) {
            return Err(
                element.invalid(Some("scale"), format!("{zero} makes the mesh flat; no factor may be zero"))
            );
        }
        let (mesh, source) = self.triangles(element)?;
        let name = match (element.name(), element.attribute("file")) {
            ("", Some(file)) => stem(file),
            ("", None) => {
                return Err(element.invalid(Some("name"), "missing; a mesh without a file needs a name"));
            }
            (name, _) => name,
        };
        let mesh = placed(mesh, element, Vector3::from(scale))?;
        let wrong = |message: String| element.invalid(Some(source), message);
        let hull = ConvexMesh::from_points(&mesh.vertices).map_err(|error| wrong(error.to_string()))?;
        let solid = self.mesh_mass(element, source, &mesh, &hull, rule)?;
        if self.meshes.insert(name, MeshAsset { hull: Arc::new(hull), solid }).is_some() {
            let message = format!("the mesh {name:?} exists already; names must be unique");
            return Err(element.invalid(Some(if element.has("name") { "name" } else { "file" }), message));
        }
        Ok(())
    }

    /// The triangles (none: only the hull of the vertices is meant) and the attribute they come from.
    fn triangles(&mut self, element: Element<'d>) -> Result<(TriangleMesh, &'static str), SceneError> {
        let sources: Vec<&'static str> =
            ["file", "vertex", "builtin"].into_iter().filter(|name| element.has(name)).collect();
        let [source] = sources[..] else {
            let message = if sources.is_empty() {
                "a mesh needs a file, vertices (vertex) or a built-in shape (builtin)".to_string()
            } else {
                format!("{} are given together; keep one", sources.join(" and "))
            };
            return Err(element.invalid(sources.last().copied(), message));
        };
        for (name, of) in [("face", "vertex"), ("params", "builtin")] {
            if element.has(name) && source != of {
                return Err(element.invalid(Some(name), format!("belongs to {of}, which is not given")));
            }
        }
        let mesh = match source {
            "file" => {
                let file = element.required("file", "the name of a mesh file is needed")?;
                let path = self.compiler.mesh_path(element, file);
                file::read(&path).map_err(|message| {
                    element.invalid(Some("file"), format!("{}: {message}", path.display()))
                })?
            }
            "vertex" => inline(element)?,
            _ => builtin(element)?,
        };
        Ok((mesh, source))
    }

    fn mesh_mass(
        &mut self,
        element: Element<'d>,
        source: &'static str,
        mesh: &TriangleMesh,
        hull: &ConvexMesh,
        rule: MassRule,
    ) -> Result<MassProperties, SceneError> {
        if mesh.triangles.is_empty() || rule == MassRule::Convex {
            return Ok(hull.mass_properties());
        }
        let open = mesh.open_edge();
        if rule == MassRule::Exact {
            if let Some([a, b]) = open {
                let message = format!(
                    "the surface is open at the edge from ({}, {}, {}) to ({}, {}, {}); an exact inertia needs a closed one \
                     (or inertia=\"convex\")",
                    a.x, a.y, a.z, b.x, b.y, b.z
                );
                return Err(element.invalid(Some(source), message));
            }
            let volume = mesh.signed_volume();
            if volume <= 0.0 {
                let message = format!(
                    "the surface is inside out: its volume is {volume} m^3; turn its triangles around (or take \
                     inertia=\"convex\")"
                );
                return Err(element.invalid(Some(source), message));
            }
            return Ok(mesh.solid());
        }
        let (mass, what, least) = match rule {
            MassRule::Shell => (mesh.shell(), "area", hull.mass_properties().mass.cbrt().powi(2)),
            _ => (mesh.legacy_solid(), "volume", hull.mass_properties().mass),
        };
        let enough = mass.mass > NOTHING * least;
        if !enough {
            let message = format!(
                "the surface has no {what}, so its mass is zero; inertia=\"convex\" takes the hull's"
            );
            return Err(element.invalid(Some(source), message));
        }
        if rule == MassRule::Legacy && open.is_some() {
            let message = "the surface is open; its mass is the sum of tetrahedra that MuJoCo takes too, and may not \
                           be what is meant (inertia=\"convex\" takes the hull)";
            element.note(&mut self.notes, EntryKind::Warning, Some(source), message);
        } else if rule == MassRule::Legacy && mesh.signed_volume() < 0.0 {
            let message = "the surface is inside out; its triangles count as turned around";
            element.note(&mut self.notes, EntryKind::Repaired, Some(source), message);
        }
        Ok(mass)
    }
}

/// The file's name without folders and extension.
pub(crate) fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn mass_rule(element: Element<'_>) -> Result<Option<MassRule>, SceneError> {
    let words = [
        ("convex", MassRule::Convex),
        ("exact", MassRule::Exact),
        ("legacy", MassRule::Legacy),
        ("shell", MassRule::Shell),
    ];
    element.keyword("inertia", &words)
}

/// Vertices and faces written in the scene.
fn inline(element: Element<'_>) -> Result<TriangleMesh, SceneError> {
    let numbers = element.list("vertex", 0, LONGEST)?.unwrap_or_default();
    if numbers.len() % 3 != 0 {
        let message = format!("{} numbers are given; three per vertex are needed", numbers.len());
        return Err(element.invalid(Some("vertex"), message));
    }
    let vertices: Vec<_> = numbers.chunks_exact(3).map(Vector3::from_column_slice).collect();
    let mut indices = Vec::new();
    for number in element.list("face", 0, LONGEST)?.unwrap_or_default() {
        if number.fract() != 0.0 || number < 0.0 || number >= vertices.len() as f64 {
            let message = format!("{number} is no vertex; there are {}, numbered from 0", vertices.len());
            return Err(element.invalid(Some("face"), message));
        }
        indices.push(number as u32);
    }
    if indices.len() % 3 != 0 {
        let message = format!("{} numbers are given; three per triangle are needed", indices.len());
        return Err(element.invalid(Some("face"), message));
    }
    let triangles = indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    Ok(TriangleMesh { vertices, triangles })
}

/// Moves the mesh into the frame of `refpos` and `refquat`, then scales it; a mirrored mesh gets its triangles turned.
fn placed(
    mut mesh: TriangleMesh,
    element: Element<'_>,
    scale: Vector3<f64>,
) -> Result<TriangleMesh, SceneError> {
    let origin = element.vector("refpos")?.unwrap_or_default();
    let rotation = match element.numbers::<4>("refquat")? {
        None => UnitQuaternion::identity(),
        Some([w, x, y, z]) => {
            let quaternion = Quaternion::new(w, x, y, z);
            if quaternion.norm() < 1e-10 {
                let text = element.attribute("refquat").unwrap_or_default();
                let message = format!("{} has no length; a rotation needs a unit quaternion", quoted(text));
                return Err(element.invalid(Some("refquat"), message));
            }
            UnitQuaternion::from_quaternion(quaternion)
        }
    };
    let back = rotation.inverse();
    mesh.vertices.iter_mut().for_each(|v| *v = (back * (*v - origin)).component_mul(&scale));
    if scale.product() < 0.0 {
        mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stem_of_a_path_is_its_last_name_without_extension() {
        assert_eq!(["a/b.c/wheel.left.stl", "x\\y.obj", "plain"].map(stem), ["wheel.left", "y", "plain"]);
    }
}
