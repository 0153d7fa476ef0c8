//! Convex meshes: the hull of a set of points, as vertices, outward triangles, faces and mass properties.
//!
//! A face is what triangles in one plane make together, with any number of corners; an edge lies between two faces.
//! Contacts are made of these, triangles are for mass and pictures.
//!
//! The hull is the collision library's; its mass properties are sums over the tetrahedra that the triangles make
//! with an inner point (F. Tonon, *Explicit exact formulas for the 3-D tetrahedron inertia tensor*, J. Math. Stat.
//! 1, 2005), every term positive because the point lies inside.

use nalgebra::{Matrix3, Vector3};
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

use crate::geometry::direction::length_and_direction;
use crate::geometry::shape::kind::MassProperties;

/// A hull whose volume is below this times the cube of its largest extent is flat.
const FLAT: f64 = 1e-9;

/// Triangles whose corners are this close to one plane, over the largest extent, are one face: three roundings of
/// coordinates in single precision, in which most mesh files are written.
const COPLANAR: f64 = 2e-7;

/// From this many vertices on walking over the hull finds the furthest one faster than trying all.
const WALK: usize = 48;

/// A convex polyhedron with triangular facets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConvexMesh {
    vertices: Vec<Vector3<f64>>,
    triangles: Vec<[u32; 3]>,
    faces: Vec<Face>,
    edges: Vec<Edge>,
    /// Neighbours of vertex i: `neighbours[first_neighbour[i]..first_neighbour[i + 1]]`.
    neighbours: Vec<u32>,
    first_neighbour: Vec<u32>,
}

/// A plane facet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Face {
    /// Outward unit normal.
    pub normal: Vector3<f64>,
    /// Corners, counter-clockwise seen from outside.
    pub corners: Vec<u32>,
}

/// What two faces share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Edge {
    /// Its ends, the lesser first.
    pub ends: [u32; 2],
    /// The faces beside it.
    pub faces: [u32; 2],
}

