//! Built-in meshes: spheres, hemispheres, cones, superquadrics, in the sizes MuJoCo makes them (largest radius 1).
//!
//! A. H. Barr, *Superquadrics and angle-preserving transformations*, IEEE Computer Graphics and Applications 1, 1981, for
//! the two with exponents.

use crate::geometry::ConvexMesh;
use crate::scene::error::SceneError;
use crate::scene::mesh::triangle_mesh::TriangleMesh;
use crate::scene::mjcf::document::element::Element;
use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// Shapes by name: their parameters, and what makes them.
type Maker = fn(&[f64]) -> Result<TriangleMesh, String>;
const SHAPES: [(&str, &[&str], Maker); 5] = [
    ("sphere", &["subdivision"], sphere),
    ("hemisphere", &["resolution"], hemisphere),
    ("cone", &["vertices", "radius of the top"], cone),
    ("supersphere", &["resolution", "exponent around", "exponent along"], supersphere),
    ("supertorus", &["resolution", "radius", "exponent across", "exponent around"], supertorus),
];

/// Finest grids: thousands of vertices.
const FINEST: f64 = 100.0;

/// The mesh of an element with the attribute `builtin`.
pub(crate) fn builtin(element: Element<'_>) -> Result<TriangleMesh, SceneError> {
    let surfaces = [("wedge", usize::MAX), ("plate", usize::MAX), ("none", usize::MAX)];
    let shapes = std::array::from_fn::<_, 5, _>(|i| (SHAPES[i].0, i));
    let words = [&shapes[..], &surfaces[..]].concat();
    let index = element.keyword("builtin", &words)?.unwrap_or(usize::MAX);
    let Some((name, parameters, make)) = SHAPES.get(index) else {
        let message = "only a surface for tactile sensors, not a solid; sphere, hemisphere, cone, supersphere and supertorus are solids";
        return Err(element.invalid(Some("builtin"), message));
    };
    let count = parameters.len();
    let wanted = format!("a {name} has {count} of them: {}", parameters.join(", "));
    let Some(values) = element.list("params", 0, 16)? else {
        return Err(element.invalid(Some("params"), format!("missing; {wanted}")));
    };
    if values.len() != count {
        return Err(element.invalid(Some("params"), format!("{} numbers are given; {wanted}", values.len())));
    }
    make(&values).map_err(|message| element.invalid(Some("params"), message))
}

/// A whole number between two others.
fn whole(value: f64, [least, most]: [f64; 2], what: &str) -> Result<usize, String> {
    if value.fract() == 0.0 && (least..=most).contains(&value) {
        Ok(value as usize)
    } else {
        Err(format!("{what} is {value}; it must be a whole number from {least} to {most}"))
    }
}

/// An icosahedron whose triangles have been cut in four, so many times, and pushed to the sphere.
fn sphere(parameters: &[f64]) -> Result<TriangleMesh, String> {
    let times = whole(parameters[0], [0.0, 4.0], "the subdivision")?;
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut points = Vec::new();
    for (a, b) in [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)] {
        points.extend([Vector3::new(a, b, 0.0), Vector3::new(0.0, a, b), Vector3::new(b, 0.0, a)]);
    }
    let mut mesh = hull(&points.iter().map(|p| p.normalize()).collect::<Vec<_>>())?;
    for _ in 0..times {
        let mut middles = BTreeMap::new();
        let mut triangles = Vec::new();
        for &[a, b, c] in &mesh.triangles {
            let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[i, j]| {
                *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                    let middle = mesh.vertices[i as usize] + mesh.vertices[j as usize];
                    mesh.vertices.push(middle.normalize());
                    mesh.vertices.len() as u32 - 1
                })
            });
            triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        mesh.triangles = triangles;
    }
    Ok(mesh)
}

