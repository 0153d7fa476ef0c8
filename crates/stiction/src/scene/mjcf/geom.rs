//! `<geom>`: shapes, their mass and how they touch.

use super::Reader;
use super::attributes::{Attributes, check};
use super::compiler::{Compiler, InertiaFromGeom};
use super::document::{Element, quoted};
use super::orientation::{ORIENTATIONS, direction, from_z, orientation};
use crate::collision::Shape;
use crate::model::GeomSpec;
use crate::scene::{EntryKind, SceneError};
use crate::spatial::Transform;
use nalgebra::{UnitQuaternion, Vector3};

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
    ],
    inert: &["castshadow", "rgba", "user", "fitscale"],
    unmodelled: &[
        ("adhesion", "contacts do not pull"),
        ("fluidcoef", "there is no surrounding fluid"),
        ("fluidshape", "there is no surrounding fluid"),
        ("gap", "contacts act where surfaces touch"),
        ("margin", "contacts act where surfaces touch"),
        ("shellinertia", "shapes are solid"),
    ],
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plane,
    Sphere,
    Capsule,
    Box,
    /// A shape the collision module does not have.
    Other(&'static str),
}

const KINDS: [(&str, Kind); 9] = [
    ("plane", Kind::Plane),
    ("sphere", Kind::Sphere),
    ("capsule", Kind::Capsule),
    ("box", Kind::Box),
    ("cylinder", Kind::Other("cylinder")),
    ("ellipsoid", Kind::Other("ellipsoid")),
    ("mesh", Kind::Other("mesh")),
    ("hfield", Kind::Other("hfield")),
    ("sdf", Kind::Other("sdf")),
];

/// A geom while its layers are read.
#[derive(Clone, Debug)]
struct Draft<'d> {
    kind: Kind,
    size: [f64; 3],
    fromto: Option<[f64; 6]>,
    position: Option<Vector3<f64>>,
    orientation: UnitQuaternion<f64>,
    mass: Option<f64>,
    density: f64,
    friction: [f64; 3],
    condim: i32,
    contype: i32,
    conaffinity: i32,
    priority: i32,
    group: i32,
    material: Option<&'d str>,
    mesh: bool,
    surface_velocity: [f64; 6],
}

impl Default for Draft<'_> {
    fn default() -> Self {
        Self {
            kind: Kind::Sphere,
            size: [0.0; 3],
            fromto: None,
            position: None,
            orientation: UnitQuaternion::identity(),
            mass: None,
            density: 1000.0,
            friction: [1.0, 0.005, 0.0001],
            condim: 3,
            contype: 1,
            conaffinity: 1,
            priority: 0,
            group: 0,
            material: None,
            mesh: false,
            surface_velocity: [0.0; 6],
        }
    }
}

impl<'d> Draft<'d> {
    /// Puts one layer on top.
    fn apply(&mut self, layer: Element<'d>, compiler: &Compiler) -> Result<(), SceneError> {
        if let Some(kind) = layer.keyword("type", &KINDS)? {
            self.kind = kind;
        }
        layer.overwrite("size", &mut self.size)?;
        if let Some(fromto) = layer.numbers::<6>("fromto")? {
            self.fromto = Some(fromto);
        }
        if let Some(position) = layer.vector("pos")? {
            self.position = Some(position);
        }
        if let Some(orientation) = orientation(layer, compiler)? {
            self.orientation = orientation;
        }
        if let Some(mass) = layer.nonnegative("mass")? {
            self.mass = Some(mass);
        }
        if let Some(density) = layer.nonnegative("density")? {
            self.density = density;
        }
        layer.overwrite("friction", &mut self.friction)?;
        if let Some(bad) = self.friction.iter().find(|mu| **mu < 0.0) {
            return Err(layer.invalid(Some("friction"), format!("{bad} is negative; zero or more is needed")));
        }
        if let Some(condim) = layer.integer("condim")? {
            self.condim = condim;
            if ![1, 3, 4, 6].contains(&condim) {
                return Err(layer.invalid(Some("condim"), format!("{condim} is not 1, 3, 4 or 6")));
            }
        }
        for (name, bits) in [("contype", &mut self.contype), ("conaffinity", &mut self.conaffinity)] {
            *bits = layer.integer(name)?.unwrap_or(*bits);
        }
        for (name, number) in [("priority", &mut self.priority), ("group", &mut self.group)] {
            *number = layer.integer(name)?.unwrap_or(*number);
        }
        if let Some(material) = layer.attribute("material") {
            self.material = Some(material);
        }
        self.mesh |= layer.has("mesh");
        layer.overwrite("surfacevel", &mut self.surface_velocity)?;
        Ok(())
    }