/// Why points have no hull.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
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
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use stiction::geometry::ConvexMesh;
    ///
    /// let tetrahedron = [Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()];
    /// let mesh = ConvexMesh::from_points(&tetrahedron)?;
    /// assert_eq!(mesh.vertices().len(), 4);
    /// assert!((mesh.mass_properties().mass - 1.0 / 6.0).abs() < 1e-15);
    /// # Ok::<(), stiction::geometry::ConvexMeshError>(())
    /// ```
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
        let Some((vertices, triangles)) = hull(points) else { return Err(flat) };
        let mut mesh = Self {
            vertices,
            triangles,
            faces: Vec::new(),
            edges: Vec::new(),
            neighbours: Vec::new(),
            first_neighbour: Vec::new(),
        };
        let extent = mesh.extent();
        if mesh.mass_properties().mass > FLAT * extent * extent * extent {
            mesh.find_faces(COPLANAR * extent);
            Ok(mesh)
        } else {
            Err(flat)
        }
    }

    /// Fills in faces, edges and neighbours.
    fn find_faces(&mut self, tolerance: f64) {
        let mut beside = BTreeMap::new();
        for (t, triangle) in self.triangles.iter().enumerate() {
            for k in 0..3 {
                beside.insert((triangle[k], triangle[(k + 1) % 3]), t);
            }
        }
        let mut face_of = vec![usize::MAX; self.triangles.len()];
        let area = |t: usize| self.area_vector(t).norm();
        let mut order: Vec<usize> = (0..self.triangles.len()).collect();
        // Large triangles know their plane best.
        order.sort_by(|&s, &t| area(t).total_cmp(&area(s)));
        for seed in order {
            if face_of[seed] != usize::MAX {
                continue;
            }
            let face = self.faces.len();
            let members = self.coplanar(seed, tolerance, &beside, &face_of);
            let (members, corners) = match outline(&self.triangles, &members) {
                Some(corners) => (members, corners),
                None => (vec![seed], self.triangles[seed].to_vec()),
            };
            for &t in &members {
                face_of[t] = face;
            }
            let sum: Vector3<f64> = members.iter().map(|&t| self.area_vector(t)).sum();
            // A triangle without area, beside an edge, has no direction: it is part of the edge.
            let Some((_, normal)) = length_and_direction(&sum) else { continue };
            self.faces.push(Face { normal, corners });
        }

        for (&(a, b), &t) in &beside {
            let Some(&opposite) = beside.get(&(b, a)) else { continue };
            let faces = [face_of[t], face_of[opposite]];
            if a < b && faces[0] != faces[1] {
                self.edges.push(Edge { ends: [a, b], faces: faces.map(|f| f as u32) });
            }
        }
        for vertex in 0..self.vertices.len() as u32 {
            self.first_neighbour.push(self.neighbours.len() as u32);
            self.neighbours.extend(beside.range((vertex, 0)..=(vertex, u32::MAX)).map(|(&(_, b), _)| b));
        }
        self.first_neighbour.push(self.neighbours.len() as u32);
    }

    /// Normal of a triangle times twice its area (m^2).
    fn area_vector(&self, triangle: usize) -> Vector3<f64> {
        let [a, b, c] = self.triangles[triangle].map(|i| self.vertices[i as usize]);
        (b - a).cross(&(c - a))
    }

    /// The triangles around `seed` that are in no face yet and lie in its plane.
    fn coplanar(
        &self,
        seed: usize,
        tolerance: f64,
        beside: &BTreeMap<(u32, u32), usize>,
        face_of: &[usize],
    ) -> Vec<usize> {
        let mut members = vec![seed];
        let Some((_, normal)) = length_and_direction(&self.area_vector(seed)) else { return members };
        let origin = self.vertices[self.triangles[seed][0] as usize];
        let in_plane = |t: usize| {
            let corners = self.triangles[t].map(|i| self.vertices[i as usize]);
            corners.iter().all(|x| normal.dot(&(x - origin)).abs() <= tolerance)
                && normal.dot(&self.area_vector(t)) >= 0.0
        };
        let mut next = 0;
        while next < members.len() {
            let [a, b, c] = self.triangles[members[next]];
            for edge in [(b, a), (c, b), (a, c)] {
                if let Some(&t) = beside.get(&edge)
                    && face_of[t] == usize::MAX
                    && !members.contains(&t)
                    && in_plane(t)
                {
                    members.push(t);
                }
            }
            next += 1;
        }
        members
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

    /// Faces.
    pub(crate) fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// Edges.
    pub(crate) fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The vertex furthest along a direction.
    pub(crate) fn support(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        self.vertices[self.support_index(direction)]
    }

    /// Number of the vertex furthest along a direction: the first of equals, or on large meshes the one to which the
    /// way up from the first vertex leads, which on a convex body is nowhere but the top.
    pub(crate) fn support_index(&self, direction: &Vector3<f64>) -> usize {
        let height = |vertex: usize| direction.dot(&self.vertices[vertex]);
        let mut best = (0, height(0));
        if self.vertices.len() < WALK {
            for vertex in 1..self.vertices.len() {
                let height = height(vertex);
                if height > best.1 {
                    best = (vertex, height);
                }
            }
            return best.0;
        }
        loop {
            let here = best.0;
            let [from, to] = [here, here + 1].map(|i| self.first_neighbour[i] as usize);
            for &vertex in &self.neighbours[from..to] {
                let height = height(vertex as usize);
                if height > best.1 {
                    best = (vertex as usize, height);
                }
            }
            if best.0 == here {
                return here;
            }
        }
    }

    /// Largest edge of the bounding box along the axes (m).
    fn extent(&self) -> f64 {
        self.extents().max()
    }

    /// Half the smallest edge of the bounding box along the axes (m).
    pub(crate) fn thickness(&self) -> f64 {
        0.5 * self.extents().min()
    }

    fn extents(&self) -> Vector3<f64> {
        let mut low = Vector3::repeat(f64::INFINITY);
        let mut high = -low;
        for vertex in &self.vertices {
            low = low.inf(vertex);
            high = high.sup(vertex);
        }
        high - low
    }
}

/// The border of joined triangles as one loop; `None` if it is not one.
fn outline(triangles: &[[u32; 3]], members: &[usize]) -> Option<Vec<u32>> {
    let sides = |&t: &usize| {
        let [a, b, c] = triangles[t];
        [(a, b), (b, c), (c, a)]
    };
    let edges: BTreeSet<(u32, u32)> = members.iter().flat_map(sides).collect();
    // An edge walked both ways is inside.
    let border = || edges.iter().filter(|(a, b)| !edges.contains(&(*b, *a)));
    let next: BTreeMap<u32, u32> = border().copied().collect();
    let (&first, _) = next.first_key_value()?;
    let mut corners = vec![first];
    while let Some(&corner) = next.get(corners.last()?) {
        if corner == first || corners.len() > next.len() {
            break;
        }
        corners.push(corner);
    }
    (corners.len() == border().count()).then_some(corners)
}

