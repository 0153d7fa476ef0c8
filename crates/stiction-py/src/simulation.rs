//! `Simulation`: a scene in motion, its state as NumPy arrays.
//!
//! The arrays are the state: they are handed to the engine before whatever depends on them and filled again after a
//! step, so writing into them is setting the state, and an array that was kept shows the new state. Nobody else's
//! memory is ever shared, so no thread can see a torn state while a step runs without the interpreter lock.
//!
//! Long, since a class of Python has all its methods in one block, each with the text that `help` shows.

use crate::choice;
use crate::error::refuse;
use crate::model::PyModel;
use crate::report::{PyStepReport, PyWork, as_dict};
use crate::snapshot::PySnapshot;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use stiction::dynamics;
use stiction::dynamics::Data;
use stiction::dynamics::body_motion;
use stiction::model::{BodyId, TreeId};
use stiction::recording::Recorder;
use stiction::report::{JointForce, LimitForce};
use stiction::scene;
use stiction::sim::{Simulation, State};
use stiction::spatial::{Force, Motion};

/// The state's arrays, which live as long as the simulation.
struct Arrays {
    qpos: Py<PyArray1<f64>>,
    qvel: Py<PyArray1<f64>>,
    ctrl: Py<PyArray1<f64>>,
    qfrc_applied: Py<PyArray1<f64>>,
    xfrc_applied: Py<PyArray2<f64>>,
    mocap_pos: Py<PyArray2<f64>>,
    mocap_quat: Py<PyArray2<f64>>,
    mocap_linvel: Py<PyArray2<f64>>,
    mocap_angvel: Py<PyArray2<f64>>,
}

impl Arrays {
    fn new(py: Python, state: &State) -> Self {
        let vector = |n: usize| PyArray1::zeros(py, n, false).unbind();
        let rows = |n: usize, width: usize| PyArray2::zeros(py, [n, width], false).unbind();
        let mocap = state.mocap.len();
        Self {
            qpos: vector(state.q.len()),
            qvel: vector(state.v.len()),
            ctrl: vector(state.ctrl.len()),
            qfrc_applied: vector(state.applied.len()),
            xfrc_applied: rows(state.external.len(), 6),
            mocap_pos: rows(mocap, 3),
            mocap_quat: rows(mocap, 4),
            mocap_linvel: rows(mocap, 3),
            mocap_angvel: rows(mocap, 3),
        }
    }

    /// Arrays to state.
    fn read(&self, py: Python, state: &mut State) -> PyResult<()> {
        read_into(py, &self.qpos, "qpos", &mut state.q)?;
        read_into(py, &self.qvel, "qvel", &mut state.v)?;
        read_into(py, &self.ctrl, "ctrl", &mut state.ctrl)?;
        read_into(py, &self.qfrc_applied, "qfrc_applied", &mut state.applied)?;
        let wrenches = rows_of(py, &self.xfrc_applied, "xfrc_applied", [state.external.len(), 6])?;
        for (wrench, values) in state.external.iter_mut().zip(wrenches.as_slice().map_err(refuse)?.chunks(6))
        {
            let [force, moment] = [0, 3].map(|k| nalgebra::Vector3::from_column_slice(&values[k..k + 3]));
            *wrench = Force { angular: moment, linear: force };
        }
        if !state.mocap.is_empty() {
            let count = state.mocap.len();
            let positions = rows_of(py, &self.mocap_pos, "mocap_pos", [count, 3])?;
            let orientations = rows_of(py, &self.mocap_quat, "mocap_quat", [count, 4])?;
            let linear = rows_of(py, &self.mocap_linvel, "mocap_linvel", [count, 3])?;
            let angular = rows_of(py, &self.mocap_angvel, "mocap_angvel", [count, 3])?;
            let positions = positions.as_slice().map_err(refuse)?.chunks(3);
            let orientations = orientations.as_slice().map_err(refuse)?.chunks(4);
            let linear = linear.as_slice().map_err(refuse)?.chunks(3);
            let velocities = angular.as_slice().map_err(refuse)?.chunks(3).zip(linear);
            for (((mocap, p), q), velocity) in
                state.mocap.iter_mut().zip(positions).zip(orientations).zip(velocities)
            {
                mocap.position = nalgebra::Vector3::from_column_slice(p);
                mocap.orientation.copy_from_slice(q);
                let [angular, linear] = [velocity.0, velocity.1].map(nalgebra::Vector3::from_column_slice);
                mocap.velocity = Motion::new(angular, linear);
            }
        }
        Ok(())
    }

