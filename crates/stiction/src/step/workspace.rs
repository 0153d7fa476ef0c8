//! The workspaces of all stages of a step.

use crate::model::Model;
use crate::report::Readout;
use crate::settings::Settings;
use crate::step::StepError;
use crate::step::advance::Advance;
use crate::step::bounce::Bounce;
use crate::step::certify::account::Account;
use crate::step::contact_problem::ContactProblem;
use crate::step::free_rule::TiedTrees;
use crate::step::free_velocity::FreeVelocity;
use crate::step::integrator_choice::IntegratorChoice;
use crate::step::projection::Projection;
use crate::step::rattle::Rattle;
use crate::step::slip::sticking::Sticking;
use crate::step::start::StepStart;
use crate::step::stepper::acceleration::AccelerationLevel;

/// One workspace per stage; after a step they hold what it did.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// The state before the step.
    pub(crate) start: StepStart,
    pub(crate) projection: Projection,
    pub(crate) choice: IntegratorChoice,
    pub(crate) free: FreeVelocity,
    pub(crate) problem: ContactProblem,
    pub(crate) bounce: Bounce,
    pub(crate) advance: Advance,
    pub(crate) tied: TiedTrees,
    /// Of the acceleration stepper, if it is asked for.
    pub(crate) acceleration: Option<Box<AccelerationLevel>>,
    /// Of the stepper with impulses at both ends, if it is asked for.
    pub(crate) rattle: Option<Box<Rattle>>,
    pub(crate) account: Account,
    pub(crate) sticking: Sticking,
    /// Forces of the step.
    pub(crate) readout: Readout,
}

impl Workspace {
    /// # Errors
    /// A contact model that cannot be used, or something that the stepper does not do.
    pub(crate) fn new(model: &Model, settings: &Settings) -> Result<Self, StepError> {
        Ok(Self {
            start: StepStart::default(),
            projection: Projection::new(model)?,
            choice: IntegratorChoice::new(model),
            free: FreeVelocity::new(model),
            acceleration: AccelerationLevel::of(model, settings)?,
            rattle: Rattle::of(model, settings)?,
            problem: ContactProblem::new(model, settings)?,
            bounce: Bounce::new(model),
            advance: Advance::new(model),
            tied: TiedTrees::new(model),
            account: Account::new(model),
            sticking: Sticking::default(),
            readout: Readout::new(model),
        })
    }
}
