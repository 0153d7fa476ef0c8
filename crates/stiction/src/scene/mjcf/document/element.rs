//! Elements of the XML trees with their places, and strict access to attributes.
//!
//! Children are those of the scene, across files: an `<include>` is never seen, what it stands for is.
//! Every number is finite, every count is checked, and every complaint names file, line, element, attribute,
//! value and what would be right.

use crate::scene::Notes;
use crate::scene::error::SceneError;
use crate::scene::load_report::{EntryKind, ReportEntry};
use crate::scene::mjcf::document::files::{Files, Source};
use crate::scene::place::Place;
use crate::suggestion::did_you_mean;
use nalgebra::Vector3;
use std::path::PathBuf;

/// Products of three numbers of this size are finite still.
const LARGEST: f64 = 1e100;

/// An element of a scene.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<'d> {
    node: roxmltree::Node<'d, 'd>,
    files: &'d Files<'d>,
    /// Which of the files it stands in.
    file: usize,
}

/// `true`, `false` or `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Switch {
    On,
    Off,
    Auto,
}

impl<'d> Element<'d> {
    /// The root of the main file.
    pub(crate) fn root(files: &'d Files<'d>) -> Self {
        Self::root_of(files, 0)
    }

    fn root_of(files: &'d Files<'d>, file: usize) -> Self {
        Self { node: files.trees[file].root_element(), files, file }
    }

    /// The roots of included files; their children stand elsewhere.
    pub(crate) fn included_roots(files: &'d Files<'d>) -> impl Iterator<Item = Self> {
        (1..files.trees.len()).map(|file| Self::root_of(files, file))
    }

