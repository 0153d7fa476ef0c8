//! Cables: limits of a length that runs from point to point (spatial tendons of sites).

use crate::common::{approach_left, contacts_may_bring, position, run, simulate, simulate_by, speed};
use nalgebra::Vector3;
use stiction::model::TreeId;
use stiction::report::RowSource;
use stiction::sim::{Simulation, Stepper};

const G: f64 = 9.81;

/// A free ball with a site at its centre.
fn ball(name: &str, mass: f64, at: &str) -> String {
    format!(
        r#"<body name="{name}" pos="{at}"><freejoint/><geom type="sphere" size="0.01" mass="{mass}" contype="0" conaffinity="0"/>
        <site name="{name}"/></body>"#
    )
}

fn scene(gravity: &str, bodies: &str, tendons: &str) -> String {
    format!(
        r#"<mujoco><option timestep="0.001" gravity="{gravity}"/><worldbody>{bodies}</worldbody><tendon>{tendons}</tendon></mujoco>"#
    )
}

fn cable(name: &str, range: &str, sites: &[&str]) -> String {
    let sites: String = sites.iter().map(|site| format!(r#"<site site="{site}"/>"#)).collect();
    format!(r#"<spatial name="{name}" range="{range}">{sites}</spatial>"#)
}

fn momentum(s: &Simulation) -> Vector3<f64> {
    Vector3::from_column_slice(&s.state.v[..3]) + Vector3::from_column_slice(&s.state.v[6..9]) * 3.0
}

#[test]
fn two_balls_on_a_rope_share_their_speed_along_it_and_keep_their_momentum() {
    // 1 and 3 kg fly apart askew: when the rope is taut the relative speed along it is gone, that across it stays.
    let bodies = ball("a", 1.0, "0 0 0") + &ball("b", 3.0, "0.5 0 0");
    let mut s = simulate(&scene("0 0 0", &bodies, &cable("rope", "0 1", &["a", "b"])));
    s.state.v[0] = -2.0;
    s.state.v[6] = 1.0;
    s.state.v[7] = 0.6;
    let before = momentum(&s);
    let (mut longest, mut taut) = (0.0f64, 0);
    run(&mut s, 1.0, |s, report| {
        longest = longest.max((position(s, "b") - position(s, "a")).norm());
        taut += usize::from(s.limit_forces().any(|rope| rope.kind == RowSource::Cable && rope.force > 0.0));
        assert!((momentum(s) - before).norm() <= 1e-12, "{}", momentum(s) - before);
        assert!(report.certificate.approach <= 1e-10 && report.certificate.pull <= 1e-10, "{report:?}");
    });
    // Within a step the bodies leave the tangent by (h v)^2 / 2 L = 2e-7 m.
    assert!(longest <= 1.0 + 2e-7 && taut > 100, "{longest} {taut}");
    let along = (position(&s, "b") - position(&s, "a")).normalize();
    let relative = Vector3::from_column_slice(&s.state.v[6..9]) - Vector3::from_column_slice(&s.state.v[..3]);
    // In each step the chord is the tangent of its beginning: the rate of the turned direction is h v^2 / L.
    assert!(relative.dot(&along) <= 1e-3, "{}", relative.dot(&along));
}

#[test]
fn a_rope_over_a_pin_carries_the_same_tension_on_both_sides() {
    // Atwood's machine without a wheel: 1 and 2 kg on a rope over a fixed point, a = g / 3, tension 4/3 g.
    let pin = r#"<site name="pin" pos="0 0 2"/>"#;
    let bodies = pin.to_owned() + &ball("light", 1.0, "0 0 1") + &ball("heavy", 2.0, "0 0 1");
    let mut s = simulate(&scene("0 0 -9.81", &bodies, &cable("rope", "0 2", &["light", "pin", "heavy"])));
    run(&mut s, 0.5, |s, report| {
        let rope = s.limit_forces().next().unwrap();
        assert!((rope.force / (4.0 / 3.0 * G) - 1.0).abs() <= 1e-9, "{rope:?}");
        assert!(report.certificate.penetration <= 1e-9, "{report:?}");
    });
    let (up, down) = (s.state.v[2], s.state.v[8]);
    assert!((up - 0.5 * G / 3.0).abs() <= 1e-9 && (up + down).abs() <= 1e-12, "{up} {down}");
}

#[test]
fn a_range_with_a_lower_end_is_a_strut_that_pushes() {
    let bodies = r#"<site name="floor"/>"#.to_owned()
        + r#"<body name="head" pos="0 0 1.2"><joint type="slide" axis="0 0 1"/><geom type="sphere" size="0.1" mass="2"/><site name="head"/></body>"#;
    let mut s = simulate(&scene("0 0 -9.81", &bodies, &cable("strut", "1 1.5", &["floor", "head"])));
    run(&mut s, 1.0, |s, _| assert!(position(s, "head").z >= 1.0 - 1e-9));
    let strut = s.limit_forces().find(|side| side.force > 0.0).unwrap();
    assert!(!strut.upper && (strut.force / (2.0 * G) - 1.0).abs() <= 1e-9, "{strut:?}");
    assert!((position(&s, "head").z - 1.0).abs() <= 1e-9 && speed(&s) <= 1e-12);
}

#[test]
fn a_prescribed_body_tows_a_ball_at_its_speed() {
    let tug = r#"<body name="tug" mocap="true" pos="0 0 0"><site name="hook" pos="0.1 0 0"/></body>"#;
    let bodies = tug.to_owned() + &ball("load", 5.0, "-0.4 0 0");
    let mut s = simulate(&scene("0 0 0", &bodies, &cable("line", "0 1", &["hook", "load"])));
    s.state.mocap[0].velocity.linear.x = 0.5;
    let mut most = 0.0f64;
    run(&mut s, 2.0, |s, _| most = s.limit_forces().fold(most, |most, line| most.max(line.force)));
    assert!((s.state.v[0] - 0.5).abs() <= 1e-9, "{}", s.state.v[0]);
    assert!((position(&s, "load").x - (1.0 - 0.9)).abs() <= 1e-9, "{}", position(&s, "load"));
    assert!(most > 1.0);
}

#[test]
fn a_pendulum_on_a_rope_keeps_its_length_and_swings_with_the_right_tension() {
    // Let go with the rope level: at the bottom v^2 = 2 g L and the tension is 3 m g, to first order in the step.
    let bodies = r#"<site name="hook"/>"#.to_owned() + &ball("bob", 1.0, "1 0 0");
    let mut s = simulate(&scene("0 0 -9.81", &bodies, &cable("rope", "0 1", &["hook", "bob"])));
    let (mut most, mut longest) = (0.0f64, 0.0f64);
    run(&mut s, 0.8, |s, _| {
        most = s.limit_forces().fold(most, |most, rope| most.max(rope.force));
        longest = longest.max(position(s, "bob").norm());
    });
    assert!(longest <= 1.0 + 2.0 * G * 1e-6, "{longest}");
    assert!((most / (3.0 * G) - 1.0).abs() <= 1e-2, "{}", most / G);
}

/// A chain of forty links, so long that its dynamics are done by recursions, held up by cables between its links and to the
/// world; the file lists the cables in this order.
fn net(cables: [usize; 3]) -> String {
    let links: String = (0..40)
        .map(|i| {
            let axis = if i % 2 == 0 { "0 1 0" } else { "0 0 1" };
            format!(
                r#"<body name="l{i}" pos="0.1 0 0"><joint axis="{axis}" damping="0.001"/>
                <geom type="sphere" size="0.01" pos="0.05 0 0" mass="0.05" contype="0" conaffinity="0"/><site name="s{i}" pos="0.05 0 0"/>"#
            )
        })
        .collect();
    let all = [
        cable("a", "0 1.5", &["hook", "s20"]),
        cable("b", "1.1 9", &["s5", "s18"]),
        cable("c", "0 4.3", &["s10", "hook", "s25", "s39"]),
    ];
    let cables = cables.map(|i| all[i].as_str()).concat();
    let bodies = format!(r#"<site name="hook" pos="1 0 1"/>{links}{}"#, "</body>".repeat(40));
    // So many links gain energy under the first-order rule at a millisecond.
    scene("0 0 -9.81", &bodies, &cables).replace("0.001\" gravity", "0.0002\" gravity")
}

#[test]
fn cables_between_links_of_a_long_chain_obey_the_laws() {
    // Of first order a cable whose links turn is longer by second order in the step; else its length at the end is what is solved for.
    for (stepper, stretches) in [(Stepper::TimeStepping, 1e-4), (Stepper::Rattle, 1e-9)] {
        let mut s = simulate_by(stepper, "cone", &net([0, 1, 2]));
        assert!(s.data().is_long(TreeId::new(0)));
        for (i, v) in s.state.v.iter_mut().enumerate() {
            *v = 2.0 * libm::sin(0.6 * i as f64);
        }
        let start = s.step().unwrap().energy + 0.1;
        let (mut taut, mut stretch) = ([false; 3], 0.0f64);
        run(&mut s, 1.0, |s, report| {
            let c = &report.certificate;
            assert!(c.approach <= approach_left(s) && c.pull <= 1e-8 && c.residual <= 1e-8, "{c:?}");
            assert!(c.contact_work <= contacts_may_bring(s, report), "{c:?}");
            stretch = stretch.max(c.penetration);
            assert!(report.energy <= start, "{report:?}");
            for (taut, name) in taut.iter_mut().zip(["a", "b", "c"]) {
                *taut |= s.limit_forces().any(|cable| cable.name == name && cable.force > 0.0);
            }
        });
        assert!(taut == [true; 3], "{taut:?}");
        assert!(stretch > 0.0 && stretch <= stretches, "{}: {stretch:e}", stepper.name());
    }
}

#[test]
fn the_order_in_which_cables_are_written_changes_no_bit() {
    let hash = |order| {
        let mut s = simulate(&net(order));
        run(&mut s, 0.5, |_, _| {});
        s.state_hash()
    };
    assert_eq!(hash([0, 1, 2]), hash([2, 0, 1]));
}

#[test]
fn what_a_spatial_tendon_cannot_do_is_refused_by_name() {
    let bodies = r#"<geom name="post" type="sphere" size="0.1"/><site name="hook"/>"#.to_owned()
        + &ball("bob", 1.0, "1 0 0");
    let refusal = |tendon: &str| {
        let text = scene("0 0 -9.81", &bodies, tendon);
        stiction::scene::mjcf::parse(&text, "test.xml").unwrap_err().to_string()
    };
    let sites = r#"<site site="hook"/><site site="bob"/>"#;
    for (tendon, words) in [
        (format!(r#"<spatial name="t" stiffness="5">{sites}</spatial>"#), "stiffness"),
        (format!(r#"<spatial name="t" damping="5" range="0 1">{sites}</spatial>"#), "damping"),
        (
            format!(r#"<spatial name="t" range="0 1"><geom geom="post"/>{sites}</spatial>"#),
            "straight from site",
        ),
        (r#"<spatial name="t" range="0 1"><site site="hook"/></spatial>"#.into(), "two at least"),
        (r#"<spatial name="t" range="0 1"><site site="hook"/><site site="bop"/></spatial>"#.into(), "bob"),
        (
            r#"<spatial name="t" range="-2 0"><site site="hook"/><site site="bob"/></spatial>"#.into(),
            "positive",
        ),
        (
            r#"<spatial name="t" range="0 1"><site site="hook"/><site site="hook"/></spatial>"#.into(),
            "never move",
        ),
    ] {
        let message = refusal(&tendon);
        assert!(message.contains(words), "{tendon}: {message}");
    }
}

#[test]
fn a_cable_holds_the_same_in_redundant_coordinates_to_first_order() {
    // Two hinged rods, the end of the second on a rope whose eye is off its body's frame.
    let rod =
        r#"<geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.01" mass="0.2" contype="0" conaffinity="0"/>"#;
    let bodies = format!(
        r#"<site name="hook" pos="0.6 0 0.4"/><body name="a"><joint axis="0 1 0"/>{rod}<body name="b" pos="0.3 0 0">
        <joint axis="0 1 0" pos="0.02 0 0.01"/>{rod}<site name="eye" pos="0.3 0 0.02"/></body></body>"#
    );
    let apart = |steps: usize| {
        let step = format!("{}\" gravity", 0.5 / steps as f64);
        let text = scene("0 0 -9.81", &bodies, &cable("rope", "0 0.6", &["hook", "eye"]));
        let mut minimal = simulate(&text.replace("0.001\" gravity", &step));
        let free = std::sync::Arc::new(minimal.model().redundant().unwrap());
        let mut redundant = Simulation::new(free, minimal.settings().clone()).unwrap();
        let mut taut = 0;
        let mut worst = 0.0f64;
        for _ in 0..steps {
            for s in [&mut minimal, &mut redundant] {
                assert!(s.step().unwrap().solved());
                taut += usize::from(s.limit_forces().any(|rope| rope.force > 0.0));
            }
            worst = worst.max((position(&minimal, "b") - position(&redundant, "b")).norm());
        }
        assert!(taut > steps / 2, "{taut}");
        worst
    };
    let [coarse, fine] = [2500, 10_000].map(apart);
    assert!(coarse < 1e-3 && fine < 0.35 * coarse, "{coarse} {fine}");
}
