//! A geom while its layers (defaults, then its own attributes) are read: kind, size, placement and shape.

use crate::geometry::{MassProperties, Shape};
use crate::scene::error::SceneError;
use crate::scene::mjcf::asset::material::color;
use crate::scene::mjcf::compiler::Compiler;
use crate::scene::mjcf::document::element::{Element, quoted};
use crate::scene::mjcf::document::orientation::{direction, from_z, orientation};
use crate::spatial::Transform;
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plane,
    Sphere,
    Capsule,
    Box,
    Cylinder,
    Ellipsoid,
    Mesh,
    HeightField,
    /// A signed distance function, which only plugins have.
    Distance,
}

const KINDS: [(&str, Kind); 9] = [
    ("plane", Kind::Plane),
    ("sphere", Kind::Sphere),
    ("capsule", Kind::Capsule),
    ("box", Kind::Box),
    ("cylinder", Kind::Cylinder),
    ("ellipsoid", Kind::Ellipsoid),
    ("mesh", Kind::Mesh),
    ("hfield", Kind::HeightField),
    ("sdf", Kind::Distance),
];

/// A geom while its layers are read.
#[derive(Clone, Debug)]
pub(super) struct Draft<'d> {
    pub(super) kind: Kind,
    pub(super) size: [f64; 3],
    pub(super) fromto: Option<[f64; 6]>,
    pub(super) position: Option<Vector3<f64>>,
    pub(super) orientation: UnitQuaternion<f64>,
    pub(super) mass: Option<f64>,
    pub(super) density: f64,
    pub(super) friction: [f64; 3],
    pub(super) condim: i32,
    pub(super) contype: i32,
    pub(super) conaffinity: i32,
    pub(super) priority: i32,
    pub(super) group: i32,
    pub(super) material: Option<&'d str>,
    pub(super) color: Option<[f64; 4]>,
    pub(super) mesh: Option<&'d str>,
    pub(super) hfield: Option<&'d str>,
    pub(super) fit_scale: f64,
    pub(super) surface_velocity: [f64; 6],
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
            color: None,
            mesh: None,
            hfield: None,
            fit_scale: 1.0,
            surface_velocity: [0.0; 6],
        }
    }
}

impl<'d> Draft<'d> {
    /// Puts one layer on top.
    pub(super) fn apply(&mut self, layer: Element<'d>, compiler: &Compiler) -> Result<(), SceneError> {
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
        self.color = color(layer)?.or(self.color);
        self.mesh = layer.attribute("mesh").or(self.mesh);
        self.hfield = layer.attribute("hfield").or(self.hfield);
        if let Some(scale) = layer.number("fitscale")? {
            if scale <= 0.0 {
                return Err(layer.invalid(Some("fitscale"), format!("{scale} is not positive")));
            }
            self.fit_scale = scale;
        }
        layer.overwrite("surfacevel", &mut self.surface_velocity)?;
        Ok(())
    }

    /// Pose in the body (or frame), from `fromto` or from position and orientation; and half the distance of the
    /// two points of `fromto`.
    pub(super) fn pose(&self, element: Element<'_>) -> Result<(Transform, Option<f64>), SceneError> {
        let Some([ax, ay, az, bx, by, bz]) = self.fromto else {
            return Ok((Transform::new(self.position.unwrap_or_default(), &self.orientation), None));
        };
        if self.position.is_some() {
            return Err(element.invalid(Some("fromto"), "pos is given as well; keep one"));
        }
        let fits = matches!(self.kind, Kind::Capsule | Kind::Box | Kind::Cylinder | Kind::Ellipsoid);
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
    pub(super) fn shape(&self, element: Element<'_>, half_length: Option<f64>) -> Result<Shape, SceneError> {
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
            Kind::Cylinder => {
                let half_length = half_length.unwrap_or(b);
                if a <= 0.0 || half_length <= 0.0 {
                    return wrong(
                        "a cylinder needs a positive radius and, without fromto, a positive half length",
                    );
                }
                Ok(Shape::Cylinder { radius: a, half_length })
            }
            Kind::Ellipsoid => {
                let radii = half_length.map_or(Vector3::new(a, b, c), |half| Vector3::new(a, a, half));
                if radii.min() <= 0.0 {
                    return wrong("an ellipsoid needs three positive semi-axes, or one and fromto");
                }
                Ok(Shape::Ellipsoid { radii })
            }
            // Their sizes come from assets.
            Kind::Mesh | Kind::HeightField | Kind::Distance => wrong("this type has no sizes"),
        }
    }
}

/// Sizes of a shape fitted to a mesh, and the frame of the mesh's principal axes: the shape takes the half sizes of the
/// box that has the mesh's mass and moments (MuJoCo, XML reference, `geom/mesh`).
pub(super) fn fitted(kind: Kind, solid: &MassProperties) -> ([f64; 3], Transform) {
    let eigen = solid.inertia.symmetric_eigen();
    // Largest moment first, so that the box is longest along z.
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    let [x, y, z] = order.map(|i| eigen.eigenvectors.column(i).into_owned());
    let z = if x.cross(&y).dot(&z) < 0.0 { -z } else { z };
    let moments = order.map(|i| eigen.eigenvalues[i]);
    let half: [f64; 3] = std::array::from_fn(|k| {
        let others = moments.iter().sum::<f64>() - 2.0 * moments[k];
        (1.5 * others / solid.mass).max(0.0).sqrt()
    });
    let across = (half[0] + half[1]) / 2.0;
    let size = match kind {
        Kind::Sphere => [half.iter().sum::<f64>() / 3.0; 3],
        Kind::Capsule => [across, (half[2] - across / 2.0).max(0.0), 0.0],
        Kind::Cylinder => [across, half[2], 0.0],
        _ => half,
    };
    let rotation = Matrix3::from_columns(&[x, y, z]);
    (size, Transform { rotation, translation: solid.center_of_mass })
}
