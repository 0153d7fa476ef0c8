//! The builder: collects the specifications of a scene.

use super::element::{Element, ElementKind};
use super::error::ModelError;
use super::inertia::own_inertia;
use super::spec::{
    ActuatorSpec, BodyHandle, BodySpec, CableSpec, EqualitySpec, GeomSpec, MaterialRuleSpec, Node, PairSpec,
    TendonSpec,
};
use crate::model::{Keyframe, Law, MaterialRestitution};
use nalgebra::Vector3;

/// Collects a scene and turns it into a [`Model`](crate::model::Model).
///
/// Bodies are numbered depth first, children in the order they were added, as in MJCF; so are joints,
/// generalized velocities, configuration coordinates and geoms.
///
/// ```
/// use nalgebra::Vector3;
/// use stiction::geometry::Shape;
/// use stiction::model::{BodyHandle, BodySpec, GeomSpec, JointSpec, ModelBuilder};
///
/// let mut builder = ModelBuilder::new("pendulum");
/// let bob = GeomSpec::new(Shape::Sphere { radius: 0.1 });
/// let arm = BodySpec {
///     name: "arm".into(),
///     joints: vec![JointSpec { position: Vector3::new(0.0, 0.0, 1.0), ..JointSpec::hinge(Vector3::y()) }],
///     geoms: vec![bob],
///     ..BodySpec::default()
/// };
/// builder.add_body(BodyHandle::WORLD, arm)?;
/// let model = builder.build()?;
/// assert_eq!((model.nq(), model.nv()), (1, 1));
/// # Ok::<(), stiction::model::ModelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    /// Name of the scene.
    pub name: String,
    /// Gravity (m/s^2).
    pub gravity: Vector3<f64>,
    /// Time step (s).
    pub timestep: f64,
    /// Bodies in the order they were added; the first is the world.
    pub(crate) bodies: Vec<Node>,
    pub(crate) tendons: Vec<TendonSpec>,
    pub(crate) cables: Vec<CableSpec>,
    pub(crate) actuators: Vec<ActuatorSpec>,
    pub(crate) equalities: Vec<EqualitySpec>,
    pub(crate) keyframes: Vec<Keyframe>,
    pub(crate) pairs: Vec<PairSpec>,
    pub(crate) material_rules: Vec<MaterialRuleSpec>,
    pub(crate) default_law: Option<Law>,
    pub(crate) material_restitutions: Vec<MaterialRestitution>,
    pub(crate) default_restitution: f64,
    pub(crate) exclusions: Vec<[BodyHandle; 2]>,
}

impl ModelBuilder {
    /// An empty scene with gravity -9.81 m/s^2 along z and a step of 2 ms.
    pub fn new(name: &str) -> Self {
        let world = BodySpec { name: "world".to_owned(), ..BodySpec::default() };
        Self {
            name: name.to_owned(),
            gravity: Vector3::new(0.0, 0.0, -9.81),
            timestep: 0.002,
            bodies: vec![Node { parent: 0, spec: world }],
            tendons: Vec::new(),
            cables: Vec::new(),
            actuators: Vec::new(),
            equalities: Vec::new(),
            keyframes: Vec::new(),
            pairs: Vec::new(),
            material_rules: Vec::new(),
            default_law: None,
            material_restitutions: Vec::new(),
            default_restitution: 0.0,
            exclusions: Vec::new(),
        }
    }

    /// Adds a body to a parent.
    ///
    /// # Errors
    /// [`ModelError::UnknownBody`] if the parent is not in this builder. All else is checked by [`Self::build`].
    pub fn add_body(&mut self, parent: BodyHandle, spec: BodySpec) -> Result<BodyHandle, ModelError> {
        self.known(parent, ElementKind::Body, &spec.name)?;
        self.bodies.push(Node { parent: parent.0, spec });
        Ok(BodyHandle(self.bodies.len() - 1))
    }

    /// Adds a geom to a body, or to the world.
    ///
    /// # Errors
    /// [`ModelError::UnknownBody`] if the body is not in this builder.
    pub fn add_geom(&mut self, body: BodyHandle, spec: GeomSpec) -> Result<&mut Self, ModelError> {
        self.known(body, ElementKind::Geom, &spec.name)?;
        self.bodies[body.0].spec.geoms.push(spec);
        Ok(self)
    }

