//! What the builder refuses, and what it says.

use nalgebra::{Matrix3, Vector3};
use stiction::contact::Law;
use stiction::geometry::Shape;
use stiction::model::{
    ActuatorSpec, BodyHandle, BodySpec, ElementKind, EqualitySpec, GeomSpec, Inertial, JointSpec, Keyframe,
    ModelBuilder, ModelError,
};
use stiction::spatial::Transform;

/// A scene with a fixed table, an arm with an elbow, a mocap hand and a free ball.
struct Scene {
    builder: ModelBuilder,
    table: BodyHandle,
    arm: BodyHandle,
    elbow: BodyHandle,
    hand: BodyHandle,
    ball: BodyHandle,
}

fn named(name: &str, joints: Vec<JointSpec>) -> BodySpec {
    let geom = GeomSpec { name: format!("{name} geom"), ..GeomSpec::new(Shape::Sphere { radius: 0.1 }) };
    BodySpec { name: name.into(), joints, geoms: vec![geom], ..BodySpec::default() }
}

fn hinge(name: &str) -> JointSpec {
    JointSpec { name: name.into(), ..JointSpec::hinge(Vector3::y()) }
}

fn scene() -> Scene {
    let mut builder = ModelBuilder::new("scene");
    let table = builder.add_body(BodyHandle::WORLD, named("table", vec![])).unwrap();
    let arm = builder.add_body(table, named("arm", vec![hinge("shoulder")])).unwrap();
    let elbow = builder.add_body(arm, named("elbow", vec![hinge("elbow joint")])).unwrap();
    let still = [Vector3::zeros(); 2];
    let hand = BodySpec { mocap: Some(still), ..named("hand", vec![]) };
    let hand = builder.add_body(BodyHandle::WORLD, hand).unwrap();
    let free = JointSpec { name: "ball free".into(), ..JointSpec::free() };
    let ball = builder.add_body(BodyHandle::WORLD, named("ball", vec![free])).unwrap();
    builder.add_actuator(ActuatorSpec::motor("drive", "shoulder"));
    Scene { builder, table, arm, elbow, hand, ball }
}

impl Scene {
    fn body(&mut self, id: BodyHandle) -> &mut BodySpec {
        self.builder.body_mut(id).unwrap()
    }
    fn joint(&mut self) -> &mut JointSpec {
        &mut self.body(self.arm).joints[0]
    }
    fn geom(&mut self) -> &mut GeomSpec {
        &mut self.body(self.arm).geoms[0]
    }
    fn add(&mut self, parent: BodyHandle, spec: BodySpec) {
        self.builder.add_body(parent, spec).unwrap();
    }
    fn inertia(&mut self, entries: [f64; 9]) {
        self.body(self.arm).inertial = Some(Inertial {
            mass: 1.0,
            center_of_mass: Vector3::zeros(),
            inertia: Matrix3::from_row_slice(&entries),
        });
    }
    fn principal(&mut self, a: f64, b: f64, c: f64) {
        self.inertia([a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c]);
    }
    fn point_mass(&mut self, body: BodyHandle, x: f64, z: f64) {
        let inertial =
            Inertial { mass: 1.0, center_of_mass: Vector3::new(x, 0.0, z), inertia: Matrix3::zeros() };
        self.body(body).inertial = Some(inertial);
    }
    fn key(&mut self, q: Vec<f64>, v: Vec<f64>, ctrl: Vec<f64>) {
        self.builder.add_keyframe(Keyframe { name: "start".into(), q, v, ctrl, ..Keyframe::default() });
    }
    fn drive(&mut self, spec: ActuatorSpec) {
        self.builder.add_actuator(spec);
    }
    fn connect(&mut self, first: BodyHandle, second: BodyHandle) {
        let anchor = Vector3::zeros();
        let name = "pin".into();
        self.builder.add_equality(EqualitySpec::Connect { name, bodies: [first, second], anchor });
    }
}

/// What is done to the scene, and what the message must contain.
type Case = (fn(&mut Scene), &'static [&'static str]);

fn refused(cases: &[Case]) {
    scene().builder.build().unwrap();
    for (spoil, fragments) in cases {
        let mut scene = scene();
        spoil(&mut scene);
        let message = match scene.builder.build() {
            Ok(_) => panic!("nothing refused where {fragments:?} was due"),
            Err(error) => error.to_string(),
        };
        for fragment in *fragments {
            assert!(message.contains(fragment), "`{message}` lacks `{fragment}`");
        }
        assert!(!message.contains('\n') && !message.contains("  "), "{message}");
    }
}

