//! Default classes: what an element says when it says nothing itself.
//!
//! A class inherits from the class around it. Reading an element means reading the matching elements of its
//! classes from the root inwards, each on top of the last, and the element itself at the end: a later attribute
//! replaces an earlier one, and a shorter list replaces only the first numbers of a longer one.

use crate::scene::error::SceneError;
use crate::scene::mjcf::document::element::Element;
use crate::suggestion::did_you_mean;
use std::collections::BTreeMap;

/// Name of the outermost class.
const MAIN: &str = "main";

#[derive(Debug, Default)]
struct Class<'d> {
    parent: Option<usize>,
    elements: Vec<Element<'d>>,
}

/// All default classes of a scene.
#[derive(Debug)]
pub(crate) struct Defaults<'d> {
    classes: Vec<Class<'d>>,
    names: BTreeMap<&'d str, usize>,
}

impl<'d> Defaults<'d> {
    /// The outermost class, empty.
    pub(crate) fn new() -> Self {
        Self { classes: vec![Class::default()], names: BTreeMap::from([(MAIN, 0)]) }
    }

    /// Reads a `<default>` element at the top level.
    pub(crate) fn read(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        match element.attribute("class") {
            None | Some(MAIN) => self.read_class(element, 0),
            Some(name) => {
                let message = format!("{name:?} names the outermost class, which is always called {MAIN:?}");
                Err(element.invalid(Some("class"), message))
            }
        }
    }

    fn read_class(&mut self, element: Element<'d>, class: usize) -> Result<(), SceneError> {
        let mut tags: Vec<&str> = Vec::new();
        for child in element.children() {
            if child.tag() != "default" {
                if tags.contains(&child.tag()) {
                    let message = "a default class describes each kind of element once; merge the two";
                    return Err(child.invalid(None, message));
                }
                tags.push(child.tag());
                self.classes[class].elements.push(child);
                continue;
            }
            let name = child.required("class", "a default class inside another needs a name")?;
            let inner = self.classes.len();
            self.classes.push(Class { parent: Some(class), elements: Vec::new() });
            if self.names.insert(name, inner).is_some() {
                return Err(
                    child.invalid(Some("class"), format!("the default class {name:?} exists already"))
                );
            }
            self.read_class(child, inner)?;
        }
        Ok(())
    }

    /// Every element in a default class.
    pub(crate) fn elements(&self) -> impl Iterator<Item = Element<'d>> + '_ {
        self.classes.iter().flat_map(|class| class.elements.iter().copied())
    }

    /// Checks the class an element or a body names in an attribute.
    pub(crate) fn find(&self, element: Element<'d>, attribute: &str) -> Result<Option<&'d str>, SceneError> {
        match element.attribute(attribute) {
            Some(name) if !self.names.contains_key(name) => {
                let hint = did_you_mean(name, self.names.keys().copied());
                Err(element.invalid(Some(attribute), format!("there is no default class {name:?}{hint}")))
            }
            name => Ok(name),
        }
    }

    /// What to read for an element, in order: the default elements whose tag is in the list, from the outermost
    /// class to the element's own, or to `inherited` when it names none; then the element.
    pub(crate) fn layers(
        &self,
        element: Element<'d>,
        tags: &[&str],
        inherited: Option<&'d str>,
    ) -> Result<Vec<Element<'d>>, SceneError> {
        let class = self.find(element, "class")?.or(inherited).unwrap_or(MAIN);
        let mut layers = vec![element];
        let mut at = self.names.get(class).copied();
        while let Some(index) = at {
            let class = &self.classes[index];
            layers.extend(class.elements.iter().rev().filter(|e| tags.contains(&e.tag())));
            at = class.parent;
        }
        layers.reverse();
        Ok(layers)
    }
}
