//! The files of a scene: the main one and, in place of every `<include file="..."/>`, the content of another.
//!
//! The rules are MuJoCo's (XML reference, `include`): an include may stand anywhere and is replaced by what is inside
//! the root of the file it names, whatever that root is called; a path is relative to the directory of the main
//! file or else of the including one; and no file is read twice, so there are no cycles.
//!
//! Elements borrow from trees and trees from texts. So all texts are gathered first, by parsing each once to find
//! what it includes, and are then parsed once more into the trees that stay.

use crate::scene::error::SceneError;
use crate::scene::mjcf::document::element::{label, quoted};
use crate::scene::place::Place;
use crate::suggestion::did_you_mean;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::path::{Path, PathBuf};
use stiction_solvers::io::read_file;

/// Deepest nesting of elements, includes followed. Readers below recurse, so it must keep their stack small.
const DEEPEST: usize = 200;

/// Most files of a scene, and attributes of an element: the parser compares each with all before it.
const MOST_FILES: usize = 4096;
const MOST_ATTRIBUTES: usize = 1000;

/// The text of a file, where its lines begin, and what it includes.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) file: String,
    text: String,
    line_starts: Vec<usize>,
    /// The including file and the place of its `<include>`; `None` for the main file.
    included_at: Option<(usize, Place)>,
    /// Number of elements around the root's children, besides the root.
    depth: usize,
    /// The files to put in the place of `<include>` elements, by the offset of the element.
    includes: BTreeMap<usize, usize>,
}

/// An `<include>` element.
struct Include {
    offset: usize,
    depth: usize,
    file: String,
    /// The name of the file, for errors.
    place: Place,
}

impl Source {
    fn new(text: String, file: String, included_at: Option<(usize, Place)>, depth: usize) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(i, _)| i + 1);
        let line_starts = std::iter::once(0).chain(newlines).collect();
        Self { file, text, line_starts, included_at, depth, includes: BTreeMap::new() }
    }

    pub(crate) fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset)
    }

    /// The place of a range of bytes; of its first line, if there are several.
    fn place(&self, range: Range<usize>) -> Place {
        let line = self.line(range.start);
        let before = &self.text[self.line_starts[line - 1]..range.start];
        let stretch = self.text[range].lines().next().unwrap_or_default();
        Place {
            file: self.file.clone(),
            line,
            column: before.chars().count() + 1,
            length: stretch.chars().count().max(1),
        }
    }

    /// The place of an attribute's value, or of an element's tag.
    pub(crate) fn place_of(&self, node: roxmltree::Node<'_, '_>, attribute: Option<&str>) -> Place {
        match attribute.and_then(|name| node.attribute_node(name)) {
            Some(attribute) if attribute.range_value().is_empty() => self.place(attribute.range()),
            Some(attribute) => self.place(attribute.range_value()),
            None => {
                let start = node.range().start + 1;
                let tag = self.text[start..].find(|c: char| c.is_whitespace() || "/>".contains(c));
                self.place(start..start + tag.unwrap_or_default())
            }
        }
    }

    fn parse(&self) -> Result<roxmltree::Document<'_>, SceneError> {
        roxmltree::Document::parse(&self.text).map_err(|error| {
            let (at, text) = (error.pos(), error.to_string());
            // The parser appends its own position, which this error has as fields.
            let message = text.strip_suffix(&format!(" at {at}")).unwrap_or(&text).to_string();
            let (line, column) = (at.row as usize, at.col as usize);
            SceneError::Xml { place: Place { file: self.file.clone(), line, column, length: 1 }, message }
        })
    }

    /// An error about an element or one of its attributes.
    pub(crate) fn invalid(
        &self,
        node: roxmltree::Node<'_, '_>,
        attribute: Option<&str>,
        message: impl Into<String>,
    ) -> SceneError {
        SceneError::Invalid {
            place: self.place_of(node, attribute),
            element: label(node),
            attribute: attribute.map(str::to_string),
            message: message.into(),
        }
    }

    /// An error about the name of an attribute.
    pub(crate) fn misnamed(
        &self,
        node: roxmltree::Node<'_, '_>,
        attribute: &str,
        message: impl Into<String>,
    ) -> SceneError {
        let name = node.attribute_node(attribute).map(|attribute| self.place(attribute.range_qname()));
        SceneError::Invalid {
            place: name.unwrap_or_else(|| self.place_of(node, None)),
            element: label(node),
            attribute: Some(attribute.to_string()),
            message: message.into(),
        }
    }

    /// Every `<include>` of the file. Refuses elements nested so deeply that reading them recursively could exhaust
    /// the stack.
    fn find_includes(&self) -> Result<Vec<Include>, SceneError> {
        if let Some(tag) = crowded_tag(&self.text) {
            return Err(SceneError::Invalid {
                place: self.place(tag.clone()),
                element: self.text[tag].to_string(),
                attribute: None,
                message: format!(
                    "it has more than {MOST_ATTRIBUTES} attributes, and no element of MJCF has as many"
                ),
            });
        }
        let document = self.parse()?;
        let mut found = Vec::new();
        for node in document.descendants().filter(roxmltree::Node::is_element) {
            // The element itself and the document are among its ancestors.
            let depth = self.depth + node.ancestors().count() - 2;
            if depth > DEEPEST {
                let message = format!("nested {depth} elements deep; at most {DEEPEST} are accepted");
                return Err(self.invalid(node, None, message));
            }
            if node.tag_name().name() == "include" && node != document.root_element() {
                found.push(self.include(node, depth)?);
            }
        }
        Ok(found)
    }

    fn include(&self, node: roxmltree::Node<'_, '_>, depth: usize) -> Result<Include, SceneError> {
        if let Some(other) = node.attributes().find(|a| a.name() != "file") {
            let message = format!("unknown attribute{}", did_you_mean(other.name(), ["file"]));
            return Err(self.misnamed(node, other.name(), message));
        }
        let file = node.attribute("file").unwrap_or_default();
        if file.is_empty() {
            return Err(self.invalid(node, Some("file"), "missing; the name of an MJCF file is needed"));
        }
        if let Some(child) = node.first_element_child() {
            let message = "an <include> is replaced by the file it names and has no content of its own";
            return Err(self.invalid(child, None, message));
        }
        let place = self.place_of(node, Some("file"));
        Ok(Include { offset: node.range().start, depth, file: file.to_string(), place })
    }
}

