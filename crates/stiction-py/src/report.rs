//! What a step reports: numbers as attributes, contacts and pairs as structured arrays.

use crate::error::refuse;
use crate::model::PyModel;
use nalgebra::{Matrix3, Vector3};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};
use stiction::contact::{Law, Mode};
use stiction::model::{BodyId, GeomId, Model};
use stiction::recording::NO_MARGIN;
use stiction::report::{Certificate, ContactForce, PairForce, RowForce, RowLaw, StepReport, Work};
use stiction::sim::Simulation;

/// Fields of `StepReport.contacts`: name, NumPy type, shape.
const CONTACT_FIELDS: [(&str, &str, &[usize]); 20] = [
    ("geom1", "<i4", &[]),
    ("geom2", "<i4", &[]),
    ("body1", "<i4", &[]),
    ("body2", "<i4", &[]),
    ("point", "<f8", &[3]),
    ("normal", "<f8", &[3]),
    ("frame", "<f8", &[3, 3]),
    ("gap", "<f8", &[]),
    ("mu", "<f8", &[]),
    ("impulse", "<f8", &[3]),
    ("force", "<f8", &[3]),
    ("local_impulse", "<f8", &[3]),
    ("local_velocity", "<f8", &[3]),
    ("margin", "<f8", &[]),
    ("normal_work", "<f8", &[]),
    ("friction_work", "<f8", &[]),
    ("slip", "<f8", &[]),
    ("shift", "<f8", &[]),
    ("mode", "<U5", &[]),
    ("law", "<U15", &[]),
];

/// Fields of `StepReport.pairs`.
const PAIR_FIELDS: [(&str, &str, &[usize]); 9] = [
    ("geom1", "<i4", &[]),
    ("geom2", "<i4", &[]),
    ("contacts", "<i4", &[]),
    ("pressing", "<i4", &[]),
    ("center", "<f8", &[3]),
    ("force", "<f8", &[3]),
    ("moment", "<f8", &[3]),
    ("normal_force", "<f8", &[]),
    ("margin", "<f8", &[]),
];

/// Fields of `StepReport.row_forces`.
const ROW_FIELDS: [(&str, &str, &[usize]); 17] = [
    ("law", "<U8", &[]),
    ("kind", "<U8", &[]),
    ("index", "<i4", &[]),
    ("number", "<i4", &[]),
    ("angular", "<i4", &[]),
    ("impulse", "<f8", &[]),
    ("velocity", "<f8", &[]),
    ("before", "<f8", &[]),
    ("start", "<f8", &[]),
    ("after", "<f8", &[]),
    ("duration", "<f8", &[]),
    ("drift", "<f8", &[]),
    ("lower", "<f8", &[]),
    ("upper", "<f8", &[]),
    ("bias", "<f8", &[]),
    ("compliance", "<f8", &[]),
    ("work", "<f8", &[]),
];

/// How well a step obeys the laws of contact; every number is zero or positive but the last two, and zero is perfect.
#[pyclass(module = "stiction._stiction", name = "Certificate", frozen)]
#[derive(Clone, Copy)]
pub(crate) struct PyCertificate {
    inner: Certificate,
}

