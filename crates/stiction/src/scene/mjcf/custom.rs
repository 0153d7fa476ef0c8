//! `<custom>`: what MJCF has no words for, under names that begin with `stiction:`.

use crate::contact::{FormulationError, ImpactLaw, Law};
use crate::model::{ElementKind, Model};
use crate::scene::Notes;
use crate::scene::error::SceneError;
use crate::scene::load_report::EntryKind;
use crate::scene::mjcf::Reader;
use crate::scene::mjcf::asset::material::Material;
use crate::scene::mjcf::document::element::{Element, quoted};
use crate::scene::mjcf::document::names::Names;
use crate::settings::Options;
use crate::settings::Stepper;
use crate::suggestion::did_you_mean;
use nalgebra::Vector3;
use std::collections::{BTreeMap, BTreeSet};

const PREFIX: &str = "stiction:";

/// What an entry holds, which says how it is written: as `<text>` or as `<numeric>`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Text,
    Numbers,
}

/// Entries without an argument, and those with one, by the word after the prefix.
const ENTRIES: [(&str, Form); 21] = [
    ("contact_model", Form::Text),
    ("solver", Form::Text),
    ("stepper", Form::Text),
    ("duration", Form::Numbers),
    ("friction_directions", Form::Numbers),
    ("restitution", Form::Numbers),
    ("impact", Form::Text),
    ("viscosity", Form::Numbers),
    ("compliance", Form::Numbers),
    ("impact_threshold", Form::Numbers),
    ("baumgarte", Form::Numbers),
    ("overlap_tolerance", Form::Numbers),
    ("depenetration_speed", Form::Numbers),
    ("law", Form::Text),
    ("law:A:B", Form::Text),
    ("friction:A:B", Form::Numbers),
    ("restitution:A:B", Form::Numbers),
    ("surface_velocity:GEOM", Form::Numbers),
    ("mocap_velocity:BODY", Form::Numbers),
    ("closure:NAME", Form::Text),
    ("motion:JOINT", Form::Text),
];

/// The scene's own entries, until the elements they are about have been read.
#[derive(Debug, Default)]
pub(crate) struct Custom<'d> {
    pub(crate) options: Options,
    names: BTreeMap<&'d str, Element<'d>>,
    /// Entry, what stands for `A:B`, and the law.
    laws: Vec<(Element<'d>, &'d str, Law)>,
    default_law: Option<Law>,
    /// Entry, what stands for `A:B`, and the coefficient.
    restitutions: Vec<(Element<'d>, &'d str, f64)>,
    default_restitution: f64,
    /// Entry, name and text of joints that close loops, and of prescribed motions.
    pub(crate) closures: Vec<(Element<'d>, &'d str, &'d str)>,
    pub(crate) motions: Vec<(Element<'d>, &'d str, &'d str)>,
    surface_velocities: BTreeMap<&'d str, (Element<'d>, Vector3<f64>)>,
    mocap_velocities: BTreeMap<&'d str, (Element<'d>, [Vector3<f64>; 2])>,
}

impl<'d> Custom<'d> {
    /// Reads one `<custom>` element.
    pub(crate) fn read(&mut self, element: Element<'d>, notes: &mut Notes) -> Result<(), SceneError> {
        for child in element.children() {
            match (child.tag(), child.name().strip_prefix(PREFIX)) {
                ("text" | "numeric" | "tuple", None) => {
                    child.note(notes, EntryKind::Ignored, None, "not an entry of this engine's");
                }
                ("text", Some(entry)) => {
                    self.once(child)?;
                    self.text(child, entry)?;
                }
                ("numeric", Some(entry)) => {
                    self.once(child)?;
                    self.numeric(child, entry)?;
                }
                ("tuple", Some(entry)) => return Err(unknown_entry(child, entry)),
                _ => crate::scene::mjcf::document::attributes::unread_child(child, notes),
            }
        }
        Ok(())
    }

    fn once(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        match self.names.insert(element.name(), element) {
            Some(first) => {
                let message = format!("given already on {}; keep one", first.line_seen_from(element));
                Err(element.invalid(Some("name"), message))
            }
            None => Ok(()),
        }
    }

    fn text(&mut self, element: Element<'d>, entry: &'d str) -> Result<(), SceneError> {
        // MuJoCo also takes the text between the tags.
        let value = element.attribute("data").unwrap_or_else(|| element.text()).trim();
        let law = || value.parse::<Law>().map_err(|e| element.invalid(Some("data"), e.to_string()));
        if let Some(pair) = entry.strip_prefix("law:") {
            self.laws.push((element, pair, law()?));
            return Ok(());
        }
        for (word, list) in [("closure:", &mut self.closures), ("motion:", &mut self.motions)] {
            if let Some(name) = entry.strip_prefix(word).filter(|name| !name.is_empty()) {
                list.push((element, name, value));
                return Ok(());
            }
        }
        if entry == "law" {
            self.default_law = Some(law()?);
            return Ok(());
        }
        if entry == "stepper" {
            let stepper = value.parse::<Stepper>();
            self.options.stepper = Some(stepper.map_err(|e| element.invalid(Some("data"), e.to_string()))?);
            return Ok(());
        }
        if entry == "impact" {
            let impact = value.parse::<ImpactLaw>();
            self.options.impact = Some(impact.map_err(|e| element.invalid(Some("data"), e.to_string()))?);
            return Ok(());
        }
        let slot = match entry {
            "contact_model" => &mut self.options.contact_model,
            "solver" => &mut self.options.solver,
            _ => return Err(misplaced(element, entry, Form::Numbers)),
        };
        if value.is_empty() {
            return Err(element.invalid(Some("data"), "empty; a name is needed"));
        }
        *slot = Some(value.to_string());
        Ok(())
    }