impl Include {
    fn invalid(self, message: String) -> SceneError {
        let attribute = Some("file".to_string());
        SceneError::Invalid { place: self.place, element: "include".to_string(), attribute, message }
    }
}

/// Reads the main file's includes, theirs, and so on.
pub(crate) fn gather(text: &str, file: &str) -> Result<Vec<Source>, SceneError> {
    let mut sources = vec![Source::new(text.to_string(), file.to_string(), None, 0)];
    let mut known = BTreeMap::from([(same_file(Path::new(file)), 0)]);
    let mut at = 0;
    while at < sources.len() {
        for include in sources[at].find_includes()? {
            let path = find(&sources, at, &include.file);
            let added = sources.len();
            match known.entry(same_file(&path)) {
                Entry::Vacant(place) => place.insert(added),
                Entry::Occupied(before) => {
                    let message = included_before(&sources, at, *before.get(), &include);
                    return Err(include.invalid(message));
                }
            };
            if added >= MOST_FILES {
                return Err(include
                    .invalid(format!("a scene has at most {MOST_FILES} files, this would be one more")));
            }
            let text = match read_text(&path) {
                Ok(text) => text,
                Err(SceneError::Io { path, source }) => {
                    let name = quoted(&include.file);
                    let message = format!("{name} cannot be read: {source} (tried {})", path.display());
                    return Err(include.invalid(message));
                }
                Err(error) => return Err(error),
            };
            // Nothing of another file is told: a scene may name any.
            if !text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
                let name = quoted(&include.file);
                return Err(include.invalid(format!("{name} is no MJCF file: an XML text begins with '<'")));
            }
            sources[at].includes.insert(include.offset, added);
            let file = path.display().to_string();
            sources.push(Source::new(text, file, Some((at, include.place)), include.depth - 1));
        }
        at += 1;
    }
    Ok(sources)
}

