//! `<asset>`: materials, meshes and height fields.

use crate::scene::error::SceneError;
use crate::scene::load_report::EntryKind;
use crate::scene::mjcf::Reader;
use crate::scene::mjcf::document::attributes::unread_child;
use crate::scene::mjcf::document::element::Element;

/// What the reader keeps of a material.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Material {
    /// Red, green, blue and opacity, 0 to 1.
    pub(crate) color: Option<[f64; 4]>,
}

impl<'d> Reader<'d> {
    /// Reads an `<asset>` section.
    pub(crate) fn asset(&mut self, section: Element<'d>) -> Result<(), SceneError> {
        for element in section.children() {
            match element.tag() {
                "material" => self.material(element)?,
                "mesh" => self.mesh(element)?,
                "hfield" => self.hfield(element)?,
                "texture" => element.note_cosmetic(&mut self.notes, None),
                "skin" | "model" => {
                    let message = "not supported; unused unless something asks for it";
                    element.note(&mut self.notes, EntryKind::Ignored, None, message);
                }
                _ => unread_child(element, &mut self.notes),
            }
        }
        Ok(())
    }

    fn material(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        let name = element.required("name", "a material needs a name")?;
        self.names.register("material", element)?;
        let mut material = Material::default();
        for layer in self.defaults.layers(element, &["material"], None)? {
            material.color = color(layer)?.or(material.color);
        }
        self.materials.insert(name, material);
        for looks in element.attribute_names().filter(|a| !["name", "class", "rgba"].contains(a)) {
            element.note_cosmetic(&mut self.notes, Some(looks));
        }
        Ok(())
    }
}

/// The colour in the attribute `rgba`.
pub(crate) fn color(element: Element<'_>) -> Result<Option<[f64; 4]>, SceneError> {
    let Some(color) = element.numbers::<4>("rgba")? else { return Ok(None) };
    match color.iter().find(|c| !(0.0..=1.0).contains(*c)) {
        Some(bad) => Err(element.invalid(Some("rgba"), format!("{bad} is not between 0 and 1"))),
        None => Ok(Some(color)),
    }
}
