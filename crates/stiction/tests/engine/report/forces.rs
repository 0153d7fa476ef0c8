//! What contacts and pairs of geoms carry, against statics worked out by hand.

use crate::common::{run, simulate, simulate_under};
use nalgebra::Vector3;
use stiction::contact::{Law, Mode};
use stiction::model::GeomId;
use stiction::report::PairForce;
use stiction::sim::Simulation;

const G: f64 = 9.81;

/// Cubes of 0.2 m and 1 kg on a slope about y, friction 0.5; named so that name order is not file order if `swapped`.
fn slope(degrees: f64, custom: &str, swapped: bool) -> String {
    let (s, c) = libm::sincos(degrees.to_radians());
    let body = |name: &str, y: f64| {
        format!(
            r#"<body name="{name}" pos="{} {y} {}" euler="0 {degrees} 0"><freejoint/>
            <geom name="{name}" type="box" size="0.1 0.1 0.1" mass="1" friction="0.5"/></body>"#,
            0.1 * s,
            0.1 * c
        )
    };
    let mut bodies = [body("a", -1.0), body("b", 1.0)];
    if swapped {
        bodies.reverse();
    }
    format!(
        r#"<mujoco><option timestep="0.001"/><custom>{custom}</custom><worldbody>
        <geom name="slope" type="plane" size="9 9 1" euler="0 {degrees} 0" friction="0.5"/>{}</worldbody></mujoco>"#,
        bodies.concat()
    )
}

fn pair(s: &Simulation, names: [&str; 2]) -> PairForce {
    let geoms = names.map(|name| s.model().geom(name).unwrap());
    *s.contact_pairs().iter().find(|p| p.geoms == geoms).unwrap()
}

/// Every pair is the sum over its contacts, about its centre.
fn check_sums(s: &Simulation) {
    let mut contacts = 0;
    for pair in s.contact_pairs() {
        let of_pair = || s.contact_forces().iter().filter(|c| c.contact.geoms == pair.geoms);
        contacts += pair.contacts;
        assert_eq!(of_pair().count(), pair.contacts);
        let force: Vector3<f64> = of_pair().map(|c| c.force).sum();
        let about_origin: Vector3<f64> = of_pair().map(|c| c.contact.point.cross(&c.force)).sum();
        let scale = 1.0 + of_pair().map(|c| c.force.norm()).sum::<f64>();
        assert!((pair.force - force).amax() <= 1e-14 * scale, "{pair:?}");
        let moment = pair.moment + pair.center.cross(&pair.force);
        assert!((moment - about_origin).amax() <= 1e-13 * scale, "{moment} {about_origin}");
        let margin = of_pair().filter_map(|c| c.margin).reduce(f64::max);
        assert_eq!(margin, pair.margin);
        for c in of_pair() {
            assert!((c.world_impulse() - c.force * s.timestep()).amax() <= 1e-15);
        }
    }
    assert_eq!(contacts, s.contact_forces().len());
}

#[test]
fn a_block_at_rest_on_a_slope_is_held_under_its_centre_with_the_margin_of_the_slope() {
    let degrees: f64 = 20.0;
    let mut s = simulate(&slope(degrees, "", false));
    run(&mut s, 0.2, |s, _| check_sums(s));
    let (sin, cos) = libm::sincos(degrees.to_radians());
    for (block, y) in [("a", -1.0), ("b", 1.0)] {
        let pair = pair(&s, [block, "slope"]);
        // The slope is the second geom: it is pressed down by the whole weight.
        assert!((pair.force + Vector3::new(0.0, 0.0, G)).amax() < 1e-9, "{pair:?}");
        assert!((pair.normal_force - G * cos).abs() < 1e-9);
        assert_eq!((pair.contacts, pair.pressing), (4, 4));
        // The weight acts at the centre of mass, h = 0.1 m above: its line meets the slope h tan further down.
        let center = Vector3::new(0.1 * sin, y, 0.1 * cos) - Vector3::new(0.0, 0.0, 1.0) * (0.1 / cos);
        assert!((pair.center - center).amax() < 1e-9, "{} {center}", pair.center);
        // About the centre of pressure nothing tilts; what is left turns about the normal, and here nothing turns.
        assert!(pair.moment.amax() < 1e-9, "{}", pair.moment);
        // The net friction needs tan(20) / 0.5; a single corner may need more, as forces are not unique.
        let margin = pair.margin.unwrap();
        assert!(margin > sin / cos / 0.5 - 1e-9 && margin < 1.0 + 1e-9, "{margin}");
    }
}

