//! Names: unique within a kind, made up where none is given, and the closest one to a misspelling.

use super::{Element, ElementKind, ModelError};
use std::collections::BTreeSet;

/// Hands out the names of one kind of element: first all given names are claimed, then the missing ones are made.
pub(super) struct NameSpace {
    kind: ElementKind,
    taken: BTreeSet<String>,
}

impl NameSpace {
    /// Claims all given names; empty ones are skipped. Two equal names are an error.
    pub(super) fn claim<'a>(
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
    pub(super) fn resolve(&mut self, given: &str, fallback: impl FnOnce() -> String) -> Element {
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

/// The existing name closest to a misspelled one, if any is close enough to be meant.
pub(super) fn suggestion<'a>(
    misspelled: &str,
    existing: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let limit = (misspelled.chars().count() / 3).max(2);
    existing
        .into_iter()
        .map(|name| (edit_distance(misspelled, name), name))
        .filter(|&(distance, name)| distance <= limit && distance < name.chars().count())
        .min()
        .map(|(_, name)| name.to_owned())
}

/// Levenshtein's distance: fewest insertions, deletions and replacements of characters.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edit_distance_is_symmetric_and_counts_single_changes() {
        for (a, b, d) in [
            ("", "abc", 3),
            ("knee", "knee", 0),
            ("knee", "kne", 1),
            ("kitten", "sitting", 3),
            ("ab", "ba", 2),
        ] {
            assert_eq!(edit_distance(a, b), d);
            assert_eq!(edit_distance(b, a), d);
        }
    }

    #[test]
    fn only_a_name_close_enough_to_be_meant_is_suggested() {
        let names = ["left knee", "right knee", "hip"];
        assert_eq!(suggestion("left kne", names), Some("left knee".into()));
        assert_eq!(suggestion("shoulder", names), None);
        assert_eq!(suggestion("", names), None);
        assert_eq!(suggestion("xyz", names), None);
    }

    #[test]
    fn made_up_names_step_aside_for_given_ones() {
        let mut names = NameSpace::claim(ElementKind::Geom, ["a/0", "", "a/0.1"]).unwrap();
        assert_eq!(names.resolve("", || "a/0".into()).name, "a/0.2");
        assert_eq!(names.resolve("", || "a/1".into()).name, "a/1");
        assert_eq!(names.resolve("a/0", || "unused".into()).name, "a/0");
    }
}
