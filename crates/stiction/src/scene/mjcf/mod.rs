//! MJCF, MuJoCo's XML format: what of it describes rigid bodies, joints, drives and contacts.
//!
//! Follows the XML reference of MuJoCo 4.0. The main file and those it includes are gathered into one tree (`files`),
//! whose words must be MJCF's (`vocabulary`). Reading is a walk over the sections in the order in which they need each
//! other; elements build on the default classes around them. Attributes without a meaning for rigid contact are listed
//! in the load report, and so is everything that is not supported, by name; what would silently make another scene
//! (generated bodies, shapes that collide) is refused.
//!
//! | file | what it is |
//! |---|---|
//! | `document/` | the text as a tree of elements with places |
//! | `compiler`, `defaults` | how the file is to be read, the world's constants, default classes |
//! | `custom` | `stiction:` entries |
//! | `asset/`, `world/`, `relation/`, `keyframe` | the sections, in the order in which they are read |
//!
//! Everything ends in a [`ModelBuilder`], whose errors are shown at the element they are about.
//!
//! # References
//! MuJoCo documentation, *XML reference* (version 4.0).

pub(crate) mod asset;
pub(crate) mod compiler;
pub(crate) mod custom;
pub(crate) mod defaults;
pub(crate) mod document;
pub(crate) mod keyframe;
pub(crate) mod relation;
pub(crate) mod world;

use crate::geometry::HeightField;
use crate::model::{ElementKind, Model, ModelBuilder};
use crate::scene::Scene;
use crate::scene::error::SceneError;
use crate::scene::load_report::EntryKind;
use crate::scene::mjcf::asset::material::Material;
use crate::scene::mjcf::asset::mesh::MeshAsset;
use crate::scene::mjcf::compiler::{Compiler, World};
use crate::scene::mjcf::custom::Custom;
use crate::scene::mjcf::defaults::Defaults;
use crate::scene::mjcf::document::attributes::unread_child;
use crate::scene::mjcf::document::element::Element;
use crate::scene::mjcf::document::files::Files;
use crate::scene::mjcf::document::names::Names;
use crate::scene::mjcf::document::vocabulary::check_words;
use crate::scene::mjcf::relation::actuator::{ACTUATORS, Controls};
use crate::scene::mjcf::relation::constraint::{Excluded, Pairs};
use crate::scene::mjcf::relation::tendon::TendonClass;
use crate::scene::mjcf::world::joint::JointClass;
use crate::scene::mjcf::world::site::Site;
use crate::scene::notes::Notes;
use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Reads a scene from the text of an MJCF file. `file_name` is for messages, and its directory is where the files are
/// that the text names.
///
/// ```
/// let text = r#"<mujoco><worldbody><body name="arm"><joint type="hinge" axis="0 1 0"/>
///     <geom type="capsule" fromto="0 0 0  0 0 -1" size="0.05"/></body></worldbody></mujoco>"#;
/// let scene = stiction::scene::mjcf::parse(text, "arm.xml")?;
/// assert_eq!(scene.model.nv(), 1);
/// assert!(!scene.report.is_empty()); // it says that the default time step was taken
/// # Ok::<(), stiction::SceneError>(())
/// ```
///
/// # Errors
/// The text is not XML, an included file cannot be read, or something is wrong or not supported; see [`SceneError`].
pub fn parse(text: &str, file_name: &str) -> Result<Scene, SceneError> {
    let sources = document::files::gather(text, file_name)?;
    let files = Files::parse(&sources)?;
    let root = Element::root(&files);
    if root.tag() != "mujoco" {
        let message = "the outermost element of an MJCF scene is <mujoco>";
        return Err(root.invalid(None, message));
    }
    let mut reader = Reader::new(root, file_name);
    reader.included_roots(&files);
    reader.scene()
}

