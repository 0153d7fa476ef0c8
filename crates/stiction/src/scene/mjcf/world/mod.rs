//! The world: one file an element of the tree of bodies. Each applies the default classes around it, then its own attributes.
//!
//! | file | element |
//! |---|---|
//! | `body` | `<worldbody>`, `<body>`, `<frame>` |
//! | `inertial` | `<inertial>` |
//! | `joint` | `<joint>`, `<freejoint>` |
//! | `geom` | `<geom>` |
//! | `site` | `<site>` |

pub(crate) mod body;
pub(crate) mod geom;
pub(crate) mod inertial;
pub(crate) mod joint;
pub(crate) mod site;
