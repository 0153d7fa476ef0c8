//! Couplings of joint coordinates as bilateral rows: gears, mimicking fingers, cams.
//!
//! A coupling holds `phi = y - p(x) = 0`, where `y = sum c_i q_i` and `x = sum d_j q_j` are combinations of hinge and
//! slide coordinates, measured from their values at `q0`, and `p` is a polynomial of degree four. Then
//!
//! ```text
//! phi'  = sum c_i v_i - p'(x) sum d_j v_j            = X v
//! phi'' = X a + gamma,    gamma = -p''(x) (x')^2
//! ```
//!
//! and with a function of time `f`, `phi = y - p(x) - f(t)`, the rate and acceleration of `f` are taken off. So the row has the weights of y, and minus `p'(x)` times those of x, in whatever trees their joints are.

use super::equality::Located;
use super::kind::Level;
use super::rows::{BlockKey, RowKind, Rows};
use crate::model::{Coupling, Model};

/// Value, slope and curvature of a polynomial (Horner's scheme).
fn polynomial(coefficients: &[f64; 5], x: f64) -> [f64; 3] {
    let (mut value, mut slope, mut half_curvature) = (0.0, 0.0, 0.0);
    for a in coefficients.iter().rev() {
        half_curvature = half_curvature * x + slope;
        slope = slope * x + value;
        value = value * x + a;
    }
    [value, slope, 2.0 * half_curvature]
}

/// How far a coupling is from being met at the coordinates `q`, those of loops among them (rad or m, as its dependent side).
pub(crate) fn position_error(coupling: &Coupling, q: &[f64], time: f64) -> f64 {
    let [target, ..] = polynomial(&coupling.polynomial, coupling.independent.offset(q));
    coupling.dependent.offset(q) - target - motion(coupling, time)[0]
}

/// Value, rate and acceleration of the function of time.
fn motion(coupling: &Coupling, time: f64) -> [f64; 3] {
    coupling.motion.as_ref().map_or([0.0; 3], |motion| motion.at(time))
}

/// Adds the row of a coupling.
pub(crate) fn push_coupling(
    rows: &mut Rows,
    model: &Model,
    coupling: &Coupling,
    at: Located<'_>,
    key: BlockKey,
    level: Level<'_>,
) {
    let Coupling { dependent, independent, .. } = coupling;
    let loops = at.loops;
    let error = position_error(coupling, &loops.q, at.time);
    let [_, slope, curvature] = polynomial(&coupling.polynomial, independent.offset(&loops.q));
    let y = dependent.terms.iter().map(|term| (term.dof, term.coefficient));
    let x = independent.terms.iter().map(|term| (term.dof, -slope * term.coefficient));
    let terms = y.chain(x);
    let target = match level {
        Level::Displacement { .. } => error,
        Level::Velocity(ahead) => {
            ahead.gain() * error - motion(coupling, at.time + ahead.h)[1] + loops.drift_of(terms.clone())
        }
        Level::Acceleration => {
            let rate = independent.rate(&loops.v);
            -curvature * rate * rate - motion(coupling, at.time)[2] + loops.convective_of(terms.clone())
        }
    };
    rows.push_dofs(model, key, RowKind::Bilateral, target, loops.expand(terms));
    rows.set_angular(dependent.is_angular(model));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polynomial_has_the_slope_and_curvature_of_its_derivatives() {
        let [value, slope, curvature] = polynomial(&[1.0, -2.0, 3.0, -4.0, 5.0], 0.5);
        assert!((value - (1.0 - 1.0 + 0.75 - 0.5 + 0.3125)).abs() < 1e-15);
        assert!((slope - (-2.0 + 3.0 - 3.0 + 2.5)).abs() < 1e-15);
        assert!((curvature - (6.0 - 12.0 + 15.0)).abs() < 1e-15);
    }
}