    fn numeric(&mut self, element: Element<'d>, entry: &'d str) -> Result<(), SceneError> {
        element.required("data", "the value is needed")?;
        let (word, argument) = match entry.split_once(':') {
            Some((word, argument)) => (word, Some(argument)),
            None => (entry, None),
        };
        match (word, argument) {
            ("duration", None) => self.options.duration = element.positive("data", "s")?,
            ("overlap_tolerance", None) => {
                self.options.overlap_tolerance = element.positive("data", "m or rad")?;
            }
            ("depenetration_speed", None) => {
                self.options.depenetration_speed = element.nonnegative("data")?;
            }
            ("impact_threshold", None) => self.options.impact_threshold = element.nonnegative("data")?,
            ("baumgarte", None) => self.options.baumgarte = element.fraction("data", "from 0 to 1")?,
            ("friction_directions", None) => {
                let count = element.integer("data")?.unwrap_or_default();
                if count < 4 || count % 2 != 0 {
                    let message = format!("{count} is not an even number of at least 4");
                    return Err(element.invalid(Some("data"), message));
                }
                self.options.friction_directions = usize::try_from(count).ok();
            }
            ("viscosity", None) => self.options.viscosity = element.nonnegative("data")?,
            ("compliance", None) => self.options.compliance = element.nonnegative("data")?,
            ("restitution", pair) => {
                let range = "from 0 (inelastic) to 1 (elastic)";
                let restitution = element.fraction("data", range)?.unwrap_or_default();
                match pair {
                    Some(pair) => self.restitutions.push((element, pair, restitution)),
                    None => self.default_restitution = restitution,
                }
            }
            ("friction", Some(pair)) => {
                let friction = element.nonnegative("data")?.unwrap_or_default();
                self.laws.push((element, pair, Law::Coulomb { mu: friction }));
            }
            ("surface_velocity", Some(geom)) => {
                let velocity = element.vector("data")?.unwrap_or_default();
                self.surface_velocities.insert(geom, (element, velocity));
            }
            ("mocap_velocity", Some(body)) => {
                let [a, b, c, d, e, f] = element.numbers::<6>("data")?.unwrap_or_default();
                self.mocap_velocities.insert(body, (element, [Vector3::new(a, b, c), Vector3::new(d, e, f)]));
            }
            _ => return Err(misplaced(element, entry, Form::Text)),
        }
        Ok(())
    }

    /// Refuses a contact model or a solver that does not exist, or a solver that does not fit the model.
    pub(crate) fn check_formulation(&self) -> Result<(), SceneError> {
        let Err(error) = self.options.formulation() else { return Ok(()) };
        let entry = match error {
            FormulationError::Solver { .. } => "stiction:solver",
            _ => "stiction:contact_model",
        };
        match self.names.get(entry) {
            Some(element) => Err(element.invalid(Some("data"), error.to_string())),
            // The defaults fit each other.
            None => Ok(()),
        }
    }

    /// Whether a closure refers to a site.
    pub(crate) fn names_site(&self, name: &str) -> bool {
        self.closures
            .iter()
            .any(|(.., text)| text.split_ascii_whitespace().skip(1).take(2).any(|site| site == name))
    }

    /// The velocity given for a geom, which then counts as used.
    pub(crate) fn take_surface_velocity(&mut self, geom: &str) -> Option<Vector3<f64>> {
        self.surface_velocities.remove(geom).map(|(_, velocity)| velocity)
    }

    /// The twist given for a body, which then counts as used.
    pub(crate) fn take_mocap_velocity(&mut self, body: &str) -> Option<[Vector3<f64>; 2]> {
        self.mocap_velocities.remove(body).map(|(_, twist)| twist)
    }

    /// Refuses entries about geoms and bodies that do not exist.
    pub(crate) fn check_all_used(&self, names: &Names<'d>) -> Result<(), SceneError> {
        if let Some((geom, (element, _))) = self.surface_velocities.iter().next() {
            let message = match names.get("geom", geom) {
                Some(_) => format!("the shape of geom {geom:?} is not supported yet"),
                None => names.missing("geom", geom),
            };
            return Err(element.invalid(Some("name"), message));
        }
        match self.mocap_velocities.iter().next() {
            Some((body, (element, _))) if names.get("body", body).is_some() => Err(element
                .invalid(Some("name"), format!("the body {body:?} is not a mocap body; set mocap=\"true\""))),
            Some((body, (element, _))) => Err(element.invalid(Some("name"), names.missing("body", body))),
            None => Ok(()),
        }
    }
}

