//! Prints the mass matrix and the bias forces of a scene, in its reference configuration or in states from a file.
//!
//! `mass_matrix SCENE [STATES.json]`: the states are a list of objects with the numbers of `qpos` and `qvel`, ordered
//! as in MuJoCo. The answer is one JSON object with the total mass and, for every state, the symmetric matrix M (with
//! armature) and the vector c of `M a + c = tau`, which holds Coriolis, centrifugal, gyroscopic and gravity terms.
//! `.ci/models` compares both with MuJoCo's.

use serde::{Deserialize, Serialize};
use std::path::Path;
use stiction::dynamics::{Data, bias_forces_all, forward_kinematics_all, mass_matrix_all, mass_matrix_dense};
use stiction::model::Model;
use stiction::scene;

#[derive(Deserialize)]
struct State {
    qpos: Vec<f64>,
    qvel: Vec<f64>,
}

#[derive(Serialize)]
struct Dynamics {
    mass_matrix: Vec<Vec<f64>>,
    bias: Vec<f64>,
}

#[derive(Serialize)]
struct Answer {
    total_mass: f64,
    states: Vec<Dynamics>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (path, states) = match &arguments[..] {
        [] => ("scenes/humanoid.xml", None),
        [scene] => (scene.as_str(), None),
        [scene, states] => (scene.as_str(), Some(std::fs::read_to_string(states)?)),
        _ => return Err("usage: mass_matrix SCENE [STATES.json]".into()),
    };
    let model = scene::load(Path::new(path))?.model;
    let states: Vec<State> = match states {
        Some(text) => serde_json::from_str(&text)?,
        None => vec![State { qpos: model.q0.clone(), qvel: vec![0.0; model.nv()] }],
    };
    if states.iter().any(|state| state.qpos.len() != model.nq() || state.qvel.len() != model.nv()) {
        return Err(format!("{path} has {} coordinates and {} velocities", model.nq(), model.nv()).into());
    }
    let states = states.iter().map(|state| dynamics(&model, state)).collect();
    println!("{}", serde_json::to_string(&Answer { total_mass: model.total_mass(), states })?);
    Ok(())
}

fn dynamics(model: &Model, state: &State) -> Dynamics {
    let mut data = Data::new(model);
    forward_kinematics_all(model, &mut data, &state.qpos, &state.qvel);
    mass_matrix_all(model, &mut data);
    let mut bias = vec![0.0; model.nv()];
    bias_forces_all(model, &mut data, &mut bias);
    let matrix = mass_matrix_dense(model, &data);
    let mass_matrix = matrix.row_iter().map(|row| row.iter().copied().collect()).collect();
    Dynamics { mass_matrix, bias }
}
