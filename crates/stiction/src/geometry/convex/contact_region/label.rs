//! Labels of the parts of a convex shape: vertices, edges and faces, ends and mantle, by which contacts are known again.

use super::disc::{CAP_LABELS, CYLINDER_LABELS, LOWEST};
use crate::geometry::convex::support::Convex;
use crate::geometry::direction::side;
use crate::geometry::shape::kind::Shape;
use nalgebra::Vector3;

impl Convex<'_> {
    /// Which vertex, edge, face or other part of the shape the surface point `x` is on (parts being `tolerance` wide, m),
    /// where the shape looks along n with `face`.
    pub(crate) fn label(
        &self,
        x: &Vector3<f64>,
        n: &Vector3<f64>,
        face: Option<usize>,
        tolerance: f64,
    ) -> u32 {
        let local = self.pose.inverse_point(x);
        match self.shape {
            Shape::Box { half_extents } => {
                crate::geometry::direction::box_feature(&local, half_extents, tolerance)
            }
            Shape::Capsule { half_length, .. } => end_label(local.z, *half_length, tolerance),
            Shape::Cylinder { radius, half_length } => {
                if local.z.abs() < half_length - tolerance {
                    return CYLINDER_LABELS - 1;
                }
                let cap = if local.z > 0.0 { CAP_LABELS } else { 0 };
                // On the rim, the point that supports the cylinder is the closest one.
                cap + if local.xy().norm() < radius - tolerance { 0 } else { LOWEST }
            }
            Shape::Convex(mesh) => {
                let (vertices, edges) = (mesh.vertices().len(), mesh.edges().len());
                let near = |v: u32| (mesh.vertices()[v as usize] - local).norm() <= tolerance;
                let beside = |[a, b]: [u32; 2]| {
                    let [p, q] = [a, b].map(|v| mesh.vertices()[v as usize]);
                    let along = q - p;
                    let t = (along.dot(&(local - p)) / along.norm_squared()).clamp(0.0, 1.0);
                    (p + along * t - local).norm() <= tolerance
                };
                let label = |[a, b]: [u32; 2]| {
                    [a, b].into_iter().find(|&v| near(v)).or_else(|| {
                        let ends = [a.min(b), a.max(b)];
                        let edge = mesh.edges().binary_search_by_key(&ends, |edge| edge.ends).ok()?;
                        beside(ends).then_some((vertices + edge) as u32)
                    })
                };
                match face {
                    Some(face) => {
                        let corners = &mesh.faces()[face].corners;
                        let count = corners.len();
                        let sides = (0..count).map(|i| [corners[i], corners[(i + 1) % count]]);
                        let vertex = corners.iter().copied().find(|&v| near(v));
                        vertex
                            .or_else(|| sides.filter_map(label).next())
                            .unwrap_or((vertices + edges + face) as u32)
                    }
                    None => {
                        let top = mesh.support_index(&self.pose.inverse_vector(n)) as u32;
                        let at_top = mesh.edges().iter().filter(|edge| edge.ends.contains(&top));
                        if near(top) {
                            top
                        } else {
                            at_top.filter_map(|edge| label(edge.ends)).next().unwrap_or(top)
                        }
                    }
                }
            }
            _ => 0,
        }
    }

    /// Number of labels.
    pub(crate) fn label_count(&self) -> u32 {
        match self.shape {
            Shape::Box { .. } => crate::geometry::direction::BOX_FEATURES,
            Shape::Capsule { .. } => 3,
            Shape::Cylinder { .. } => CYLINDER_LABELS,
            Shape::Convex(mesh) => (mesh.vertices().len() + mesh.edges().len() + mesh.faces().len()) as u32,
            _ => 1,
        }
    }
}

/// 0 between the ends, 1 at -z, 2 at +z.
fn end_label(z: f64, half_length: f64, tolerance: f64) -> u32 {
    match half_length - z.abs() {
        beside if beside > tolerance => 0,
        _ if side(z) < 0.0 => 1,
        _ => 2,
    }
}