/// Read-only attributes that are fields of `inner`.
macro_rules! fields {
    ($class:ident, $($(#[$doc:meta])* $name:ident: $type:ty,)+ { $($rest:tt)* }) => {
        #[pymethods]
        impl $class {
            $($(#[$doc])* #[getter] fn $name(&self) -> $type { self.inner.$name })+
            $($rest)*
        }
    };
}

/// An attribute for each field that the engine declares.
macro_rules! certificate_attributes {
    ($($(#[doc = $doc:literal])+ $name:ident: $unit:literal, $title:literal, $violation:literal;)+) => {
        fields! {
            PyCertificate,
            $($(#[doc = $doc])+ $name: f64,)+
            {
                /// All fields by name.
                fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                    as_dict(py, &self.inner)
                }

                fn __repr__(&self) -> String {
                    format!("{:?}", self.inner)
                }
            }
        }
    };
}

stiction::certificate_fields!(certificate_attributes);

/// By what the energy changed: work by cause (J), which adds up to the change.
#[pyclass(module = "stiction._stiction", name = "Work", frozen)]
#[derive(Clone, Copy)]
pub(crate) struct PyWork {
    inner: Work,
}

impl From<Work> for PyWork {
    fn from(inner: Work) -> Self {
        Self { inner }
    }
}

/// An attribute for each cause that the engine declares.
macro_rules! work_attributes {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {
        fields! {
            PyWork,
            $($(#[doc = $doc])+ $name: f64,)+
            {
                /// Of all causes together: the change of the energy (J).
                #[getter]
                fn total(&self) -> f64 {
                    self.inner.total()
                }

                /// All causes by name.
                fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                    as_dict(py, &self.inner)
                }

                fn __repr__(&self) -> String {
                    format!("{:?}", self.inner)
                }
            }
        }
    };
}

stiction::work_fields!(work_attributes);

/// What a step did. Not converging raises nothing: look at `solved`.
#[pyclass(module = "stiction._stiction", name = "StepReport", frozen)]
pub(crate) struct PyStepReport {
    inner: StepReport,
    model: Py<PyModel>,
    contacts: Vec<ContactForce>,
    pairs: Vec<PairForce>,
    row_forces: Vec<RowForce>,
}

impl PyStepReport {
    /// Of the step that a simulation has just taken.
    pub(crate) fn new(inner: StepReport, model: Py<PyModel>, simulation: &Simulation) -> Self {
        Self {
            inner,
            model,
            contacts: simulation.contact_forces().to_vec(),
            pairs: simulation.contact_pairs().to_vec(),
            row_forces: simulation.row_forces().to_vec(),
        }
    }
}

fields! {
    PyStepReport,
    /// Number of the step, from 0.
    step: u64,
    /// Time at its end (s).
    time: f64,
    /// Constraint rows.
    rows: usize,
    /// Islands with unilateral rows.
    islands: usize,
    /// Islands that were not solved to tolerance.
    unsolved: usize,
    /// Islands whose answer came from a regularised matrix (and was certified on the original).
    regularized: usize,
    /// Contacts that bounce.
    bounces: usize,
    /// Islands in which they bounce less than their coefficients say, because the impact would have added energy.
    reduced_impacts: usize,
    /// Passes of the stepper with impulses at both ends; 0 of the others.
    passes: usize,
    /// Rounds in which contacts were added that were not foreseen.
    rounds: usize,
    /// Times that the step was taken again, since bodies met that were not expected to.
    attempts: usize,
    /// Impacts within the step, where it was taken from impact to impact.
    events: usize,
    /// Sets of bodies that met more impacts in the step than it can hold, and went on without bounce.
    cut_impacts: usize,
    /// Times that a part of the step was taken in halves.
    halvings: usize,
    /// Complementarity variables of the largest island.
    variables: usize,
    /// Exchanges of whole index sets in all islands.
    iterations: usize,
    /// Pivots of all islands.
    pivots: usize,
    /// Kinetic and potential energy at the end (J).
    energy: f64,
    /// Kinetic energy at the end (J).
    kinetic_energy: f64,
    {
        /// The body that the removal of overlap at the beginning of the step moved farthest, if it moved any.
        #[getter]
        fn projected_body(&self) -> Option<usize> {
            self.inner.projected_body.map(BodyId::index)
        }

        /// Sets of bodies that the acceleration or the event-driven stepper handed to another rule for the whole step, by reason.
        #[getter]
        fn hand_backs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
            as_dict(py, &self.inner.hand_backs)
        }

        /// Whether every island was solved to tolerance.
        #[getter]
        fn solved(&self) -> bool {
            self.inner.solved()
        }

        /// Worst status: `Solved`, `MaxIterations`, `Ray`, `Infeasible`, `Stalled` or `NumericalFailure`.
        #[getter]
        fn status(&self) -> String {
            format!("{:?}", self.inner.status)
        }

        /// How well the laws of contact are obeyed.
        #[getter]
        fn certificate(&self) -> PyCertificate {
            PyCertificate { inner: self.inner.certificate }
        }

        /// By what the energy changed in the step.
        #[getter]
        fn work(&self) -> PyWork {
            self.inner.work.into()
        }

        /// Contacts of the step, one entry each, sorted by key: a structured array with `geom1`, `geom2`, `body1`, `body2` (indices),
        /// `point` (m, world), `normal` (from geom 1 to geom 2), `frame` (rows normal, t1, t2), `gap` (m), all of these at the
        /// beginning of the step (of `rattle` at its end), `mu`, `impulse` (N s) and `force` (N) on body 2 in world axes, `local_impulse` (N s) and
        /// `local_velocity` (m/s) in the contact frame, `margin` (friction needed over available; 0 where
        /// nothing is carried, -1 where there is no dry friction), `normal_work` and `friction_work` (J), `slip` of a contact that sticks over the step
        /// and its `shift` since it sticks (m), `mode` (open, stick,
        /// slip) and `law`.
        #[getter]
        fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
            static DTYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
            let model = &*self.model.get().inner;
            let mut bytes = Vec::new();
            self.contacts.iter().for_each(|contact| pack_contact(&mut bytes, model, contact));
            structured(py, &bytes, &DTYPE, &CONTACT_FIELDS)
        }

        /// What each pair of geoms carries: a structured array with `geom1`, `geom2` (indices), `contacts` and
        /// `pressing` (numbers of them), `center` of pressure (m, world), `force` (N) and `moment` (N m, about the centre)
        /// on geom 2 in world axes, `normal_force` (N), `margin` (largest of its contacts; -1 without dry friction).
        #[getter]
        fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
            static DTYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
            let mut bytes = Vec::new();
            self.pairs.iter().for_each(|pair| pack_pair(&mut bytes, pair));
            structured(py, &bytes, &DTYPE, &PAIR_FIELDS)
        }

        /// Rows of the step besides those of contacts, in their order: a structured array with `law` (limit, friction, equality,
        /// action), `kind` (joint, tendon, cable, equality) and `index` of what the row is of (into `Model.source_names(kind)`),
        /// `number` of the row in it (of limits 0 for the lower end and 1 for the upper), `angular` (1 for rad/s and N m s, 0 for m/s and N s), `impulse`, `velocity` after the
        /// step, `before` the impulses and at its `start`, the prescribed `drift` of these, the `lower` and `upper` bound of the
        /// impulse, `bias` (what a limit leaves of its range over the step), `compliance`, and `work` (J).
        #[getter]
        fn row_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
            static DTYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
            let mut bytes = Vec::new();
            self.row_forces.iter().for_each(|row| pack_row(&mut bytes, row));
            structured(py, &bytes, &DTYPE, &ROW_FIELDS)
        }

        /// All numbers by name, the certificate's in a dict of its own.
        fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
            as_dict(py, &self.inner)
        }

        fn __repr__(&self) -> String {
            let StepReport { step, time, contacts, status, certificate, .. } = &self.inner;
            let residual = certificate.residual;
            format!("<stiction.StepReport {step}: t = {time} s, {contacts} contacts, {status:?}, residual {residual:.1e}>")
        }
    }
}

/// A serializable value as a dict.
pub(crate) fn as_dict<'py>(py: Python<'py>, value: &impl serde::Serialize) -> PyResult<Bound<'py, PyDict>> {
    let text = serde_json::to_string(value).map_err(refuse)?;
    Ok(py.import("json")?.call_method1("loads", (text,))?.cast_into::<PyDict>()?)
}

/// Rows of bytes as a read-only structured array.
fn structured<'py>(
    py: Python<'py>,
    bytes: &[u8],
    dtype: &PyOnceLock<Py<PyAny>>,
    fields: &[(&str, &str, &[usize])],
) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    let dtype = dtype.get_or_try_init(py, || {
        let fields: Vec<_> = fields
            .iter()
            .map(|(name, kind, shape)| {
                (*name, *kind, pyo3::types::PyTuple::new(py, shape.iter()).map(Bound::unbind))
            })
            .map(|(name, kind, shape)| shape.map(|shape| (name, kind, shape)))
            .collect::<PyResult<_>>()?;
        Ok::<_, PyErr>(numpy.call_method1("dtype", (fields,))?.unbind())
    })?;
    numpy.call_method1("frombuffer", (PyBytes::new(py, bytes), dtype))
}

