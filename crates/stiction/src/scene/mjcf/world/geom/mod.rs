//! `<geom>`: shapes, their mass and how they touch.

mod draft;

use draft::{Draft, Kind, fitted};

use crate::geometry::Shape;
use crate::model::GeomSpec;
use crate::scene::error::SceneError;
use crate::scene::load_report::EntryKind;
use crate::scene::mjcf::Reader;
use crate::scene::mjcf::asset::mesh::MeshAsset;
use crate::scene::mjcf::compiler::InertiaFromGeom;
use crate::scene::mjcf::document::attributes::{Attributes, check};
use crate::scene::mjcf::document::element::Element;
use crate::scene::mjcf::document::orientation::ORIENTATIONS;
use crate::spatial::Transform;
use nalgebra::Vector3;

const GEOM: Attributes = Attributes {
    read: &[
        "name",
        "class",
        "type",
        "pos",
        "quat",
        "axisangle",
        "euler",
        "xyaxes",
        "zaxis",
        "size",
        "fromto",
        "mass",
        "density",
        "friction",
        "condim",
        "contype",
        "conaffinity",
        "priority",
        "group",
        "material",
        "mesh",
        "hfield",
        "surfacevel",
        "rgba",
        "fitscale",
    ],
    inert: &["castshadow", "user"],
    unmodelled: &[
        ("adhesion", "contacts do not pull"),
        ("fluidcoef", "there is no surrounding fluid"),
        ("fluidshape", "there is no surrounding fluid"),
        ("gap", "contacts act where surfaces touch"),
        ("margin", "contacts act where surfaces touch"),
        ("shellinertia", "shapes are solid"),
    ],
};

impl<'d> Reader<'d> {
    /// Checks a `<geom>` of a default class on its own.
    pub(crate) fn check_default_geom(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        check(element, &GEOM, &mut self.notes);
        Draft::default().apply(element, &self.compiler)
    }

    /// Reads a `<geom>`.
    pub(crate) fn geom(
        &mut self,
        element: Element<'d>,
        frame: &Transform,
        class: Option<&'d str>,
    ) -> Result<GeomSpec, SceneError> {
        check(element, &GEOM, &mut self.notes);
        let mut draft = Draft::default();
        for layer in self.defaults.layers(element, &["geom"], class)? {
            draft.apply(layer, &self.compiler)?;
        }
        if ORIENTATIONS.iter().any(|name| element.has(name)) && draft.fromto.is_some() {
            let message = "the orientation comes from fromto";
            element.note(&mut self.notes, EntryKind::Ignored, None, message);
        }
        self.names.register("geom", element)?;
        let massless = draft.mass.map_or(draft.density == 0.0, |mass| mass == 0.0)
            || !(self.compiler.inertia_groups[0]..=self.compiler.inertia_groups[1]).contains(&draft.group);
        let (pose, half_length) = draft.pose(element)?;
        let (shape, solid, pose) = match draft.kind {
            Kind::Distance => {
                let message = "a shape from a plugin is not supported; use a mesh";
                return Err(element.invalid(Some("type"), message));
            }
            Kind::Mesh => {
                let mesh = self.mesh_of(element, draft.mesh)?;
                (Shape::Convex(mesh.hull.clone()), Some(mesh.solid), pose)
            }
            Kind::HeightField => {
                let field = self.hfield_of(element, draft.hfield)?;
                if (draft.contype, draft.conaffinity) != (0, 0) {
                    let message = "contacts with height fields are not simulated yet: bodies fall through";
                    element.note(&mut self.notes, EntryKind::Warning, Some("type"), message);
                }
                (Shape::HeightField(field), None, pose)
            }
            Kind::Plane if draft.mesh.is_some() => {
                let message =
                    "a plane cannot be fitted to a mesh; a sphere, capsule, box, cylinder or ellipsoid can";
                return Err(element.invalid(Some("mesh"), message));
            }
            _ if draft.mesh.is_some() => {
                if self.compiler.fit_bounds {
                    let message =
                        "fitting shapes to bounding boxes (fitaabb) is not supported; give the size";
                    return Err(element.invalid(Some("mesh"), message));
                }
                let mesh = self.mesh_of(element, draft.mesh)?;
                let (size, frame) = fitted(draft.kind, &mesh.solid);
                draft.size = size.map(|s| s * draft.fit_scale);
                (draft.shape(element, None)?, None, pose * frame)
            }
            _ => (draft.shape(element, half_length)?, None, pose),
        };
        let mut spec = GeomSpec::new(shape);
        spec.solid = solid;
        spec.color = draft.color.or_else(|| self.materials.get(draft.material?)?.color);
        spec.name = element.name().to_string();
        spec.pose = *frame * pose;
        spec.mass = if massless { Some(0.0) } else { draft.mass };
        spec.density = draft.density;
        spec.friction = draft.friction[0];
        // Torsional and rolling friction are not modelled: 4 and 6 act like 3.
        spec.contact_dimension = if draft.condim == 1 { 1 } else { 3 };
        if draft.condim > 3 {
            let message =
                format!("{} acts like 3: torsional and rolling friction are not modelled", draft.condim);
            element.note(&mut self.notes, EntryKind::Ignored, Some("condim"), message);
        }
        if !self.world.disabled.contact {
            // Bit masks: a negative integer is its two's complement, as in MuJoCo.
            (spec.contype, spec.conaffinity) = (draft.contype as u32, draft.conaffinity as u32);
        } else {
            (spec.contype, spec.conaffinity) = (0, 0);
        }
        spec.priority = draft.priority;
        spec.material = self.material_of(element, draft.material)?;
        spec.surface_velocity = self.surface_velocity(element, draft.surface_velocity)?;
        Ok(spec)
    }

