//! Which geoms may collide, and with which law.

use nalgebra::Vector3;
use stiction::contact::Law;
use stiction::geometry::Shape;
use stiction::model::{BodyHandle, BodySpec, GeomSpec, JointSpec, Model, ModelBuilder};

fn spec(name: &str, joints: Vec<JointSpec>) -> BodySpec {
    let geom = GeomSpec { name: name.into(), ..GeomSpec::new(Shape::Sphere { radius: 0.1 }) };
    BodySpec { name: name.into(), joints, geoms: vec![geom], ..BodySpec::default() }
}

fn hinge() -> Vec<JointSpec> {
    vec![JointSpec { position: Vector3::x(), ..JointSpec::hinge(Vector3::y()) }]
}

fn free() -> Vec<JointSpec> {
    vec![JointSpec::free()]
}

fn may(model: &Model, a: &str, b: &str) -> bool {
    let (a, b) = (model.geom(a).unwrap(), model.geom(b).unwrap());
    assert_eq!(model.may_collide(a, b), model.may_collide(b, a));
    model.may_collide(a, b)
}

fn law(model: &Model, a: &str, b: &str) -> Law {
    let (a, b) = (model.geom(a).unwrap(), model.geom(b).unwrap());
    assert_eq!(model.pair_law(a, b), model.pair_law(b, a));
    model.pair_law(a, b)
}

/// World with a post; on the post an arm, a forearm with a tip fixed to it, and a hand; a mocap body; two balls.
fn scene() -> ModelBuilder {
    let mut builder = ModelBuilder::new("rules");
    builder.add_geom(BodyHandle::WORLD, spec("floor", vec![]).geoms[0].clone()).unwrap();
    let post = builder.add_body(BodyHandle::WORLD, spec("post", vec![])).unwrap();
    let arm = builder.add_body(post, spec("arm", hinge())).unwrap();
    let forearm = builder.add_body(arm, spec("forearm", hinge())).unwrap();
    let tip = builder.add_body(forearm, spec("tip", vec![])).unwrap();
    builder.add_body(tip, spec("hand", hinge())).unwrap();
    builder
        .add_body(BodyHandle::WORLD, BodySpec { mocap: Some([Vector3::zeros(); 2]), ..spec("mocap", vec![]) })
        .unwrap();
    builder.add_body(BodyHandle::WORLD, spec("ball", free())).unwrap();
    builder.add_body(BodyHandle::WORLD, spec("other", free())).unwrap();
    builder
}

#[test]
fn welded_bodies_immovable_bodies_and_parent_and_child_do_not_collide() {
    let model = scene().build().unwrap();
    for (a, b) in [
        ("floor", "post"),
        ("floor", "mocap"),
        ("post", "mocap"),
        ("forearm", "tip"),
        ("arm", "forearm"),
        ("arm", "tip"),
        ("forearm", "hand"),
        ("tip", "hand"),
        ("ball", "ball"),
    ] {
        assert!(!may(&model, a, b), "{a} {b}");
    }
    for (a, b) in [
        ("floor", "arm"),
        ("post", "arm"),
        ("post", "forearm"),
        ("arm", "hand"),
        ("mocap", "ball"),
        ("ball", "other"),
        ("ball", "tip"),
        ("floor", "ball"),
    ] {
        assert!(may(&model, a, b), "{a} {b}");
    }
}

#[test]
fn exclusions_hold_between_two_bodies_in_either_order() {
    let mut builder = scene();
    let [ball, other] = ["ball", "other"].map(|name| builder.find_body(name).unwrap());
    builder.exclude(other, ball).exclude(ball, other);
    let model = builder.build().unwrap();
    assert!(!may(&model, "ball", "other"));
    assert!(may(&model, "ball", "hand"));
    assert_eq!(model.excluded.len(), 1);
}

#[test]
fn collision_bits_of_one_must_meet_the_affinity_of_the_other() {
    for (a, b, expected) in [
        ((1, 0), (0, 1), true),
        ((0, 1), (1, 0), true),
        ((1, 0), (1, 0), false),
        ((2, 1), (4, 2), true),
        ((2, 2), (4, 4), false),
        ((0, 0), (1, 1), false),
    ] {
        let mut builder = scene();
        for (name, bits) in [("ball", a), ("other", b)] {
            let body = builder.find_body(name).unwrap();
            let geom = &mut builder.body_mut(body).unwrap().geoms[0];
            (geom.contype, geom.conaffinity) = bits;
        }
        assert_eq!(may(&builder.build().unwrap(), "ball", "other"), expected, "{a:?} {b:?}");
    }
}

