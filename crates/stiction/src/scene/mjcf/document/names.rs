//! Names of elements: unique among their kind, and where they stand in the file.

use crate::scene::error::SceneError;
use crate::scene::mjcf::document::element::Element;
use crate::suggestion::did_you_mean;
use std::collections::BTreeMap;

/// Named elements by kind and name.
#[derive(Debug, Default)]
pub(crate) struct Names<'d> {
    elements: BTreeMap<(&'static str, &'d str), Element<'d>>,
}

impl<'d> Names<'d> {
    /// Adds an element; one without a name is not kept.
    pub(crate) fn register(&mut self, kind: &'static str, element: Element<'d>) -> Result<(), SceneError> {
        let name = element.name();
        if name.is_empty() {
            return Ok(());
        }
        match self.elements.insert((kind, name), element) {
            Some(first) => {
                let message = format!(
                    "{name:?} is taken by the {kind} on {}; names must be unique",
                    first.line_seen_from(element)
                );
                Err(element.invalid(Some("name"), message))
            }
            None => Ok(()),
        }
    }

    pub(crate) fn get(&self, kind: &'static str, name: &str) -> Option<Element<'d>> {
        self.elements.get(&(kind, name)).copied()
    }

    /// All names of a kind.
    pub(crate) fn of(&self, kind: &'static str) -> impl Iterator<Item = &'d str> + '_ {
        self.elements
            .range((kind, "")..)
            .take_while(move |((k, _), _)| *k == kind)
            .map(|((_, name), _)| *name)
    }

    /// "there is no body "x" (did you mean "y"?)".
    pub(crate) fn missing(&self, kind: &'static str, name: &str) -> String {
        format!("there is no {kind} {name:?}{}", did_you_mean(name, self.of(kind)))
    }
}
