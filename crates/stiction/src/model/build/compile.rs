//! From specifications to a model, in order: bodies, what refers to them, the rules of contacts.

use super::assembly::{Assembly, depth_first, empty_model, name_everything};
use super::builder::ModelBuilder;
use super::check;
use super::closures::add_closures;
use super::contact_rules::{add_exclusions, add_material_rules, add_pairs, add_restitutions};
use super::element::{Element, ElementKind};
use super::error::ModelError;
use super::keyframes::add_keyframes;
use super::names::NameSpace;
use super::relations::{
    add_actuators, add_cables, add_equalities, add_tendons, hold_ranges_without_width, name_equalities,
};
use crate::model::Model;

impl ModelBuilder {
    /// Checks everything and makes the model.
    ///
    /// # Errors
    /// The first thing found wrong, see [`ModelError`].
    pub fn build(mut self) -> Result<Model, ModelError> {
        let scene = Element::new(ElementKind::Scene, &self.name);
        check::all_finite(&scene, "gravity", self.gravity.iter())?;
        check::positive(&scene, "timestep", self.timestep)?;

        let (nodes, index) = depth_first(std::mem::take(&mut self.bodies));
        let names = name_everything(&nodes)?;
        let mut assembly =
            Assembly { nodes, index, names, world: Vec::new(), kinds: Vec::new(), model: empty_model(&self) };
        for body in 0..assembly.nodes.len() {
            assembly.check_body(body)?;
            assembly.add_body(body);
            assembly.add_geoms(body)?;
        }
        assembly.add_inertia()?;
        assembly.finish_trees();
        assembly.rank_geoms();
        assembly.model.rank_trees();
        add_relations(&mut assembly, self)?;
        assembly.model.prepare_contact_rules();
        Ok(assembly.model)
    }
}

/// Adds everything the builder holds besides bodies.
fn add_relations(assembly: &mut Assembly, builder: ModelBuilder) -> Result<(), ModelError> {
    let equalities = name_equalities(&builder.equalities)?;
    // Tendons and drives may refer to the joints of closures, couplings to tendons.
    let closures = add_closures(assembly, &builder.equalities, &equalities)?;
    let mut names = tendon_names(&builder)?;
    add_tendons(&mut assembly.model, &mut names, &builder.tendons)?;
    add_cables(assembly, &mut names, &builder.cables)?;
    add_actuators(&mut assembly.model, &builder.actuators)?;
    add_equalities(assembly, &builder.equalities, equalities, closures)?;
    hold_ranges_without_width(&mut assembly.model)?;
    add_keyframes(&mut assembly.model, builder.keyframes)?;
    add_pairs(&mut assembly.model, &builder.pairs)?;
    add_material_rules(&mut assembly.model, builder.material_rules)?;
    if let Some(law) = builder.default_law {
        check::law(&Element::new(ElementKind::MaterialRule, "of the scene"), law)?;
        assembly.model.default_law = Some(law);
    }
    add_restitutions(&mut assembly.model, builder.material_restitutions)?;
    check::restitution(&Element::new(ElementKind::Restitution, "of the scene"), builder.default_restitution)?;
    assembly.model.default_restitution = builder.default_restitution;
    add_exclusions(assembly, &builder.exclusions)
}

/// Names of tendons and cables, which are one kind to who reads a scene.
fn tendon_names(builder: &ModelBuilder) -> Result<NameSpace, ModelError> {
    let tendons = builder.tendons.iter().map(|spec| spec.name.as_str());
    let cables = builder.cables.iter().map(|spec| spec.name.as_str());
    NameSpace::claim(ElementKind::Tendon, tendons.chain(cables))
}