fn pack_contact(bytes: &mut Vec<u8>, model: &Model, force: &ContactForce) {
    let contact = &force.contact;
    pack_indices(bytes, &contact.geoms.map(GeomId::index));
    pack_indices(bytes, &contact.geoms.map(|geom| model.geoms[geom].body.index()));
    pack_vector(bytes, &contact.point);
    pack_vector(bytes, &contact.frame.column(0).into());
    // Rows of the array are the columns of the matrix, which is stored by columns.
    let frame: &Matrix3<f64> = &contact.frame;
    pack_numbers(bytes, frame.as_slice());
    pack_numbers(bytes, &[contact.gap, contact.law.mu()]);
    pack_vector(bytes, &force.world_impulse());
    pack_vector(bytes, &force.force);
    pack_vector(bytes, &force.impulse);
    pack_vector(bytes, &force.velocity);
    pack_numbers(bytes, &[force.margin.unwrap_or(NO_MARGIN), force.normal_work, force.friction_work]);
    pack_numbers(bytes, &[force.slip, force.shift]);
    let mode = match force.mode {
        Mode::Open => "open",
        Mode::Stick => "stick",
        Mode::Slip => "slip",
    };
    pack_text(bytes, mode, 5);
    pack_text(bytes, Law::KINDS[contact.law.kind()], 15);
}