/// The text of a file.
///
/// # Errors
/// It cannot be read, is no regular file, or is not UTF-8.
pub(in crate::scene) fn read_text(path: &Path) -> Result<String, SceneError> {
    let io = |source| SceneError::Io { path: path.to_path_buf(), source };
    String::from_utf8(read_file(path).map_err(io)?).map_err(|error| {
        let (good, bad) = error.as_bytes().split_at(error.utf8_error().valid_up_to());
        let good = String::from_utf8_lossy(good);
        let line_start = good.rfind('\n').map_or(0, |newline| newline + 1);
        let place = Place {
            file: path.display().to_string(),
            line: good.matches('\n').count() + 1,
            column: good[line_start..].chars().count() + 1,
            length: 1,
        };
        let byte = bad.first().copied().unwrap_or_default();
        SceneError::Xml { place, message: format!("byte {byte:#04x} is not UTF-8; save the file as UTF-8") }
    })
}

/// The name of the first element with more than [`MOST_ATTRIBUTES`] attributes, in a text that need not be well-formed.
fn crowded_tag(text: &str) -> Option<Range<usize>> {
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        let rest = &text[start..];
        let passed = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        if let Some((_, end)) = passed.into_iter().find(|(begin, _)| rest.starts_with(begin)) {
            at = start + rest.find(end)? + end.len();
            continue;
        }
        let (mut quote, mut attributes, mut length) = (None, 0, rest.len());
        for (i, byte) in rest.bytes().enumerate() {
            match (quote, byte) {
                (Some(open), _) => quote = Some(open).filter(|open| *open != byte),
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => attributes += 1,
                (None, b'>') => {
                    length = i + 1;
                    break;
                }
                _ => {}
            }
        }
        if attributes > MOST_ATTRIBUTES {
            let name = rest[1..].find(|c: char| c.is_whitespace() || "/>=".contains(c)).unwrap_or_default();
            return Some(start + 1..start + 1 + name);
        }
        at = start + length;
    }
    None
}

/// Where an included file is: beside the main file, or else beside the file that includes it.
fn find(sources: &[Source], including: usize, file: &str) -> PathBuf {
    let beside = |source: &Source| directory(&source.file).join(file);
    let beside_main = beside(&sources[0]);
    let beside_including = beside(&sources[including]);
    if !beside_main.exists() && beside_including.exists() { beside_including } else { beside_main }
}

fn directory(file: &str) -> PathBuf {
    Path::new(file).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// One path for all ways to write it, if the file exists.
fn same_file(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// Why a file cannot be included here: it includes this one, or stands elsewhere already.
fn included_before(sources: &[Source], at: usize, before: usize, include: &Include) -> String {
    let mut chain = vec![format!("{} includes {}", include.place, sources[before].file)];
    let mut inner = at;
    while inner != before {
        let Some((outer, place)) = &sources[inner].included_at else {
            // Not among the files around this one.
            let first = match &sources[before].included_at {
                Some((_, place)) => format!("{place} includes it already"),
                None => "it is the main file".to_string(),
            };
            return format!("{} is included twice: {first}; keep one", quoted(&include.file));
        };
        chain.push(format!("{place} includes {}", sources[inner].file));
        inner = *outer;
    }
    chain.reverse();
    format!("{} would contain itself: {}", quoted(&include.file), chain.join(", "))
}

/// The trees of all files.
#[derive(Debug)]
pub(crate) struct Files<'d> {
    pub(crate) sources: &'d [Source],
    pub(crate) trees: Vec<roxmltree::Document<'d>>,
}

impl<'d> Files<'d> {
    pub(crate) fn parse(sources: &'d [Source]) -> Result<Self, SceneError> {
        let trees = sources.iter().map(Source::parse).collect::<Result<_, _>>()?;
        Ok(Self { sources, trees })
    }

    /// The file to put in the place of a node, if that is an `<include>`.
    pub(crate) fn included(&self, file: usize, node: roxmltree::Node<'_, '_>) -> Option<usize> {
        self.sources[file].includes.get(&node.range().start).copied()
    }

    /// A path in the scene, which is relative to the main file's directory.
    pub(crate) fn resolve(&self, path: &str) -> PathBuf {
        directory(&self.sources[0].file).join(path)
    }
}
