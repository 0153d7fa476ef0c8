//! Tendons and couplings against MuJoCo: `tests/oracle/tendons.py` wrote down what it finds for `tendons.xml`.

use crate::common::simulate;
use serde_json::Value;
use stiction::dynamics::passive_forces_all;

fn oracle(file: &str) -> String {
    std::fs::read_to_string(format!("{}/../../tests/oracle/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn fixture() -> Value {
    serde_json::from_str(&oracle("tendons.json")).unwrap()
}

fn list(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[track_caller]
fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{found:?} instead of {expected:?}");
    }
}

#[test]
fn tendons_have_the_lengths_rates_and_forces_that_mujoco_gives_them() {
    let (s, fixture) = (simulate(&oracle("tendons.xml")), fixture());
    let states = fixture["states"].as_array().unwrap();
    assert!(states.len() >= 10);
    for state in states {
        let (q, v) = (list(&state["q"]), list(&state["v"]));
        let tendons = &s.model().tendons;
        let lengths: Vec<f64> = tendons.iter().map(|t| t.path.value(&q)).collect();
        let rates: Vec<f64> = tendons.iter().map(|t| t.path.rate(&v)).collect();
        close(&lengths, &list(&state["length"]), 1e-13);
        close(&rates, &list(&state["rate"]), 1e-13);
        let mut passive = vec![0.0; v.len()];
        passive_forces_all(s.model(), &q, &v, &mut passive);
        close(&passive, &list(&state["passive"]), 1e-12);
    }
}

#[test]
fn what_pulls_on_tendons_accelerates_the_joints_as_in_mujoco() {
    // Mean accelerations of steps of h and h / 2, extrapolated to h = 0.
    let mean = |h: f64, state: &Value| {
        let text = oracle("tendons.xml").replace("timestep=\"0.0001\"", &format!("timestep=\"{h}\""));
        let mut s = simulate(&text);
        s.state.q = list(&state["q"]).into();
        s.state.v = list(&state["v"]).into();
        s.state.ctrl = list(&state["ctrl"]).into();
        let _ = s.step().unwrap();
        let before = list(&state["v"]);
        s.state.v.iter().zip(before).map(|(after, before)| (after - before) / h).collect::<Vec<f64>>()
    };
    for state in fixture()["states"].as_array().unwrap() {
        let (coarse, fine) = (mean(1e-7, state), mean(5e-8, state));
        let found: Vec<f64> = coarse.iter().zip(fine).map(|(c, f)| 2.0 * f - c).collect();
        close(&found, &list(&state["acceleration"]), 1e-6);
    }
}

#[test]
fn couplings_hold_where_mujocos_hold() {
    let fixture = fixture();
    let couplings = fixture["couplings"].as_str().unwrap();
    let text = oracle("tendons.xml")
        .replace("<actuator>", &format!("{couplings}<actuator>"))
        .replace("timestep=\"0.0001\"", "timestep=\"1e-8\"");
    for q in fixture["closed"].as_array().unwrap().iter().map(list) {
        let mut s = simulate(&text);
        assert_eq!(s.model().equalities.len(), 3);
        s.state.q.copy_from_slice(&q);
        let report = s.step().unwrap();
        assert!(report.certificate.bilateral <= 1e-13, "{report:?}");
        // In so short a step nothing moves that is where it belongs.
        close(&s.state.q, &q, 1e-12);
    }
}
