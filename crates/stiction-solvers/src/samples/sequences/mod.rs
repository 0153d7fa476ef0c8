//! Five motions of boxes, step after step: what warm starts are measured on.
//!
//! | motion | scene | problems | contacts |
//! |---|---|---|---|
//! | [`Motion::Tumble`] | a box thrown on the ground | 1254 | up to 4 |
//! | [`Motion::Shake`] | five boxes on a plate that shakes with the acceleration `mu g` | 800 | 20 |
//! | [`Motion::ShakeUnequal`] | the same with masses 1 and 1e4 in turn | 800 | 20 |
//! | [`Motion::Grip`] | two fingers whose grip weakens until the object slips, again and again | 800 | 8 |
//! | [`Motion::TumbleSix`] | six boxes thrown on a heap | 566 | up to 24 |
//!
//! A step: free velocities `v` from forces and drives, contacts of corners and faces within a margin, the cone problem
//! with the normal bias `phi / h` for gaps and `0.2 phi / h` for overlaps, impulses, positions. The impulses of a step are
//! the start of the next one, contact by contact ([`Identity`]); unknown contacts start at zero.
//!
//! Steps without a contact pose no problem and are not counted.

mod corners;
mod scenes;

use std::collections::BTreeMap;
use std::time::Instant;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::problem::cones::cone::tangent_norm;
use crate::problem::{Cone, ConeNcp, Report, Solution, Solver, SolverError, Start};
use crate::samples::bodies::{Body, Contact, system};
pub use crate::samples::sequences::corners::Identity;
pub use crate::samples::sequences::scenes::Motion;
use crate::samples::sequences::scenes::{Drive, Scene};
use crate::samples::system::Form;

/// Part of an overlap that a step takes away.
const BAUMGARTE: f64 = 0.2;

/// Steps without a contact after which none is expected any more.
const LONGEST_FLIGHT: usize = 10_000;

/// What a contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Open,
    Stick,
    Slip,
}

/// What a step is to its solver, by comparison with the step before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StepClass {
    /// No contact slips and none has changed its mode.
    Stick,
    /// Some slip, none has changed.
    Slide,
    /// A contact has begun or ceased to stick, slip or touch.
    Change,
    /// A contact is new.
    New,
}

impl StepClass {
    /// All of them.
    pub const ALL: [StepClass; 4] = [StepClass::Stick, StepClass::Slide, StepClass::Change, StepClass::New];

    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            StepClass::Stick => "stick",
            StepClass::Slide => "slide",
            StepClass::Change => "change",
            StepClass::New => "new",
        }
    }
}

/// One step of a sequence.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// What it was.
    pub class: StepClass,
    /// Number of contacts.
    pub contacts: usize,
    /// What the solver did.
    pub report: Report,
    /// Time of the solve (s).
    pub time: f64,
}

/// A motion under way.
#[derive(Clone, Debug)]
pub struct Sequence {
    form: Form,
    bodies: Vec<Body>,
    drive: Drive,
    /// As in [`Scene`].
    h: f64,
    mu: f64,
    margin: f64,
    ground: bool,
    time: f64,
    /// Problems still to come.
    left: usize,
    contacts: Vec<(Identity, Contact)>,
    problem: ConeNcp,
    /// Impulse and mode of the contacts of the step before.
    carried: BTreeMap<Identity, ([f64; 3], Mode)>,
}

impl Sequence {
    /// The beginning of a motion; problems have their operator in this form.
    pub fn new(motion: Motion, form: Form) -> Sequence {
        let Scene { bodies, drive, h, mu, margin, ground } = Scene::of(motion);
        Sequence {
            form,
            bodies,
            drive,
            h,
            mu,
            margin,
            ground,
            time: 0.0,
            left: motion.problems(),
            contacts: Vec::new(),
            problem: ConeNcp::default(),
            carried: BTreeMap::new(),
        }
    }