    /// The body with this given name, if one was added.
    pub fn find_body(&self, name: &str) -> Option<BodyHandle> {
        self.bodies.iter().position(|node| node.spec.name == name).map(BodyHandle)
    }

    /// The description of a body, to read or change it before building.
    pub fn body_mut(&mut self, body: BodyHandle) -> Option<&mut BodySpec> {
        self.bodies.get_mut(body.0).map(|node| &mut node.spec)
    }

    /// Sum of the masses of all bodies (kg), as given or as their geoms have it.
    pub fn total_mass(&self) -> f64 {
        let mut masses: Vec<f64> = self.bodies[1..].iter().map(|node| own_inertia(&node.spec).mass).collect();
        // The sum's bits must not depend on the order of writing.
        masses.sort_by(f64::total_cmp);
        masses.iter().sum()
    }

    /// Multiplies the masses and inertias of all bodies by a factor.
    pub fn scale_mass(&mut self, factor: f64) -> &mut Self {
        for node in &mut self.bodies {
            if let Some(inertial) = &mut node.spec.inertial {
                inertial.mass *= factor;
                inertial.inertia *= factor;
            }
            for geom in &mut node.spec.geoms {
                geom.mass = geom.mass.map(|mass| mass * factor);
                geom.density *= factor;
            }
        }
        self
    }

    /// Adds a fixed tendon.
    pub fn add_tendon(&mut self, spec: TendonSpec) -> &mut Self {
        self.tendons.push(spec);
        self
    }

    /// Adds a cable.
    pub fn add_cable(&mut self, spec: CableSpec) -> &mut Self {
        self.cables.push(spec);
        self
    }

    /// Adds a drive.
    pub fn add_actuator(&mut self, spec: ActuatorSpec) -> &mut Self {
        self.actuators.push(spec);
        self
    }

    /// Adds a bilateral constraint.
    pub fn add_equality(&mut self, spec: EqualitySpec) -> &mut Self {
        self.equalities.push(spec);
        self
    }

    /// Adds a stored state. An empty `q`, `v` or `ctrl` stands for the default (`q0`, zero, zero); quaternions are
    /// normalised.
    pub fn add_keyframe(&mut self, keyframe: Keyframe) -> &mut Self {
        self.keyframes.push(keyframe);
        self
    }

    /// Bodies that never collide with each other.
    pub fn exclude(&mut self, first: BodyHandle, second: BodyHandle) -> &mut Self {
        self.exclusions.push([first, second]);
        self
    }

    /// The law of one pair of geoms, by name (given or made up); they then always may collide.
    pub fn add_pair(&mut self, first: &str, second: &str, law: Law) -> &mut Self {
        self.pairs.push(PairSpec { geoms: [first.to_owned(), second.to_owned()], law });
        self
    }

    /// The law between two materials, which may be the same.
    pub fn add_material_rule(&mut self, first: &str, second: &str, law: Law) -> &mut Self {
        self.material_rules.push(MaterialRuleSpec { materials: [first.to_owned(), second.to_owned()], law });
        self
    }

    /// The law of all contacts that no rule is about; without it Coulomb's, with the friction of the geoms.
    pub fn set_default_law(&mut self, law: Law) -> &mut Self {
        self.default_law = Some(law);
        self
    }

    /// The coefficient of restitution between two materials, which may be the same: 0 (inelastic) to 1 (elastic).
    pub fn add_material_restitution(&mut self, first: &str, second: &str, restitution: f64) -> &mut Self {
        let materials = [first.to_owned(), second.to_owned()];
        self.material_restitutions.push(MaterialRestitution { materials, restitution });
        self
    }

    /// The coefficient of restitution of all contacts that no pair of materials is about: 0 (inelastic), unless set, to
    /// 1 (elastic).
    pub fn set_default_restitution(&mut self, restitution: f64) -> &mut Self {
        self.default_restitution = restitution;
        self
    }

    fn known(&self, body: BodyHandle, kind: ElementKind, name: &str) -> Result<(), ModelError> {
        if body.0 < self.bodies.len() {
            return Ok(());
        }
        Err(ModelError::UnknownBody { element: Element::new(kind, name), id: body.0 })
    }
}
