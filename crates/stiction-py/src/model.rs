//! `Model`: a scene that is ready to move, with what its file said.

use crate::error::refuse;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::ffi::CString;
use std::path::PathBuf;
use std::sync::Arc;
use stiction::model::{Body, JointKind, Model};
use stiction::report::RowSource;
use stiction::scene;
use stiction::scene::{EntryKind, LoadReport, Scene};
use stiction::settings::Options;
use stiction::sim::checksum;

/// The scenes of the folder `scenes`, so that the package needs no files.
macro_rules! scenes {
    ($($name:literal),+) => {
        &[$(($name, include_str!(concat!("../../../scenes/", $name, ".xml")))),+]
    };
}

const SCENES: &[(&str, &str)] = scenes![
    "belt",
    "bounce",
    "box_stack",
    "drop_stack",
    "grasp",
    "humanoid",
    "incline",
    "mass_ratio",
    "pendulum",
    "pendulum12",
    "sphere_slide",
    "spin",
    "swing_up"
];

/// A scene that is ready to move. Immutable; shared by all simulations of it. Pickles.
#[pyclass(module = "stiction._stiction", name = "Model", frozen)]
pub(crate) struct PyModel {
    pub(crate) inner: Arc<Model>,
    pub(crate) options: Options,
    report: LoadReport,
}

impl PyModel {
    fn of(scene: Scene) -> Self {
        Self { inner: Arc::new(scene.model), options: scene.options, report: scene.report }
    }

    /// Of a scene that somebody wrote for other readers too: warns once of what it asks for and does not get.
    fn of_file(py: Python<'_>, scene: Scene) -> PyResult<Self> {
        let mut ignored = scene.report.entries.iter().filter(|entry| entry.kind == EntryKind::Ignored);
        if let Some(first) = ignored.next() {
            let more = match ignored.count() {
                0 => String::new(),
                count => format!(", and {count} more"),
            };
            let text = CString::new(format!("without effect: {first}{more}; all are in model.load_report"));
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text.map_err(refuse)?, 1)?;
        }
        Ok(Self::of(scene))
    }
}

#[pymethods]
impl PyModel {
    /// Loads a scene from an MJCF file.
    ///
    /// Warns once (UserWarning) if the file asks for something that has no effect here; `load_report` lists all of it.
    ///
    /// Raises StictionError with file, line, element and value if the file is refused.
    #[staticmethod]
    fn from_file(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Self::of_file(py, scene::load(&path).map_err(refuse)?)
    }

    /// Reads a scene from MJCF text. Files it names are looked for beside `name`, which also stands in messages. Warns as `from_file`.
    ///
    /// Raises StictionError with line, element and value if the text is refused.
    #[staticmethod]
    #[pyo3(signature = (text, name = "scene.xml"))]
    fn from_string(py: Python<'_>, text: &str, name: &str) -> PyResult<Self> {
        Self::of_file(py, scene::mjcf::parse(text, name).map_err(refuse)?)
    }

    /// A scene that comes with the package, by name: see `builtin_names`.
    ///
    /// Raises StictionError if there is none of this name.
    #[staticmethod]
    fn builtin(name: &str) -> PyResult<Self> {
        let found = SCENES.iter().find(|(known, _)| *known == name);
        let (name, text) = found.ok_or_else(|| {
            let known: Vec<&str> = SCENES.iter().map(|(name, _)| *name).collect();
            let hint = scene::did_you_mean(name, known.iter().copied());
            refuse(format!(
                "there is no scene {name:?} in the package{hint}; there are: {}",
                known.join(", ")
            ))
        })?;
        scene::mjcf::parse(text, &format!("{name}.xml")).map(Self::of).map_err(refuse)
    }