    /// Pose in the body (or frame), from `fromto` or from position and orientation; and half the distance of the
    /// two points of `fromto`.
    fn pose(&self, element: Element<'_>) -> Result<(Transform, Option<f64>), SceneError> {
        let Some([ax, ay, az, bx, by, bz]) = self.fromto else {
            return Ok((Transform::new(self.position.unwrap_or_default(), &self.orientation), None));
        };
        if self.position.is_some() {
            return Err(element.invalid(Some("fromto"), "pos is given as well; keep one"));
        }
        let fits = matches!(self.kind, Kind::Capsule | Kind::Box | Kind::Other("cylinder" | "ellipsoid"));
        if !fits {
            let message = "only a capsule, a box, a cylinder or an ellipsoid can be given by two points";
            return Err(element.invalid(Some("fromto"), message));
        }
        let (from, to) = (Vector3::new(ax, ay, az), Vector3::new(bx, by, bz));
        let along = to - from;
        let (Some(axis), length) = (direction(along), along.norm()) else {
            let text = element.attribute("fromto").unwrap_or_default();
            return Err(
                element.invalid(Some("fromto"), format!("the two points of {} are the same", quoted(text)))
            );
        };
        // MuJoCo's z axis points from the second end to the first; the shapes are the same either way, but the
        // frame of a conveyor's surface velocity is not.
        Ok((Transform::new((from + to) * 0.5, &from_z(-axis)), Some(length * 0.5)))
    }

    /// The shape, with its sizes checked.
    fn shape(&self, element: Element<'_>, half_length: Option<f64>) -> Result<Shape, SceneError> {
        let wrong = |what: &str| {
            let text = element.attribute("size").map_or("not given".to_string(), quoted);
            Err(element.invalid(Some("size"), format!("{text}; {what}")))
        };
        let [a, b, c] = self.size;
        match self.kind {
            Kind::Plane if a < 0.0 || b < 0.0 || c <= 0.0 => wrong(
                "a plane needs two half sizes (zero or more; 0 0 for endless) and a positive grid spacing",
            ),
            Kind::Plane => Ok(Shape::Plane),
            Kind::Sphere if a <= 0.0 => wrong("a sphere needs a positive radius"),
            Kind::Sphere => Ok(Shape::Sphere { radius: a }),
            Kind::Capsule => {
                let half_length = half_length.unwrap_or(b);
                if a <= 0.0 || half_length <= 0.0 {
                    return wrong(
                        "a capsule needs a positive radius and, without fromto, a positive half length",
                    );
                }
                Ok(Shape::Capsule { radius: a, half_length })
            }
            Kind::Box => {
                let half_extents = half_length.map_or(Vector3::new(a, b, c), |half| Vector3::new(a, a, half));
                if half_extents.min() <= 0.0 {
                    return wrong("a box needs three positive half sizes, or one and fromto");
                }
                Ok(Shape::Box { half_extents })
            }
            Kind::Other(kind) => {
                let message = format!(
                    "{kind:?} is not supported yet for a geom that collides or has mass; use plane, sphere, \
                     capsule or box, or set contype=\"0\" conaffinity=\"0\" mass=\"0\""
                );
                Err(element.invalid(Some("type"), message))
            }
        }
    }
}

impl<'d> Reader<'d> {
    /// Checks a `<geom>` of a default class on its own.
    pub(super) fn check_default_geom(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        check(element, &GEOM, &mut self.notes);
        Draft::default().apply(element, &self.compiler)
    }

    /// Reads a `<geom>`. `None` for a shape that is not supported and not needed.
    ///
    /// `gives_mass`: whether the mass of its body comes from its geoms.
    pub(super) fn geom(
        &mut self,
        element: Element<'d>,
        frame: &Transform,
        class: Option<&'d str>,
        gives_mass: bool,
    ) -> Result<Option<GeomSpec>, SceneError> {
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
        if let Kind::Other(kind) = draft.kind
            && (draft.contype, draft.conaffinity) == (0, 0)
            && (massless || !gives_mass)
        {
            let message =
                format!("the shape {kind:?} is not supported yet; it neither collides nor has mass");
            element.note(&mut self.notes, EntryKind::Ignored, Some("type"), message);
            return Ok(None);
        }
        if draft.mesh && !matches!(draft.kind, Kind::Other(_)) {
            return Err(
                element.invalid(Some("mesh"), "fitting a shape to a mesh is not supported; give its size")
            );
        }
        let (pose, half_length) = draft.pose(element)?;
        let mut spec = GeomSpec::new(draft.shape(element, half_length)?);
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
        Ok(Some(spec))
    }

    fn material_of(&self, element: Element<'d>, name: Option<&str>) -> Result<Option<String>, SceneError> {
        match name {
            Some(name) if !self.materials.contains(name) => {
                let hint = crate::suggestion::did_you_mean(name, self.materials.iter().copied());
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
    pub(super) fn mass_from_geoms(&self, has_inertial: bool) -> bool {
        match self.compiler.inertia_from_geom {
            InertiaFromGeom::Always => true,
            InertiaFromGeom::Never => false,
            InertiaFromGeom::Auto => !has_inertial,
        }
    }
}
