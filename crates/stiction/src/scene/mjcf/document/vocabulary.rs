//! Which elements and attributes MJCF has, whether this reader heeds them or not.
//!
//! MuJoCo refuses any other, and so does this reader: a misspelt attribute would silently leave its default in force.
//! The table is MuJoCo's own schema, written by `tests/oracle/mjcf_schema.py`; a line of it reads
//! `parent | elements | attributes`.

use crate::scene::error::SceneError;
use crate::scene::mjcf::document::element::Element;
use crate::suggestion::did_you_mean;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Attributes by parent and tag.
type Vocabulary = BTreeMap<&'static str, BTreeMap<&'static str, Vec<&'static str>>>;

static SCHEMA: LazyLock<Vocabulary> = LazyLock::new(|| {
    let mut schema = Vocabulary::new();
    for line in include_str!("schema.txt").lines() {
        let mut fields = line.split('|').map(str::trim);
        let mut next = || fields.next().unwrap_or_default();
        let (parent, tags, attributes) = (next(), next(), next());
        for tag in tags.split_whitespace() {
            schema.entry(parent).or_default().insert(tag, attributes.split_whitespace().collect());
        }
    }
    schema
});

/// Elements that may hold all that a body may.
const BODIES: [&str; 4] = ["worldbody", "body", "frame", "replicate"];

/// Attributes of earlier versions of MuJoCo, by the element's tag. None of them changes the model, and they are noted as
/// not read.
const FORMER: [(&str, &str); 5] = [
    ("compiler", "convexhull"),
    ("option", "apirate"),
    ("option", "mpr_iterations"),
    ("option", "mpr_tolerance"),
    ("flag", "sensornoise"),
];

/// Shorter lists of what is known are said in full.
const FEW: usize = 12;

/// Checks the elements inside one, and theirs.
///
/// # Errors
/// An element or attribute that MJCF does not have, or not there.
pub(crate) fn check_words(parent: Element<'_>) -> Result<(), SceneError> {
    let tag = if BODIES.contains(&parent.tag()) { "body" } else { parent.tag() };
    for element in parent.children() {
        let Some(attributes) = SCHEMA.get(tag).and_then(|elements| elements.get(element.tag())) else {
            return Err(element.invalid(None, unknown_element(parent.tag(), tag, element.tag())));
        };
        for name in element.attribute_names().filter(|name| !attributes.contains(name)) {
            if !FORMER.contains(&(element.tag(), name)) {
                return Err(element.misnamed(name, unknown_attribute(name, attributes)));
            }
        }
        // What has no counterpart here is refused as a whole where it is read.
        if element.tag() != "composite" {
            check_words(element)?;
        }
    }
    Ok(())
}

fn unknown_attribute(name: &str, known: &[&str]) -> String {
    let hint = did_you_mean(name, known.iter().copied());
    match known.len() {
        0 => "unknown attribute; the element has none".to_string(),
        count if count <= FEW && hint.is_empty() => {
            format!("unknown attribute; known are {}", known.join(", "))
        }
        _ => format!("unknown attribute{hint}"),
    }
}

/// `parent` is the tag as written, `context` the one it is known by.
fn unknown_element(parent: &str, context: &str, tag: &str) -> String {
    let known: Vec<&str> = SCHEMA.get(context).map(|e| e.keys().copied().collect()).unwrap_or_default();
    let hint = did_you_mean(tag, known.iter().copied());
    let elsewhere: Vec<&str> = SCHEMA.iter().filter(|(_, e)| e.contains_key(tag)).map(|(p, _)| *p).collect();
    if hint.is_empty() && !elsewhere.is_empty() {
        return format!("not an element of <{parent}>; it belongs into <{}>", elsewhere.join("> or <"));
    }
    match known.len() {
        0 => format!("unknown element; <{parent}> has none"),
        count if count <= FEW && hint.is_empty() => {
            format!("unknown element; known are {}", known.join(", "))
        }
        _ => format!("unknown element{hint}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_schema_has_a_parent_that_is_an_element_itself() {
        assert!(SCHEMA.len() > 20 && SCHEMA["body"]["geom"].contains(&"fromto"));
        for parent in SCHEMA.keys().filter(|parent| **parent != "mujoco") {
            assert!(SCHEMA.values().any(|elements| elements.contains_key(parent)), "{parent}");
        }
        assert!(
            BODIES.iter().all(|tag| SCHEMA["body"].contains_key(tag) || SCHEMA["mujoco"].contains_key(tag))
        );
    }

    #[test]
    fn former_attributes_are_not_in_the_present_schema() {
        for (tag, name) in FORMER {
            let elements = SCHEMA.values().filter_map(|elements| elements.get(tag));
            assert!(
                elements.clone().count() > 0 && elements.clone().all(|a| !a.contains(&name)),
                "{tag} {name}"
            );
        }
    }
}