impl<'d> Reader<'d> {
    /// Hands the laws between materials to the builder.
    pub(crate) fn material_rules(&mut self) -> Result<(), SceneError> {
        let mut seen: BTreeSet<[&str; 2]> = BTreeSet::new();
        if let Some(law) = self.custom.default_law {
            self.builder.set_default_law(law);
        }
        for (element, pair, law) in std::mem::take(&mut self.custom.laws) {
            let mut materials = split_materials(element, pair, "friction", &self.materials)?;
            materials.sort_unstable();
            if !seen.insert(materials) {
                let message =
                    format!("the law between {:?} and {:?} is given twice", materials[0], materials[1]);
                return Err(element.invalid(Some("name"), message));
            }
            self.place_pair(ElementKind::MaterialRule, materials[0], materials[1], element);
            self.builder.add_material_rule(materials[0], materials[1], law);
        }
        self.restitutions()
    }

    /// Hands the coefficients of restitution to the builder.
    fn restitutions(&mut self) -> Result<(), SceneError> {
        let mut seen: BTreeSet<[&str; 2]> = BTreeSet::new();
        self.builder.set_default_restitution(self.custom.default_restitution);
        for (element, pair, restitution) in std::mem::take(&mut self.custom.restitutions) {
            let mut materials = split_materials(element, pair, "restitution", &self.materials)?;
            materials.sort_unstable();
            let [first, second] = materials;
            if !seen.insert(materials) {
                let message = format!("the restitution between {first:?} and {second:?} is given twice");
                return Err(element.invalid(Some("name"), message));
            }
            self.place_pair(ElementKind::Restitution, first, second, element);
            self.builder.add_material_restitution(first, second, restitution);
        }
        Ok(())
    }
}

impl Reader<'_> {
    /// Warns of rules about materials that no geom is made of.
    pub(crate) fn unused_material_rules(&mut self, model: &Model) {
        let used: BTreeSet<&str> = model.geoms.iter().filter_map(|geom| geom.material.as_deref()).collect();
        let laws = model.material_rules.iter().map(|rule| (ElementKind::MaterialRule, &rule.materials));
        let restitutions = &model.material_restitutions;
        let restitutions = restitutions.iter().map(|rule| (ElementKind::Restitution, &rule.materials));
        for (kind, materials) in laws.chain(restitutions) {
            let [first, second] = materials;
            let Some(unused) = materials.iter().find(|name| !used.contains(name.as_str())) else {
                continue;
            };
            let place = (kind, format!("{first} and {second}"));
            let element = self.places.get(&place).copied().unwrap_or(self.root);
            let message = format!("no geom is made of {unused:?}, so the rule never holds");
            element.note(&mut self.notes, EntryKind::Warning, Some("name"), message);
        }
    }
}

/// The two materials of `A:B`; material names may contain colons themselves.
fn split_materials<'d>(
    element: Element<'d>,
    pair: &'d str,
    entry: &str,
    materials: &BTreeMap<&'d str, Material>,
) -> Result<[&'d str; 2], SceneError> {
    let splits = || pair.match_indices(':').map(|(at, _)| [&pair[..at], &pair[at + 1..]]);
    if let Some(found) = splits().find(|split| split.iter().all(|name| materials.contains_key(*name))) {
        return Ok(found);
    }
    let Some(first) = splits().next() else {
        let message = format!("{} names one material; write stiction:{entry}:A:B", quoted(pair));
        return Err(element.invalid(Some("name"), message));
    };
    let missing = first.into_iter().find(|name| !materials.contains_key(*name)).unwrap_or_default();
    let hint = did_you_mean(missing, materials.keys().copied());
    Err(element.invalid(Some("name"), format!("there is no material {missing:?}{hint}")))
}

/// An entry that is not one of the other form; if it is one of `needed`, says so.
fn misplaced(element: Element<'_>, entry: &str, needed: Form) -> SceneError {
    let word = |entry: &str| entry.split(':').next().map(str::to_owned);
    let known = ENTRIES.iter().any(|(name, form)| *form == needed && word(name) == word(entry));
    match needed {
        _ if !known => unknown_entry(element, entry),
        Form::Text => element.invalid(None, "written as <numeric>; it needs <text>"),
        Form::Numbers => element.invalid(None, "written as <text>; it needs <numeric>"),
    }
}

fn unknown_entry(element: Element<'_>, entry: &str) -> SceneError {
    let word = |e: &'static str| e.split(':').next().unwrap_or(e);
    let given = entry.split(':').next().unwrap_or(entry);
    let hint = match crate::suggestion::nearest(given, ENTRIES.iter().map(|(e, _)| word(e))) {
        Some(near) if near != given => format!("did you mean {:?}?", format!("{PREFIX}{near}")),
        _ => {
            let mut known: Vec<&str> = ENTRIES.iter().map(|(e, _)| word(e)).collect();
            known.dedup();
            format!("known are, after {PREFIX:?}, {}", known.join(", "))
        }
    };
    element.invalid(Some("name"), format!("{PREFIX}{entry} is not an entry of this engine's; {hint}"))
}
