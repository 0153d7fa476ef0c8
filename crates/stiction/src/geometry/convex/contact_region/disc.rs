//! The cap of a cylinder, with the points that stand for its rim and their labels.

use crate::geometry::convex::support::Convex;
use crate::geometry::direction::length_and_direction;
use nalgebra::{Vector2, Vector3};

/// Points that stand for the rim of a cap.
pub(crate) const RIM: usize = 8;

/// Sine of a tilt below which no point of a rim is closest: what it lifts is below rounding of the points.
const LEVEL: f64 = 1e-9;

/// Labels of a cylinder: 0 to 10 for the cap at -z, 11 to 21 for that at +z, 22 for the mantle.
pub(crate) const CYLINDER_LABELS: u32 = 23;

pub(super) const CAP_LABELS: u32 = 11;

/// Of a cap: the interior, `RIM` fixed points, the point closest to the other shape, the rest of the rim.
pub(super) const LOWEST: u32 = 1 + RIM as u32;

pub(super) const ON_RIM: u32 = 2 + RIM as u32;

/// Label of the closest rim point of the cap at +z or -z.
pub(crate) fn lowest_label(upper: bool) -> u32 {
    LOWEST + if upper { CAP_LABELS } else { 0 }
}

/// A cap.
#[derive(Clone, Copy)]
pub(crate) struct Disc {
    pub(super) center: Vector3<f64>,
    pub(super) normal: Vector3<f64>,
    pub(super) x: Vector3<f64>,
    pub(super) y: Vector3<f64>,
    pub(super) radius: f64,
    /// Label of its interior; rim points and the rest of the rim follow.
    pub(super) label: u32,
}

impl Disc {
    pub(crate) fn cap(core: &Convex, radius: f64, half_length: f64, upper: bool) -> Self {
        let [x, y, z] = [0, 1, 2].map(|k| Vector3::from(core.pose.rotation.column(k)));
        let normal = if upper { z } else { -z };
        let center = core.pose.translation + normal * half_length;
        Disc { center, normal, x, y, radius, label: if upper { CAP_LABELS } else { 0 } }
    }

    /// The rim points and their labels; one of them the furthest along `toward`, unless that is straight up.
    pub(crate) fn each_rim_point(
        &self,
        toward: Option<Vector3<f64>>,
        mut each: impl FnMut(Vector3<f64>, u32),
    ) {
        let lowest = toward.and_then(|v| {
            let (length, _) = length_and_direction(&v)?;
            let (sine, u) = length_and_direction(&Vector3::new(self.x.dot(&v), self.y.dot(&v), 0.0))?;
            (sine > LEVEL * length).then_some(u.xy())
        });
        let nearest = lowest.map(|u| {
            let mut best = 0;
            for k in 1..RIM {
                if rim_direction(k).dot(&u) > rim_direction(best).dot(&u) {
                    best = k;
                }
            }
            best
        });
        for k in 0..RIM {
            match lowest {
                Some(u) if nearest == Some(k) => each(self.at(&u), self.label + LOWEST),
                _ => each(self.at(&rim_direction(k)), self.label + 1 + k as u32),
            }
        }
    }

    pub(super) fn at(&self, u: &Vector2<f64>) -> Vector3<f64> {
        self.center + (self.x * u.x + self.y * u.y) * self.radius
    }

    /// Parameters of the line from `p` to `q` (in the disc's plane) at which it crosses the rim.
    pub(super) fn crossings(&self, p: &Vector3<f64>, q: &Vector3<f64>) -> [f64; 2] {
        let (along, from) = (q - p, p - self.center);
        let square = along.norm_squared();
        let nearest = -along.dot(&from) / square;
        let beside = (from + along * nearest).norm_squared();
        let half = ((self.radius * self.radius - beside) / square).sqrt();
        [nearest - half, nearest + half]
    }
}

/// Direction of rim point `k` in the plane of the cap; exact along the axes.
fn rim_direction(k: usize) -> Vector2<f64> {
    const D: f64 = std::f64::consts::FRAC_1_SQRT_2;
    let (x, y) = [(1.0, 0.0), (D, D), (0.0, 1.0), (-D, D), (-1.0, 0.0), (-D, -D), (0.0, -1.0), (D, -D)][k];
    Vector2::new(x, y)
}