#[test]
fn a_sliding_block_needs_all_friction_there_is_and_one_without_slip_says_what_it_needs() {
    let mut s = simulate(&slope(40.0, "", false));
    run(&mut s, 0.1, |s, _| check_sums(s));
    for c in s.contact_forces().iter().filter(|c| c.impulse.x > 0.0) {
        assert_eq!(c.mode, Mode::Slip);
        assert!((c.margin.unwrap() - 1.0).abs() < 1e-6, "{c:?}");
    }
    let held = r#"<text name="stiction:law" data="no-slip"/>"#;
    let mut s = simulate(&slope(40.0, held, false));
    run(&mut s, 0.1, |s, _| check_sums(s));
    for name in ["a", "b"] {
        let pair = pair(&s, [name, "slope"]);
        let friction = pair.force - pair.force.dot(&normal(40.0)) * normal(40.0);
        let needed = friction.norm() / pair.normal_force;
        assert!((needed - libm::tan(40_f64.to_radians())).abs() < 1e-9, "{needed}");
        assert!(pair.margin.unwrap() >= needed - 1e-9);
    }
}

fn normal(degrees: f64) -> Vector3<f64> {
    let (s, c) = libm::sincos(degrees.to_radians());
    Vector3::new(s, 0.0, c)
}

#[test]
fn the_law_read_out_is_the_one_in_force_and_without_dry_friction_there_is_no_margin() {
    let mut s = simulate_under("frictionless", &slope(20.0, "", false));
    run(&mut s, 0.1, |s, _| check_sums(s));
    assert!(!s.contact_forces().is_empty());
    for c in s.contact_forces() {
        assert_eq!((c.contact.law, c.margin), (Law::Frictionless, None));
    }
    let mut s = simulate(&slope(20.0, r#"<text name="stiction:law" data="viscous 3"/>"#, false));
    run(&mut s, 0.1, |s, _| check_sums(s));
    assert!(s.contact_pairs().iter().all(|p| p.margin.is_none() && p.contacts > 0));
    assert_eq!(s.contact_pairs().len(), 2);
}

#[test]
fn a_frictionless_contact_tells_how_fast_it_slides() {
    // A block that turns about the normal of a tilted floor while it slides on it, seen from a floor that moves: at each corner
    // v + omega x r, in the plane.
    let text = r#"<mujoco><compiler eulerseq="XYZ"/><option timestep="0.002" gravity="0 0 0"/><worldbody>
        <geom name="floor" type="plane" size="9 9 1" euler="30 0 0"/>
        <body name="block" pos="0 -0.05 0.0866025403784439" euler="30 0 0"><freejoint name="block"/>
        <geom name="block" type="box" size="0.3 0.2 0.1" mass="1"/></body>
        </worldbody><keyframe><key name="start" qpos="0 -0.05 0.0866025403784439 0.9659258262890683 0.2588190451025207 0 0"
        qvel="1 0.4330127018922193 0.25 0 0 2"/></keyframe></mujoco>"#;
    let mut s = simulate_under("frictionless", text);
    let normal = Vector3::new(0.0, -0.5, 3_f64.sqrt() / 2.0);
    let v = Vector3::new(1.0, 0.4330127018922193, 0.25);
    let mut at = Vector3::new(0.0, -0.05, 0.0866025403784439);
    for _ in 0..50 {
        s.step().unwrap();
        assert_eq!(s.contact_forces().len(), 4);
        for (place, c) in s.contact_acts().iter().enumerate() {
            // The second act of a contact is at the end of the step.
            let at_end = place > 0 && s.contact_acts()[place - 1].contact.key == c.contact.key;
            let at = if at_end { at + v * s.timestep() } else { at };
            let against = if c.contact.geoms[0] == s.model().geom("floor").unwrap() { 1.0 } else { -1.0 };
            let expected = (v + (2.0 * normal).cross(&(c.contact.point - at))) * against;
            for velocity in [c.velocity, c.start] {
                let error = c.contact.frame * velocity - expected;
                assert!(error.norm() < 1e-9, "{velocity} {expected}");
            }
        }
        at += v * s.timestep();
    }
}

#[test]
fn a_ball_between_two_plates_needs_half_its_weight_of_each() {
    // 2 kg, pressed by 40 N from either side, mu 1: m g / (2 mu F). A ball touches each plate at one point, so forces
    // are unique.
    let text = r#"<mujoco><option timestep="0.001"/><worldbody>
      <body name="left" pos="-0.15 0 1"><joint name="left" type="slide" axis="1 0 0"/>
        <geom name="left" type="box" size="0.05 0.2 0.2" mass="1" friction="1"/></body>
      <body name="right" pos="0.15 0 1"><joint name="right" type="slide" axis="-1 0 0"/>
        <geom name="right" type="box" size="0.05 0.2 0.2" mass="1" friction="1"/></body>
      <body name="ball" pos="0 0 1"><freejoint/><geom name="ball" type="sphere" size="0.1" mass="2" friction="1"/></body>
      </worldbody><actuator><motor joint="left"/><motor joint="right"/></actuator>
      <keyframe><key name="start" ctrl="40 40"/></keyframe></mujoco>"#;
    let mut s = simulate(text);
    run(&mut s, 0.1, |s, _| check_sums(s));
    assert_eq!(s.contact_pairs().len(), 2);
    for (plate, x) in [("left", -0.1), ("right", 0.1)] {
        let pair = pair(&s, ["ball", plate]);
        assert!((pair.normal_force - 40.0).abs() < 1e-9, "{pair:?}");
        assert!((pair.margin.unwrap() - 2.0 * G / (2.0 * 40.0)).abs() < 1e-9, "{pair:?}");
        assert!((pair.center - Vector3::new(x, 0.0, 1.0)).amax() < 1e-9, "{pair:?}");
        assert!((pair.force - Vector3::new(40.0 * f64::signum(x), 0.0, -G)).amax() < 1e-9, "{pair:?}");
        assert_eq!(pair.moment, Vector3::zeros());
    }
}

#[test]
fn the_order_of_bodies_changes_no_bit_of_what_pairs_carry() {
    let mut sims = [false, true].map(|swapped| simulate(&slope(30.0, "", swapped)));
    for _ in 0..50 {
        for s in &mut sims {
            assert!(s.step().unwrap().solved());
        }
        let [first, second] = sims.each_ref().map(|s| {
            let name = |g: GeomId| s.model().geoms[g].name.clone();
            let bits = |v: Vector3<f64>| [v.x, v.y, v.z].map(f64::to_bits);
            s.contact_pairs()
                .iter()
                .map(|p| {
                    let numbers = [p.center, p.force, p.moment].map(bits);
                    (p.geoms.map(name), p.contacts, p.pressing, numbers, p.margin.map(f64::to_bits))
                })
                .collect::<Vec<_>>()
        });
        assert_eq!(first, second);
        assert_eq!(first.len(), 2);
    }
}

#[test]
fn a_reset_forgets_what_was_read_out() {
    let mut s = simulate(&slope(20.0, "", false));
    let start = s.snapshot();
    assert!(s.step().unwrap().solved());
    assert_eq!(s.contact_pairs().len(), 2);
    s.restore(&start).unwrap();
    assert!(s.contact_pairs().is_empty() && s.contact_forces().is_empty());
}

#[test]
fn a_cube_between_two_plates_needs_its_weight_over_twice_the_grip_whatever_forces_were_returned() {
    let text = r#"<mujoco><option timestep="0.001"/><worldbody>
      <body name="left" pos="-0.15 0 1"><joint name="left" type="slide" axis="1 0 0"/>
        <geom name="left" type="box" size="0.05 0.2 0.2" mass="1" friction="1"/></body>
      <body name="right" pos="0.15 0 1"><joint name="right" type="slide" axis="-1 0 0"/>
        <geom name="right" type="box" size="0.05 0.2 0.2" mass="1" friction="1"/></body>
      <body name="cube" pos="0 0 1"><freejoint/>
        <geom name="cube" type="box" size="0.1 0.1 0.1" mass="2" friction="1"/></body>
      </worldbody><actuator><motor joint="left"/><motor joint="right"/></actuator>
      <keyframe><key name="start" ctrl="40 40"/></keyframe></mujoco>"#;
    let mut s = simulate(text);
    run(&mut s, 0.01, |s, _| check_sums(s));
    let exact = 2.0 * G / (2.0 * 40.0);
    let least = s.least_friction().unwrap();
    assert!((least - exact).abs() < 1e-6 * exact, "{least} {exact}");
    assert!(s.contact_pairs().iter().all(|p| p.margin.unwrap() >= exact - 1e-6));
}

#[test]
fn blocks_on_a_slope_need_the_tangent_of_the_slope_over_their_friction() {
    let mut s = simulate(&slope(20.0, "", false));
    run(&mut s, 0.01, |s, _| check_sums(s));
    let exact = libm::tan(20_f64.to_radians()) / 0.5;
    let least = s.least_friction().unwrap();
    assert!((least - exact).abs() < 1e-6 * exact, "{least} {exact}");
}

/// A cube of 2 kg and 0.2 m between two plates that press with 40 N each, with their friction and that of their rails (N).
fn squeezed(left: f64, right: f64, rail: f64, law: &str) -> String {
    let plate = |name: &str, x: f64, sign: f64, mu: f64| {
        format!(
            r#"<body name="{name}" pos="{x} 0 1"><joint name="{name}" type="slide" axis="{sign} 0 0" frictionloss="{rail}"/>
            <geom name="{name}" type="box" size="0.05 0.2 0.2" mass="1" friction="{mu}"/></body>"#
        )
    };
    format!(
        r#"<mujoco><option timestep="0.001"/><custom>{law}</custom><worldbody>{}{}
        <body name="cube" pos="0 0 1"><freejoint/>
          <geom name="cube" type="box" size="0.1 0.1 0.1" mass="2" friction="0.01"/></body>
        </worldbody><actuator><motor joint="left"/><motor joint="right"/></actuator>
        <keyframe><key name="start" ctrl="40 40"/></keyframe></mujoco>"#,
        plate("left", -0.15, 1.0, left),
        plate("right", 0.15, -1.0, right)
    )
}

fn margins(s: &Simulation, names: [&str; 2]) -> [f64; 2] {
    let margins = s.pair_margins(names.map(|name| s.model().geom(name).unwrap())).unwrap();
    [margins.largest, margins.alone]
}

#[test]
fn a_plate_may_have_to_carry_all_of_a_cube_and_what_the_other_one_pulls_at_it() {
    let weight = 2.0 * G;
    for (left, right, rail) in [(1.0, 1.0, 0.0), (1.0, 0.3, 0.0), (0.6, 0.8, 0.0), (1.0, 0.3, 5.0)] {
        let mut s = simulate(&squeezed(left, right, rail, ""));
        run(&mut s, 0.01, |s, _| check_sums(s));
        // What the rails hold back is not unique.
        let grip = 40.0 - rail;
        for (name, mu, other) in [("left", left, right), ("right", right, left)] {
            let [largest, alone] = margins(&s, ["cube", name]);
            let exact = [(weight + other * grip) / (mu * grip), weight / (mu * grip)].map(|m| m.min(1.0));
            let error = (largest - exact[0]).abs().max((alone - exact[1]).abs());
            assert!(error < 1e-6, "{left} {right} {rail} {name}: {largest} {alone} {exact:?}");
        }
    }
}

#[test]
fn without_slip_plates_pull_at_each_other_as_far_as_corners_keep_the_cube_from_turning() {
    let law = r#"<text name="stiction:law" data="no-slip"/>"#;
    let (weight, grip) = (2.0 * G, 40.0);
    let mut s = simulate(&squeezed(1.0, 0.3, 0.0, law));
    run(&mut s, 0.01, |s, _| check_sums(s));
    // T on one plate and W - T on the other turn the cube by 0.1 (2 T - W), which the grip bears up to 0.2 of it, all in
    // opposite corners: upwards and, at the same time, sideways.
    let exact = libm::hypot(grip, grip + 0.5 * weight) / grip;
    for name in ["left", "right"] {
        let [largest, alone] = margins(&s, ["cube", name]);
        let error = (largest - exact).abs().max((alone - weight / grip).abs());
        assert!(error < 1e-6, "{largest} {exact} {alone}");
    }
}

#[test]
fn a_net_force_that_is_unique_has_one_margin_whatever_single_corners_carry() {
    let unique = |s: &Simulation, names: [&str; 2], exact: f64| {
        let found = margins(s, names);
        assert!(found.iter().all(|m| (m - exact).abs() < 1e-6), "{names:?}: {found:?} {exact}");
    };
    let tangent = |degrees: f64| libm::tan(degrees.to_radians());
    let mut s = simulate(&slope(20.0, "", false));
    run(&mut s, 0.01, |s, _| check_sums(s));
    ["a", "b"].into_iter().for_each(|name| unique(&s, [name, "slope"], tangent(20.0) / 0.5));
    // A corner alone says nothing: of the impulses of least norm one is at its limit.
    assert!(pair(&s, ["a", "slope"]).margin.unwrap() > 0.99);
    // Sliding takes all there is, and dry friction is the same with viscous friction beside it.
    for law in ["", r#"<text name="stiction:law" data="coulomb 0.5 viscous 3"/>"#] {
        let mut s = simulate(&slope(40.0, law, false));
        run(&mut s, 0.05, |s, _| check_sums(s));
        unique(&s, ["a", "slope"], 1.0);
    }
    let mut s = simulate(&slope(40.0, r#"<text name="stiction:law" data="no-slip"/>"#, false));
    run(&mut s, 0.01, |s, _| check_sums(s));
    unique(&s, ["a", "slope"], tangent(40.0));
    let mut s = simulate(&slope(20.0, r#"<numeric name="stiction:compliance" data="1e-6"/>"#, false));
    run(&mut s, 0.01, |_, _| ());
    unique(&s, ["a", "slope"], tangent(20.0) / 0.5);
}

#[test]
fn corners_of_cubes_that_fell_flat_and_lie_do_not_pull_at_each_other_whatever_their_friction() {
    for (h, half) in [(0.001, 0.005), (0.005, 0.2), (0.01, 20.0)] {
        let cube = |name: &str, x: f64, mu: f64| {
            format!(
                r#"<body name="{name}" pos="{x} 0 {}" euler="0 0 {}"><freejoint/><geom name="{name}" type="box"
                size="{half} {half} {half}" density="1000" friction="{mu}"/></body>"#,
                3.0 * half,
                7.0 * mu,
            )
        };
        let text = format!(
            r#"<mujoco><option timestep="{h}"/><worldbody><geom name="floor" type="plane" size="9 9 1" friction="0.1"/>{}{}
            </worldbody></mujoco>"#,
            cube("a", 0.0, 1.0),
            cube("b", 4.0 * half, 1000.0),
        );
        let mut s = simulate(&text);
        // Twice the time of the fall, so that what the impact left has been carried on for hundreds of steps.
        run(&mut s, 2.0 * (2.0 * 2.0 * half / G).sqrt() + 100.0 * h, |_, _| ());
        let weight = 1000.0 * (2.0 * half).powi(3) * G;
        for name in ["a", "b"] {
            let geoms = [name, "floor"].map(|name| s.model().geom(name).unwrap());
            let forces = s.contact_forces();
            let corners: Vec<_> = forces.iter().filter(|c| c.contact.geoms == geoms).collect();
            assert_eq!(corners.len(), 4, "{name} of {half}");
            for corner in corners {
                let [normal, tangential] = [corner.force.z.abs(), corner.force.x.hypot(corner.force.y)];
                assert!((normal - 0.25 * weight).abs() < 1e-6 * weight, "{name} of {half}: {normal}");
                assert!(tangential < 1e-6 * weight, "{name} of {half}: {tangential} beside {weight}");
            }
        }
    }
}

#[test]
fn the_feet_of_a_table_can_be_at_odds_but_none_alone_needs_friction_where_nothing_pushes() {
    let feet: String = (0..4)
        .map(|k| {
            let [x, y] = [k & 1, k >> 1].map(|side| 0.3 - 0.6 * f64::from(side));
            format!(
                r#"<geom name="foot{k}" type="sphere" size="0.05" pos="{x} {y} 0" mass="1" friction="0.5"/>"#
            )
        })
        .collect();
    let no_slip = r#"<custom><text name="stiction:law" data="no-slip"/></custom>"#;
    for (law, worst) in [("", 1.0), (no_slip, f64::INFINITY)] {
        let mut s = simulate(&format!(
            r#"<mujoco><option timestep="0.001"/>{law}<worldbody>
            <geom name="top" type="plane" size="9 9 1" friction="0.5"/>
            <body name="table" pos="0 0 0.05"><freejoint/>{feet}</body></worldbody></mujoco>"#
        ));
        run(&mut s, 0.01, |s, _| check_sums(s));
        for k in 0..4 {
            let [largest, alone] = margins(&s, [&format!("foot{k}"), "top"]);
            assert!(largest == worst && alone < 1e-5, "{largest} {alone}");
        }
    }
}

#[test]
fn a_pair_without_dry_friction_or_without_contact_has_no_margins() {
    let margins = |s: &Simulation| s.pair_margins(["a", "slope"].map(|name| s.model().geom(name).unwrap()));
    for law in ["frictionless", "viscous 3"] {
        let law = format!(r#"<text name="stiction:law" data="{law}"/>"#);
        let mut s = simulate(&slope(20.0, &law, false));
        run(&mut s, 0.01, |_, _| ());
        assert_eq!(margins(&s), None);
    }
    let mut s = simulate(&slope(20.0, "", false));
    assert_eq!(margins(&s), None); // before the first step
    s.state.q[2] += 1.0;
    run(&mut s, 0.01, |_, _| ());
    assert_eq!(margins(&s), None);
}

#[test]
fn pieces_that_fit_about_one_point_press_no_more_than_their_drive_and_turn_as_fast_as_damping_allows() {
    // A cube of 26 pieces of 20 mm, frictionless meshes with bevelled edges, each turning about the centre (faces on
    // hinges). Contacts of the pieces are more than what moves them, so that impulses of any size would do.
    let mut pieces = String::new();
    for place in (0..27).map(|i| [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1]) {
        let axis = place.map(|p: i32| p.to_string()).join(" ");
        let joint = match place.iter().map(|p| p.abs()).sum::<i32>() {
            0 => continue,
            1 => format!(r#"type="hinge" axis="{axis}""#),
            _ => r#"type="ball""#.into(),
        };
        let at = place.map(|p| (0.02 * f64::from(p)).to_string()).join(" ");
        pieces += &format!(
            r#"<body><joint name="{axis}" {joint}/><geom type="mesh" mesh="piece" pos="{at}" mass="0.0025" condim="1"/></body>"#
        );
    }
    let signs = [-1.0, 1.0];
    let mut vertices = String::new();
    for (side, a, b) in signs.iter().flat_map(|s| signs.iter().flat_map(move |a| signs.map(|b| (s, *a, b)))) {
        for axis in 0..3 {
            let mut vertex = [0.0; 3];
            (vertex[axis], vertex[(axis + 1) % 3], vertex[(axis + 2) % 3]) =
                (0.01 * side, 0.0085 * a, 0.0085 * b);
            vertices += &vertex.map(|v| format!("{v} ")).concat();
        }
    }
    let text = format!(
        r#"<mujoco><compiler angle="radian"/><option timestep="0.01"/>
        <default><joint armature="0.0001" damping="0.0005" frictionloss="0.0005"/></default>
        <asset><mesh name="piece" vertex="{vertices}"/></asset>
        <worldbody>{pieces}</worldbody><actuator><motor joint="1 0 0"/></actuator>
        <custom><text name="stiction:stepper" data="time-stepping"/></custom>
        <keyframe><key name="start" ctrl="0.015"/></keyframe></mujoco>"#
    );
    let mut s = simulate(&text);
    let weight = 26.0 * 0.0025 * G * 0.01;
    let mut largest = 0.0_f64;
    for _ in 0..300 {
        assert!(s.step().unwrap().solved());
        largest = s.contact_forces().iter().fold(largest, |most, c| most.max(c.impulse.norm()));
    }
    // Nine pieces turn: 9 x 0.0005 N m of joint friction, 9 x 0.0005 N m s of damping.
    let speed = s.state.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    assert!((speed - (0.015 - 0.0045) / 0.0045).abs() < 1e-3, "{speed}");
    assert!(largest < 100.0 * weight, "{largest} N s on a weight of {weight}");
}

#[test]
fn a_cube_on_one_a_hundred_million_times_lighter_is_solved_in_every_step_and_sinks_nowhere() {
    let cube = |name: &str, z: f64, mass: f64| {
        format!(
            r#"<body name="{name}" pos="0 0 {z}"><freejoint/>
            <geom type="box" size="0.25 0.25 0.25" mass="{mass}" friction="0.5"/></body>"#
        )
    };
    let text = format!(
        r#"<mujoco><option timestep="0.005"/><worldbody><geom type="plane" size="9 9 1"/>{}{}</worldbody></mujoco>"#,
        cube("light", 0.25, 1.0),
        cube("heavy", 0.75, 1e8)
    );
    let mut s = simulate(&text);
    for _ in 0..200 {
        let report = s.step().unwrap();
        assert!(report.solved() && report.certificate.penetration < 1e-8, "{report:?}");
    }
}
