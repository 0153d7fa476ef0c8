//! What every step promises: bits that repeat, no allocation, no energy from nothing, honest refusals.

use crate::common::{
    STEPPERS, approach_left, contacts_may_bring, overlap_as_posed, position, run, shipped, simulate,
    simulate_by, simulate_under, speed,
};
use nalgebra::Vector3;
use std::collections::BTreeSet;
use stiction::contact::Formulation;
use stiction::geometry::Shape;
use stiction::model::TreeId;
use stiction::sim::{Mocap, SimError, Snapshot, State, Stepper};
use stiction::spatial::{Motion, Transform};

const PILE: &str = r#"<mujoco><option timestep="0.002"/><default><geom friction="0.6"/></default><worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="a" pos="0 0 0.4" euler="10 20 30"><freejoint/><geom type="box" size=".2 .1 .15" mass="1"/></body>
    <body name="b" pos="0.1 0.05 0.9" euler="50 -20 0"><freejoint/><geom type="capsule" size=".1 .2" mass="2"/></body>
    <body name="c" pos="-0.05 0.1 1.4"><freejoint/><geom type="sphere" size=".15" mass="0.5"/></body>
    <body name="arm" pos="0.6 0 1"><joint name="s" axis="0 1 0" damping="0.1" range="-100 100"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.5" size=".05" mass="1"/>
      <body name="fore" pos="0 0 -0.5"><joint name="e" type="ball" range="0 60"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size=".04" mass="0.5"/></body></body>
    </worldbody><actuator><motor joint="s" ctrlrange="-2 2"/></actuator></mujoco>"#;

#[test]
fn a_snapshot_continues_with_the_same_bits_in_the_same_and_in_another_simulation() {
    let mut s = simulate(PILE);
    s.state.ctrl[0] = 1.5;
    for _ in 0..600 {
        let _ = s.step().unwrap();
    }
    let bytes = s.snapshot().to_bytes().unwrap();
    let mut hashes = Vec::new();
    for _ in 0..300 {
        let _ = s.step().unwrap();
        hashes.push(s.state_hash());
    }
    let snapshot = Snapshot::from_bytes(&bytes).unwrap();
    for mut other in [simulate(PILE), s] {
        other.restore(&snapshot).unwrap();
        for hash in &hashes {
            let _ = other.step().unwrap();
            assert_eq!(other.state_hash(), *hash);
        }
    }
}

/// Elements of a scene that may be written in any order, joined in one.
fn in_order(elements: &[&str], order: fn(usize, usize) -> usize) -> String {
    (0..elements.len()).map(|i| elements[order(i, elements.len())]).collect()
}

/// The name of a shape's variant.
fn shape_name(shape: &Shape) -> String {
    format!("{shape:?}").chars().take_while(char::is_ascii_alphanumeric).collect()
}