/// State of reading one file.
struct Reader<'d> {
    root: Element<'d>,
    compiler: Compiler,
    world: World,
    custom: Custom<'d>,
    defaults: Defaults<'d>,
    materials: BTreeMap<&'d str, Material>,
    meshes: BTreeMap<&'d str, MeshAsset>,
    hfields: BTreeMap<&'d str, Arc<HeightField>>,
    names: Names<'d>,
    /// Named joints, those of closures among them.
    joints: BTreeMap<&'d str, JointClass>,
    /// Named sites.
    sites: BTreeMap<&'d str, Site>,
    /// Named tendons, and how many of all are fixed ones and cables.
    tendons: BTreeMap<&'d str, TendonClass>,
    fixed_tendons: usize,
    cables: usize,
    /// Where the elements of the model are in the file, by the names the builder gives them.
    places: BTreeMap<(ElementKind, String), Element<'d>>,
    pairs: Pairs<'d>,
    excluded: Excluded<'d>,
    controls: Controls,
    /// Number of configuration coordinates, of generalized velocities, and where quaternions begin.
    coordinates: usize,
    velocities: usize,
    quaternions: Vec<usize>,
    /// A model for questions that keyframes ask.
    reference: Option<Box<Model>>,
    /// Number of equalities and of keyframes.
    equalities: usize,
    keys: usize,
    builder: ModelBuilder,
    notes: Notes,
}

impl<'d> Reader<'d> {
    fn new(root: Element<'d>, file_name: &str) -> Self {
        let stem = std::path::Path::new(file_name).file_stem().unwrap_or_default().to_string_lossy();
        Self {
            root,
            compiler: Compiler::default(),
            world: World::default(),
            custom: Custom::default(),
            defaults: Defaults::new(),
            materials: BTreeMap::new(),
            meshes: BTreeMap::new(),
            hfields: BTreeMap::new(),
            names: Names::default(),
            joints: BTreeMap::new(),
            sites: BTreeMap::new(),
            tendons: BTreeMap::new(),
            fixed_tendons: 0,
            cables: 0,
            places: BTreeMap::new(),
            pairs: BTreeMap::new(),
            excluded: BTreeMap::new(),
            controls: Controls::default(),
            coordinates: 0,
            velocities: 0,
            quaternions: Vec::new(),
            reference: None,
            equalities: 0,
            keys: 0,
            builder: ModelBuilder::new(root.attribute("model").unwrap_or(&stem)),
            notes: Notes::default(),
        }
    }

    /// Notes what is lost of the roots of included files, of which only the content counts.
    fn included_roots(&mut self, files: &'d Files<'d>) {
        for root in Element::included_roots(files) {
            if !["mujoco", "mujocoinclude"].contains(&root.tag()) {
                let message =
                    "only what is inside the root of an included file counts; call the root <mujoco>";
                root.note(&mut self.notes, EntryKind::Warning, None, message);
            }
            for name in root.attribute_names().filter(|name| *name != "model") {
                let message = "the root of an included file is left out, with its attributes";
                root.note(&mut self.notes, EntryKind::Ignored, Some(name), message);
            }
        }
    }

    /// Reads everything.
    fn scene(mut self) -> Result<Scene, SceneError> {
        if let Some(name) = self.root.attribute_names().find(|name| *name != "model") {
            return Err(self.root.misnamed(name, "unknown attribute; a scene has the attribute model"));
        }
        check_words(self.root)?;
        self.sections()?;
        for element in self.section("compiler") {
            self.compiler.read(element, &mut self.notes)?;
        }
        for element in self.section("option") {
            self.world.read(element, &mut self.notes)?;
        }
        for element in self.section("custom") {
            self.custom.read(element, &mut self.notes)?;
        }
        self.custom.check_formulation()?;
        self.constants();
        for element in self.section("default") {
            self.defaults.read(element)?;
        }
        self.check_defaults()?;
        for element in self.section("asset") {
            self.asset(element)?;
        }
        for element in self.section("worldbody") {
            self.worldbody(element)?;
        }
        self.total_mass()?;
        self.custom.check_all_used(&self.names)?;
        self.material_rules()?;
        for element in self.section("contact") {
            self.contact(element)?;
        }
        self.closures()?;
        for element in self.section("tendon") {
            self.tendon_section(element)?;
        }
        self.motions()?;
        for element in self.section("equality") {
            self.equality(element)?;
        }
        for element in self.section("actuator") {
            self.actuators(element)?;
        }
        for element in self.section("keyframe") {
            self.keyframes(element)?;
        }
        self.finish()
    }

