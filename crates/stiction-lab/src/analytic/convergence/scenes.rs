//! The scenes, and the closed forms of those that have one.

use stiction::settings::Stepper;

/// A scene whose error is measured.
#[derive(Debug)]
pub(super) struct Experiment {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// MJCF.
    pub(super) scene: &'static str,
    /// Simulated time (s).
    pub(super) duration: f64,
    /// Whether nothing ever touches: the integrator is of order four then.
    pub(super) free: bool,
    /// The stepper of which it is told, whatever is chosen.
    pub(super) stepper: Option<Stepper>,
    /// The first coordinates of the configuration at a time (s), where they are known.
    pub(super) exact: Option<fn(f64) -> Vec<f64>>,
}

const GRAVITY: f64 = 9.81;

/// All of them.
pub(super) const EXPERIMENTS: [Experiment; 8] = [
    Experiment {
        name: "sphere-slide",
        about: "a ball thrown along the floor slides, then rolls",
        scene: r#"<mujoco><option gravity="0 0 -9.81"/><worldbody><geom name="floor" type="plane" size="9 9 1"/>
            <body name="ball" pos="0 0 1"><freejoint name="ball"/><geom name="ball" type="sphere" size="1" mass="1"/>
            </body></worldbody><contact><pair geom1="floor" geom2="ball" friction="0.2 0.2"/></contact>
            <keyframe><key name="start" qpos="0 0 1 1 0 0 0" qvel="2 0 0 0 0 0"/></keyframe></mujoco>"#,
        duration: 0.6,
        free: false,
        stepper: None,
        exact: Some(|t| vec![thrown(2.0, 0.2, t), 0.0, 1.0]),
    },
    Experiment {
        name: "incline-slip",
        about: "a block slides down a slope of tangent 0.49 with friction 0.3",
        scene: r#"<mujoco><option gravity="0 0 -9.81"/><compiler angle="radian"/><worldbody>
            <frame euler="0 0.4556156532112245 0"><geom name="slope" type="plane" size="9 9 1"/>
            <body name="block" pos="0 0 0.1"><freejoint name="block"/>
            <geom name="block" type="box" size="0.1 0.1 0.1" mass="1"/></body></frame></worldbody>
            <contact><pair geom1="slope" geom2="block" friction="0.3 0.3"/></contact></mujoco>"#,
        duration: 0.6,
        free: false,
        stepper: None,
        exact: Some(|t| {
            let (sin, cos) = (0.49 / 1.2401_f64.sqrt(), 1.0 / 1.2401_f64.sqrt());
            let way = 0.5 * GRAVITY * (sin - 0.3 * cos) * t * t;
            vec![0.1 * sin + way * cos, 0.0, 0.1 * cos - way * sin]
        }),
    },
    Experiment {
        name: "drop",
        about: "a ball falls 0.2 m while it flies sideways, stays on the floor, slides and rolls",
        scene: r#"<mujoco><option gravity="0 0 -9.81"/><worldbody><geom name="floor" type="plane" size="9 9 1"/>
            <body name="ball" pos="0 0 0.3"><freejoint name="ball"/><geom name="ball" type="sphere" size="0.1" mass="1"/>
            </body></worldbody><contact><pair geom1="floor" geom2="ball" friction="0.2 0.2"/></contact>
            <keyframe><key name="start" qpos="0 0 0.3 1 0 0 0" qvel="3 0 0 0 0 0"/></keyframe></mujoco>"#,
        duration: 0.6,
        free: false,
        stepper: None,
        exact: Some(|t| {
            let landing = (2.0 * 0.2 / GRAVITY).sqrt();
            if t < landing {
                return vec![3.0 * t, 0.0, 0.3 - 0.5 * GRAVITY * t * t];
            }
            // The landing's impulse per mass is that of `landing` seconds of weight: friction takes mu times as much, and
            // sliding goes on as if it had lasted that long.
            let before = thrown(3.0, 0.2, landing);
            vec![3.0 * landing + thrown(3.0, 0.2, t) - before, 0.0, 0.1]
        }),
    },
    Experiment {
        name: "tumbling-box",
        about: "a free box spins about its middle axis and flips",
        scene: r#"<mujoco><option gravity="0 0 0"/><worldbody><body name="box" pos="0 0 1"><freejoint name="box"/>
            <geom name="box" type="box" size="0.05 0.2 0.45" mass="10"/></body></worldbody>
            <keyframe><key name="start" qpos="0 0 1 1 0 0 0" qvel="0 0 0 0.5 20 0.5"/></keyframe></mujoco>"#,
        duration: 0.6,
        free: true,
        stepper: None,
        exact: None,
    },
    Experiment {
        name: "chain-on-floor",
        about: "a chain of four rods, hung at one end, comes down and drags its other end along the floor",
        scene: r#"<mujoco><option gravity="0 0 -9.81"/><compiler angle="degree"/>
            <default><geom friction="0.4"/><joint type="hinge" axis="0 1 0" damping="0.02"/><default class="rod">
            <geom type="capsule" size="0.02" fromto="0 0 0 0.25 0 0" mass="0.2"/></default></default>
            <worldbody><geom name="floor" type="plane" size="9 9 1"/>
            <body name="a" pos="0 0 0.5706225855326793"><joint name="a"/><geom name="a" class="rod"/>
            <body name="b" pos="0.25 0 0"><joint name="b"/><geom name="b" class="rod"/>
            <body name="c" pos="0.25 0 0"><joint name="c"/><geom name="c" class="rod"/>
            <body name="d" pos="0.25 0 0"><joint name="d"/><geom name="d" class="rod"/></body></body></body></body></worldbody>
            <keyframe><key name="start" qpos="0.3 0.2 0.2 0.2"/></keyframe></mujoco>"#,
        duration: 0.3,
        free: false,
        stepper: None,
        exact: None,
    },
    Experiment {
        name: "grasp-lift",
        about: "two fingers squeeze a box by friction and a spring lifts the hand",
        scene: r#"<mujoco><option gravity="0 0 -9.81"/>
            <default><geom type="box" mass="0.5" friction="0.6"/></default><worldbody>
            <body name="hand" pos="0 0 0.5"><joint name="lift" type="slide" axis="0 0 1" stiffness="400" springref="0.1"
              damping="8"/><geom name="palm" size="0.05 0.05 0.02" pos="0 0 0.2" mass="1"/>
              <body name="left" pos="-0.12 0 0"><joint name="left" type="slide" axis="1 0 0"/>
                <geom name="left" size="0.02 0.04 0.1"/></body>
              <body name="right" pos="0.12 0 0"><joint name="right" type="slide" axis="-1 0 0"/>
                <geom name="right" size="0.02 0.04 0.1"/></body></body>
            <body name="load" pos="0 0 0.5"><freejoint name="load"/>
              <geom name="load" size="0.1 0.1 0.05"/></body></worldbody>
            <actuator><motor name="left" joint="left"/><motor name="right" joint="right"/></actuator>
            <keyframe><key name="start" qpos="0 0 0 0 0 0.5 1 0 0 0" ctrl="30 30"/></keyframe></mujoco>"#,
        duration: 0.6,
        free: false,
        stepper: None,
        exact: None,
    },
    Experiment {
        name: "ball-on-turntable",
        about: "a ball rolls on a table that turns; impulses at both ends",
        scene: r#"<mujoco><custom><text name="stiction:motion:spin" data="rate 3"/></custom><worldbody>
            <body name="table"><joint name="spin" type="hinge" axis="0 0 1"/><geom name="table" type="cylinder" size="2 0.02" mass="10"/></body>
            <body name="ball" pos="0.3 0 0.12"><freejoint/><geom name="ball" type="sphere" size="0.1" mass="1"/></body></worldbody>
            <keyframe><key name="start" qpos="0 .3 0 .12 1 0 0 0" qvel="3 .5 .9 0 0 5 0"/></keyframe></mujoco>"#,
        duration: 0.4,
        free: false,
        stepper: Some(Stepper::Rattle),
        exact: None,
    },
    Experiment {
        name: "curved-slide",
        about: "a ball that spins slides in a curve down a slope; impulses at both ends",
        scene: r#"<mujoco><option gravity="4 0 -8"/><worldbody><geom name="floor" type="plane" size="0 0 1" friction="0.3"/>
            <body name="ball" pos="0 0 0.1"><freejoint/><geom name="ball" type="sphere" size="0.1" mass="1" friction="0.3"/></body></worldbody>
            <keyframe><key name="start" qpos="0 0 .1 1 0 0 0" qvel="0 3 0 0 0 9"/></keyframe></mujoco>"#,
        duration: 0.2,
        free: false,
        stepper: Some(Stepper::Rattle),
        exact: None,
    },
];

/// How far a ball thrown along the floor without spin has come: it slides until the spin has caught up at 5/7 of the speed.
fn thrown(speed: f64, mu: f64, t: f64) -> f64 {
    let rolling = 2.0 * speed / (7.0 * mu * GRAVITY);
    let sliding = t.min(rolling);
    speed * sliding - 0.5 * mu * GRAVITY * sliding * sliding + 5.0 / 7.0 * speed * (t - sliding)
}
