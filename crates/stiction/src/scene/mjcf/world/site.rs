//! `<site>`: named frames on bodies, for whoever refers to them.

use crate::model::BodyHandle;
use crate::scene::error::SceneError;
use crate::scene::mjcf::Reader;
use crate::scene::mjcf::document::element::Element;
use crate::scene::mjcf::document::orientation::{direction, from_z, orientation};
use crate::spatial::Transform;
use nalgebra::Vector3;

/// A named frame on a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) body: BodyHandle,
    /// Pose in the body's frame.
    pub(crate) pose: Transform,
}

impl<'d> Reader<'d> {
    /// Reads a site of a body that stands in a frame and a default class.
    pub(crate) fn site(
        &mut self,
        element: Element<'d>,
        body: BodyHandle,
        frame: &Transform,
        class: Option<&'d str>,
    ) -> Result<(), SceneError> {
        self.names.register("site", element)?;
        if element.name().is_empty() {
            return Ok(());
        }
        let mut own = Transform::identity();
        for layer in self.defaults.layers(element, &["site"], class)? {
            own.translation = layer.vector("pos")?.unwrap_or(own.translation);
            if let Some(given) = orientation(layer, &self.compiler)? {
                own.rotation = given.to_rotation_matrix().into_inner();
            }
            if let Some([ax, ay, az, bx, by, bz]) = layer.numbers::<6>("fromto")? {
                let (from, to) = (Vector3::new(ax, ay, az), Vector3::new(bx, by, bz));
                let along = direction(to - from)
                    .ok_or_else(|| layer.invalid(Some("fromto"), "the two points must differ"))?;
                own = Transform::new((from + to) * 0.5, &from_z(along));
            }
        }
        self.sites.insert(element.name(), Site { body, pose: *frame * own });
        Ok(())
    }

    /// The site that an attribute names.
    pub(crate) fn site_of(&self, element: Element<'d>, attribute: &str) -> Result<Site, SceneError> {
        let name = element.required(attribute, "the name of a site is needed")?;
        self.site_named(element, attribute, name)
    }

    /// The site of this name, which an attribute has.
    pub(crate) fn site_named(
        &self,
        element: Element<'d>,
        attribute: &str,
        name: &str,
    ) -> Result<Site, SceneError> {
        let site = self.sites.get(name).copied();
        site.ok_or_else(|| element.invalid(Some(attribute), self.names.missing("site", name)))
    }
}
