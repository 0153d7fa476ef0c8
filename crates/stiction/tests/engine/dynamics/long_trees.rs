//! Trees whose dynamics are done by recursions, in simulation: everything that can act on them at once, judged by the
//! certificate, which knows nothing of how the impulses were found.

use crate::common::{run, simulate};
use stiction::model::TreeId;

/// A chain of `links` capsules of 0.1 m, hinged about y and z in turn with limits, dry friction, dampers, springs and rotors;
/// `root` is its first joint, `rest` what else there is.
fn chain(links: usize, root: &str, rest: &str) -> String {
    let mut bodies = format!(r#"<body name="link0" pos="-1 0 0.3">{root}"#);
    let capsule = r#"<geom type="capsule" fromto="0.02 0 0 0.08 0 0" size="0.015" mass="0.05"/>"#;
    bodies.push_str(capsule);
    for i in 1..links {
        let axis = if i % 2 == 0 { "0 0 1" } else { "0 1 0" };
        let extra = match i % 5 {
            0 => r#"frictionloss="0.002""#,
            1 => r#"damping="0.001" armature="1e-5""#,
            2 => r#"stiffness="0.05""#,
            _ => "",
        };
        bodies.push_str(&format!(
            r#"<body name="link{i}" pos="0.1 0 0"><joint name="j{i}" axis="{axis}" range="-70 70" {extra}/>{capsule}"#
        ));
    }
    bodies.push_str(&"</body>".repeat(links));
    format!(
        r#"<mujoco><option timestep="0.001"/><default><geom friction="0.5"/></default>
        <worldbody><geom name="floor" type="plane" size="9 9 1"/>{bodies}
        <body name="box" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="0.5"/></body></worldbody>
        {rest}</mujoco>"#
    )
}

/// Worst violations over a run of a second in which the chain is thrown about: approach speed (m/s), pull (N), work of the
/// contacts (J), bilateral error (m), and how many steps had contacts of the chain with itself.
fn thrown_about(text: &str) -> ([f64; 4], usize) {
    let mut s = simulate(text);
    assert!(s.data().is_long(TreeId::new(0)));
    for (i, v) in s.state.v.iter_mut().enumerate().skip(6) {
        *v = 4.0 * libm::sin(0.3 * i as f64);
    }
    let (mut worst, mut folded) = ([0.0f64; 4], 0);
    run(&mut s, 1.0, |s, report| {
        let c = &report.certificate;
        assert!(c.residual <= 1e-8, "{report:?}");
        for (worst, now) in worst.iter_mut().zip([c.approach, c.pull, c.contact_work, c.bilateral]) {
            *worst = worst.max(now);
        }
        let touches_itself = |c: &stiction::report::ContactForce| {
            c.impulse.x > 0.0
                && c.contact
                    .links
                    .iter()
                    .all(|l| l.is_some_and(|l| s.model().links[l].tree == TreeId::new(0)))
        };
        folded += usize::from(s.contact_forces().iter().any(touches_itself));
    });
    (worst, folded)
}

#[test]
fn a_long_chain_on_the_floor_in_its_limits_and_on_itself_obeys_the_laws() {
    let (worst, folded) = thrown_about(&chain(40, "<freejoint/>", ""));
    let [approach, pull, work, _] = worst;
    assert!(folded > 2, "{folded}");
    assert!(approach <= 2e-8 && pull <= 1e-8 && work <= 1e-10, "{approach:e} {pull:e} {work:e}");
}

#[test]
fn a_long_chain_tied_into_a_loop_stays_closed_on_the_floor() {
    let tie = r#"<equality><connect body1="link39" body2="box" anchor="0.1 0 0"/>
        <joint joint1="j10" joint2="j12" polycoef="0 1 0 0 0"/></equality>"#;
    let (worst, _) = thrown_about(&chain(40, r#"<joint type="ball"/>"#, tie));
    let [approach, pull, work, gap] = worst;
    assert!(gap <= 1e-9, "{gap:e}");
    assert!(approach <= 1e-8 && pull <= 1e-8 && work <= 1e-10, "{approach:e} {pull:e} {work:e}");
}
