//! Scenes: files that describe a model and how to simulate it.
//!
//! The native format is MJCF, so that the same file runs in MuJoCo; what MJCF has no words for goes into its own
//! `<custom>` element under names that begin with `stiction:`.
//!
//! | entry of `<custom>` | meaning |
//! |---|---|
//! | `<text name="stiction:contact_model" data="..."/>` | [`Options::contact_model`] |
//! | `<text name="stiction:solver" data="..."/>` | [`Options::solver`], with its settings: `nsgs max_iterations=200` |
//! | `<text name="stiction:stepper" data="..."/>` | [`Options::stepper`]: `time-stepping`, `acceleration` or `event-driven` |
//! | `<numeric name="stiction:duration" data="..."/>` | [`Options::duration`] (s) |
//! | `<numeric name="stiction:friction_directions" data="..."/>` | [`Options::friction_directions`] |
//! | `<numeric name="stiction:viscosity" data="..."/>` | [`Options::viscosity`] (N s/m) |
//! | `<numeric name="stiction:compliance" data="..."/>` | [`Options::compliance`] (1/kg) |
//! | `<numeric name="stiction:impact_threshold" data="..."/>` | [`Options::impact_threshold`] (m/s) |
//! | `<numeric name="stiction:baumgarte" data="..."/>` | [`Options::baumgarte`], 0 to 1 |
//! | `<numeric name="stiction:overlap_tolerance" data="..."/>` | [`Options::overlap_tolerance`] (m or rad) |
//! | `<numeric name="stiction:depenetration_speed" data="..."/>` | [`Options::depenetration_speed`] (m/s) |
//! | `<numeric name="stiction:friction:A:B" data="..."/>` | friction between materials A and B |
//! | `<text name="stiction:law:A:B" data="..."/>` | the law between materials A and B, see [`Law`](crate::contact::Law): `no-slip`, `coulomb 0.3 viscous 2` |
//! | `<text name="stiction:law" data="..."/>` | the law of all contacts that no rule is about, in place of the friction of geoms |
//! | `<numeric name="stiction:surface_velocity:GEOM" data="x y z"/>` | [`Geom::surface_velocity`](crate::model::Geom::surface_velocity) (geom frame, m/s) |
//! | `<numeric name="stiction:mocap_velocity:BODY" data="wx wy wz vx vy vz"/>` | [`Model::mocap_velocities`] (world axes, rad/s then m/s) |
//! | `<numeric name="stiction:restitution" data="..."/>` | coefficient of restitution of all contacts that no pair of materials is about, 0 (as without it) to 1 |
//! | `<numeric name="stiction:restitution:A:B" data="..."/>` | the same between materials A and B |
//! | `<text name="stiction:impact" data="..."/>` | [`Options::impact`]: `poisson` or `newton` |
//! | `<text name="stiction:closure:NAME" data="KIND SITE1 SITE2 ..."/>` | a joint between two sites that closes a loop: `hinge`, `slide`, `ball`, `universal`, `cylindrical`, `planar` or `weld`, see [`ClosureSpec`](crate::model::ClosureSpec); after a single joint its `range=low,high`, `ref`, `springref`, `stiffness`, `damping`, `armature`, `frictionloss` |
//! | `<text name="stiction:motion:NAME" data="..."/>` | the coordinate of a hinge, slide or tendon as a function of time, see [`TimeFunction`](crate::model::TimeFunction) |

pub(crate) mod error;
pub(crate) mod load_report;
#[cfg(feature = "mjcf")]
pub(crate) mod mesh;
#[cfg(feature = "mjcf")]
pub mod mjcf;
#[cfg(feature = "mjcf")]
pub(crate) mod notes;
pub(crate) mod place;

pub use error::SceneError;
pub use load_report::{EntryKind, LoadReport, ReportEntry};

pub use place::Place;

pub use crate::suggestion::did_you_mean;

use crate::model::Model;
#[cfg(feature = "mjcf")]
use crate::scene::notes::Notes;
use crate::settings::Options;
#[cfg(feature = "mjcf")]
use std::path::Path;

/// A scene: the model, how to simulate it, and what the reader had to say about the file.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The model.
    pub model: Model,
    /// How to simulate it, as far as the file says.
    pub options: Options,
    /// What was inferred, defaulted, ignored or repaired.
    pub report: LoadReport,
}

/// Loads a scene from a file, by its extension (`.xml` or `.mjcf`: MJCF).
///
/// # Errors
/// The file or one it includes cannot be read, its extension is unknown, it is not well formed, or its content is
/// refused.
#[cfg(feature = "mjcf")]
pub fn load(path: &Path) -> Result<Scene, SceneError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if extension != "xml" && extension != "mjcf" {
        return Err(SceneError::UnknownFormat { path: path.to_path_buf(), extension });
    }
    let text = mjcf::document::files::read_text(path)?;
    mjcf::parse(&text, &path.display().to_string())
}