    pub(crate) fn tag(&self) -> &'d str {
        self.node.tag_name().name()
    }

    /// The elements inside this one, those of included files in the place of the `<include>`.
    pub(crate) fn children(&self) -> impl Iterator<Item = Element<'d>> + use<'d> {
        let mut children = Vec::new();
        self.gather_children(&mut children);
        children.into_iter()
    }

    fn gather_children(&self, into: &mut Vec<Element<'d>>) {
        for node in self.node.children().filter(roxmltree::Node::is_element) {
            match self.files.included(self.file, node) {
                Some(file) => Self::root_of(self.files, file).gather_children(into),
                None => into.push(Element { node, ..*self }),
            }
        }
    }

    /// The text inside the element.
    pub(crate) fn text(&self) -> &'d str {
        self.node.text().unwrap_or_default()
    }

    /// Where a file is that the element names by a path, which is relative to the main file's directory.
    pub(crate) fn resolve(&self, path: &str) -> PathBuf {
        self.files.resolve(path)
    }

    fn source(&self) -> &'d Source {
        &self.files.sources[self.file]
    }

    /// `line 12`, or `line 12 of arm.xml` when that is another file than the reader's.
    pub(crate) fn line_seen_from(&self, reader: Element<'_>) -> String {
        let line = self.source().line(self.node.range().start);
        match self.file == reader.file {
            true => format!("line {line}"),
            false => format!("line {line} of {}", self.source().file),
        }
    }

    /// The element and its name, or what else tells it apart: `geom "floor"`.
    pub(crate) fn label(&self) -> String {
        label(self.node)
    }

    fn place(&self, attribute: Option<&str>) -> Place {
        self.source().place_of(self.node, attribute)
    }

    /// An error about this element or one of its attributes.
    pub(crate) fn invalid(&self, attribute: Option<&str>, message: impl Into<String>) -> SceneError {
        self.source().invalid(self.node, attribute, message)
    }

    /// An error about the name of an attribute.
    pub(crate) fn misnamed(&self, attribute: &str, message: impl Into<String>) -> SceneError {
        self.source().misnamed(self.node, attribute, message)
    }

    /// An error about the model with this element to blame.
    pub(crate) fn model_error(&self, source: crate::model::ModelError) -> SceneError {
        SceneError::Model { place: self.place(None), element: self.label(), source: Box::new(source) }
    }

    /// Notes something about this element or one of its attributes.
    pub(crate) fn note(
        &self,
        notes: &mut Notes,
        kind: EntryKind,
        attribute: Option<&str>,
        message: impl Into<String>,
    ) {
        notes.add(self.entry(kind, self.label(), attribute, message));
    }

    /// Notes that this kind of element, or of attribute, has no effect on motion.
    pub(crate) fn note_cosmetic(&self, notes: &mut Notes, attribute: Option<&str>) {
        notes.add_cosmetic(attribute.unwrap_or(self.tag()), || {
            let message = "no effect on motion (noted once for all of its kind)";
            // The name of one of many would mislead.
            self.entry(EntryKind::Ignored, self.tag().to_string(), attribute, message)
        });
    }

    fn entry(
        &self,
        kind: EntryKind,
        element: String,
        attribute: Option<&str>,
        message: impl Into<String>,
    ) -> ReportEntry {
        let (place, attribute) = (self.place(attribute), attribute.map(str::to_string));
        ReportEntry { kind, place, element, attribute, message: message.into() }
    }

    pub(crate) fn attribute_names(&self) -> impl Iterator<Item = &'d str> + use<'d> {
        self.node.attributes().map(|a| a.name())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.node.has_attribute(name)
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&'d str> {
        self.node.attribute(name)
    }

    /// The name, or nothing for elements without one.
    pub(crate) fn name(&self) -> &'d str {
        self.attribute("name").unwrap_or_default()
    }

    /// An attribute that must be there.
    pub(crate) fn required(&self, name: &str, what: &str) -> Result<&'d str, SceneError> {
        match self.attribute(name) {
            Some(value) if !value.is_empty() => Ok(value),
            _ => Err(self.invalid(Some(name), format!("missing; {what}"))),
        }
    }

    /// Between `least` and `most` finite numbers; `None` without the attribute.
    pub(crate) fn list(&self, name: &str, least: usize, most: usize) -> Result<Option<Vec<f64>>, SceneError> {
        let Some(text) = self.attribute(name) else { return Ok(None) };
        let mut numbers = Vec::new();
        for word in text.split_ascii_whitespace() {
            match word.parse::<f64>() {
                // The inverse of a subnormal number is not finite.
                Ok(number) if number.is_subnormal() => {
                    let message = format!("{} is too small to compute with; zero may be meant", quoted(word));
                    return Err(self.invalid(Some(name), message));
                }
                Ok(number) if number.is_finite() && number.abs() > LARGEST => {
                    let message =
                        format!("{} is too large to compute with; at most {LARGEST:e}", quoted(word));
                    return Err(self.invalid(Some(name), message));
                }
                Ok(number) if number.is_finite() => numbers.push(number),
                Ok(_) => {
                    let message = format!("{} is not finite; a finite number is needed", quoted(word));
                    return Err(self.invalid(Some(name), message));
                }
                Err(_) => {
                    let message = format!("{} in {} is not a number", quoted(word), quoted(text));
                    return Err(self.invalid(Some(name), message));
                }
            }
        }
        if numbers.len() < least || numbers.len() > most {
            let right = match (least, most) {
                (1, 1) => "one number is needed".to_string(),
                (least, most) if least == most => format!("{most} numbers are needed"),
                (least, usize::MAX) => format!("at least {least} are needed"),
                (least, most) => format!("{least} to {most} numbers are needed"),
            };
            let message = format!("{} has {} numbers; {right}", quoted(text), numbers.len());
            return Err(self.invalid(Some(name), message));
        }
        Ok(Some(numbers))
    }

    /// Exactly N numbers.
    pub(crate) fn numbers<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, SceneError> {
        Ok(self.list(name, N, N)?.and_then(|list| <[f64; N]>::try_from(list).ok()))
    }

    /// Exactly one number.
    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, SceneError> {
        Ok(self.numbers::<1>(name)?.map(|[number]| number))
    }

    /// One number that must not be negative.
    pub(crate) fn nonnegative(&self, name: &str) -> Result<Option<f64>, SceneError> {
        match self.number(name)? {
            Some(number) if number < 0.0 => {
                Err(self.invalid(Some(name), format!("{number} is negative; zero or more is needed")))
            }
            number => Ok(number),
        }
    }

    /// One number that must be greater than zero; `unit` is for the message.
    pub(crate) fn positive(&self, name: &str, unit: &str) -> Result<Option<f64>, SceneError> {
        match self.number(name)? {
            Some(number) if number <= 0.0 => {
                Err(self.invalid(Some(name), format!("{number} is not positive ({unit})")))
            }
            number => Ok(number),
        }
    }

    /// One number from 0 to 1, which `range` tells in words.
    pub(crate) fn fraction(&self, name: &str, range: &str) -> Result<Option<f64>, SceneError> {
        match self.number(name)? {
            Some(number) if !(0.0..=1.0).contains(&number) => {
                Err(self.invalid(Some(name), format!("{number} is not {range}")))
            }
            number => Ok(number),
        }
    }

    pub(crate) fn vector(&self, name: &str) -> Result<Option<Vector3<f64>>, SceneError> {
        Ok(self.numbers::<3>(name)?.map(Vector3::from))
    }

    /// Overwrites the first numbers of an array with those given; the others stay as they are. Returns how many
    /// were given.
    pub(crate) fn overwrite(&self, name: &str, into: &mut [f64]) -> Result<usize, SceneError> {
        let given = self.list(name, 0, into.len())?.unwrap_or_default();
        into[..given.len()].copy_from_slice(&given);
        Ok(given.len())
    }

    /// One integer.
    pub(crate) fn integer(&self, name: &str) -> Result<Option<i32>, SceneError> {
        let Some(text) = self.attribute(name) else { return Ok(None) };
        match text.trim().parse::<i32>() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(self.invalid(Some(name), format!("{} is not an integer", quoted(text)))),
        }
    }

    /// One of a list of words.
    pub(crate) fn keyword<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<Option<T>, SceneError> {
        let Some(text) = self.attribute(name) else { return Ok(None) };
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return Ok(Some(*value));
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let message = format!(
            "{} is not one of {}{}",
            quoted(text),
            known.join(", "),
            did_you_mean(text, known.iter().copied())
        );
        Err(self.invalid(Some(name), message))
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self, name: &str) -> Result<Option<bool>, SceneError> {
        self.keyword(name, &[("true", true), ("false", false)])
    }

    /// `true`, `false` or `auto`.
    pub(crate) fn switch(&self, name: &str) -> Result<Option<Switch>, SceneError> {
        self.keyword(name, &[("true", Switch::On), ("false", Switch::Off), ("auto", Switch::Auto)])
    }

    /// An ordered pair of numbers.
    pub(crate) fn interval(&self, name: &str) -> Result<Option<[f64; 2]>, SceneError> {
        match self.numbers::<2>(name)? {
            Some([lower, upper]) if lower > upper => Err(self.invalid(
                Some(name),
                format!("lower end {lower} is above upper end {upper}; the lower one comes first"),
            )),
            interval => Ok(interval),
        }
    }
}

/// An element and its name, or what else tells it apart: `geom "floor"`.
pub(crate) fn label(node: roxmltree::Node<'_, '_>) -> String {
    let tag = node.tag_name().name();
    let name = match tag {
        "default" => "class",
        "mujoco" => "model",
        _ => "name",
    };
    match node.attribute(name) {
        Some(name) => format!("{tag} {name:?}"),
        None => tag.to_string(),
    }
}

/// A value in quotes, shortened when long.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}
