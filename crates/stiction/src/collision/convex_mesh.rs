//! Convex meshes: the hull of a set of points, as vertices, outward triangles and mass properties.
//!
//! The hull is the collision library's; its mass properties are sums over the tetrahedra that the triangles make
//! with an inner point (F. Tonon, *Explicit exact formulas for the 3-D tetrahedron inertia tensor*, J. Math. Stat.
//! 1, 2005), every term positive because the point lies inside.

use nalgebra::{Matrix3, Vector3};
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;
use serde::{Deserialize, Serialize};

use super::shape::MassProperties;

/// A hull whose volume is below this times the cube of its largest extent is flat.
const FLAT: f64 = 1e-9;

/// A convex polyhedron with triangular facets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConvexMesh {
    vertices: Vec<Vector3<f64>>,
    triangles: Vec<[u32; 3]>,
}

/// Why points have no hull.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConvexMeshError {
    /// A coordinate is not a finite number.
    #[error("vertex {index} has the coordinate {value}; it must be a finite number")]
    NotFinite {
        /// Number of the vertex, from 0.
        index: usize,
        /// The coordinate (m).
        value: f64,
    },
    /// The points lie in a plane, on a line or in one place.
    #[error("the {count} vertices span no volume; a solid needs at least 4 that are not in one plane")]
    Flat {
        /// Number of points.
        count: usize,
    },
}

impl ConvexMesh {
    /// The convex hull of points (m).
    ///
    /// # Errors
    /// A coordinate is not finite, or the points span no volume.
    pub fn from_points(points: &[Vector3<f64>]) -> Result<Self, ConvexMeshError> {
        for (index, point) in points.iter().enumerate() {
            if let Some(&value) = point.iter().find(|x| !x.is_finite()) {
                return Err(ConvexMeshError::NotFinite { index, value });
            }
        }
        let flat = ConvexMeshError::Flat { count: points.len() };
        if points.len() < 4 {
            return Err(flat);
        }
        let input: Vec<Vector> = points.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
        let Ok((vertices, triangles)) = try_convex_hull(&input) else { return Err(flat) };
        let vertices = vertices.iter().map(|p| Vector3::new(p.x, p.y, p.z)).collect();
        let mesh = Self { vertices, triangles };
        let extent = mesh.extent();
        if mesh.mass_properties().mass > FLAT * extent * extent * extent { Ok(mesh) } else { Err(flat) }
    }

    /// Vertices (m).
    pub fn vertices(&self) -> &[Vector3<f64>] {
        &self.vertices
    }

    /// Facets as indices of vertices, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Mass properties of the solid at density 1 kg/m^3.
    pub fn mass_properties(&self) -> MassProperties {
        let inner = self.vertices.iter().sum::<Vector3<f64>>() / self.vertices.len() as f64;
        let (mut mass, mut moment, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|i| self.vertices[i as usize] - inner);
            let volume = a.dot(&b.cross(&c)) / 6.0;
            let sum = a + b + c;
            mass += volume;
            moment += sum * (volume / 4.0);
            let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
            second += (squares + sum * sum.transpose()) * (volume / 20.0);
        }
        let center = moment / mass;
        second -= center * center.transpose() * mass;
        let inertia = Matrix3::identity() * second.trace() - second;
        MassProperties { mass, center_of_mass: inner + center, inertia }
    }

    /// The vertex furthest along a direction, the first of equals.
    pub(super) fn support(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        let mut best = (f64::NEG_INFINITY, Vector3::zeros());
        for vertex in &self.vertices {
            let height = direction.dot(vertex);
            if height > best.0 {
                best = (height, *vertex);
            }
        }
        best.1
    }

    /// Largest edge of the bounding box along the axes (m).
    fn extent(&self) -> f64 {
        let mut low = Vector3::repeat(f64::INFINITY);
        let mut high = -low;
        for vertex in &self.vertices {
            low = low.inf(vertex);
            high = high.sup(vertex);
        }
        (high - low).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hull_of_a_boxes_corners_and_inner_points_is_the_box() {
        let half = Vector3::new(0.1, 0.2, 0.3);
        let center = Vector3::new(5.0, -3.0, 1.0);
        let mut points = vec![center, center + half * 0.3];
        for corner in 0..8 {
            let side = |k: usize| if corner >> k & 1 == 1 { half[k] } else { -half[k] };
            points.push(center + Vector3::new(side(0), side(1), side(2)));
        }
        let mesh = ConvexMesh::from_points(&points).unwrap();
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12));
        let mass = mesh.mass_properties();
        assert!((mass.mass - 0.048).abs() < 1e-15);
        assert!((mass.center_of_mass - center).norm() < 1e-14);
        let square = half.component_mul(&half) * (mass.mass / 3.0);
        let exact = Matrix3::from_diagonal(&(Vector3::repeat(square.sum()) - square));
        assert!((mass.inertia - exact).amax() < 1e-15);
    }

    #[test]
    fn points_without_volume_have_no_hull() {
        let flat: Vec<_> = (0..9).map(|i| Vector3::new((i % 3) as f64, (i / 3) as f64, 0.5)).collect();
        assert_eq!(ConvexMesh::from_points(&flat), Err(ConvexMeshError::Flat { count: 9 }));
        assert!(ConvexMesh::from_points(&flat[..2]).is_err());
        let nan = [Vector3::new(0.0, f64::NAN, 0.0)];
        assert!(ConvexMesh::from_points(&nan).unwrap_err().to_string().contains("vertex 0"));
    }
}
