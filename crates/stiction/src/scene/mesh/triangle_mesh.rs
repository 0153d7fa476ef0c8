//! Triangle meshes as files describe them, whether they bound a solid, and the mass properties of what they bound.
//!
//! Sums over the tetrahedra that the triangles make with a reference point: exactly what F. Tonon, *Explicit exact
//! formulas for the 3-D tetrahedron inertia tensor*, J. Math. Stat. 1, 2005, gives for each of them.

use crate::geometry::MassProperties;
use nalgebra::{Matrix3, Vector3};
use std::collections::BTreeMap;

/// Vertices (m) and triangles as indices of vertices, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TriangleMesh {
    pub(crate) vertices: Vec<Vector3<f64>>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// The corners of every triangle.
    fn corners(&self) -> impl Iterator<Item = [Vector3<f64>; 3]> + '_ {
        self.triangles.iter().map(|triangle| triangle.map(|i| self.vertices[i as usize]))
    }

    /// An edge that does not border exactly two triangles, one on either side; `None` for a closed surface. Vertices in
    /// one place count as one.
    pub(crate) fn open_edge(&self) -> Option<[Vector3<f64>; 2]> {
        let mut places = BTreeMap::new();
        let place = |v: &Vector3<f64>| [v.x, v.y, v.z].map(|x| (x + 0.0).to_bits());
        let numbers: Vec<usize> = self
            .vertices
            .iter()
            .map(|v| {
                let next = places.len();
                *places.entry(place(v)).or_insert(next)
            })
            .collect();
        let mut balance: BTreeMap<(usize, usize), (i32, [u32; 2])> = BTreeMap::new();
        for [a, b, c] in &self.triangles {
            for (from, to) in [(*a, *b), (*b, *c), (*c, *a)] {
                let (i, j) = (numbers[from as usize], numbers[to as usize]);
                if i != j {
                    let entry = balance.entry((i.min(j), i.max(j))).or_insert((0, [from, to]));
                    entry.0 += if i < j { 1 } else { -1 };
                }
            }
        }
        let open = balance.values().find(|(sum, _)| *sum != 0)?;
        Some(open.1.map(|i| self.vertices[i as usize]))
    }

    /// Volume (m^3), negative when the triangles are clockwise seen from outside.
    pub(crate) fn signed_volume(&self) -> f64 {
        let center = self.surface_center();
        self.corners().map(|corners| tetrahedron(corners, &center)).sum()
    }

    /// Mass properties of the solid at density 1 kg/m^3.
    pub(crate) fn solid(&self) -> MassProperties {
        self.sum_of_tetrahedra(&self.surface_center(), |volume| volume)
    }

    /// MuJoCo's "legacy" rule: all tetrahedra count positive, first against the centre of the surface, then against the
    /// centre of mass that gives. It counts volume outside a mesh that is not star-shaped.
    pub(crate) fn legacy_solid(&self) -> MassProperties {
        let first = self.sum_of_tetrahedra(&self.surface_center(), f64::abs);
        let center = first.center_of_mass;
        let second = self.sum_of_tetrahedra(&center, f64::abs);
        // The inertia is taken about the first centre, whatever the second sum's would be.
        let away = second.center_of_mass - center;
        let inertia = second.inertia + point_inertia(&away) * second.mass;
        MassProperties { mass: second.mass, center_of_mass: center, inertia }
    }

    /// Mass properties of the surface at 1 kg/m^2.
    pub(crate) fn shell(&self) -> MassProperties {
        let mut sum = Moments::default();
        for corners in self.corners() {
            let area = area(&corners);
            // A triangle's second moment is that of its corners and of its centre: A/12 (sum v v^T + s s^T).
            sum.add(&corners, area, area / 3.0, area / 12.0);
        }
        sum.about_center(&Vector3::zeros())
    }

    fn sum_of_tetrahedra(&self, reference: &Vector3<f64>, sign: impl Fn(f64) -> f64) -> MassProperties {
        let mut sum = Moments::default();
        for corners in self.corners() {
            let volume = sign(tetrahedron(corners, reference));
            sum.add(&corners.map(|v| v - reference), volume, volume / 4.0, volume / 20.0);
        }
        sum.about_center(reference)
    }

    /// Mean of the triangles' centres, weighted by area; of the vertices if there is no area.
    fn surface_center(&self) -> Vector3<f64> {
        let (mut total, mut sum) = (0.0, Vector3::zeros());
        for corners in self.corners() {
            let area = area(&corners);
            total += area;
            sum += (corners[0] + corners[1] + corners[2]) * (area / 3.0);
        }
        if total > 0.0 {
            sum / total
        } else {
            self.vertices.iter().sum::<Vector3<f64>>() / self.vertices.len().max(1) as f64
        }
    }
}