    /// All sections with one tag.
    fn section(&self, tag: &'static str) -> Vec<Element<'d>> {
        self.root.children().filter(|element| element.tag() == tag).collect()
    }

    /// Refuses or notes sections that are not read.
    fn sections(&mut self) -> Result<(), SceneError> {
        for section in self.root.children() {
            match section.tag() {
                "deformable" if section.children().next().is_some() => {
                    return Err(section.invalid(None, "not supported: bodies are rigid"));
                }
                // Measurements and plugins: named one by one, so that nothing is lost in silence.
                "sensor" | "extension" => {
                    for child in section.children() {
                        let message = format!("{}s are not supported", section.tag());
                        child.note(&mut self.notes, EntryKind::Ignored, None, message);
                    }
                }
                "visual" | "statistic" | "size" => section.note_cosmetic(&mut self.notes, None),
                _ => {}
            }
        }
        Ok(())
    }

    fn constants(&mut self) {
        self.builder.gravity =
            if self.world.disabled.gravity { Vector3::zeros() } else { self.world.gravity };
        match self.world.timestep {
            Some(timestep) => self.builder.timestep = timestep,
            None => {
                let message = format!("no timestep is given; {} s, as in MuJoCo", self.builder.timestep);
                self.root.note(&mut self.notes, EntryKind::Defaulted, None, message);
            }
        }
    }

    fn check_defaults(&mut self) -> Result<(), SceneError> {
        for element in self.defaults.elements().collect::<Vec<_>>() {
            match element.tag() {
                "geom" => self.check_default_geom(element)?,
                "joint" => self.check_default_joint(element)?,
                "pair" => self.check_default_pair(element)?,
                tag if ACTUATORS.contains(&tag) => self.check_default_actuator(element)?,
                "site" | "camera" | "light" | "material" | "texture" => {
                    element.note_cosmetic(&mut self.notes, None);
                }
                "mesh" => self.check_default_mesh(element)?,
                "tendon" => self.check_default_tendon(element)?,
                "equality" => {}
                _ => unread_child(element, &mut self.notes),
            }
        }
        Ok(())
    }

    /// Gives all bodies together the mass that `settotalmass` asks for.
    fn total_mass(&mut self) -> Result<(), SceneError> {
        let Some(wanted) = self.compiler.total_mass else { return Ok(()) };
        let present = self.builder.total_mass();
        if present > 0.0 {
            self.builder.scale_mass(wanted / present);
            return Ok(());
        }
        let element =
            self.section("compiler").into_iter().find(|e| e.has("settotalmass")).unwrap_or(self.root);
        let message = format!("{wanted} kg cannot be shared out: no body has mass");
        Err(element.invalid(Some("settotalmass"), message))
    }

    /// Remembers where an element is, by the name the builder gives it.
    fn place(&mut self, kind: ElementKind, name: &str, element: Element<'d>) {
        self.places.insert((kind, name.to_string()), element);
    }

    /// The same for an element about two others, in either order.
    fn place_pair(&mut self, kind: ElementKind, first: &str, second: &str, element: Element<'d>) {
        self.place(kind, &format!("{first} and {second}"), element);
        self.place(kind, &format!("{second} and {first}"), element);
    }

    /// Builds a model from what has been read so far.
    fn build(&self, builder: ModelBuilder) -> Result<Model, SceneError> {
        builder.build().map_err(|error| {
            let subject = error.element();
            let place = self.places.get(&(subject.kind, subject.name.clone())).copied();
            place.unwrap_or(self.root).model_error(error)
        })
    }

    fn finish(mut self) -> Result<Scene, SceneError> {
        let builder = std::mem::replace(&mut self.builder, ModelBuilder::new(""));
        let model = self.build(builder)?;
        self.unused_material_rules(&model);
        Ok(Scene { model, options: self.custom.options, report: self.notes.report })
    }
}