fn pack_pair(bytes: &mut Vec<u8>, pair: &PairForce) {
    pack_indices(bytes, &pair.geoms.map(GeomId::index));
    pack_indices(bytes, &[pair.contacts, pair.pressing]);
    pack_vector(bytes, &pair.center);
    pack_vector(bytes, &pair.force);
    pack_vector(bytes, &pair.moment);
    pack_numbers(bytes, &[pair.normal_force, pair.margin.unwrap_or(NO_MARGIN)]);
}

fn pack_row(bytes: &mut Vec<u8>, row: &RowForce) {
    pack_text(bytes, RowLaw::KINDS[row.law.kind()], 8);
    pack_text(bytes, row.source.name(), 8);
    pack_indices(bytes, &[row.index, row.number]);
    bytes.extend_from_slice(&i32::from(row.angular).to_le_bytes());
    pack_numbers(bytes, &[row.impulse, row.velocity, row.before, row.start]);
    pack_numbers(bytes, &[row.after, row.duration, row.drift]);
    pack_numbers(bytes, &[row.lower, row.upper, row.bias, row.compliance, row.work]);
}

fn pack_numbers(bytes: &mut Vec<u8>, numbers: &[f64]) {
    numbers.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
}

fn pack_vector(bytes: &mut Vec<u8>, vector: &Vector3<f64>) {
    pack_numbers(bytes, vector.as_slice());
}

fn pack_indices(bytes: &mut Vec<u8>, indices: &[usize]) {
    indices.iter().for_each(|&i| bytes.extend_from_slice(&(i as i32).to_le_bytes()));
}

/// A text of at most `width` characters, in NumPy's four bytes a character.
fn pack_text(bytes: &mut Vec<u8>, text: &str, width: usize) {
    let mut characters = text.chars().map(u32::from);
    (0..width).for_each(|_| bytes.extend_from_slice(&characters.next().unwrap_or(0).to_le_bytes()));
}
