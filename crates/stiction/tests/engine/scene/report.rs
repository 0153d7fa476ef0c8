//! The load report: what a scene says and does not get, by name, once, with its place.

use stiction::contact::{ImpactLaw, Law};
use stiction::model::GeomId;
use stiction::scene::{EntryKind, Scene, mjcf};
use stiction::settings::{Options, Settings};

fn scene(text: &str) -> Scene {
    mjcf::parse(text, "scene.xml").unwrap_or_else(|error| panic!("{error}"))
}

/// A world with a line of sections before it and a line of elements in it.
fn world(top: &str, inside: &str, bottom: &str) -> Scene {
    scene(&format!(
        "<mujoco><option timestep=\"0.001\"/>\n{top}\n<worldbody>\n{inside}\n</worldbody>\n{bottom}\n</mujoco>"
    ))
}

/// The only entry of a scene's report.
#[track_caller]
fn only(scene: &Scene) -> (EntryKind, usize, String) {
    assert_eq!(scene.report.entries.len(), 1, "{:?}", scene.report.entries);
    let entry = &scene.report.entries[0];
    (entry.kind, entry.place.line, entry.to_string())
}

const BODY: &str = r#"<body name="b"><joint name="j"/><geom name="g" size="1"/></body>"#;

#[test]
fn soft_contact_parameters_are_noted_once_for_the_whole_scene() {
    let top = "<default><geom solref=\"0.01 1\"/><joint solimplimit=\"0.9 0.95 0.001\"/></default>";
    let scene = world(top, "<geom size=\"1\" solimp=\"0.9 0.95 0.001\"/>", "");
    let (kind, line, text) = only(&scene);
    assert_eq!((kind, line), (EntryKind::Ignored, 2));
    assert!(text.contains("solref") && text.contains("rigid"), "{text}");
}

#[test]
fn an_attribute_of_earlier_versions_is_noted_and_not_refused() {
    let (kind, line, text) = only(&world("<option timestep=\"0.001\" apirate=\"200\"/>", "", ""));
    assert_eq!((kind, line), (EntryKind::Ignored, 2));
    assert!(text.contains("apirate") && text.contains("no effect"), "{text}");
}

#[test]
fn a_default_used_by_many_is_noted_once_where_it_stands() {
    let geoms = "<geom size=\"1\"/>".repeat(5);
    let (_, line, text) = only(&world("<default><geom margin=\"0.1\"/></default>", &geoms, ""));
    assert_eq!(line, 2);
    assert!(text.contains("margin"), "{text}");
}

#[test]
fn effects_that_are_switched_off_are_not_noted() {
    let inside = "<body gravcomp=\"0\"><joint margin=\"0\" springdamper=\"0 0\"/><geom size=\"1\" gap=\"0\" \
                  adhesion=\"0\" fluidshape=\"none\" rgba=\"1 0 0 1\" group=\"2\"/><site name=\"s\"/></body>";
    let scene = world("<visual><map znear=\"0.1\"/></visual><statistic extent=\"2\"/>", inside, "");
    assert!(scene.report.is_empty(), "{:?}", scene.report.entries);
}

#[test]
fn constraints_and_drives_that_do_not_hold_are_named() {
    let bottom = "<equality><joint name=\"gear\" joint1=\"j\" active=\"false\"/></equality>\
                  <tendon><spatial name=\"cable\"><site site=\"s\"/></spatial></tendon>\
                  <actuator><muscle name=\"biceps\" joint=\"j\"/><adhesion name=\"m\" body=\"b\"/></actuator>\
                  <sensor><jointpos name=\"angle\" joint=\"j\"/></sensor>";
    let scene = world("", BODY, bottom);
    let text: String = scene.report.entries.iter().map(|entry| format!("{entry}\n")).collect();
    for name in ["gear", "cable", "biceps", "\"m\"", "angle"] {
        assert!(text.contains(name), "{name} is missing in\n{text}");
    }
    assert!(scene.report.entries.iter().all(|entry| entry.kind == EntryKind::Ignored));
    assert!(
        text.contains("only drawn")
            && text.contains("muscle's activation")
            && text.contains("contacts is not")
    );
    assert!(scene.model.actuators.is_empty() && scene.model.equalities.is_empty());
}

