//! The XML tree with positions, and strict access to attributes.
//!
//! Every number is finite, every count is checked, and every complaint names file, line, element, attribute,
//! value and what would be right.

use crate::scene::{EntryKind, Notes, ReportEntry, SceneError};
use crate::suggestion::did_you_mean;
use nalgebra::Vector3;

/// Deepest nesting of elements. Readers below recurse, so it must keep their stack small.
const DEEPEST: usize = 200;

/// The file's name and where its lines begin.
#[derive(Debug)]
pub(super) struct Source {
    file: String,
    line_starts: Vec<usize>,
}

impl Source {
    pub(super) fn new(text: &str, file: &str) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(i, _)| i + 1);
        Self { file: file.to_string(), line_starts: std::iter::once(0).chain(newlines).collect() }
    }

    fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset)
    }

    /// The error of text that is not XML.
    pub(super) fn xml_error(&self, error: &roxmltree::Error) -> SceneError {
        let (at, text) = (error.pos(), error.to_string());
        // The parser appends its own position, which this error has as fields.
        let message = text.strip_suffix(&format!(" at {at}")).unwrap_or(&text).to_string();
        SceneError::Xml { file: self.file.clone(), line: at.row as usize, column: at.col as usize, message }
    }

    /// Refuses files nested so deeply that reading them recursively could exhaust the stack.
    pub(super) fn check_depth(&self, document: &roxmltree::Document<'_>) -> Result<(), SceneError> {
        let mut depth = 0;
        let mut at = document.root_element();
        loop {
            if let Some(child) = at.first_element_child() {
                depth += 1;
                at = child;
                if depth > DEEPEST {
                    let message = format!("nested {depth} elements deep; at most {DEEPEST} are accepted");
                    return Err(Element { node: at, source: self }.invalid(None, message));
                }
                continue;
            }
            loop {
                if let Some(next) = at.next_sibling_element() {
                    at = next;
                    break;
                }
                match at.parent_element() {
                    Some(parent) if depth > 0 => {
                        depth -= 1;
                        at = parent;
                    }
                    _ => return Ok(()),
                }
            }
        }
    }
}

/// An element of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element<'d> {
    node: roxmltree::Node<'d, 'd>,
    source: &'d Source,
}

/// `true`, `false` or `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Switch {
    On,
    Off,
    Auto,
}

impl<'d> Element<'d> {
    pub(super) fn root(document: &'d roxmltree::Document<'d>, source: &'d Source) -> Self {
        Self { node: document.root_element(), source }
    }