/// Vertices and triangles.
type Hull = (Vec<Vector3<f64>>, Vec<[u32; 3]>);

/// The hull of points. The library measures flatness by absolute lengths, so it works on points that fill
/// a cube of side 2; stretching along axes changes neither what is a vertex nor what is a facet.
fn hull(points: &[Vector3<f64>]) -> Option<Hull> {
    let (mut low, mut high) = (points[0], points[0]);
    for point in points {
        (low, high) = (low.inf(point), high.sup(point));
    }
    let (center, half) = ((low + high) * 0.5, (high - low) * 0.5);
    if !(half.min() > 0.0 && half.max().is_finite()) {
        return None;
    }
    let scaled = |p: &Vector3<f64>| {
        let x = (p - center).component_div(&half);
        Vector::new(x.x, x.y, x.z)
    };
    let (vertices, triangles) = try_convex_hull(&points.iter().map(scaled).collect::<Vec<_>>()).ok()?;
    // The points themselves, not what scaling back and forth makes of them.
    let mut originals = BTreeMap::new();
    let bits = |v: &Vector| [v.x, v.y, v.z].map(f64::to_bits);
    for point in points {
        originals.entry(bits(&scaled(point))).or_insert(*point);
    }
    let vertices = vertices.iter().map(|v| originals.get(&bits(v)).copied()).collect::<Option<Vec<_>>>()?;
    Some((vertices, triangles))
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
        assert_eq!((mesh.faces().len(), mesh.edges().len()), (6, 12));
        assert!(mesh.faces().iter().all(|face| face.corners.len() == 4 && face.normal.amax() == 1.0));
        let mass = mesh.mass_properties();
        assert!((mass.mass - 0.048).abs() < 1e-15);
        assert!((mass.center_of_mass - center).norm() < 1e-14);
        let square = half.component_mul(&half) * (mass.mass / 3.0);
        let exact = Matrix3::from_diagonal(&(Vector3::repeat(square.sum()) - square));
        assert!((mass.inertia - exact).amax() < 1e-15);
    }

    #[test]
    fn faces_have_as_many_corners_as_the_solid_and_walking_finds_the_furthest_vertex() {
        for sides in [5, 12, 64] {
            let points: Vec<_> = (0..2 * sides)
                .map(|i| {
                    let (sin, cos) =
                        libm::sincos(f64::from(i / 2) * std::f64::consts::TAU / f64::from(sides));
                    // Written in single precision, as in a file.
                    Vector3::new(cos, sin, f64::from(i % 2) - 0.3).map(|x| f64::from(x as f32))
                })
                .collect();
            let mesh = ConvexMesh::from_points(&points).unwrap();
            let (v, e, f) = (mesh.vertices().len(), mesh.edges().len(), mesh.faces().len());
            assert_eq!((v, f), (2 * sides as usize, sides as usize + 2));
            assert_eq!(v + f, e + 2);
            assert_eq!(mesh.faces().iter().filter(|face| face.corners.len() == sides as usize).count(), 2);
            for i in 0..500 {
                let [x, y, z] = [1.0, 1.7, 2.3].map(|k| libm::sin(k * f64::from(i)));
                let n = Vector3::new(x, y, z);
                let top = mesh.vertices().iter().fold(f64::MIN, |top: f64, v| top.max(n.dot(v)));
                assert!((n.dot(&mesh.support(&n)) - top).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_thin_plate_and_a_needle_have_hulls_like_a_cube() {
        for half in [Vector3::new(1.0, 2.5, 0.005), Vector3::new(1e-3, 1e-3, 1.0)] {
            let points: Vec<_> = (0..27)
                .map(|i| Vector3::new((i % 3) as f64 - 1.0, (i / 3 % 3) as f64 - 1.0, (i / 9) as f64 - 1.0))
                .map(|x| x.component_mul(&half))
                .collect();
            let mesh = ConvexMesh::from_points(&points).unwrap();
            let volume = 8.0 * half.product();
            assert!((mesh.mass_properties().mass / volume - 1.0).abs() < 1e-12);
        }
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