#[test]
fn numbers_out_of_range_are_refused_with_element_quantity_and_value() {
    refused(&[
        (|s| s.builder.gravity.z = f64::NAN, &["scene `scene`", "gravity", "NaN", "finite"]),
        (|s| s.builder.timestep = 0.0, &["timestep is 0.0", "greater than zero"]),
        (|s| s.builder.timestep = f64::INFINITY, &["timestep is inf"]),
        (|s| s.joint().damping = -1.0, &["joint `shoulder`", "damping is -1.0", "negative"]),
        (|s| s.joint().stiffness = -2.0, &["stiffness is -2.0"]),
        (|s| s.joint().armature = f64::NAN, &["armature is NaN"]),
        (|s| s.joint().friction_loss = -3.0, &["friction loss is -3.0"]),
        (|s| s.joint().reference = f64::INFINITY, &["reference is inf"]),
        (|s| s.joint().spring_reference = f64::NAN, &["spring reference is NaN"]),
        (|s| s.joint().position.x = f64::NAN, &["position is NaN"]),
        (|s| s.joint().range = Some([1.0, -1.0]), &["`shoulder`", "range [1, -1]", "lower", "upper"]),
        (|s| s.joint().range = Some([0.0, f64::NAN]), &["range is NaN"]),
        (|s| s.geom().friction = -0.5, &["geom `arm geom`", "friction is -0.5"]),
        (|s| s.geom().density = f64::NAN, &["density is NaN"]),
        (|s| s.geom().mass = Some(-1.0), &["mass is -1.0"]),
        (|s| s.geom().surface_velocity.y = f64::INFINITY, &["surface velocity is inf"]),
        (|s| s.geom().contact_dimension = 2, &["contact dimension 2", "1 (frictionless), 3, 4 or 6"]),
        (|s| s.geom().shape = Shape::Sphere { radius: -1.0 }, &["geom `arm geom`", "radius is -1"]),
        (|s| s.geom().density = 1e308 * 1e3, &["density is inf"]),
        (|s| s.geom().pose.translation.x = f64::NAN, &["geom `arm geom`", "pose is NaN"]),
        (|s| s.body(s.arm).pose.rotation *= 1.001, &["body `arm`", "rotation of its pose", "orthonormal"]),
        (|s| s.body(s.arm).pose.rotation[(0, 0)] = -1.0, &["body `arm`", "off by 2.0e0", "right-handed"]),
        (|s| s.body(s.hand).mocap = Some([Vector3::repeat(f64::NAN); 2]), &["`hand`", "mocap velocity"]),
        (
            |s| s.builder.add_material_rule("ice", "steel", Law::Coulomb { mu: -1.0 }).timestep = 1.0,
            &["`ice and steel`", "-1.0"],
        ),
    ]);
}

#[test]
fn impossible_inertias_are_refused_with_their_numbers() {
    refused(&[
        (
            |s| s.principal(1.486e-6, 2e-7, 8.31e-7),
            &["body `arm`", "1.486e-6 > 1.031e-6", "no distribution of mass"],
        ),
        (|s| s.principal(1.0, 1.0, 2.0 + 1e-6), &["body `arm`", "2.000001 > 2.0"]),
        (|s| s.principal(1.0, 1.0, -0.5), &["negative principal moment -5.0000e-1"]),
        (
            |s| s.inertia([1.0, 0.1, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0, 1.0]),
            &["body `arm`", "not symmetric", "0.1", "0.2"],
        ),
        (|s| s.principal(f64::NAN, 1.0, 1.0), &["inertia is NaN"]),
        (
            |s| {
                s.principal(1.0, 1.0, 1.0);
                s.body(s.arm).inertial.as_mut().unwrap().mass = -1.0;
            },
            &["body `arm`", "mass is -1.0"],
        ),
    ]);
}

#[test]
fn joints_that_move_no_inertia_are_refused_by_name() {
    refused(&[
        // Nothing below the elbow has mass.
        (|s| s.body(s.elbow).geoms.clear(), &["joint `elbow joint`", "body `elbow`", "no mass"]),
        // All the mass below the hinge about y lies on its axis.
        (
            |s| {
                s.point_mass(s.elbow, 0.0, 0.0);
                s.body(s.elbow).joints[0].position = Vector3::new(0.0, 3.0, 0.0);
            },
            &["joint `elbow joint`", "body `elbow`", "no inertia", "armature"],
        ),
        // The same with the axis through the mass away from the body's origin.
        (
            |s| {
                s.point_mass(s.elbow, 1.0, 0.5);
                s.body(s.elbow).joints[0].position = Vector3::new(1.0, 3.0, 0.5);
            },
            &["joint `elbow joint`"],
        ),
        // A point mass has no rotational inertia, so a free joint turns nothing.
        (|s| s.point_mass(s.ball, 0.0, 0.0), &["joint `ball free`", "body `ball`"]),
        // A rod of points on the x axis: a ball joint spins it about itself for nothing.
        (
            |s| {
                s.point_mass(s.elbow, 1.0, 0.0);
                s.body(s.elbow).joints[0] = JointSpec { name: "wrist".into(), ..JointSpec::ball() };
            },
            &["joint `wrist`"],
        ),
        // Two hinges on one axis: only their sum moves anything.
        (|s| s.body(s.elbow).joints.push(hinge("again")), &["joint `again`", "repeats another joint"]),
        (|s| s.body(s.elbow).joints.push(JointSpec::ball()), &["joint `elbow/joint 1`"]),
    ]);
}

