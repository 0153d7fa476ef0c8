//! Why a scene cannot be loaded: one sentence with the place, the value and what would be right.

use crate::model::ModelError;
use crate::scene::place::Place;
use std::path::PathBuf;
use stiction_solvers::io::sentence;

/// Why a scene cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The extension names no format this reader knows.
    #[error("{}: unknown scene format {:?}; a scene is an MJCF file ending in .xml or .mjcf", path.display(), sentence(extension))]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Its extension, without the dot.
        extension: String,
    },
    /// The text is not well-formed XML.
    #[error("{place}:{}: not well-formed XML: {}", place.column, sentence(message))]
    Xml {
        /// Where the parser stopped.
        place: Place,
        /// What is wrong.
        message: String,
    },
    /// Something in the scene is wrong or not supported.
    #[error("{place}: {}", sentence(&(subject(element, attribute.as_deref()) + message)))]
    Invalid {
        /// The attribute's value, or the element's tag.
        place: Place,
        /// The element and its name, as in `geom "floor"`.
        element: String,
        /// The attribute, when one is to blame.
        attribute: Option<String>,
        /// The value and what would be right.
        message: String,
    },
    /// The parts are fine but do not make a model.
    #[error("{place}: {}", sentence(&source.to_string()))]
    Model {
        /// Tag of the element to blame, or of the scene's first element.
        place: Place,
        /// The element to blame.
        element: String,
        /// What is wrong.
        source: Box<ModelError>,
    },
}

impl SceneError {
    /// What to underline, when the error is about the content of a file.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Io { .. } | Self::UnknownFormat { .. } => None,
            Self::Xml { place, .. } | Self::Invalid { place, .. } | Self::Model { place, .. } => Some(place),
        }
    }

    /// The line to blame, from 1, when the error has one.
    pub fn line(&self) -> Option<usize> {
        self.place().map(|place| place.line)
    }
}

/// `geom "floor", size: ` or `geom "floor": `.
fn subject(element: &str, attribute: Option<&str>) -> String {
    match attribute {
        Some(attribute) => format!("{element}, {attribute}: "),
        None => format!("{element}: "),
    }
}
