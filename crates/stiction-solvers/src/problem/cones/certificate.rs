//! How far an answer of a contact problem is from each of the laws, in the problem's own units.
//!
//! The residual decides whether an answer counts as solved, in units of the data; the certificate tells law by law what is
//! left, in metres per second, newton seconds and joules.

use serde::{Deserialize, Serialize};

use crate::problem::cones::cone::{Cone, tangent_norm};
use crate::problem::cones::cone_ncp::ConeNcp;

/// How far an answer is from the laws of contact, in the problem's own units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConeCertificate {
    /// Worst approach speed of a nonnegative or normal row (m/s): `max(0, -u_n)`.
    pub approach: f64,
    /// Worst negative impulse of such a row (N s).
    pub pull: f64,
    /// Worst product of such a row's impulse and velocity (J).
    pub complementarity: f64,
    /// Worst excess of a tangential impulse over `mu r_n`, or of an interval row over its bounds (N s).
    pub cone_violation: f64,
    /// Worst lack of dissipation of a Coulomb block (J): `mu r_n |u_t| + r_t . u_t`, zero when friction opposes sliding
    /// with all it has.
    pub dissipation: f64,
    /// Worst velocity of a free row (m/s).
    pub bilateral: f64,
}

impl ConeNcp {
    /// Measures an answer in the problem's own units; `u` must be what [`ConeNcp::assess`] wrote for `r`.
    pub fn certificate(&self, r: &[f64], u: &[f64]) -> ConeCertificate {
        let mut c = ConeCertificate::default();
        let signorini = |c: &mut ConeCertificate, r: f64, u: f64| {
            c.approach = c.approach.max(-u);
            c.pull = c.pull.max(-r);
            c.complementarity = c.complementarity.max((r * u).abs());
        };
        for (cone, rows) in self.cones.iter().zip(self.starts.windows(2)) {
            let (r, u) = (&r[rows[0]..rows[1]], &u[rows[0]..rows[1]]);
            match *cone {
                Cone::Free { .. } => c.bilateral = u.iter().fold(c.bilateral, |worst, u| worst.max(u.abs())),
                Cone::Nonnegative { .. } => r.iter().zip(u).for_each(|(r, u)| signorini(&mut c, *r, *u)),
                Cone::Interval { lower, upper } => {
                    c.cone_violation = c.cone_violation.max(lower - r[0]).max(r[0] - upper);
                }
                Cone::Coulomb { mu, .. } => {
                    signorini(&mut c, r[0], u[0]);
                    c.cone_violation = c.cone_violation.max(tangent_norm(r) - mu * r[0]);
                    let power: f64 = r[1..].iter().zip(&u[1..]).map(|(r, u)| r * u).sum();
                    c.dissipation = c.dissipation.max((mu * r[0] * tangent_norm(u) + power).abs());
                }
                Cone::NoSlip { .. } => {
                    signorini(&mut c, r[0], u[0]);
                    c.complementarity = c.complementarity.max(r[0].max(0.0) * tangent_norm(u));
                    if r[0] <= 0.0 {
                        c.cone_violation = c.cone_violation.max(tangent_norm(r));
                    }
                }
            }
        }
        c
    }
}