#[test]
fn point_masses_off_the_axis_and_massless_links_with_mass_below_are_legal() {
    let mut off_axis = scene();
    off_axis.point_mass(off_axis.elbow, 0.0, 0.5);
    off_axis.builder.build().unwrap();

    let mut opposite = scene();
    opposite.point_mass(opposite.elbow, -1.0, -0.5);
    opposite.body(opposite.elbow).joints[0].position = Vector3::new(1.0, 3.0, 0.5);
    opposite.builder.build().unwrap();

    let mut massless = scene();
    massless.body(massless.arm).geoms.clear();
    massless.builder.build().unwrap();

    let mut armature = scene();
    armature.body(armature.elbow).geoms.clear();
    armature.body(armature.elbow).joints[0].armature = 1e-3;
    armature.builder.build().unwrap();
}

#[test]
fn bodies_and_joints_where_they_cannot_be_are_refused() {
    refused(&[
        (|s| s.joint().kind = JointSpec::hinge(Vector3::zeros()).kind, &["joint `shoulder`", "axis is zero"]),
        (|s| s.joint().kind = JointSpec::slide(Vector3::repeat(f64::NAN)).kind, &["axis is NaN"]),
        (|s| s.body(s.ball).joints.push(hinge("h")), &["`ball free`", "only joint", "`ball` has 2"]),
        (
            |s| s.add(s.table, named("b", vec![JointSpec::free()])),
            &["`b/joint 0`", "child of `table`", "child of the world"],
        ),
        (|s| s.body(s.ball).joints[0].range = Some([0.0, 1.0]), &["`ball free`", "cannot have a range"]),
        (
            |s| {
                s.joint().kind = JointSpec::ball().kind;
                s.joint().range = Some([0.5, 1.0]);
            },
            &["`shoulder`", "[0.5, 1]", "[0, largest angle"],
        ),
        (|s| s.body(s.hand).joints.push(hinge("h")), &["body `hand`", "mocap", "cannot have joints"]),
        (
            |s| s.add(s.table, BodySpec { mocap: Some([Vector3::zeros(); 2]), ..named("m", vec![]) }),
            &["body `m`", "child of the world, not of `table`"],
        ),
        (
            |s| s.add(s.hand, named("finger", vec![hinge("knuckle")])),
            &["body `finger`", "mocap body `hand`", "equality"],
        ),
        (|s| s.body(BodyHandle::WORLD).joints.push(hinge("h")), &["body `world`", "cannot have joints"]),
        (|s| s.geom().shape = Shape::Plane, &["geom `arm geom`", "body `arm`", "joint `shoulder`", "box"]),
    ]);
}

#[test]
fn duplicate_names_are_refused_within_a_kind_only() {
    refused(&[
        (
            |s| s.add(BodyHandle::WORLD, BodySpec { name: "arm".into(), ..Default::default() }),
            &["body `arm`", "twice"],
        ),
        (|s| s.body(s.ball).name = "world".into(), &["body `world`", "twice"]),
        (|s| s.body(s.elbow).joints[0].name = "shoulder".into(), &["joint `shoulder`", "twice"]),
        (|s| s.geom().name = "table geom".into(), &["geom `table geom`", "twice"]),
        (|s| s.drive(ActuatorSpec::motor("drive", "shoulder")), &["actuator `drive`", "twice"]),
        (
            |s| {
                s.connect(s.arm, s.ball);
                s.connect(s.arm, s.ball);
            },
            &["equality `pin`", "twice"],
        ),
        (
            |s| {
                s.key(vec![], vec![], vec![]);
                s.key(vec![], vec![], vec![]);
            },
            &["keyframe `start`", "twice"],
        ),
    ]);
    let mut shared = scene();
    shared.body(shared.arm).joints[0].name = "arm".into();
    shared.builder = {
        let mut builder = ModelBuilder::new("shared");
        builder.add_body(BodyHandle::WORLD, shared.body(shared.arm).clone()).unwrap();
        builder
    };
    shared.builder.build().unwrap();
}

