//! Ranges without width hold, both ways, under every formulation.

use crate::common::formulations::under;
use stiction::contact::Formulation;
use stiction::report::{RowForce, RowLaw};

/// A joint, a tendon or the joint of a loop whose range is a value, on an arm that gravity and a blow pull at.
fn scenes(value: f64) -> [(&'static str, String); 4] {
    let scene = |joint: &str, slide: &str, rest: &str| {
        format!(
            r#"<mujoco><compiler angle="radian"/><option timestep="0.002"/>{rest}<worldbody><site name="ground" zaxis="0 1 0"/>
            <body name="arm"><joint name="hinge" axis="0 1 0" {joint}/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.02" mass="2"
            contype="0" conaffinity="0"/><body name="rider" pos="0.5 0 0"><joint name="slide" type="slide" axis="1 0 0" {slide}/>
            <geom size="0.05" mass="1" contype="0" conaffinity="0"/></body></body></worldbody></mujoco>"#
        )
    };
    let held = format!(r#"limited="true" range="{value} {value}""#);
    let tendon = format!(
        r#"<tendon><fixed name="band" {held}><joint joint="hinge" coef="1"/></fixed></tendon>
        <equality><joint joint1="slide"/></equality>"#
    );
    let looped = format!(
        r#"<mujoco><compiler angle="radian"/><option timestep="0.002"/>
        <custom><text name="stiction:closure:pin" data="hinge ground on range={value},{value}"/></custom>
        <worldbody><site name="ground" zaxis="0 1 0"/><body name="arm"><freejoint/><site name="on" zaxis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 1 0 0" size="0.02" mass="2" contype="0" conaffinity="0"/></body></worldbody></mujoco>"#
    );
    [
        ("hinge", scene(&held, r#"limited="true" range="0 0""#, "")),
        ("slide", scene(&held, &format!(r#"limited="true" range="{0} {0}""#, 0.1 * value), "")),
        ("tendon", scene("", "", &tendon)),
        ("closure", looped),
    ]
}

#[test]
fn a_range_without_width_holds_its_value_both_ways_under_every_formulation() {
    for value in [0.0, 0.3, -1.2] {
        for (what, text) in scenes(value) {
            for formulation in Formulation::NAMES {
                let mut s = under(formulation, &text);
                let model = s.model().clone();
                let angle = |s: &stiction::sim::Simulation| {
                    let pose = s.data().link_pose[0].rotation;
                    (-pose[(2, 0)]).atan2(pose[(0, 0)])
                };
                s.assemble().unwrap();
                for step in 0..200 {
                    // Blows to both sides.
                    let arm = model.body("arm").unwrap();
                    s.state.external[arm.index()].angular.y = if step % 20 < 10 { 50.0 } else { -50.0 };
                    let report = s.step().unwrap();
                    assert!(report.solved(), "{what} {formulation}: {report:?}");
                    let error = (angle(&s) - value).abs();
                    assert!(error < 1e-9, "{what} {formulation} {step}: {error}");
                    assert!(
                        s.state.v.iter().all(|v| v.abs() < 1e-9),
                        "{what} {formulation}: {:?}",
                        s.state.v
                    );
                    assert!(report.certificate.bilateral_angular <= 1e-9, "{what} {formulation}: {report:?}");
                }
            }
        }
    }
}

#[test]
fn what_holds_a_range_without_width_is_an_equality_with_its_name_and_carries_the_moment() {
    // An arm stands on the floor, so that the contact rule has it and rows are posed.
    let text = r#"<mujoco><compiler angle="radian"/><option timestep="0.002"/><worldbody>
        <geom name="floor" type="plane" size="1 1 1"/>
        <body name="arm" pos="0 0 0.5"><joint name="lift" type="slide" axis="0 0 1"/><geom type="sphere" size="0.1" pos="0 0 -0.4" mass="1"/>
        <body name="hand"><joint name="wrist" axis="0 1 0" limited="true" range="0 0"/>
        <geom type="sphere" size="0.05" pos="0.7 0 0" mass="3" contype="0" conaffinity="0"/></body></body></worldbody></mujoco>"#;
    for formulation in Formulation::NAMES {
        let mut s = under(formulation, text);
        for _ in 0..50 {
            s.step().unwrap();
        }
        let equality = s.model().equalities.iter().position(|e| e.name == "range of joint wrist").unwrap();
        let held = |row: &&RowForce| row.law == RowLaw::Equality && row.index == equality;
        let row = s.row_forces().iter().find(held).unwrap();
        let moment = row.impulse / s.timestep();
        assert!((moment.abs() - 3.0 * 9.81 * 0.7).abs() < 1e-6, "{formulation}: {moment}");
    }
}
