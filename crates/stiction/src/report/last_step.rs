//! What margins are computed from: the problem of the last step and its answer.

use crate::constraint::rows::Rows;
use crate::contact::{Contact, Formulation};
use crate::model::Model;
use crate::report::ContactForce;

/// The last step of a simulation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastStep<'a> {
    pub(crate) model: &'a Model,
    pub(crate) formulation: &'a Formulation,
    /// Rows with their impulses, and the velocities that these leave.
    pub(crate) rows: &'a Rows,
    pub(crate) rates: &'a [f64],
    /// The contacts to which blocks of rows refer.
    pub(crate) contacts: &'a [Contact],
    pub(crate) forces: &'a [ContactForce],
    /// Time step (s).
    pub(crate) h: f64,
}