/// Signed volume of a triangle and a point.
fn tetrahedron(corners: [Vector3<f64>; 3], reference: &Vector3<f64>) -> f64 {
    let [a, b, c] = corners.map(|v| v - reference);
    a.dot(&b.cross(&c)) / 6.0
}

fn area([a, b, c]: &[Vector3<f64>; 3]) -> f64 {
    (b - a).cross(&(c - a)).norm() / 2.0
}

/// Inertia of a unit mass at `x` about the origin.
fn point_inertia(x: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::identity() * x.norm_squared() - x * x.transpose()
}

/// Mass, first and second moments.
#[derive(Default)]
struct Moments {
    mass: f64,
    first: Vector3<f64>,
    second: Matrix3<f64>,
}

impl Moments {
    /// Adds a piece with these corners (and the origin, if it is a tetrahedron).
    fn add(&mut self, corners: &[Vector3<f64>; 3], mass: f64, first: f64, second: f64) {
        let [a, b, c] = corners;
        let sum = a + b + c;
        self.mass += mass;
        self.first += sum * first;
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
        self.second += (squares + sum * sum.transpose()) * second;
    }

    fn about_center(self, origin: &Vector3<f64>) -> MassProperties {
        let center = self.first / self.mass;
        let second = self.second - center * center.transpose() * self.mass;
        let inertia = Matrix3::identity() * second.trace() - second;
        MassProperties { mass: self.mass, center_of_mass: origin + center, inertia }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An extruded letter U, three wide and three high, its notch one wide and two deep, one thick.
    fn letter() -> TriangleMesh {
        let outline = [(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)]
            .map(|(x, y)| (x as f64, y as f64));
        let vertices = [0.0, 1.0].map(|z| outline.map(|(x, y)| Vector3::new(x, y, z))).concat();
        let mut triangles = Vec::new();
        for [a, b, c] in [[0, 1, 4], [1, 2, 4], [2, 3, 4], [0, 4, 5], [0, 5, 7], [5, 6, 7]] {
            triangles.extend([[a, c, b], [a + 8, b + 8, c + 8]]);
        }
        for i in 0..8 {
            let j = (i + 1) % 8;
            triangles.extend([[i, j, j + 8], [i, j + 8, i + 8]]);
        }
        TriangleMesh { vertices, triangles }
    }

    fn close(found: &MassProperties, mass: f64, center: [f64; 3], moments: [f64; 3]) {
        assert!((found.mass - mass).abs() < 1e-5 * mass, "{found:?}");
        assert!((found.center_of_mass - Vector3::from(center)).amax() < 1e-5, "{found:?}");
        assert!((found.inertia.diagonal() - Vector3::from(moments)).amax() < 2e-5, "{found:?}");
    }

    #[test]
    fn a_letter_u_has_the_mass_properties_that_mujoco_finds_by_each_of_its_rules() {
        // MuJoCo 4.0.0, five decimals; moments in the order x, y, z.
        close(&letter().solid(), 7.0, [1.5, 1.35714, 0.5], [6.02381, 7.16667, 12.02381]);
        close(&letter().legacy_solid(), 8.61754, [1.5, 1.42631, 0.5], [6.69913, 7.46175, 12.83246]);
        assert!((letter().signed_volume() - 7.0).abs() < 1e-12);
    }

    #[test]
    fn the_shell_of_a_cube_has_its_area_and_the_moment_of_six_plates() {
        let corners: Vec<_> = (0..8)
            .map(|i| Vector3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64) * 2.0)
            .collect();
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let cube = TriangleMesh { vertices: corners, triangles };
        assert_eq!(cube.open_edge(), None);
        // Of side 2: plates of 4 kg, two of them turned about their normal (8/3 each), four about an edge's direction at
        // a distance of 1 (4/3 + 4 each).
        let moment = 2.0 * 8.0 / 3.0 + 4.0 * (4.0 / 3.0 + 4.0);
        close(&cube.shell(), 24.0, [1.0; 3], [moment; 3]);
    }

    #[test]
    fn a_missing_triangle_leaves_an_open_edge_and_turned_ones_a_negative_volume() {
        let mut mesh = letter();
        assert_eq!(mesh.open_edge(), None);
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        assert!((mesh.signed_volume() + 7.0).abs() < 1e-12);
        mesh.triangles.pop();
        assert!(mesh.open_edge().is_some());
    }
}