    pub(super) fn tag(&self) -> &'d str {
        self.node.tag_name().name()
    }

    pub(super) fn children(&self) -> impl Iterator<Item = Element<'d>> + use<'d> {
        let source = self.source;
        self.node.children().filter(|n| n.is_element()).map(move |node| Element { node, source })
    }

    /// The text inside the element.
    pub(super) fn text(&self) -> &'d str {
        self.node.text().unwrap_or_default()
    }

    pub(super) fn line(&self) -> usize {
        self.source.line(self.node.range().start)
    }

    /// The element and its name, or what else tells it apart: `geom "floor"`.
    pub(super) fn label(&self) -> String {
        match ["name", "class", "model"].iter().find_map(|a| self.node.attribute(*a)) {
            Some(name) => format!("{} {name:?}", self.tag()),
            None => self.tag().to_string(),
        }
    }

    fn attribute_line(&self, name: &str) -> usize {
        match self.node.attribute_node(name) {
            Some(attribute) => self.source.line(attribute.range().start),
            None => self.line(),
        }
    }

    /// An error about this element or one of its attributes.
    pub(super) fn invalid(&self, attribute: Option<&str>, message: impl Into<String>) -> SceneError {
        SceneError::Invalid {
            file: self.source.file.clone(),
            line: attribute.map_or_else(|| self.line(), |a| self.attribute_line(a)),
            element: self.label(),
            attribute: attribute.map(str::to_string),
            message: message.into(),
        }
    }

    /// An error about the model with this element to blame.
    pub(super) fn model_error(&self, source: crate::model::ModelError) -> SceneError {
        SceneError::Model {
            file: self.source.file.clone(),
            line: self.line(),
            element: self.label(),
            source: Box::new(source),
        }
    }

    /// Notes something about this element or one of its attributes.
    pub(super) fn note(
        &self,
        notes: &mut Notes,
        kind: EntryKind,
        attribute: Option<&str>,
        message: impl Into<String>,
    ) {
        notes.add(ReportEntry {
            kind,
            file: self.source.file.clone(),
            line: attribute.map_or_else(|| self.line(), |a| self.attribute_line(a)),
            element: self.label(),
            attribute: attribute.map(str::to_string),
            message: message.into(),
        });
    }

    pub(super) fn attribute_names(&self) -> impl Iterator<Item = &'d str> + use<'d> {
        self.node.attributes().map(|a| a.name())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.node.has_attribute(name)
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&'d str> {
        self.node.attribute(name)
    }

    /// The name, or nothing for elements without one.
    pub(super) fn name(&self) -> &'d str {
        self.attribute("name").unwrap_or_default()
    }

    /// An attribute that must be there.
    pub(super) fn required(&self, name: &str, what: &str) -> Result<&'d str, SceneError> {
        match self.attribute(name) {
            Some(value) if !value.is_empty() => Ok(value),
            _ => Err(self.invalid(Some(name), format!("missing; {what}"))),
        }
    }

    /// Between `least` and `most` finite numbers; `None` without the attribute.
    pub(super) fn list(&self, name: &str, least: usize, most: usize) -> Result<Option<Vec<f64>>, SceneError> {
        let Some(text) = self.attribute(name) else { return Ok(None) };
        let mut numbers = Vec::new();
        for word in text.split_ascii_whitespace() {
            match word.parse::<f64>() {
                // The inverse of a subnormal number is not finite.
                Ok(number) if number.is_subnormal() => {
                    let message = format!("{} is too small to compute with; zero may be meant", quoted(word));
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
    pub(super) fn numbers<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, SceneError> {
        Ok(self.list(name, N, N)?.and_then(|list| <[f64; N]>::try_from(list).ok()))
    }

    /// Exactly one number.
    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, SceneError> {
        Ok(self.numbers::<1>(name)?.map(|[number]| number))
    }

    /// One number that must not be negative.
    pub(super) fn nonnegative(&self, name: &str) -> Result<Option<f64>, SceneError> {
        match self.number(name)? {
            Some(number) if number < 0.0 => {
                Err(self.invalid(Some(name), format!("{number} is negative; zero or more is needed")))
            }
            number => Ok(number),
        }
    }

    pub(super) fn vector(&self, name: &str) -> Result<Option<Vector3<f64>>, SceneError> {
        Ok(self.numbers::<3>(name)?.map(Vector3::from))
    }

    /// Overwrites the first numbers of an array with those given; the others stay as they are. Returns how many
    /// were given.
    pub(super) fn overwrite(&self, name: &str, into: &mut [f64]) -> Result<usize, SceneError> {
        let given = self.list(name, 0, into.len())?.unwrap_or_default();
        into[..given.len()].copy_from_slice(&given);
        Ok(given.len())
    }

    /// One integer.
    pub(super) fn integer(&self, name: &str) -> Result<Option<i32>, SceneError> {
        let Some(text) = self.attribute(name) else { return Ok(None) };
        match text.trim().parse::<i32>() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(self.invalid(Some(name), format!("{} is not an integer", quoted(text)))),
        }
    }

    /// One of a list of words.
    pub(super) fn keyword<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<Option<T>, SceneError> {
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
    pub(super) fn boolean(&self, name: &str) -> Result<Option<bool>, SceneError> {
        self.keyword(name, &[("true", true), ("false", false)])
    }

    /// `true`, `false` or `auto`.
    pub(super) fn switch(&self, name: &str) -> Result<Option<Switch>, SceneError> {
        self.keyword(name, &[("true", Switch::On), ("false", Switch::Off), ("auto", Switch::Auto)])
    }

    /// An ordered pair of numbers.
    pub(super) fn interval(&self, name: &str) -> Result<Option<[f64; 2]>, SceneError> {
        match self.numbers::<2>(name)? {
            Some([lower, upper]) if lower > upper => Err(self.invalid(
                Some(name),
                format!("lower end {lower} is above upper end {upper}; the lower one comes first"),
            )),
            interval => Ok(interval),
        }
    }
}

/// A value in quotes, shortened when long.
pub(super) fn quoted(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}