#[test]
fn an_explicit_pair_overrides_bits_exclusions_and_kinship() {
    let mut builder = scene();
    let [arm, forearm] = ["arm", "forearm"].map(|name| builder.find_body(name).unwrap());
    builder.exclude(arm, forearm);
    builder.body_mut(arm).unwrap().geoms[0].contype = 0;
    builder.body_mut(arm).unwrap().geoms[0].conaffinity = 0;
    builder.add_pair("forearm", "arm", Law::Coulomb { mu: 0.25 });
    builder.add_pair("arm", "ball", Law::Coulomb { mu: 0.0 });
    let model = builder.build().unwrap();
    assert!(may(&model, "arm", "forearm") && may(&model, "arm", "ball"));
    assert!(!may(&model, "arm", "other"));
    assert_eq!(law(&model, "arm", "forearm"), Law::Coulomb { mu: 0.25 });
    assert_eq!(law(&model, "arm", "ball"), Law::Frictionless);
}

/// Model of two balls after a change to their geoms.
fn balls(change: impl Fn(&mut GeomSpec, &mut GeomSpec), rules: &[(&str, &str, f64)]) -> Model {
    let mut builder = scene();
    let [ball, other] = ["ball", "other"].map(|name| builder.find_body(name).unwrap());
    let mut geoms = [ball, other].map(|id| builder.body_mut(id).unwrap().geoms[0].clone());
    let [first, second] = &mut geoms;
    change(first, second);
    for (id, geom) in [ball, other].into_iter().zip(geoms) {
        builder.body_mut(id).unwrap().geoms[0] = geom;
    }
    for (a, b, friction) in rules {
        builder.add_material_rule(a, b, Law::Coulomb { mu: *friction });
    }
    builder.build().unwrap()
}

#[test]
fn friction_is_the_larger_of_two_unless_one_has_priority() {
    let set = |a: &mut GeomSpec, b: &mut GeomSpec| (a.friction, b.friction) = (0.2, 0.7);
    assert_eq!(law(&balls(set, &[]), "ball", "other"), Law::Coulomb { mu: 0.7 });
    let first = balls(
        |a, b| {
            set(a, b);
            a.priority = 1;
        },
        &[],
    );
    assert_eq!(law(&first, "ball", "other"), Law::Coulomb { mu: 0.2 });
}

#[test]
fn a_contact_is_frictionless_by_dimension_one_or_zero_friction() {
    let both = balls(|a, b| (a.contact_dimension, b.contact_dimension) = (1, 1), &[]);
    assert_eq!(law(&both, "ball", "other"), Law::Frictionless);
    let one = balls(|a, _| a.contact_dimension = 1, &[]);
    assert_eq!(law(&one, "ball", "other"), Law::Coulomb { mu: 1.0 });
    let decided = balls(|a, _| (a.contact_dimension, a.priority) = (1, 2), &[]);
    assert_eq!(law(&decided, "ball", "other"), Law::Frictionless);
    let smooth = balls(|a, b| (a.friction, b.friction) = (0.0, 0.0), &[]);
    assert_eq!(law(&smooth, "ball", "other"), Law::Frictionless);
}

#[test]
fn friction_of_a_pair_of_materials_beats_the_geoms_in_either_order() {
    let dress = |a: &mut GeomSpec, b: &mut GeomSpec| {
        (a.material, b.material) = (Some("rubber".into()), Some("glass".into()));
        a.priority = 3;
    };
    let rules = [("ice", "rubber", 0.02), ("glass", "rubber", 0.9), ("glass", "glass", 0.4)];
    assert_eq!(law(&balls(dress, &rules), "ball", "other"), Law::Coulomb { mu: 0.9 });
    assert_eq!(law(&balls(dress, &rules[..1]), "ball", "other"), Law::Coulomb { mu: 1.0 });
    assert_eq!(law(&balls(dress, &[("rubber", "glass", 0.0)]), "ball", "other"), Law::Frictionless);
    let same = balls(|a, b| (a.material, b.material) = (Some("glass".into()), Some("glass".into())), &rules);
    assert_eq!(law(&same, "ball", "other"), Law::Coulomb { mu: 0.4 });
    let bare = balls(|a, _| a.material = Some("glass".into()), &rules);
    assert_eq!(law(&bare, "ball", "other"), Law::Coulomb { mu: 1.0 });
}
