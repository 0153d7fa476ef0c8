//! What a step depends on: a snapshot continues with the same bits wherever it is restored, and without the warm start only the state
//! counts.

use crate::common::trees::Random;
use stiction::report::StepReport;
use stiction::scene::{Scene, mjcf};
use stiction::sim::{SimError, Simulation, Snapshot, Stepper};

/// Trees of boxes, spheres and capsules above a plane, some fixed to the world by a hinge, with drives; with `limits` also joint
/// limits, joint friction and springs, a tendon, and a loop or an equality between two trees.
fn random_scene(random: &mut Random, limits: bool) -> String {
    let mut bodies = String::new();
    let mut drives = String::new();
    let mut joints: Vec<usize> = Vec::new();
    let mut number = 0;
    for tree in 0..2 + random.below(3) {
        let links = 1 + random.below(4);
        let [x, y] = std::array::from_fn(|_| random.between(-0.3, 0.3));
        for link in 0..links {
            let turn: [f64; 3] = std::array::from_fn(|_| random.between(-90.0, 90.0));
            let place = match link {
                0 => format!("{x} {y} {}", 0.3 + 0.3 * tree as f64),
                _ => format!("{} {} 0", random.between(0.15, 0.25), random.between(-0.1, 0.1)),
            };
            bodies += &format!(
                r#"<body name="b{number}" pos="{place}" euler="{} {} {}">"#,
                turn[0], turn[1], turn[2]
            );
            bodies += &match (link, random.below(4)) {
                (0, 1..) => "<freejoint/>".to_owned(),
                (_, kind) => {
                    joints.push(number);
                    drives += &match kind {
                        0 => format!(r#"<motor joint="j{number}" gear="{}"/>"#, random.between(0.1, 2.0)),
                        1 => format!(r#"<position joint="j{number}" kp="{}"/>"#, random.between(1.0, 20.0)),
                        _ => String::new(),
                    };
                    let axis = random.direction();
                    let bounds = if limits {
                        let friction = random.between(0.0, 0.05);
                        format!(
                            r#"range="{} {}" frictionloss="{friction}" stiffness="0.5""#,
                            -random.between(5.0, 60.0),
                            random.between(5.0, 60.0)
                        )
                    } else {
                        String::new()
                    };
                    format!(
                        r#"<joint name="j{number}" axis="{} {} {}" damping="0.01" {bounds}/>"#,
                        axis.x, axis.y, axis.z
                    )
                }
            };
            let size: [f64; 3] = std::array::from_fn(|_| random.between(0.03, 0.12));
            let shape = match random.below(3) {
                0 => format!(r#"type="box" size="{} {} {}""#, size[0], size[1], size[2]),
                1 => format!(r#"type="capsule" size="{} {}""#, 0.6 * size[0], size[1]),
                _ => format!(r#"type="sphere" size="{}""#, size[0]),
            };
            let (mass, mu) = (libm::pow(10.0, random.between(-1.0, 1.0)), random.between(0.0, 1.2));
            bodies += &format!(
                r#"<geom {shape} mass="{mass}" friction="{mu}"/><site name="s{number}" pos="0.05 0 0.05"/>"#
            );
            number += 1;
        }
        bodies += &"</body>".repeat(links);
    }
    let ties = if limits { random_ties(random, &joints, number - 1) } else { String::new() };
    format!(
        r#"<mujoco><option timestep="0.004"/><worldbody><geom type="plane" size="5 5 1" friction="0.7"/>{bodies}</worldbody>
        <actuator>{drives}</actuator>{ties}</mujoco>"#
    )
}

/// What ties the first body and the last one, and a tendon along two of the joints.
fn random_ties(random: &mut Random, joints: &[usize], last: usize) -> String {
    let tie = match random.below(4) {
        0 => format!(
            r#"<equality><connect name="tie" body1="b0" body2="b{last}" anchor="0.1 0 0.1"/></equality>"#
        ),
        1 => format!(
            r#"<custom><text name="stiction:closure:tie" data="ball s0 s{last} damping=0.02 frictionloss=0.01 stiffness=0.2"/></custom>"#
        ),
        2 => format!(
            r#"<tendon><spatial name="rope" range="0 0.4"><site site="s0"/><site site="s{last}"/></spatial></tendon>"#
        ),
        _ => String::new(),
    };
    let [Some(first), Some(second)] = [joints.first(), joints.get(1)] else { return tie };
    format!(
        r#"{tie}<tendon><fixed name="tendon" range="-0.3 0.3" damping="0.1" stiffness="2" frictionloss="0.02">
        <joint joint="j{first}" coef="0.7"/><joint joint="j{second}" coef="-0.4"/></fixed></tendon>"#
    )
}

/// A contact model, its solver or the default one, and a stepper.
type Way = (&'static str, Option<&'static str>, Stepper);

const WAYS: [Way; 14] = [
    ("cone", None, Stepper::TimeStepping),
    ("cone", None, Stepper::EventDriven),
    ("cone", None, Stepper::Acceleration),
    ("cone", Some("newton"), Stepper::TimeStepping),
    ("cone", Some("nsgs"), Stepper::TimeStepping),
    ("cone", Some("admm"), Stepper::TimeStepping),
    ("cone", Some("mncp-plm"), Stepper::TimeStepping),
    ("convex", None, Stepper::TimeStepping),
    ("stewart-trinkle", None, Stepper::TimeStepping),
    ("stewart-trinkle", Some("path"), Stepper::TimeStepping),
    ("anitescu-potra", None, Stepper::TimeStepping),
    ("viscous", None, Stepper::TimeStepping),
    ("friction-box", None, Stepper::TimeStepping),
    ("no-slip", None, Stepper::TimeStepping),
];

/// A simulation of a scene in one of these ways.
fn begin(text: &str, (model, solver, stepper): Way) -> Result<Simulation, SimError> {
    let mut scene: Scene = mjcf::parse(text, "test.xml").unwrap_or_else(|e| panic!("{e}\n{text}"));
    scene.options.contact_model = Some(model.into());
    scene.options.solver = solver.map(Into::into);
    scene.options.stepper = Some(stepper);
    if model == "viscous" {
        scene.options.viscosity = Some(0.5);
    }
    Simulation::from_scene(scene)
}

/// What the steps do: their reports, and the state after each to the bit.
fn course(s: &mut Simulation, steps: usize) -> Vec<(StepReport, Vec<u64>)> {
    let bits = |s: &Simulation| s.state.q.iter().chain(&s.state.v).map(|x| x.to_bits()).collect();
    (0..steps).map(|_| (s.step().unwrap(), bits(s))).collect()
}

/// Says where two courses part.
fn same(found: &[(StepReport, Vec<u64>)], wanted: &[(StepReport, Vec<u64>)], what: &str) {
    assert_eq!(found.len(), wanted.len());
    for (step, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        assert!(found == wanted, "{what}: step {step} differs\n{:?}\n{:?}", found.0, wanted.0);
    }
}

/// Puts a simulation in a state in which other contacts are closed: free bodies lifted, or pressed together.
fn disturb(s: &mut Simulation, random: &mut Random) {
    let squeeze = random.between(0.2, 1.5);
    let links = s.model().links.clone();
    for link in links.iter().filter(|link| link.kind.nq() == 7) {
        for i in 0..2 {
            s.state.q[link.q + i] *= squeeze;
        }
        s.state.q[link.q + 2] = random.between(0.02, 1.0);
        s.state.v[link.v..link.v + 6].iter_mut().for_each(|v| *v = random.between(-2.0, 2.0));
    }
}

/// Snapshots of a random scene, restored in a new simulation, in place after other steps, and where other problems were solved.
/// Whether something touched.
fn snapshots_continue(seed: u64, way: Way) -> bool {
    let mut random = Random(seed);
    let text = random_scene(&mut random, way.2 == Stepper::TimeStepping);
    let mut s = begin(&text, way).unwrap_or_else(|e| panic!("{e}\n{text}"));
    s.state.ctrl.iter_mut().for_each(|ctrl| *ctrl = random.between(-0.5, 0.5));
    let before = course(&mut s, 20 + random.below(100));
    let snapshot = Snapshot::from_bytes(&s.snapshot().to_bytes().unwrap()).unwrap();
    let wanted = course(&mut s, 25);
    let what = |place: &str| format!("seed {seed}, {way:?}, {place}");
    s.restore(&snapshot).unwrap();
    same(&course(&mut s, 25), &wanted, &what("in place"));
    let mut fresh = begin(&text, way).unwrap();
    fresh.restore(&snapshot).unwrap();
    same(&course(&mut fresh, 25), &wanted, &what("in a new simulation"));
    for _ in 0..3 {
        disturb(&mut fresh, &mut random);
        let _ = course(&mut fresh, 4);
    }
    fresh.restore(&snapshot).unwrap();
    same(&course(&mut fresh, 25), &wanted, &what("after other problems"));

    // By hand, without the warm start: as a new simulation in that state.
    let by_hand = |s: &mut Simulation| {
        s.state.clone_from(&snapshot.state);
        s.forget_warm_start();
        let mut course = course(s, 25);
        course.iter_mut().for_each(|(report, _)| report.step = 0);
        course
    };
    let cold = by_hand(&mut begin(&text, way).unwrap());
    same(&by_hand(&mut s), &cold, &what("by hand"));
    same(&by_hand(&mut s), &cold, &what("by hand, again"));
    same(&by_hand(&mut fresh), &cold, &what("by hand, elsewhere"));
    before.iter().chain(&wanted).any(|(report, _)| report.contacts > 0)
}

#[test]
fn a_snapshot_continues_with_the_same_bits_and_so_does_a_state_written_by_hand_without_the_warm_start() {
    let touched: usize =
        WAYS.iter().zip(0..).map(|(&way, seed)| usize::from(snapshots_continue(seed, way))).sum();
    assert!(touched >= WAYS.len() - 2, "{touched}");
}

#[test]
#[ignore = "slow: takes two minutes"]
fn snapshots_of_many_random_scenes_continue_with_the_same_bits_in_all_ways() {
    let of_half = |first: u64| {
        let runs = (first..12).step_by(2).flat_map(|seed| WAYS.map(|way| (1000 + seed, way)));
        runs.filter(|(seed, way)| snapshots_continue(*seed, *way)).count()
    };
    let touched = std::thread::scope(|scope| {
        let other = scope.spawn(|| of_half(1));
        of_half(0) + other.join().unwrap()
    });
    assert!(touched > 9 * WAYS.len(), "{touched}");
}

/// A ball on a floor; the radius is a number of the model.
fn ball(radius: f64) -> Simulation {
    let text = format!(
        r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 {radius}"><freejoint/>
        <geom type="sphere" size="{radius}" mass="1"/></body></worldbody></mujoco>"#
    );
    Simulation::from_scene(mjcf::parse(&text, "ball.xml").unwrap()).unwrap()
}

#[test]
fn a_snapshot_of_another_model_of_equal_size_is_refused_and_changes_nothing() {
    let (mut one, mut other) = (ball(0.1), ball(0.2));
    assert_ne!(one.model().fingerprint(), other.model().fingerprint());
    assert_eq!(one.model().fingerprint(), ball(0.1).model().fingerprint());
    one.step().unwrap();
    let (snapshot, before) = (one.snapshot(), other.snapshot());
    let error = other.restore(&snapshot).unwrap_err();
    assert!(matches!(error, SimError::OtherModel { .. }), "{error}");
    assert!(error.to_string().contains("another model"), "{error}");
    assert_eq!(other.snapshot(), before);
    ball(0.1).restore(&snapshot).unwrap();
}

#[test]
fn every_damaged_snapshot_is_refused() {
    let mut s = begin(&random_scene(&mut Random(5), true), WAYS[0]).unwrap();
    for _ in 0..40 {
        s.step().unwrap();
    }
    let whole = s.snapshot().to_bytes().unwrap();
    let mut random = Random(11);
    let mut damaged = 0;
    while damaged < 6000 {
        let mut bytes = whole.clone();
        match random.below(5) {
            0 => bytes.truncate(random.below(whole.len())),
            1 => bytes[random.below(whole.len())] ^= 1 << random.below(8),
            2 => bytes[random.below(whole.len())] = random.below(256) as u8,
            3 => bytes.extend((0..1 + random.below(20)).map(|_| 0)),
            _ => {
                let (from, to, length) =
                    (random.below(whole.len()), random.below(whole.len()), 1 + random.below(40));
                let piece = whole[from..whole.len().min(from + length)].to_vec();
                bytes.splice(to..to, piece);
            }
        }
        if bytes == whole {
            continue;
        }
        damaged += 1;
        let error = Snapshot::from_bytes(&bytes).unwrap_err().to_string();
        assert!(error.contains("stiction snapshot") && error.len() <= 300, "{error}");
    }
    assert!(Snapshot::from_bytes(&whole).is_ok());
    // What earlier versions stored began with their number.
    assert!(Snapshot::from_bytes(&[4, 0, 0, 0]).unwrap_err().to_string().contains("does not begin like one"));
}