    /// State to arrays: what a step changes.
    fn show_motion(&self, py: Python, state: &State) -> PyResult<()> {
        write_from(py, &self.qpos, "qpos", &state.q)?;
        write_from(py, &self.qvel, "qvel", &state.v)?;
        if !state.mocap.is_empty() {
            let flat = |f: &dyn Fn(&stiction::sim::Mocap) -> Vec<f64>| -> Vec<f64> {
                state.mocap.iter().flat_map(f).collect()
            };
            write_rows(py, &self.mocap_pos, "mocap_pos", &flat(&|m| m.position.as_slice().to_vec()))?;
            write_rows(py, &self.mocap_quat, "mocap_quat", &flat(&|m| m.orientation.to_vec()))?;
            let linear = flat(&|m| m.velocity.linear.as_slice().to_vec());
            let angular = flat(&|m| m.velocity.angular.as_slice().to_vec());
            write_rows(py, &self.mocap_linvel, "mocap_linvel", &linear)?;
            write_rows(py, &self.mocap_angvel, "mocap_angvel", &angular)?;
        }
        Ok(())
    }

    /// State to arrays: everything.
    fn show(&self, py: Python, state: &State) -> PyResult<()> {
        self.show_motion(py, state)?;
        write_from(py, &self.ctrl, "ctrl", &state.ctrl)?;
        write_from(py, &self.qfrc_applied, "qfrc_applied", &state.applied)?;
        let wrenches: Vec<f64> =
            state.external.iter().flat_map(|w| [w.linear, w.angular]).flat_map(|v| [v.x, v.y, v.z]).collect();
        write_rows(py, &self.xfrc_applied, "xfrc_applied", &wrenches)
    }
}

fn read_into(py: Python, array: &Py<PyArray1<f64>>, name: &str, out: &mut [f64]) -> PyResult<()> {
    let array = array.bind(py).readonly();
    let values = array.as_slice().map_err(refuse)?;
    if values.len() != out.len() {
        return Err(refuse(format!("{name} has {} numbers, {} are needed", values.len(), out.len())));
    }
    out.copy_from_slice(values);
    Ok(())
}

fn write_from(py: Python, array: &Py<PyArray1<f64>>, name: &str, values: &[f64]) -> PyResult<()> {
    let mut array =
        array.bind(py).try_readwrite().map_err(|e| refuse(format!("{name} cannot be written: {e}")))?;
    fill(name, array.as_slice_mut().map_err(refuse)?, values)
}

fn write_rows(py: Python, array: &Py<PyArray2<f64>>, name: &str, values: &[f64]) -> PyResult<()> {
    let mut array =
        array.bind(py).try_readwrite().map_err(|e| refuse(format!("{name} cannot be written: {e}")))?;
    fill(name, array.as_slice_mut().map_err(refuse)?, values)
}

/// Arrays of NumPy can be resized by whoever holds them.
fn fill(name: &str, array: &mut [f64], values: &[f64]) -> PyResult<()> {
    if array.len() != values.len() {
        return Err(refuse(format!(
            "{name} was resized to {} numbers, {} are needed",
            array.len(),
            values.len()
        )));
    }
    array.copy_from_slice(values);
    Ok(())
}

/// An array of the state, which must still have its shape.
fn rows_of<'py>(
    py: Python<'py>,
    array: &Py<PyArray2<f64>>,
    name: &str,
    shape: [usize; 2],
) -> PyResult<PyReadonlyArray2<'py, f64>> {
    let array = array.bind(py);
    let found = array.shape();
    if found != shape {
        return Err(refuse(format!("{name} was given the shape {found:?}, {shape:?} is needed")));
    }
    Ok(array.readonly())
}

