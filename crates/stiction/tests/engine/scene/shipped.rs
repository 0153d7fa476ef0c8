//! The scenes that ship with the project: they load without a single note, and they are what their comments say.

use std::path::PathBuf;
use stiction::scene::{Scene, load};

const SHIPPED: [&str; 13] = [
    "belt",
    "bounce",
    "box_stack",
    "drop_stack",
    "grasp",
    "humanoid",
    "incline",
    "mass_ratio",
    "pendulum",
    "pendulum12",
    "sphere_slide",
    "spin",
    "swing_up",
];

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn scene(name: &str) -> Scene {
    load(&directory().join(format!("{name}.xml"))).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_shipped_scene_loads_without_a_note() {
    let mut found: Vec<String> = std::fs::read_dir(directory())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".xml"))
        .collect();
    found.sort();
    assert_eq!(found, SHIPPED.map(|name| format!("{name}.xml")), "the list above must name every scene");
    for name in SHIPPED {
        let scene = scene(name);
        assert_eq!(scene.model.name, name);
        assert!(scene.report.is_empty(), "{name}: {:?}", scene.report.entries);
        assert!(scene.options.duration.is_some_and(|duration| duration > 0.0));
    }
}

#[test]
fn the_start_of_a_scene_is_a_keyframe_where_it_differs_from_rest_at_the_reference_pose() {
    for (name, velocity) in
        [("sphere_slide", 2.0), ("pendulum12", 1.0), ("spin", 5.0), ("grasp", 0.0), ("pendulum", 0.0)]
    {
        let model = scene(name).model;
        let start = model.keyframe("start").unwrap();
        assert_eq!((start.q.len(), start.v.len()), (model.nq(), model.nv()));
        assert_eq!(start.v.iter().fold(0.0_f64, |most, v| most.max(v.abs())), velocity, "{name}");
    }
    assert_eq!(scene("grasp").model.keyframe("start").unwrap().ctrl, [50.0, 50.0]);
}

#[test]
fn the_lanes_of_the_incline_have_friction_two_percent_beside_the_tangent() {
    use stiction::contact::Law;
    let model = scene("incline").model;
    let slope = model.geom("slope").unwrap();
    let normal = model.geoms[slope].pose.rotation.column(2).into_owned();
    let tangent = libm::hypot(normal.x, normal.y) / normal.z;
    assert!((tangent - 0.49).abs() < 1e-15);
    for (name, mu) in [("sticks", tangent / 0.98), ("slides", tangent * 0.98)] {
        let Law::Coulomb { mu: found } = model.pair_law(slope, model.geom(name).unwrap()) else {
            panic!("frictionless")
        };
        assert!((found - mu).abs() < 1e-15, "{name}: {found} instead of {mu}");
    }
}

#[test]
fn the_belt_runs_and_the_figure_has_its_degrees_of_freedom() {
    let belt = scene("belt").model;
    assert_eq!(belt.geoms[belt.geom("belt").unwrap()].surface_velocity.as_slice(), [0.5, 0.0, 0.0]);
    let figure = scene("humanoid").model;
    assert_eq!((figure.nv(), figure.actuators.len()), (31, 25));
    assert!(figure.links.iter().skip(1).all(|link| link.range.is_some()));
}