#[test]
fn drives_equalities_and_keyframes_that_do_not_fit_are_refused() {
    refused(&[
        (
            |s| s.drive(ActuatorSpec::motor("m", "sholder")),
            &["actuator `m`", "no joint called `sholder`", "did you mean `shoulder`?"],
        ),
        (|s| s.drive(ActuatorSpec::motor("m", "quite another thing")), &["called `quite another thing`"]),
        (|s| s.drive(ActuatorSpec::position("p", "ball free", 1.0, 0.0)), &["`p`", "`ball free`", "bias"]),
        (
            |s| s.drive(ActuatorSpec { gain: [f64::NAN; 3], ..ActuatorSpec::motor("m", "shoulder") }),
            &["gain is NaN"],
        ),
        (
            |s| s.drive(ActuatorSpec { gear: [f64::NAN; 6], ..ActuatorSpec::motor("m", "shoulder") }),
            &["gear"],
        ),
        (
            |s| {
                let control_range = Some([1.0, 0.0]);
                s.drive(ActuatorSpec { control_range, ..ActuatorSpec::motor("m", "shoulder") });
            },
            &["actuator `m`", "control range [1, 0]"],
        ),
        (
            |s| {
                let force_range = Some([1.0, 1.0]);
                s.drive(ActuatorSpec { force_range, ..ActuatorSpec::motor("m", "shoulder") });
            },
            &["force range [1, 1]"],
        ),
        (|s| s.connect(s.arm, s.arm), &["equality `pin`", "`arm` to itself"]),
        (|s| s.connect(s.table, s.hand), &["`table` and `hand` never move against each other"]),
        (|s| s.key(vec![0.0; 3], vec![], vec![]), &["keyframe `start`", "q has 3", "needs 9"]),
        (|s| s.key(vec![], vec![0.0; 9], vec![]), &["v has 9", "needs 8"]),
        (|s| s.key(vec![], vec![], vec![0.0; 2]), &["ctrl has 2", "needs 1"]),
        (|s| s.key(vec![0.0; 9], vec![], vec![]), &["`start`", "quaternion of joint `ball free` is zero"]),
        (|s| s.key(vec![], vec![f64::NAN; 8], vec![]), &["v is NaN"]),
    ]);
}

#[test]
fn contact_rules_that_say_nothing_or_two_things_are_refused() {
    refused(&[
        (
            |s| _ = s.builder.add_pair("arm gem", "ball geom", Law::Frictionless),
            &["pair `arm gem and ball geom`", "no geom called `arm gem`", "did you mean `arm geom`?"],
        ),
        (|s| _ = s.builder.add_pair("arm geom", "arm geom", Law::Frictionless), &["`arm geom` to itself"]),
        (
            |s| _ = s.builder.add_pair("table geom", "hand geom", Law::Frictionless),
            &["`table geom` and `hand geom` never move"],
        ),
        (
            |s| _ = s.builder.add_pair("arm geom", "ball geom", Law::Coulomb { mu: -1.0 }),
            &["friction is -1.0"],
        ),
        (
            |s| {
                s.builder.add_pair("arm geom", "ball geom", Law::Frictionless);
                s.builder.add_pair("ball geom", "arm geom", Law::Frictionless);
            },
            &["pair `arm geom and ball geom` has two rules"],
        ),
        (
            |s| {
                _ = s.builder.add_material_rule("a", "b", Law::NoSlip).add_material_rule(
                    "b",
                    "a",
                    Law::Frictionless,
                )
            },
            &["material rule `a and b` has two rules"],
        ),
        (|s| _ = s.builder.exclude(s.arm, s.arm), &["`arm` to itself"]),
    ]);
}

#[test]
fn bodies_of_another_builder_are_refused() {
    let mut other = ModelBuilder::new("other");
    let stranger = scene().ball;
    let error = other.add_body(stranger, named("b", vec![])).unwrap_err();
    assert!(matches!(error, ModelError::UnknownBody { id: 5, .. }), "{error}");
    assert!(other.add_geom(stranger, GeomSpec::new(Shape::Plane)).is_err());
    other.exclude(BodyHandle::WORLD, stranger);
    assert!(other.build().unwrap_err().to_string().contains("body number 5"));
}

#[test]
fn an_error_names_its_element_for_readers_that_know_the_line() {
    let mut scene = scene();
    scene.geom().pose = Transform { rotation: Matrix3::zeros(), translation: Vector3::zeros() };
    let error = scene.builder.build().unwrap_err();
    assert_eq!((error.element().kind, error.element().name.as_str()), (ElementKind::Geom, "arm geom"));
}