#[test]
fn what_tendons_couplings_and_pairs_say_in_vain_is_named() {
    let top = "<default><pair friction=\"0.5 0.2\"/><default class=\"t\"><tendon armature=\"0.1\"/></default></default>";
    let bottom = "<contact><pair name=\"both\" geom1=\"f\" geom2=\"g\" gap=\"0.1\"/></contact>\
                  <tendon><fixed name=\"sum\" margin=\"0.2\" actuatorfrcrange=\"-1 1\"><joint joint=\"j\" coef=\"2\"/></fixed>\
                  <spatial name=\"cable\"/></tendon>\
                  <equality><joint name=\"fixed\" joint1=\"j\" polycoef=\"0 2\"/></equality>\
                  <actuator><intvelocity name=\"slow\" tendon=\"sum\"/><general name=\"lag\" tendon=\"sum\" dyntype=\"filter\"/>\
                  <motor name=\"thrust\" site=\"s\"/></actuator>";
    let inside = "<geom name=\"f\" type=\"plane\" size=\"0 0 1\"/><body name=\"b\" pos=\"0 0 3\"><joint name=\"j\"/>\
                  <geom name=\"g\" size=\"1\"/><site name=\"s\"/></body>";
    let scene = world(top, inside, bottom);
    let text: String = scene.report.entries.iter().map(|entry| format!("{entry}\n")).collect();
    for words in [
        ["tendon", "armature"],
        ["pair \"both\"", "0.5 acts, 0.2 does not"],
        ["pair \"both\"", "gap"],
        ["fixed \"sum\"", "margin"],
        ["fixed \"sum\"", "actuatorfrcrange"],
        ["spatial \"cable\"", "only drawn"],
        ["joint \"fixed\"", "polycoef: only the first number acts"],
        ["intvelocity \"slow\"", "does nothing"],
        ["general \"lag\"", "does nothing"],
        ["motor \"thrust\"", "transmission by site"],
    ] {
        let found = text.lines().any(|line| words.iter().all(|word| line.contains(word)));
        assert!(found, "{words:?} is missing in\n{text}");
    }
    assert_eq!(
        (scene.model.tendons.len(), scene.model.equalities.len(), scene.model.actuators.len()),
        (1, 1, 0)
    );
}

#[test]
fn controls_of_a_keyframe_follow_their_drives_when_one_is_left_out() {
    let bottom = "<actuator><motor name=\"a\" joint=\"j\"/><muscle joint=\"j\"/><motor name=\"c\" joint=\"j\"/>\
                  </actuator><keyframe><key name=\"k\" ctrl=\"1 2 3\"/></keyframe>";
    let scene = world("", BODY, bottom);
    assert_eq!(scene.model.keyframe("k").unwrap().ctrl, [1.0, 3.0]);
}

#[test]
fn keyframes_place_mocap_bodies_in_the_order_of_the_file() {
    let inside = "<body name=\"z\" mocap=\"true\" pos=\"1 0 0\"><geom size=\"1\"/></body>\
                  <body name=\"a\" mocap=\"true\" pos=\"2 0 0\"><geom size=\"1\"/></body>";
    let keys = "<keyframe><key name=\"k\" mpos=\"0 0 3 0 0 4\" mquat=\"1 0 0 0 0 0 2 0\"/><key/></keyframe>";
    let scene = world("", inside, keys);
    let mut simulation = stiction::sim::Simulation::from_scene(scene.clone()).unwrap();
    let position = |s: &stiction::sim::Simulation, i: usize| s.state.mocap[i].position.as_slice().to_vec();
    assert_eq!(position(&simulation, 0), [1.0, 0.0, 0.0]);
    simulation.reset_to(scene.model.keyframe("k").unwrap()).unwrap();
    assert_eq!(position(&simulation, 0), [0.0, 0.0, 3.0]);
    assert_eq!(position(&simulation, 1), [0.0, 0.0, 4.0]);
    assert_eq!(simulation.state.mocap[1].orientation, [0.0, 0.0, 1.0, 0.0]);
    assert!(
        scene.report.entries.iter().any(|e| e.kind == EntryKind::Repaired && e.message.contains("5 to 8"))
    );
    simulation.reset_to(scene.model.keyframe("key1").unwrap()).unwrap();
    assert_eq!(position(&simulation, 1), [2.0, 0.0, 0.0]);
}

