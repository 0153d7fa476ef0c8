//! Mesh files, whatever scene names them.
//!
//! | file | what it is |
//! |---|---|
//! | `file` | reads STL and OBJ |
//! | `triangle_mesh` | triangles, whether they bound a solid, and its mass properties |
//!
//! The mass properties are sums over the tetrahedra between the origin and each triangle: volume `det(a, b, c) / 6`, first and
//! second moments as polynomials of the corners. `scene::mjcf::asset` makes convex hulls of the points.

pub(crate) mod file;
pub(crate) mod triangle_mesh;
