//! Contacts of pairs of shapes in closed form.

pub(crate) mod box_box;
pub(crate) mod box_closest;
pub(crate) mod capsule_box;
pub(crate) mod capsule_capsule;
pub(crate) mod cylinder;
pub(crate) mod ellipsoid;
pub(crate) mod face_clip;
pub(crate) mod plane;
pub(crate) mod segment;
pub(crate) mod sphere;