#[test]
fn what_is_inferred_defaulted_or_repaired_is_said() {
    let (kind, _, text) = only(&scene("<mujoco><worldbody/></mujoco>"));
    assert_eq!(kind, EntryKind::Defaulted);
    assert!(text.contains("timestep") && text.contains("0.002"), "{text}");

    let free = "<body pos=\"0 0 3\"><freejoint/><geom size=\"1\"/></body>";
    let scene = world("", free, "<keyframe><key name=\"k\" qpos=\"1 2\"/></keyframe>");
    assert_eq!(only(&scene).0, EntryKind::Inferred);
    assert_eq!(scene.model.keyframe("k").unwrap().q, [1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0]);

    let scene = world("", free, "<keyframe><key qpos=\"1 2 3 0 2 0 0\"/></keyframe>");
    let kinds: Vec<EntryKind> = scene.report.entries.iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [EntryKind::Inferred, EntryKind::Repaired]);
    assert_eq!(scene.model.keyframe("key0").unwrap().q, [1.0, 2.0, 3.0, 0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn flags_switch_effects_off() {
    let body = "<body name=\"b\"><joint stiffness=\"1\" damping=\"2\" frictionloss=\"3\" range=\"0 1\"/>\
                <geom name=\"g\" size=\"1\"/></body><geom name=\"floor\" type=\"plane\" size=\"0 0 1\"/>";
    let names = ["gravity", "contact", "spring", "damper", "frictionloss", "limit"];
    let flags: String = names.iter().map(|name| format!("{name}=\"disable\" ")).collect();
    let pair = "<contact><pair geom1=\"floor\" geom2=\"g\"/></contact>";
    let model = world(&format!("<option><flag {flags}/></option>"), body, pair).model;
    let (link, dof) = (&model.links[0], &model.dofs[0]);
    assert_eq!([link.stiffness, dof.damping, dof.friction_loss, model.gravity.norm()], [0.0; 4]);
    assert!(link.range.is_none());
    assert!(!model.may_collide(GeomId::new(0), GeomId::new(1)));
    let model = world("", body, pair).model;
    assert_eq!(
        (model.links[0].stiffness, model.dofs[0].damping, model.dofs[0].friction_loss),
        (1.0, 2.0, 3.0)
    );
    assert!(model.may_collide(GeomId::new(0), GeomId::new(1)));
}

#[test]
fn the_scenes_own_entries_reach_the_model_and_the_options() {
    let top = "<custom>\
               <text name=\"stiction:contact_model\" data=\"stewart-trinkle\"/>\
               <text name=\"stiction:solver\" data=\"lemke\"/>\
               <numeric name=\"stiction:duration\" data=\"2.5\"/>\
               <numeric name=\"stiction:friction_directions\" data=\"8\"/>\
               <text name=\"stiction:impact\" data=\"newton\"/>\
               <numeric name=\"stiction:impact_threshold\" data=\"0.01\"/>\
               <numeric name=\"stiction:baumgarte\" data=\"0.1\"/>\
               <numeric name=\"stiction:overlap_tolerance\" data=\"1e-6\"/>\
               <numeric name=\"stiction:depenetration_speed\" data=\"0.5\"/>\
               <numeric name=\"stiction:restitution\" data=\"0.2\"/>\
               <numeric name=\"stiction:restitution:glass:rubber\" data=\"0.7\"/>\
               <numeric name=\"stiction:friction:rubber:glass\" data=\"0.9\"/>\
               <numeric name=\"stiction:surface_velocity:floor\" data=\"1 2 0\"/>\
               <numeric name=\"stiction:mocap_velocity:hand\" data=\"1 2 3 4 5 6\"/>\
               </custom>\
               <asset><material name=\"rubber\"/><material name=\"glass\"/></asset>";
    let inside = "<geom name=\"floor\" type=\"plane\" size=\"0 0 1\" material=\"glass\"/>\
                  <body name=\"hand\" mocap=\"true\"><geom size=\"1\"/></body>\
                  <body pos=\"5 0 5\"><freejoint/><geom name=\"ball\" size=\"1\" material=\"rubber\"/></body>";
    let scene = world(top, inside, "");
    assert!(scene.report.is_empty(), "{:?}", scene.report.entries);
    assert_eq!(scene.options.contact_model.as_deref(), Some("stewart-trinkle"));
    assert_eq!(scene.options.solver.as_deref(), Some("lemke"));
    assert_eq!((scene.options.duration, scene.options.friction_directions), (Some(2.5), Some(8)));
    let settings = Settings::for_scene(&Options::default(), &scene.options).unwrap();
    assert_eq!(
        (settings.impact_threshold, settings.baumgarte, settings.overlap_tolerance),
        (0.01, 0.1, 1e-6)
    );
    assert_eq!(settings.depenetration_speed, Some(0.5));
    let model = &scene.model;
    let (floor, ball) = (model.geom("floor").unwrap(), model.geom("ball").unwrap());
    assert_eq!(model.geoms[floor].surface_velocity.as_slice(), [1.0, 2.0, 0.0]);
    assert_eq!(model.pair_law(floor, ball), Law::Coulomb { mu: 0.9 });
    assert_eq!(scene.options.impact, Some(ImpactLaw::Newton));
    assert_eq!((model.pair_restitution(ball, floor), model.pair_restitution(ball, ball)), (0.7, 0.2));
    let [angular, linear] = model.mocap_velocities[0];
    assert_eq!(
        (angular.as_slice(), linear.as_slice()),
        ([1.0, 2.0, 3.0].as_slice(), [4.0, 5.0, 6.0].as_slice())
    );
}

#[test]
fn a_report_survives_json() {
    let report = world("", "<geom size=\"1\" margin=\"2\"/>", "").report;
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["entries"][0]["kind"], "ignored");
    assert_eq!(json["entries"][0]["attribute"], "margin");
    let place = ["file", "line", "column", "length"].map(|key| &json["entries"][0][key]);
    assert_eq!(place[1..], [4, 24, 1]);
    assert!(place[0].is_string());
    assert_eq!(serde_json::from_value::<stiction::scene::LoadReport>(json).unwrap().entries, report.entries);
}