#[test]
fn the_order_in_which_elements_are_written_changes_no_bit() {
    // Geoms and rigidly joined bodies of one link whose masses do not add up to the same bits in every order.
    let club = [
        r#"<geom name="shaft" type="capsule" fromto="0 0 0 0.3 0 0.1" size=".03" mass="0.1"/>"#,
        r#"<geom name="head" type="box" pos="0.35 0.01 0.1" size=".05 .06 .07" mass="0.7"/>"#,
        r#"<geom name="knob" type="sphere" pos="-0.03 0.02 0" size=".05" mass="0.3333"/>"#,
        r#"<body name="tape" pos="0.1 0 0.03" euler="0 3 7"><geom name="tape" size=".04" mass="0.0123"/></body>"#,
        r#"<body name="grip" pos="0.01 0.03 0"><geom name="grip" type="box" size=".03 .04 .05" mass="0.11"/></body>"#,
    ];
    let world = [
        r#"<geom name="floor" type="plane" size="5 5 1"/>"#,
        r#"<geom name="step" type="box" pos="0.6 0 0" size=".2 1 .1"/>"#,
        r#"<body name="a" pos="0 0 0.3" euler="10 20 30"><freejoint/><geom name="a" type="box" size=".2 .1 .15" mass="1"/></body>"#,
        r#"<body name="b" pos="0.1 0.05 0.8" euler="50 -20 0"><freejoint/><geom name="b" type="capsule" size=".1 .2" mass="2"/></body>"#,
        r#"<body name="c" pos="-0.05 0.1 1.3"><freejoint/><geom name="c" type="box" size=".15 .15 .15" mass="0.5"/></body>"#,
        r#"<body name="d" pos="0.55 0.1 0.5"><freejoint/><geom name="d" type="sphere" size=".12" mass="0.7"/></body>"#,
        r#"<body name="e" pos="0.55 0.15 0.9" euler="90 0 20"><freejoint/><geom name="e" type="capsule" size=".08 .2" mass="0.4"/></body>"#,
        r#"<body name="arm" pos="-0.7 0 1"><joint name="shoulder" axis="0 1 0" damping="0.1" range="-40 40" frictionloss="0.2"/>
           <geom name="arm" type="capsule" fromto="0 0 0 0 0 -0.5" size=".05" mass="1"/>
           <body name="hand" pos="0 0 -0.5"><joint name="wrist" type="ball" range="0 60"/>
           <geom name="hand" type="capsule" fromto="0 0 0 0 0 -0.4" size=".04" mass="0.5"/></body></body>"#,
        r#"<body name="left" pos="-1.6 0 1"><freejoint/><geom name="left" size=".1" mass="1"/></body>"#,
        r#"<body name="right" pos="-1.3 0 1"><freejoint/><geom name="right" size=".1" mass="2"/></body>"#,
        r#"<body name="paddle" mocap="true" pos="1.2 0 0.3"><geom name="paddle" type="box" size=".05 .3 .3"/></body>"#,
    ];
    let pairs = [
        r#"<pair geom1="floor" geom2="a" friction="0.2 0.2"/>"#,
        r#"<pair geom1="d" geom2="e" friction="0.9 0.9"/>"#,
        r#"<exclude body1="b" body2="e"/>"#,
    ];
    let equalities = [
        r#"<weld name="bond" body1="left" body2="right"/>"#,
        r#"<connect name="rope" body1="right" anchor="0 0 0.3"/>"#,
    ];
    let drives = [
        r#"<motor name="push" joint="shoulder" gear="3"/>"#,
        r#"<position name="hold" joint="shoulder" kp="5" kv="0.5"/>"#,
    ];
    let custom = [
        r#"<numeric name="stiction:mocap_velocity:paddle" data="0 0 0 -0.3 0 0"/>"#,
        r#"<numeric name="stiction:surface_velocity:step" data="-0.2 0 0"/>"#,
    ];
    let hash = |order: fn(usize, usize) -> usize| {
        let club =
            format!(r#"<body name="club" pos="0.1 -0.6 0.4"><freejoint/>{}</body>"#, in_order(&club, order));
        let world: Vec<&str> = world.iter().copied().chain([club.as_str()]).collect();
        let sections = [
            format!("<worldbody>{}</worldbody>", in_order(&world, order)),
            format!("<contact>{}</contact>", in_order(&pairs, order)),
            format!("<equality>{}</equality>", in_order(&equalities, order)),
            format!("<actuator>{}</actuator>", in_order(&drives, order)),
            format!("<custom>{}</custom>", in_order(&custom, order)),
        ];
        let sections: Vec<&str> = sections.iter().map(String::as_str).collect();
        let mut s = simulate(&format!("<mujoco>{}</mujoco>", in_order(&sections, order)));
        let push = s.model().actuators.iter().position(|a| a.name == "push").unwrap();
        s.state.ctrl[push] = 0.4;
        let mut kinds = BTreeSet::new();
        for _ in 0..1000 {
            let _ = s.step().unwrap();
            kinds.extend(s.contact_forces().iter().filter(|c| c.impulse.x > 0.0).map(|c| {
                let mut kinds = c.contact.geoms.map(|g| shape_name(&s.model().geoms[g].shape));
                kinds.sort_unstable();
                kinds
            }));
        }
        (s.state_hash(), kinds)
    };
    let (first, kinds) = hash(|i, _| i);
    assert!(kinds.len() >= 7, "the scene should have contacts of many kinds: {kinds:?}");
    assert_eq!(first, hash(|i, n| n - 1 - i).0);
    assert_eq!(first, hash(|i, n| (i + n / 2) % n).0);
}

#[test]
fn every_shipped_scene_gives_one_state_hash_in_three_runs() {
    let folder = format!("{}/../../scenes", env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|e| e.unwrap().file_name().to_str()?.strip_suffix(".xml").map(String::from))
        .collect();
    names.sort();
    assert!(names.len() >= 9, "{names:?}");
    for name in names {
        let text = shipped(&name);
        let hash = || {
            let mut s = simulate(&text);
            for _ in 0..500 {
                let _ = s.step().unwrap();
            }
            s.state_hash()
        };
        let first = hash();
        assert!(first == hash() && first == hash(), "{name}");
    }
}

#[test]
fn bodies_that_start_overlapped_separate_without_speed() {
    let mut s = simulate(
        r#"<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody>
        <body name="a"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>
        <body name="b" pos="0.19 0 0"><freejoint/><geom type="box" size=".1 .1 .1" mass="3"/></body>
        </worldbody></mujoco>"#,
    );
    let mut fastest: f64 = 0.0;
    run(&mut s, 0.1, |s, report| {
        fastest = fastest.max(speed(s));
        assert!(report.certificate.penetration <= 1e-9, "{:?}", report.certificate);
    });
    assert!(fastest <= 1e-9, "{fastest}");
    // The lighter body moves three times as far.
    let (a, b) = (position(&s, "a").x, position(&s, "b").x);
    assert!((a + 0.0075).abs() < 1e-9 && (b - 0.1925).abs() < 1e-9, "{a} {b}");
}

#[test]
fn a_body_wedged_between_fixed_walls_stays_finite_and_in_the_middle() {
    let mut s = simulate(
        r#"<mujoco><option timestep="0.001"/><worldbody>
        <geom name="floor" type="plane" size="1 1 1"/>
        <geom name="left" type="box" pos="-1.09 0 0" size="1 1 1"/><geom name="right" type="box" pos="1.09 0 0" size="1 1 1"/>
        <body name="a" pos="0.003 0 0.1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>
        </worldbody></mujoco>"#,
    );
    for _ in 0..200 {
        let report = s.step().unwrap();
        assert!(report.solved(), "{report:?}");
    }
    assert!(position(&s, "a").x.abs() < 1e-4, "{}", position(&s, "a"));
    assert!(speed(&s) < 1e-9, "{}", speed(&s));
}

#[test]
fn contact_impulses_never_feed_energy_and_friction_stays_in_its_cone() {
    for model in ["stewart-trinkle", "anitescu-potra"] {
        let mut s = simulate_under(model, PILE);
        run(&mut s, 4.0, |s, report| {
            let c = &report.certificate;
            assert!(c.contact_work <= contacts_may_bring(s, report), "{model}: {report:?}");
            assert!(
                c.approach <= approach_left(s) && c.pull <= 1e-7 && c.cone_violation <= 1e-6,
                "{model}: {report:?}"
            );
            assert!(c.residual <= 1e-9 && c.sliding_power <= 1e-6, "{model}: {report:?}");
        });
    }
}

#[test]
fn momentum_changes_by_external_forces_only() {
    // Two bodies that collide off centre in free space. Turning boxes and capsules overlap by a part in a million within a
    // step, in some hundred steps of contact; their momenta survive its removal too.
    let shapes = [
        (r#"type="sphere" size=".2""#, r#"type="sphere" size=".15""#),
        (r#"type="box" size=".1 .2 .15""#, r#"type="capsule" size=".1 .15""#),
    ];
    for (first, second) in shapes {
        let mut s = simulate(&format!(
            r#"<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody>
            <body name="a"><freejoint/><geom {first} mass="1"/></body>
            <body name="b" pos="1 0.1 0.05" euler="20 30 40"><freejoint/><geom {second} mass="2"/></body>
            </worldbody><keyframe><key name="start" qpos="0 0 0 1 0 0 0 1 0.1 0.05 0.9 0.3 0.2 0.1"
            qvel="3 0 0 0.5 2 -1 -1 0 0 1 0 0.5"/></keyframe></mujoco>"#
        ));
        let total = |s: &stiction::sim::Simulation| {
            let (model, data) = (s.model(), s.data());
            TreeId::all(&model.trees).fold((Vector3::zeros(), Vector3::zeros()), |(p, l), tree| {
                (
                    p + stiction::dynamics::linear_momentum(model, data, tree),
                    l + stiction::dynamics::angular_momentum(model, data, tree),
                )
            })
        };
        let _ = s.step().unwrap();
        let (p, l) = total(&s);
        let mut contacts = 0;
        run(&mut s, 2.0, |s, report| {
            contacts += report.contacts;
            let (p2, l2) = total(s);
            assert!((p2 - p).norm() < 1e-12, "{first}: linear momentum moved by {}", (p2 - p).norm());
            assert!((l2 - l).norm() < 1e-11, "{first}: angular momentum moved by {}", (l2 - l).norm());
        });
        assert!(contacts > 0, "{first}");
    }
}

#[test]
fn a_number_that_is_not_finite_is_refused_by_name_and_the_state_is_kept() {
    let mut s = simulate(PILE);
    for _ in 0..10 {
        let _ = s.step().unwrap();
    }
    let before = s.state_hash();
    let b = s.model().body("b").unwrap();
    s.state.external[b.index()].linear.x = f64::NAN;
    match s.step() {
        Err(SimError::NotFinite { element, quantity, step, .. }) => {
            assert_eq!((element.as_str(), quantity, step), ("b", "external wrench", 10));
        }
        other => panic!("{other:?}"),
    }
    s.state.external[b.index()].linear.x = 0.0;
    assert_eq!(before, s.state_hash());
    s.state.v[0] = f64::INFINITY;
    assert!(matches!(s.step(), Err(SimError::NotFinite { quantity: "velocity", .. })));
}

#[test]
fn a_step_that_fails_keeps_time_and_prescribed_bodies_too() {
    let mut s = simulate(
        r#"<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody>
        <body name="platform" mocap="true" pos="0 0 -5"><geom type="box" size="1 1 .1"/></body>
        <body name="ball"><freejoint/><geom type="sphere" size=".1"/></body></worldbody>
        <custom><numeric name="stiction:mocap_velocity:platform" data="0 0 0 1 0 0"/></custom></mujoco>"#,
    );
    let _ = s.step().unwrap();
    let before = s.snapshot();
    // The sum of the largest finite position and speed overflows.
    s.state.q[0] = f64::MAX;
    s.state.v[0] = f64::MAX;
    match s.step() {
        Err(SimError::NotFinite { dump, .. }) => assert_eq!(dump.state.time, before.state.time),
        other => panic!("{other:?}"),
    }
    s.state.q[0] = before.state.q[0];
    s.state.v[0] = before.state.v[0];
    assert_eq!(s.snapshot(), before);
}

#[test]
fn a_number_born_in_a_step_is_refused_and_time_and_prescribed_bodies_stay() {
    let mut s = simulate(
        r#"<mujoco><worldbody><body name="hand" mocap="true"/>
        <body name="bob" pos="1 0 0"><freejoint/><geom type="sphere" size=".1" mass="0.01"/></body></worldbody>
        <equality><connect name="pin" body1="hand" body2="bob" anchor="0.2 0 0"/></equality>
        <custom><numeric name="stiction:mocap_velocity:hand" data="0 0 1 0.3 0 0.1"/></custom></mujoco>"#,
    );
    run(&mut s, 0.1, |_, _| {});
    let before = (s.state_hash(), s.state.clone());
    s.state.applied[0] = f64::MAX;
    s.state.applied[1] = -f64::MAX;
    let error = s.step().unwrap_err().to_string();
    assert!(error.contains("NaN") || error.contains("inf"), "{error}");
    s.state.applied[..2].fill(0.0);
    assert_eq!(before, (s.state_hash(), s.state.clone()));
}

#[test]
fn a_limit_stops_a_strong_drive_and_reports_its_torque() {
    // 100 N m/rad towards 12.217 rad against a stop at 1.57 rad; a hundred times the gain changes the torque only.
    for gain in [1e2, 1e4] {
        let mut s = simulate(&format!(
            r#"<mujoco><option timestep="0.002"/><compiler angle="radian"/><worldbody>
            <body name="rod"><joint name="h" axis="0 0 1" range="0 1.57"/>
            <geom type="capsule" fromto="0 0 0 0.1 0 0" size=".005" mass="0.1"/></body></worldbody>
            <actuator><position joint="h" kp="{gain}" kv="1"/></actuator></mujoco>"#
        ));
        s.state.ctrl[0] = 12.217;
        let mut furthest: f64 = 0.0;
        run(&mut s, 5.0, |s, _| furthest = furthest.max(s.state.q[0]));
        assert!(furthest <= 1.57 + 1e-8, "gain {gain}: {furthest}");
        assert!((s.state.q[0] - 1.57).abs() < 1e-8 && speed(&s) < 1e-9);
    }
}

#[test]
fn dry_joint_friction_holds_up_to_its_bound_and_brakes_above_it() {
    let text = r#"<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody>
        <body><joint name="s" type="slide" axis="1 0 0" frictionloss="2"/><geom type="sphere" size=".1" mass="1"/></body>
        </worldbody></mujoco>"#;
    // Impulses at both ends leave a thousandth of the overlap that is tolerated in a step.
    for (stepper, rests) in STEPPERS.into_iter().zip([1e-12, 1e-10]) {
        let mut s = simulate_by(stepper, "cone", text);
        s.state.applied[0] = 1.99;
        run(&mut s, 1.0, |_, _| {});
        assert!(s.state.q[0].abs() < 1e-12);
        s.state.applied[0] = 3.0;
        run(&mut s, 1.0, |_, _| {});
        assert!((s.state.v[0] - 1.0).abs() < 1e-9, "{}", s.state.v[0]);
        s.state.applied[0] = 0.0;
        run(&mut s, 1.0, |_, _| {});
        assert!(s.state.v[0].abs() < rests, "{stepper:?}: {}", s.state.v[0]);
    }
}

#[test]
fn a_connect_constraint_makes_a_free_body_a_pendulum() {
    let mut s = simulate(
        r#"<mujoco><option timestep="0.001"/><worldbody>
        <body name="bob" pos="1 0 0"><freejoint/><geom type="sphere" size=".1" mass="1"/></body></worldbody>
        <equality><connect name="pin" body1="bob" anchor="-1 0 0"/></equality></mujoco>"#,
    );
    let mut worst: f64 = 0.0;
    let mut lowest = f64::INFINITY;
    run(&mut s, 3.0, |s, report| {
        worst = worst.max(report.certificate.bilateral);
        lowest = f64::min(lowest, position(s, "bob").z);
        assert!((position(s, "bob").norm() - 1.0).abs() < 1e-9);
    });
    assert!((lowest + 1.0).abs() < 1e-5, "{lowest}");
    assert!(worst <= 1e-9, "{worst}");
}

#[test]
fn a_body_on_a_moving_prescribed_platform_moves_with_it() {
    let mut s = simulate(
        r#"<mujoco><option timestep="0.002"/><default><geom friction="0.5"/></default><worldbody>
        <body name="platform" mocap="true"><geom type="box" size="5 1 .1"/></body>
        <body name="box" pos="0 0 0.2"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body></worldbody>
        <custom><numeric name="stiction:mocap_velocity:platform" data="0 0 0 0.3 0 0.1"/></custom></mujoco>"#,
    );
    run(&mut s, 2.0, |_, _| {});
    assert!((s.state.v[0] - 0.3).abs() < 1e-9 && (s.state.v[2] - 0.1).abs() < 1e-9, "{:?}", s.state.v);
    assert!((position(&s, "box").z - (0.2 + 0.1 * s.state.time)).abs() < 1e-6);
}

#[test]
fn a_fast_ball_never_passes_a_thin_plate() {
    // 50 m/s is twenty times the ball's radius per step of 10 ms; the plate is 5 mm thick.
    for dt in [0.001, 0.01] {
        for aim in 0..60 {
            let (x, y, z) = (-1.0 - 0.037 * aim as f64, 0.01 * (aim % 17) as f64, 0.013 * (aim % 13) as f64);
            let mut s = simulate(&format!(
                r#"<mujoco><option timestep="{dt}" gravity="0 0 0"/><worldbody>
                <geom name="plate" type="box" size="0.0025 1 1"/>
                <body name="ball" pos="{x} {y} {z}"><freejoint/><geom type="sphere" size="0.025" mass="0.1"/></body>
                </worldbody><keyframe><key name="start" qpos="{x} {y} {z} 1 0 0 0" qvel="50 1 0 0 30 0"/></keyframe>
                </mujoco>"#
            ));
            let mut furthest = f64::NEG_INFINITY;
            run(&mut s, 0.1, |s, _| furthest = furthest.max(s.state.q[0]));
            assert!((furthest + 0.0275).abs() < 1e-9, "dt {dt}, aim {aim}: reached {furthest}");
        }
    }
}

#[test]
fn a_ball_rolls_and_a_box_slides_over_the_seams_of_flush_boxes_as_over_a_plane() {
    let tiles: String = (0..8)
        .map(|i| {
            format!(
                r#"<geom name="t{i}" type="box" pos="{} 0 -0.5" size="0.5 1 0.5" friction="0.1"/>"#,
                i as f64 + 0.5
            )
        })
        .collect();
    for (stepper, dt) in STEPPERS.into_iter().flat_map(|stepper| [0.001, 1.0 / 60.0].map(|dt| (stepper, dt)))
    {
        for (geom, height, speed, spin, brake) in [
            (r#"type="sphere" size="0.5""#, 0.5, 3.0, 6.0, 0.0),
            (r#"type="box" size=".1 .1 .1""#, 0.1, 4.0, 0.0, 0.981),
            (r#"type="capsule" size=".1 .2" euler="90 0 0""#, 0.1, 3.0, 30.0, 0.0),
        ] {
            // A capsule that spins at 30 rad/s changes tiles with both ends of its line at different times.
            let spins = stepper == Stepper::Rattle && spin == 30.0;
            let off = if spins { 1e-6 } else { 1e-9 };
            let text = format!(
                r#"<mujoco><option timestep="{dt}"/><worldbody>{tiles}
                <body name="b" pos="0.3 0.13 {height}"><freejoint/><geom {geom} mass="1" friction="0.1"/></body></worldbody>
                <keyframe><key name="start" qpos="0.3 0.13 {height} 1 0 0 0" qvel="{speed} 0 0 0 {spin} 0"/></keyframe>
                </mujoco>"#
            );
            let mut s = simulate_by(stepper, "cone", &text);
            run(&mut s, 1.0, |s, _| assert!((s.state.q[2] - height).abs() < 1e-9, "{geom}: {:?}", s.state.q));
            let exact = speed - brake * s.state.time;
            let what = format!("{geom}, {stepper:?}, dt {dt}");
            assert!((s.state.v[0] - exact).abs() < off, "{what}: {:?}, exact {exact}", s.state.v);
            assert!((s.state.q[1] - 0.13).abs() < off && s.state.v[5].abs() < off, "{what}: {:?}", s.state);
        }
    }
}

#[test]
fn a_raised_edge_stops_a_box_that_slides_against_it() {
    // A step of 1 mm is an obstacle, one of a millionth of it is not.
    for (step, passes) in [(1e-3, false), (1e-9, true)] {
        let mut s = simulate(&format!(
            r#"<mujoco><option timestep="0.001"/><default><geom friction="0"/></default><worldbody>
            <geom name="low" type="box" pos="-1 0 -0.5" size="1 1 0.5"/>
            <geom name="high" type="box" pos="1 0 {}" size="1 1 0.5"/>
            <body name="b" pos="-0.5 0 0.1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body></worldbody>
            <keyframe><key name="start" qpos="-0.5 0 0.1 1 0 0 0" qvel="0.5 0 0 0 0 0"/></keyframe></mujoco>"#,
            step - 0.5
        ));
        run(&mut s, 1.5, |_, _| {});
        assert_eq!(position(&s, "b").x > 0.0, passes, "step {step}: {}", position(&s, "b"));
    }
}

#[test]
fn a_body_at_rest_that_is_hit_finds_its_neighbour_and_the_wall_behind_it() {
    let mut s = simulate(
        r#"<mujoco><option timestep="0.005" gravity="0 0 0"/><worldbody>
        <geom name="wall" type="box" pos="0.805 0 0" size="0.05 1 1"/>
        <body name="a" pos="-1 0 0"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
        <body name="b" pos="0.4 0 0"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
        <body name="c" pos="0.605 0 0"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body></worldbody>
        <keyframe><key name="start" qpos="-1 0 0 1 0 0 0 .4 0 0 1 0 0 0 .605 0 0 1 0 0 0"
        qvel="20 0 0 0 0 0  0 0 0 0 0 0  0 0 0 0 0 0"/></keyframe></mujoco>"#,
    );
    // What is hit passes the hit on within the step, and moves on through what it hits by then: 20 m/s in 5 ms.
    let mut deepest: f64 = 0.0;
    run(&mut s, 0.2, |s, report| {
        assert!(overlap_as_posed(s) < 1e-12, "{report:?}");
        deepest = deepest.max(report.certificate.penetration);
    });
    assert!(deepest <= 0.1, "{deepest}");
    let ends = ["a", "b", "c"].map(|b| position(&s, b).x);
    assert!(ends.iter().zip([0.255, 0.455, 0.655]).all(|(x, exact)| (x - exact).abs() < 1e-9), "{ends:?}");
}

#[test]
fn an_unknown_contact_model_is_refused_with_the_ones_there_are() {
    let error = Formulation::named("cone-of-silence").unwrap_err().to_string();
    assert!(error.contains("cone-of-silence") && error.contains("stewart-trinkle"));
    let error = Formulation::default().set_solver("pgs").unwrap_err().to_string();
    assert!(error.contains("pgs") && error.contains("chain"));
}

fn longer(numbers: &[f64]) -> Box<[f64]> {
    [numbers, &[0.0]].concat().into()
}

#[test]
fn a_state_of_another_model_is_refused_by_name_and_no_step_is_taken() {
    let mut s = simulate(&shipped("incline"));
    let state = s.state.clone();
    let cuts: [fn(&mut State); 7] = [
        |state| state.q = state.q[..3].into(),
        |state| state.v = longer(&state.v),
        |state| state.loop_q = longer(&state.loop_q),
        |state| state.ctrl = longer(&state.ctrl),
        |state| state.mocap = Box::new([Mocap::new(&Transform::identity(), Motion::zero())]),
        |state| state.applied = Box::default(),
        |state| state.external = Box::default(),
    ];
    for cut in cuts {
        cut(&mut s.state);
        assert!(matches!(s.step(), Err(SimError::Shape { .. })));
        assert!(matches!(s.assemble(), Err(SimError::Shape { .. })));
        assert_eq!(s.step_number(), 0);
        s.state_hash();
        s.state = state.clone();
    }
    s.step().unwrap();
}