/// The upper half of an octahedron whose faces carry a triangular grid pushed to the sphere, closed by a flat bottom.
fn hemisphere(parameters: &[f64]) -> Result<TriangleMesh, String> {
    let n = whole(parameters[0], [0.0, 10.0], "the resolution")? as i32 + 1;
    let mut mesh = TriangleMesh::default();
    let mut numbers = BTreeMap::new();
    let mut number = |mesh: &mut TriangleMesh, x: i32, y: i32| {
        *numbers.entry((x, y)).or_insert_with(|| {
            let z = n - x.abs() - y.abs();
            mesh.vertices.push(Vector3::new(f64::from(x), f64::from(y), f64::from(z)).normalize());
            mesh.vertices.len() as u32 - 1
        })
    };
    for (sx, sy) in [(1, 1), (-1, 1), (-1, -1), (1, -1)] {
        // Counter-clockwise from above in the first and third quadrant, the other way round in the others.
        let turned = sx * sy < 0;
        for i in 0..n {
            for j in 0..n - i {
                let mut add = |corners: [(i32, i32); 3]| {
                    let mut triangle = corners.map(|(x, y)| number(&mut mesh, sx * x, sy * y));
                    if turned {
                        triangle.swap(1, 2);
                    }
                    mesh.triangles.push(triangle);
                };
                add([(i, j), (i + 1, j), (i, j + 1)]);
                if i + j + 1 < n {
                    add([(i + 1, j), (i + 1, j + 1), (i, j + 1)]);
                }
            }
        }
        for i in 0..n {
            let rim = |k: i32| (sx * (n - k), sy * k);
            let [a, b] = [i, i + 1].map(rim).map(|(x, y)| number(&mut mesh, x, y));
            let bottom = if turned { [u32::MAX, a, b] } else { [u32::MAX, b, a] };
            mesh.triangles.push(bottom);
        }
    }
    let center = mesh.vertices.len() as u32;
    mesh.vertices.push(Vector3::zeros());
    mesh.triangles.iter_mut().flatten().filter(|i| **i == u32::MAX).for_each(|i| *i = center);
    Ok(mesh)
}

/// A regular pyramid or its frustum, from z = -1 (radius 1) to z = 1.
fn cone(parameters: &[f64]) -> Result<TriangleMesh, String> {
    let n = whole(parameters[0], [3.0, FINEST], "the number of vertices")?;
    let top = parameters[1];
    if !(0.0..=1.0).contains(&top) {
        return Err(format!("the radius of the top is {top}; it must be between 0 and 1"));
    }
    let ring = |radius: f64, z: f64| {
        (0..n).map(move |i| {
            let angle = 2.0 * PI * i as f64 / n as f64;
            Vector3::new(radius * libm::cos(angle), radius * libm::sin(angle), z)
        })
    };
    let mut points: Vec<_> = ring(1.0, -1.0).collect();
    if top > 0.0 {
        points.extend(ring(top, 1.0));
    } else {
        points.push(Vector3::z());
    }
    hull(&points)
}

/// `|x|^e` with the sign of `x`.
fn power(x: f64, exponent: f64) -> f64 {
    // A zero that rounding missed would be far from zero for small exponents.
    if x.abs() < 1e-12 { 0.0 } else { x.signum() * libm::pow(x.abs(), exponent) }
}

fn exponents<const N: usize>(values: [f64; N]) -> Result<[f64; N], String> {
    match values.iter().find(|e| !(**e > 0.0 && **e <= 10.0)) {
        Some(bad) => Err(format!("an exponent is {bad}; it must be between 0 and 10")),
        None => Ok(values),
    }
}

/// Rings of `n` points at `n - 1` latitudes, and two poles.
fn supersphere(parameters: &[f64]) -> Result<TriangleMesh, String> {
    let n = whole(parameters[0], [3.0, FINEST], "the resolution")?;
    let [around, along] = exponents([parameters[1], parameters[2]])?;
    let mut mesh = TriangleMesh { vertices: vec![-Vector3::z(), Vector3::z()], triangles: Vec::new() };
    for i in 1..n {
        let latitude = PI * (i as f64 / n as f64 - 0.5);
        let (radius, z) = (power(libm::cos(latitude), along), power(libm::sin(latitude), along));
        for j in 0..n {
            let longitude = PI * (2.0 * j as f64 / n as f64 - 1.0);
            let (x, y) = (power(libm::cos(longitude), around), power(libm::sin(longitude), around));
            mesh.vertices.push(Vector3::new(radius * x, radius * y, z));
        }
    }
    let at = |ring: usize, j: usize| (2 + ring * n + j % n) as u32;
    for j in 0..n {
        mesh.triangles.push([0, at(0, j + 1), at(0, j)]);
        mesh.triangles.push([1, at(n - 2, j), at(n - 2, j + 1)]);
        for ring in 0..n - 2 {
            let [a, b, c, d] = [at(ring, j), at(ring, j + 1), at(ring + 1, j + 1), at(ring + 1, j)];
            mesh.triangles.extend([[a, b, d], [b, c, d]]);
        }
    }
    Ok(mesh)
}