    /// The bodies as they are.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The next problem, and in `x.z` the impulses carried over; `None` at the end of the motion, also if bad impulses
    /// have thrown everything out of reach.
    ///
    /// # Errors
    /// As for [`ConeNcp::new`], if velocities have become NaN or infinite by bad impulses.
    pub fn pose(&mut self, x: &mut Solution) -> Result<Option<&ConeNcp>, SolverError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.contacts.clear();
        for _ in 0..LONGEST_FLIGHT {
            self.drive.apply(&mut self.bodies, self.time, self.h);
            self.contacts = corners::find(&self.bodies, self.ground, self.margin, self.mu);
            if !self.contacts.is_empty() {
                break;
            }
            self.carried.clear();
            self.integrate();
        }
        if self.contacts.is_empty() {
            return Ok(None);
        }
        let h = self.h;
        let posed: Vec<Contact> = self
            .contacts
            .iter()
            .map(|(_, contact)| {
                // The search leaves the gap in the bias.
                let gap = contact.bias;
                Contact { bias: if gap > 0.0 { gap / h } else { BAUMGARTE * gap / h }, ..contact.clone() }
            })
            .collect();
        self.problem = system(&self.bodies, &posed).problem(self.form)?;
        x.resize(self.problem.q().len());
        for ((identity, _), r) in self.contacts.iter().zip(x.z.chunks_exact_mut(3)) {
            r.copy_from_slice(&self.carried.get(identity).map_or([0.0; 3], |(impulse, _)| *impulse));
        }
        Ok(Some(&self.problem))
    }

    /// Applies the impulses `x.z`, ends the step and says what it was; `x.w` must be the velocities.
    pub fn advance(&mut self, x: &Solution) -> StepClass {
        let (velocity, impulse) = self.problem.scales(&mut vec![0.0; x.z.len()]);
        let mut next = BTreeMap::new();
        let (mut slips, mut changed, mut appeared) = (false, false, false);
        for (k, (identity, contact)) in self.contacts.iter().enumerate() {
            let (r, u) = (&x.z[3 * k..3 * k + 3], &x.w[3 * k..3 * k + 3]);
            let mode = mode(&self.problem.cones()[k], r, u, impulse / velocity);
            slips |= mode == Mode::Slip;
            match self.carried.get(identity) {
                None => appeared = true,
                Some((_, before)) => changed |= *before != mode,
            }
            next.insert(*identity, ([r[0], r[1], r[2]], mode));
            let world = contact.frame * Vector3::new(r[0], r[1], r[2]);
            self.bodies[contact.on].push(world, contact.point);
            if let Some(other) = contact.against {
                self.bodies[other].push(-world, contact.point);
            }
        }
        self.carried = next;
        self.integrate();
        self.left -= 1;
        match (appeared, changed, slips) {
            (true, ..) => StepClass::New,
            (_, true, _) => StepClass::Change,
            (_, _, true) => StepClass::Slide,
            _ => StepClass::Stick,
        }
    }

    /// The whole motion under a solver.
    ///
    /// # Errors
    /// As for [`Sequence::pose`].
    pub fn run(&mut self, solver: &mut dyn Solver<ConeNcp>) -> Result<Vec<Step>, SolverError> {
        let mut x = Solution::default();
        let mut steps = Vec::with_capacity(self.left);
        while let Some(problem) = self.pose(&mut x)? {
            let begin = Instant::now();
            let report = solver.solve(problem, Start::Warm, &mut x);
            let time = begin.elapsed().as_secs_f64();
            let contacts = x.z.len() / 3;
            steps.push(Step { class: self.advance(&x), contacts, report, time });
        }
        Ok(steps)
    }

    fn integrate(&mut self) {
        self.time += self.h;
        for body in &mut self.bodies {
            body.position += self.h * body.velocity;
            let half = 0.5 * self.h * body.spin;
            let turn = Quaternion::new(1.0, half.x, half.y, half.z);
            body.orientation = UnitQuaternion::from_quaternion(turn * body.orientation.into_inner());
        }
    }
}

/// `unit` is the velocity over the impulse at which the two count the same.
fn mode(cone: &Cone, r: &[f64], u: &[f64], unit: f64) -> Mode {
    let Cone::Coulomb { mu, .. } = *cone else { return Mode::Stick };
    if unit * r[0] <= u[0] {
        Mode::Open
    } else if tangent_norm(u) > unit * (mu * r[0] - tangent_norm(r)) {
        Mode::Slip
    } else {
        Mode::Stick
    }
}

#[cfg(test)]
mod tests;
