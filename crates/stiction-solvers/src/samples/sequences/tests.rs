use super::*;
use crate::cones::{Chain, ChainSettings};
use crate::problem::Status;

/// A motion under the robust solver, every step solved.
fn run(motion: Motion, form: Form) -> (Vec<Step>, Sequence) {
    let mut solver =
        Chain::new(ChainSettings { tolerance: 1e-9, target: 1e-9, ..Default::default() }).unwrap();
    let mut sequence = Sequence::new(motion, form);
    let steps = sequence.run(&mut solver).unwrap();
    assert_eq!(steps.len(), motion.problems());
    for (k, step) in steps.iter().enumerate() {
        assert_eq!(step.report.status, Status::Solved, "{}, problem {k}", motion.name());
    }
    (steps, sequence)
}

fn count(steps: &[Step], class: StepClass) -> usize {
    steps.iter().filter(|step| step.class == class).count()
}

#[test]
fn a_thrown_box_tumbles_slides_and_comes_to_rest_on_a_face() {
    let (steps, sequence) = run(Motion::Tumble, Form::Dense);
    assert!(StepClass::ALL.iter().all(|class| count(&steps, *class) > 0));
    let body = &sequence.bodies()[0];
    let height = body.position.z;
    assert!(body.half.iter().any(|half| (height - half).abs() < 1e-3), "height {height}");
    assert!(body.velocity.norm() < 1e-6 && body.spin.norm() < 1e-6);
    let last = &steps[steps.len() - 30..];
    assert!(last.iter().all(|step| step.class == StepClass::Stick && step.contacts == 4));
}

#[test]
fn boxes_on_a_plate_shaken_at_the_limit_stick_and_slide_in_turn() {
    for motion in [Motion::Shake, Motion::ShakeUnequal] {
        let (steps, sequence) = run(motion, Form::Dense);
        assert!(steps.iter().all(|step| step.contacts == 20));
        assert!(count(&steps, StepClass::Stick) > 100 && count(&steps, StepClass::Slide) > 100);
        // Nothing tips, and the slip is small.
        for body in &sequence.bodies()[1..] {
            let aside = body.position - sequence.bodies()[0].position;
            assert!(aside.xy().norm() < 0.01 && body.spin.norm() < 1e-3, "{aside:?}");
        }
    }
}

#[test]
fn a_gripped_cube_slips_when_the_grip_is_weaker_than_its_weight_and_is_held_again() {
    let (steps, sequence) = run(Motion::Grip, Form::Dense);
    assert!(steps.iter().all(|step| step.contacts == 8));
    assert!(count(&steps, StepClass::Stick) > 100 && count(&steps, StepClass::Slide) > 100);
    assert!(count(&steps, StepClass::Change) > 20);
    let [finger, cube] = [0, 2].map(|body| sequence.bodies()[body].position.z);
    assert!((-0.02..-1e-3).contains(&(cube - finger)), "slipped by {}", cube - finger);
}

#[test]
fn six_boxes_fall_on_a_heap_of_many_contacts() {
    let (steps, sequence) = run(Motion::TumbleSix, Form::Factored);
    assert!(StepClass::ALL.iter().all(|class| count(&steps, *class) > 0));
    let most = steps.iter().map(|step| step.contacts).max().unwrap();
    assert!(most >= 20, "{most}");
    // No corner is below the ground by more than an impact leaves.
    let lowest =
        sequence.bodies().iter().flat_map(Body::corners).map(|corner| corner.z).fold(f64::INFINITY, f64::min);
    assert!(lowest > -5e-3, "{lowest}");
}

#[test]
fn a_motion_ends_when_everything_has_left() {
    let mut sequence = Sequence { ground: false, ..Sequence::new(Motion::Tumble, Form::Dense) };
    assert!(sequence.pose(&mut Solution::default()).unwrap().is_none());
}