/// `n` rings of `n` points about the z axis at distance 1.
fn supertorus(parameters: &[f64]) -> Result<TriangleMesh, String> {
    let n = whole(parameters[0], [3.0, FINEST], "the resolution")?;
    let radius = parameters[1];
    if !(radius > 0.0 && radius <= 1.0) {
        return Err(format!("the radius is {radius}; it must be positive and at most 1"));
    }
    let [across, around] = exponents([parameters[2], parameters[3]])?;
    let angle = |i: usize| 2.0 * PI * i as f64 / n as f64;
    let mut mesh = TriangleMesh::default();
    for i in 0..n {
        let (u, v) = (power(libm::cos(angle(i)), around), power(libm::sin(angle(i)), around));
        for j in 0..n {
            let distance = 1.0 + radius * power(libm::cos(angle(j)), across);
            let z = radius * power(libm::sin(angle(j)), across);
            mesh.vertices.push(Vector3::new(distance * u, distance * v, z));
        }
    }
    let at = |i: usize, j: usize| ((i % n) * n + j % n) as u32;
    for i in 0..n {
        for j in 0..n {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            mesh.triangles.extend([[a, b, d], [b, c, d]]);
        }
    }
    Ok(mesh)
}

fn hull(points: &[Vector3<f64>]) -> Result<TriangleMesh, String> {
    let hull = ConvexMesh::from_points(points).map_err(|error| error.to_string())?;
    Ok(TriangleMesh { vertices: hull.vertices().to_vec(), triangles: hull.triangles().to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_meshes_are_closed_and_have_the_volumes_of_mujocos() {
        // MuJoCo 4.0.0.
        let cases: [(&str, &[f64], f64); 12] = [
            ("sphere", &[0.0], 2.5361504726624076),
            ("sphere", &[2.0], 4.047044661651024),
            ("sphere", &[4.0], 4.179738957796405),
            ("hemisphere", &[0.0], 0.6666666666666665),
            ("hemisphere", &[1.0], 1.4714044623592553),
            ("hemisphere", &[3.0], 1.9097436909829886),
            ("cone", &[4.0, 0.0], 1.3333333333333333),
            ("cone", &[7.0, 0.3], 2.5357401146703027),
            ("supersphere", &[6.0, 0.5, 2.0], 2.118189136169318),
            ("supersphere", &[8.0, 1.0, 1.0], 3.6277019488500093),
            ("supertorus", &[4.0, 0.3, 1.0, 1.0], 1.6719999863306663),
            ("supertorus", &[5.0, 0.5, 0.5, 2.0], 3.1239193054247556),
        ];
        for (name, parameters, volume) in cases {
            let make = SHAPES.iter().find(|shape| shape.0 == name).unwrap().2;
            let mesh = make(parameters).unwrap();
            assert_eq!(mesh.open_edge(), None, "{name}");
            assert!(mesh.signed_volume() > 0.0, "{name}");
            let found = mesh.legacy_solid().mass;
            assert!((found / volume - 1.0).abs() < 1e-6, "{name} {parameters:?}: {found}, MuJoCo {volume}");
        }
    }

    #[test]
    fn parameters_out_of_range_are_refused_with_their_values() {
        assert!(sphere(&[5.0]).unwrap_err().contains('5'));
        assert!(cone(&[4.0, 2.0]).unwrap_err().contains('2'));
        assert!(supersphere(&[2.5, 1.0, 1.0]).unwrap_err().contains("2.5"));
        assert!(supertorus(&[4.0, 0.3, 0.0, 1.0]).unwrap_err().contains('0'));
    }
}