    fn mesh_of(&self, element: Element<'d>, name: Option<&str>) -> Result<&MeshAsset, SceneError> {
        let Some(name) = name else {
            return Err(element.invalid(Some("mesh"), "missing; a geom of this type names a <mesh> asset"));
        };
        self.meshes.get(name).ok_or_else(|| {
            let hint = crate::suggestion::did_you_mean(name, self.meshes.keys().copied());
            element.invalid(Some("mesh"), format!("there is no mesh {name:?}{hint}"))
        })
    }

    fn material_of(&self, element: Element<'d>, name: Option<&str>) -> Result<Option<String>, SceneError> {
        match name {
            Some(name) if !self.materials.contains_key(name) => {
                let hint = crate::suggestion::did_you_mean(name, self.materials.keys().copied());
                Err(element.invalid(Some("material"), format!("there is no material {name:?}{hint}")))
            }
            name => Ok(name.map(str::to_string)),
        }
    }

    /// Velocity of the surface from `surfacevel` or the scene's own entry.
    fn surface_velocity(
        &mut self,
        element: Element<'d>,
        given: [f64; 6],
    ) -> Result<Vector3<f64>, SceneError> {
        let [x, y, z, spin @ ..] = given;
        if spin != [0.0; 3] {
            let message =
                "the rotating part of a surface velocity is not modelled; only the first three numbers act";
            element.note(&mut self.notes, EntryKind::Ignored, Some("surfacevel"), message);
        }
        let custom = self.custom.take_surface_velocity(element.name());
        match custom {
            Some(_) if [x, y, z] != [0.0; 3] => {
                let message =
                    "the surface velocity is also given by a stiction:surface_velocity entry; keep one";
                Err(element.invalid(Some("surfacevel"), message))
            }
            Some(velocity) => Ok(velocity),
            None => Ok(Vector3::new(x, y, z)),
        }
    }

    /// Whether geoms give mass to a body.
    pub(crate) fn mass_from_geoms(&self, has_inertial: bool) -> bool {
        match self.compiler.inertia_from_geom {
            InertiaFromGeom::Always => true,
            InertiaFromGeom::Never => false,
            InertiaFromGeom::Auto => !has_inertial,
        }
    }
}
