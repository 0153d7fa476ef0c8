//! `<site>`: named frames on bodies, for whoever refers to them.

use super::Reader;
use super::document::Element;
use super::orientation::orientation;
use crate::model::BodyId;
use crate::scene::SceneError;
use crate::spatial::Transform;

/// A named frame on a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) body: BodyId,
    /// Pose in the body's frame.
    pub(super) pose: Transform,
    /// Placed by its ends, which this reader does not do.
    by_ends: bool,
}

impl<'d> Reader<'d> {
    /// Reads a site of a body that stands in a frame and a default class.
    pub(super) fn site(
        &mut self,
        element: Element<'d>,
        body: BodyId,
        frame: &Transform,
        class: Option<&'d str>,
    ) -> Result<(), SceneError> {
        if element.name().is_empty() {
            return Ok(());
        }
        self.names.register("site", element)?;
        let mut pose = Transform::identity();
        let mut by_ends = false;
        for layer in self.defaults.layers(element, &["site"], class)? {
            if let Some(position) = layer.vector("pos")? {
                pose.translation = position;
            }
            if let Some(turn) = orientation(layer, &self.compiler)? {
                pose = Transform::new(pose.translation, &turn);
            }
            by_ends |= layer.has("fromto");
        }
        self.sites.insert(element.name(), Site { body, pose: *frame * pose, by_ends });
        Ok(())
    }

    /// The site that an attribute names.
    pub(super) fn site_of(&self, element: Element<'d>, attribute: &str) -> Result<Site, SceneError> {
        let name = element.required(attribute, "the name of a site is needed")?;
        match self.sites.get(name) {
            Some(site) if site.by_ends => {
                let message = format!("site {name:?} is placed by fromto, which is not read; give it a pos");
                Err(element.invalid(Some(attribute), message))
            }
            Some(site) => Ok(*site),
            None => Err(element.invalid(Some(attribute), self.names.missing("site", name))),
        }
    }
}
