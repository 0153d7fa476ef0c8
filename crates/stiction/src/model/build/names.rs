//! Names: unique within a kind, made up where none is given.

use super::element::{Element, ElementKind};
use super::error::ModelError;
use std::collections::BTreeSet;

/// Hands out the names of one kind of element: first all given names are claimed, then the missing ones are made.
pub(crate) struct NameSpace {
    kind: ElementKind,
    taken: BTreeSet<String>,
}

impl NameSpace {
    /// Claims all given names; empty ones are skipped. Two equal names are an error.
    pub(crate) fn claim<'a>(
        kind: ElementKind,
        given: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, ModelError> {
        let mut taken = BTreeSet::new();
        for name in given.into_iter().filter(|name| !name.is_empty()) {
            if !taken.insert(name.to_owned()) {
                return Err(ModelError::DuplicateName { element: Element::new(kind, name) });
            }
        }
        Ok(Self { kind, taken })
    }

    /// The given name, or, where it is empty, the fallback: with `.1`, `.2`, ... behind it if it is taken.
    pub(crate) fn resolve(&mut self, given: &str, fallback: impl FnOnce() -> String) -> Element {
        if !given.is_empty() {
            return Element::new(self.kind, given);
        }
        let stem = fallback();
        let mut name = stem.clone();
        let mut number = 0;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{stem}.{number}");
        }
        Element { kind: self.kind, name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_names_step_aside_for_given_ones() {
        let mut names = NameSpace::claim(ElementKind::Geom, ["a/0", "", "a/0.1"]).unwrap();
        assert_eq!(names.resolve("", || "a/0".into()).name, "a/0.2");
        assert_eq!(names.resolve("", || "a/1".into()).name, "a/1");
        assert_eq!(names.resolve("a/0", || "unused".into()).name, "a/0");
    }
}
