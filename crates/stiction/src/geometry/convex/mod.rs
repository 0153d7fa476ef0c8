//! Contacts of convex shapes by the direction of largest separation, `max s(n) = -h_A(n) - h_B(-n)` over unit vectors n.
//!
//! | file | what it is |
//! |---|---|
//! | `support` | a placed shape as its support function, faces, edges and labels of features |
//! | `separating_direction` | step 1 and 2: candidates that are exact, then a search (GJK, EPA) and Newton's method |
//! | `contact_region` | step 3: the corners of what both shapes cover along the normal |
//! | `pair` | the three steps in order; `narrow` calls it |
//! | `polyhedron` | convex meshes with planes and spheres |

pub(crate) mod contact_region;
pub(crate) mod pair;
pub(crate) mod polyhedron;
pub(crate) mod separating_direction;
pub(crate) mod support;
