//! Solvers and their settings as text: `nsgs max_iterations=200 relaxation=1.2`.
//!
//! # Grammar
//! ```text
//! choice  = name { setting }          separated by spaces
//! setting = field "=" value           a field of the solver's settings; what is not given keeps its default
//! value   = number | true | false | null | word
//! ```
//! This is the only place that reads or writes it. A program, a scene, the command line and Python all take such a text, so
//! that a setting has one name everywhere. Fields are those of the settings' own serialization.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::select::suggestion::did_you_mean;

/// Why a text names no solver.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChoiceError {
    /// No solver of this name fits.
    #[error("solver '{name}' is not one of those that fit; available: {}{}", .available.join(", "),
        did_you_mean(.name, .available.iter().copied()))]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names that fit.
        available: Vec<&'static str>,
    },
    /// The solver has no setting of this name.
    #[error("solver '{solver}' has no setting '{name}'; it has: {}{}", .available.join(", "),
        did_you_mean(.name, .available.iter().map(String::as_str)))]
    Setting {
        /// The solver.
        solver: &'static str,
        /// What was asked for.
        name: String,
        /// The settings it has.
        available: Vec<String>,
    },
    /// A setting's value is of the wrong kind.
    #[error("solver '{solver}': {name}={value}: {expected}")]
    Value {
        /// The solver.
        solver: &'static str,
        /// The setting.
        name: String,
        /// What was given.
        value: String,
        /// What would be right.
        expected: String,
    },
}

/// The name and the settings of a text.
pub(super) fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    text.split_once(char::is_whitespace).unwrap_or((text, ""))
}

/// `base` with the settings that `words` change.
pub(super) fn read<S: Serialize + DeserializeOwned>(
    solver: &'static str,
    base: S,
    words: &str,
) -> Result<S, ChoiceError> {
    let mut settings = base;
    for word in words.split_whitespace() {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let mut fields = fields(&settings);
        let Some(field) = fields.get_mut(name) else {
            let available = fields.keys().cloned().collect();
            return Err(ChoiceError::Setting { solver, name: name.into(), available });
        };
        *field = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        settings = serde_json::from_value(Value::Object(fields)).map_err(|error| ChoiceError::Value {
            solver,
            name: name.into(),
            value: value.into(),
            expected: error.to_string(),
        })?;
    }
    Ok(settings)
}

/// The settings that differ from `base`, each after a space.
pub(super) fn write<S: Serialize>(
    f: &mut std::fmt::Formatter<'_>,
    base: &S,
    settings: &S,
) -> std::fmt::Result {
    let base = fields(base);
    for (name, value) in fields(settings).iter().filter(|(name, value)| base.get(*name) != Some(value)) {
        match value {
            Value::String(word) => write!(f, " {name}={word}")?,
            other => write!(f, " {name}={other}")?,
        }
    }
    Ok(())
}

/// Settings by name. (Settings are structures of plain fields: nothing else is ever serialized here.)
fn fields<S: Serialize>(settings: &S) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}