/// A scene in motion.
#[pyclass(module = "stiction._stiction", name = "Simulation", subclass)]
pub(crate) struct PySimulation {
    /// Only ever locked by the one who has the object; the lock makes it safe to share.
    simulation: Mutex<Simulation>,
    arrays: Arrays,
    model: Py<PyModel>,
    settings: String,
    recorder: Option<Recorder>,
    /// For the kinematics of the present state.
    data: Data,
}

/// The simulation behind its lock, which nobody holds while another method runs.
fn unlocked(simulation: &mut Mutex<Simulation>) -> &mut Simulation {
    simulation.get_mut().unwrap_or_else(PoisonError::into_inner)
}

fn locked(simulation: &Mutex<Simulation>) -> MutexGuard<'_, Simulation> {
    simulation.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl PySimulation {
    #[new]
    #[pyo3(signature = (model, settings, record))]
    fn new(py: Python, model: Py<PyModel>, settings: &str, record: bool) -> PyResult<Self> {
        let inner = model.get().inner.clone();
        let chosen = choice::settings(settings, &model.get().options)?;
        let mut simulation = Simulation::new(inner.clone(), chosen).map_err(refuse)?;
        simulation.start_over().map_err(refuse)?;
        let arrays = Arrays::new(py, &simulation.state);
        arrays.show(py, &simulation.state)?;
        let recorder = record.then(|| Recorder::new(&simulation, 0));
        let data = Data::new(&inner);
        Ok(Self {
            simulation: Mutex::new(simulation),
            arrays,
            model,
            settings: settings.into(),
            recorder,
            data,
        })
    }

    /// Takes one step, without the interpreter lock, and reports on it.
    ///
    /// Raises StictionError if a number is not finite; the state is then the one before the step.
    fn step(&mut self, py: Python) -> PyResult<PyStepReport> {
        let simulation = unlocked(&mut self.simulation);
        self.arrays.read(py, &mut simulation.state)?;
        let recorder = &mut self.recorder;
        let report = py.detach(|| {
            let report = simulation.step()?;
            if let Some(recorder) = recorder {
                recorder.record(simulation, &report);
            }
            Ok(report)
        });
        let report = report.map_err(|e: stiction::sim::SimError| refuse(e))?;
        self.arrays.show_motion(py, &simulation.state)?;
        let model = self.model.clone_ref(py);
        Ok(PyStepReport::new(report, model, simulation))
    }

    /// The model.
    #[getter]
    fn model(&self, py: Python) -> Py<PyModel> {
        self.model.clone_ref(py)
    }

    /// Time step (s).
    #[getter]
    fn timestep(&self) -> f64 {
        locked(&self.simulation).timestep()
    }

    /// Number of steps taken.
    #[getter]
    fn step_number(&self) -> u64 {
        locked(&self.simulation).step_number()
    }

    /// By what the energy changed in all steps (J).
    #[getter]
    fn work(&self) -> PyWork {
        (*locked(&self.simulation).work()).into()
    }

    /// Time (s).
    #[getter]
    fn time(&self) -> f64 {
        locked(&self.simulation).state.time
    }

    #[setter]
    fn set_time(&mut self, time: f64) {
        unlocked(&mut self.simulation).state.time = time;
    }

    /// Contact model in force, by name.
    #[getter]
    fn contact_model(&self) -> &'static str {
        locked(&self.simulation).settings().formulation.name()
    }

    /// Solver in force, by name, with the settings that are not its defaults.
    #[getter]
    fn solver(&self) -> String {
        locked(&self.simulation).settings().formulation.solver_text()
    }

    /// Configuration (nq), laid out as MuJoCo's; write into it to set it.
    #[getter]
    fn qpos(&self, py: Python) -> Py<PyArray1<f64>> {
        self.arrays.qpos.clone_ref(py)
    }

    /// Generalized velocity (nv), laid out as MuJoCo's; write into it to set it.
    #[getter]
    fn qvel(&self, py: Python) -> Py<PyArray1<f64>> {
        self.arrays.qvel.clone_ref(py)
    }

    /// Controls of the actuators (nu); write into it to set them.
    #[getter]
    fn ctrl(&self, py: Python) -> Py<PyArray1<f64>> {
        self.arrays.ctrl.clone_ref(py)
    }

    /// Applied generalized force (nv; N, N m), held until changed.
    #[getter]
    fn qfrc_applied(&self, py: Python) -> Py<PyArray1<f64>> {
        self.arrays.qfrc_applied.clone_ref(py)
    }

    /// Applied force and moment at each body's centre of mass (bodies x 6; N, then N m; world axes), held until changed.
    #[getter]
    fn xfrc_applied(&self, py: Python) -> Py<PyArray2<f64>> {
        self.arrays.xfrc_applied.clone_ref(py)
    }

    /// Positions of the mocap bodies (mocap x 3; m, world). What is written moves a body there within the next step, with the speed that
    /// this takes, so that it takes along what it holds; `teleport_mocap` puts it there at once.
    #[getter]
    fn mocap_pos(&self, py: Python) -> Py<PyArray2<f64>> {
        self.arrays.mocap_pos.clone_ref(py)
    }

    /// Orientations of the mocap bodies (mocap x 4; unit quaternions, w first). What is written turns a body that far within the next
    /// step, by the shortest turn.
    #[getter]
    fn mocap_quat(&self, py: Python) -> Py<PyArray2<f64>> {
        self.arrays.mocap_quat.clone_ref(py)
    }

    /// Velocities of the origins of the mocap bodies (mocap x 3; m/s, world axes) in steps before which their poses were not written;
    /// held until changed.
    #[getter]
    fn mocap_linvel(&self, py: Python) -> Py<PyArray2<f64>> {
        self.arrays.mocap_linvel.clone_ref(py)
    }

    /// Their angular velocities (mocap x 3; rad/s, world axes), likewise.
    #[getter]
    fn mocap_angvel(&self, py: Python) -> Py<PyArray2<f64>> {
        self.arrays.mocap_angvel.clone_ref(py)
    }

    /// Puts mocap bodies where `mocap_pos` and `mocap_quat` have them at once, instead of moving them there within the next step.
    fn _teleport_mocap(&mut self, py: Python, index: usize) -> PyResult<()> {
        let simulation = self.pulled(py)?;
        let mocap = simulation.state.mocap.get_mut(index);
        let mocap = mocap.ok_or_else(|| refuse(format!("there is no mocap body {index}")))?;
        mocap.teleport(&mocap.pose());
        self.arrays.show_motion(py, &unlocked(&mut self.simulation).state)
    }

    /// Kinetic and potential energy of the present state (J).
    fn energy(&mut self, py: Python) -> PyResult<(f64, f64)> {
        self.locate(py)?;
        let model = &*self.model.get().inner;
        let state = &unlocked(&mut self.simulation).state;
        let sum = |f: &dyn Fn(TreeId) -> f64| TreeId::all(&model.trees).map(f).sum::<f64>();
        Ok((
            sum(&|tree| dynamics::kinetic_energy(model, &self.data, tree, &state.v)),
            sum(&|tree| dynamics::potential_energy(model, &self.data, tree, &state.q)),
        ))
    }

    /// Position (m), orientation (quaternion, w first), velocity of the origin (m/s) and angular velocity (rad/s) of a
    /// body in the present state, world axes.
    #[allow(clippy::type_complexity, reason = "a tuple that only the Python classes read")]
    fn _body(&mut self, py: Python, index: usize) -> PyResult<([f64; 3], [f64; 4], [f64; 3], [f64; 3])> {
        self.locate(py)?;
        let state = &unlocked(&mut self.simulation).state;
        let (pose, motion) =
            body_motion(&self.model.get().inner, &self.data, &state.mocap, BodyId::new(index));
        let velocity = motion;
        Ok((pose.translation.into(), pose.quaternion(), velocity.linear.into(), velocity.angular.into()))
    }

    /// Goes back to the scene's start, or to one of its keyframes by name.
    #[pyo3(signature = (key = None))]
    fn reset(&mut self, py: Python, key: Option<&str>) -> PyResult<()> {
        let model = self.model.get().inner.clone();
        let simulation = unlocked(&mut self.simulation);
        match key {
            None => simulation.start_over().map_err(refuse)?,
            Some(name) => {
                let key = model.keyframe(name).ok_or_else(|| {
                    let names: Vec<&str> = model.keyframes.iter().map(|k| k.name.as_str()).collect();
                    refuse(format!("there is no keyframe {name:?}; there are: {}", names.join(", ")))
                })?;
                simulation.reset_to(key).map_err(refuse)?;
            }
        }
        self.arrays.show(py, &simulation.state)?;
        if self.recorder.is_some() {
            self.recorder = Some(Recorder::new(simulation, 0));
        }
        Ok(())
    }

    /// Forgets the impulses of the last step, from which the next one would start its solves: the next steps are then a function
    /// of the state alone, to the bit, also after `qpos`, `qvel` and `time` were written.
    fn forget_warm_start(&mut self) {
        unlocked(&mut self.simulation).forget_warm_start();
    }

    /// Everything the future depends on.
    fn snapshot(&mut self, py: Python) -> PyResult<PySnapshot> {
        Ok(PySnapshot { inner: self.pulled(py)?.snapshot() })
    }

    /// Continues from a snapshot of a simulation of the same model, bit for bit.
    fn restore(&mut self, py: Python, snapshot: &PySnapshot) -> PyResult<()> {
        let simulation = unlocked(&mut self.simulation);
        simulation.restore(&snapshot.inner).map_err(refuse)?;
        self.arrays.show(py, &simulation.state)
    }

    /// Hash of time, configuration and velocity: 16 hexadecimal digits, the same for the same bits.
    fn hash(&mut self, py: Python) -> PyResult<String> {
        Ok(format!("{:016x}", self.pulled(py)?.state_hash()))
    }

    /// The least factor on all friction with which the last step could have happened as it did; `None` without friction.
    fn least_friction(&self) -> Option<f64> {
        locked(&self.simulation).least_friction()
    }

    /// Limits of joints, tendons and cables that were part of the last step's problem: for each its `kind` ("joint", "tendon"
    /// or "cable"), `name`, whether it is the `upper` end of the range, and the `force` that keeps it (N or N m).
    fn limit_forces<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let simulation = locked(&self.simulation);
        let one = |limit: LimitForce| {
            let found = PyDict::new(py);
            found.set_item("kind", limit.kind.name())?;
            found.set_item("name", limit.name)?;
            found.set_item("upper", limit.upper)?;
            found.set_item("force", limit.force)?;
            Ok(found)
        };
        simulation.limit_forces().map(one).collect()
    }

    /// What joints, connects and welds transmitted in the last step, in the order of the model, joints that close loops after the others: for
    /// each its `kind` ("joint" or "equality"), `name`, the `point` where it acts (m, world axes), and the mean `force` (N) and `moment`
    /// about the point (N m) on the child or second body, world axes. Empty before the first step.
    fn joint_forces<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let simulation = locked(&self.simulation);
        let one = |joint: &JointForce| {
            let found = PyDict::new(py);
            found.set_item("kind", joint.source.name())?;
            found.set_item("name", joint.name(simulation.model()))?;
            for (key, vector) in [("point", joint.point), ("force", joint.force), ("moment", joint.moment)] {
                found.set_item(key, PyArray1::from_slice(py, vector.as_slice()))?;
            }
            Ok(found)
        };
        simulation.transmitted().joints.iter().map(one).collect()
    }

    /// Mean force of each actuator over the last step, before its gear (nu; N, or N m where it turns something). Empty before the
    /// first step.
    fn actuator_forces<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, locked(&self.simulation).transmitted().actuators)
    }

    /// Mean tension of each fixed tendon over the last step (N, or N m of a tendon over hinges alone): springs, dampers, drives, dry
    /// friction and limits together. Empty before the first step.
    fn tendon_tensions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, locked(&self.simulation).transmitted().tendons)
    }

    /// The largest margins of the net force between two geoms by name, over all forces that would have given the velocities of
    /// the last step: friction needed over friction available, then the same if the friction of other pairs helps as little as
    /// it can (dimensionless). `None` if they do not press or have no dry friction. Takes some hundred solves.
    fn pair_margins(&self, geom1: &str, geom2: &str) -> PyResult<Option<(f64, f64)>> {
        let model = &self.model.get().inner;
        let find = |name: &str| {
            model.geom(name).ok_or_else(|| {
                let names = model.geoms.iter().map(|geom| geom.name.as_str());
                refuse(format!("there is no geom {name:?}{}", scene::did_you_mean(name, names)))
            })
        };
        let (a, b) = (find(geom1)?, find(geom2)?);
        let simulation = locked(&self.simulation);
        let mut pairs = simulation.contact_pairs().iter().map(|pair| pair.geoms);
        let pair = pairs.find(|geoms| *geoms == [a, b] || *geoms == [b, a]);
        let margins = pair.and_then(|geoms| simulation.pair_margins(geoms));
        Ok(margins.map(|margins| (margins.largest, margins.alone)))
    }

    /// Closes all loops from the present configuration, moving as little as the kinetic norm says: the largest position error
    /// `before` and `after` (m or rad), the largest `distance` (m) and `angle` (rad) that a link has moved.
    ///
    /// Raises StictionError with the worst equality if it stays open; the configuration is then the nearest found.
    fn assemble<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let assembled = self.pulled(py)?.assemble();
        self.arrays.show(py, &unlocked(&mut self.simulation).state)?;
        as_dict(py, &assembled.map_err(refuse)?)
    }

    /// Freedoms of the present configuration: generalized velocities (`freedoms`), `rows` of all equalities and their `rank`,
    /// equalities with `redundant` rows and how many, and the `mobility` that is left.
    fn mobility<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = self.pulled(py)?.mobility().map_err(refuse)?;
        let dict = PyDict::new(py);
        dict.set_item("freedoms", found.freedoms)?;
        dict.set_item("rows", found.rows)?;
        dict.set_item("rank", found.rank)?;
        dict.set_item("mobility", found.mobility())?;
        dict.set_item("redundant", found.redundant.into_iter().collect::<BTreeMap<_, _>>())?;
        Ok(dict)
    }

    /// Whether steps are recorded.
    #[getter]
    fn recording(&self) -> bool {
        self.recorder.is_some()
    }

    /// Writes the recording: `.html` a page that plays it, `.npz` a NumPy archive.
    fn _save(&self, path: PathBuf) -> PyResult<()> {
        let recording = self.recorder()?.recording();
        match path.extension().and_then(|e| e.to_str()) {
            Some("html") => stiction_page::write_page(recording, &path).map_err(refuse),
            Some("npz") => recording.write_npz(&path).map_err(refuse),
            _ => Err(refuse(format!(
                "{}: the format is chosen by the extension, .html or .npz",
                path.display()
            ))),
        }
    }

    /// The recording as the text of a page.
    fn _page(&self) -> PyResult<String> {
        stiction_page::page(self.recorder()?.recording()).map_err(refuse)
    }

    /// Begins a recording at the present state.
    fn _record(&mut self, py: Python<'_>) -> PyResult<()> {
        let recorder = Recorder::new(self.pulled(py)?, 0);
        self.recorder = Some(recorder);
        Ok(())
    }

    /// The model, settings and snapshot that make this simulation again, and whether it records.
    #[allow(clippy::type_complexity, reason = "a tuple that only pickling reads")]
    fn _parts<'py>(&mut self, py: Python<'py>) -> PyResult<(Py<PyModel>, String, Bound<'py, PyBytes>, bool)> {
        let bytes = self.pulled(py)?.snapshot().to_bytes().map_err(refuse)?;
        let (model, bytes) = (self.model.clone_ref(py), PyBytes::new(py, &bytes));
        Ok((model, self.settings.clone(), bytes, self.recorder.is_some()))
    }
}

impl PySimulation {
    /// The simulation in the state that the arrays show.
    fn pulled(&mut self, py: Python) -> PyResult<&mut Simulation> {
        let simulation = unlocked(&mut self.simulation);
        self.arrays.read(py, &mut simulation.state)?;
        Ok(simulation)
    }

    /// Kinematics of the present state.
    fn locate(&mut self, py: Python) -> PyResult<()> {
        let simulation = unlocked(&mut self.simulation);
        self.arrays.read(py, &mut simulation.state)?;
        let state = &simulation.state;
        dynamics::forward_kinematics_all(&self.model.get().inner, &mut self.data, &state.q, &state.v);
        Ok(())
    }

    fn recorder(&self) -> PyResult<&Recorder> {
        self.recorder.as_ref().ok_or_else(|| {
            refuse("nothing has been recorded: make the simulation with record=True before it steps")
        })
    }
}