    /// Names of the scenes that come with the package.
    #[staticmethod]
    fn builtin_names() -> Vec<&'static str> {
        SCENES.iter().map(|(name, _)| *name).collect()
    }

    /// The same scene in redundant coordinates: every moving body is free, every joint a constraint.
    ///
    /// Raises StictionError for a body that has no inertia of its own in some direction.
    fn redundant(&self) -> PyResult<Self> {
        let inner = Arc::new(self.inner.redundant().map_err(refuse)?);
        Ok(Self { inner, options: self.options.clone(), report: self.report.clone() })
    }

    /// Rebuilds a pickled model.
    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let content = match bytes.split_last_chunk::<8>() {
            Some((content, stored)) if checksum(content).to_le_bytes() == *stored => content,
            _ => {
                return Err(refuse("not a pickled model of this version, or a damaged one: pickle it again"));
            }
        };
        let (model, options, report): (Model, Options, String) = postcard::from_bytes(content)
            .map_err(|e| refuse(format!("not a pickled model of this version: {e}")))?;
        let report = serde_json::from_str(&report).map_err(refuse)?;
        Ok(Self { inner: Arc::new(model), options, report })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let report = serde_json::to_string(&self.report).map_err(refuse)?;
        let mut bytes = postcard::to_stdvec(&(&*self.inner, &self.options, report)).map_err(refuse)?;
        bytes.extend(checksum(&bytes).to_le_bytes());
        Ok((py.get_type::<PyModel>().getattr("_from_bytes")?, (PyBytes::new(py, &bytes),)))
    }

    /// Name of the scene.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// Number of configuration coordinates.
    #[getter]
    fn nq(&self) -> usize {
        self.inner.nq()
    }

    /// Number of generalized velocities: degrees of freedom.
    #[getter]
    fn nv(&self) -> usize {
        self.inner.nv()
    }

    /// Number of actuators.
    #[getter]
    fn nu(&self) -> usize {
        self.inner.actuators.len()
    }

    /// Time step of the scene (s).
    #[getter]
    fn timestep(&self) -> f64 {
        self.inner.timestep
    }

    /// Gravity (m/s^2, world axes).
    #[getter]
    fn gravity(&self) -> (f64, f64, f64) {
        let g = self.inner.gravity;
        (g.x, g.y, g.z)
    }

    /// Sum of all masses (kg).
    #[getter]
    fn total_mass(&self) -> f64 {
        self.inner.total_mass()
    }

    /// Names of the bodies; the world is the first.
    #[getter]
    fn body_names(&self) -> Vec<&str> {
        self.inner.bodies.iter().map(|b| b.name.as_str()).collect()
    }

    /// Names of the joints.
    #[getter]
    fn joint_names(&self) -> Vec<&str> {
        self.inner.links.iter().map(|l| l.name.as_str()).collect()
    }

    /// Names of what constraint rows may be of, by kind: "joint" (those of trees, then those of loops), "tendon", "cable" or
    /// "equality".
    fn source_names(&self, kind: &str) -> PyResult<Vec<&str>> {
        let source = RowSource::ALL.into_iter().find(|source| source.name() == kind);
        let source =
            source.ok_or_else(|| refuse(format!("there is no kind {kind:?} of {:?}", RowSource::KINDS)))?;
        Ok(source.names(&self.inner).collect())
    }

    /// Names of the geoms; unnamed ones are called BODY/INDEX.
    #[getter]
    fn geom_names(&self) -> Vec<&str> {
        self.inner.geoms.iter().map(|g| g.name.as_str()).collect()
    }

    /// Names of the actuators.
    #[getter]
    fn actuator_names(&self) -> Vec<&str> {
        self.inner.actuators.iter().map(|a| a.name.as_str()).collect()
    }

    /// Names of the mocap bodies, in the order of the mocap arrays.
    #[getter]
    fn mocap_names(&self) -> Vec<&str> {
        self.inner.mocap_bodies.iter().map(|&b| self.inner.bodies[b].name.as_str()).collect()
    }

    /// Names of the stored states.
    #[getter]
    fn keyframe_names(&self) -> Vec<&str> {
        self.inner.keyframes.iter().map(|k| k.name.as_str()).collect()
    }

    /// What was inferred, defaulted, ignored or repaired: one dict an entry, with `kind`, `file`, `line`, `element`,
    /// `attribute`, `message`.
    #[getter]
    fn load_report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let entries = self.report.entries.iter().map(|entry| {
            let dict = PyDict::new(py);
            let json = serde_json::to_value(entry).map_err(refuse)?;
            for key in ["kind", "file", "element", "attribute", "message"] {
                dict.set_item(key, json.get(key).and_then(|v| v.as_str()))?;
            }
            dict.set_item("line", json.get("line").and_then(serde_json::Value::as_u64))?;
            Ok(dict)
        });
        PyList::new(py, entries.collect::<PyResult<Vec<_>>>()?)
    }

    /// Kind, first coordinate, number of coordinates, first velocity, number of velocities, body, limits of a joint.
    #[allow(clippy::type_complexity, reason = "a tuple that only the Python classes read")]
    fn _joint(&self, index: usize) -> (&'static str, usize, usize, usize, usize, usize, Option<[f64; 2]>) {
        let link = &self.inner.links[index];
        let kind = match link.kind {
            JointKind::Free => "free",
            JointKind::Ball => "ball",
            JointKind::Hinge { .. } => "hinge",
            JointKind::Slide { .. } => "slide",
        };
        (kind, link.q, link.kind.nq(), link.v, link.kind.nv(), link.body.index(), link.range)
    }

    /// Mass, parent and centre of mass in the body frame of a body.
    fn _body(&self, index: usize) -> (f64, usize, [f64; 3]) {
        let Body { mass, parent, center_of_mass, .. } = &self.inner.bodies[index];
        (*mass, parent.index(), (*center_of_mass).into())
    }

    /// Body, friction and material of a geom.
    fn _geom(&self, index: usize) -> (usize, f64, Option<&str>) {
        let geom = &self.inner.geoms[index];
        (geom.body.index(), geom.friction, geom.material.as_deref())
    }

    /// Range of an actuator's control.
    fn _control_range(&self, index: usize) -> Option<[f64; 2]> {
        self.inner.actuators[index].control_range
    }

    fn __repr__(&self) -> String {
        let Model { name, bodies, geoms, .. } = &*self.inner;
        let (nq, nv) = (self.inner.nq(), self.inner.nv());
        let bodies = bodies.len() - 1;
        format!("<stiction.Model {name:?}: {bodies} bodies, {} geoms, nq = {nq}, nv = {nv}>", geoms.len())
    }
}
