//! The equations of Alart and Curnier for a cone problem, and their generalized derivative.
//!
//! # Problem
//! With `z = x - rho y`, `F(x, y) = x - Pi(z) = 0`, where `Pi` is, cell by cell, the identity (free rows: `F = rho y`),
//! `max(0, z)`, `mid(lower, z, upper)`, and for a contact under Coulomb's law
//!
//! `Pi_n = max(0, z_n)`,  `Pi_t =` projection of `z_t` on the disk of radius `mu Pi_n`;
//!
//! under the associated law `Pi` is the projection on the friction cone. Without slip `Pi` is the identity where `z_n > 0`
//! and zero elsewhere.
//!
//! # Derivative
//! With `D` the derivative of `Pi`, a step solves `(I - D) dx + rho D dy = -F`. An open contact (`z_n <= 0`) has `D = 0`,
//! a sticking one `D = I`, a sliding one, with `t = z_t / |z_t|` and `k = mu z_n / |z_t|`,
//! `D = [1 0; mu t, k (I - t t^T)]`.
//!
//! # References
//! P. Alart, A. Curnier, *A mixed formulation for frictional contact problems prone to Newton like solution methods*,
//! Computer Methods in Applied Mechanics and Engineering 92 (1991) 353-375.

use crate::cones::normalized::{Cell, Law};
use crate::problem::cones::cone::{open_unless_pressed, project_on_friction_cone, tangent_norm};

/// A square block of up to three rows, row-major in its first `d * d` entries.
pub(crate) type Block = [f64; 9];

/// `z = x - rho y` of a cell.
fn target(cell: &Cell, x: &[f64], y: &[f64], rho: f64) -> [f64; 3] {
    let mut z = [0.0; 3];
    for (k, i) in cell.rows().enumerate() {
        z[k] = x[i] - rho * y[i];
    }
    z
}

/// Writes `F` and returns its square norm.
pub(crate) fn equations(
    cells: &[Cell],
    associated: bool,
    x: &[f64],
    y: &[f64],
    rho: f64,
    f: &mut [f64],
) -> f64 {
    let mut square = 0.0;
    for cell in cells {
        let i = cell.row;
        match cell.law {
            Law::Free => f[i] = rho * y[i],
            Law::Nonnegative => f[i] = x[i].min(rho * y[i]),
            Law::Interval { lower, upper } => f[i] = (rho * y[i]).min(x[i] - lower).max(x[i] - upper),
            Law::NoSlip => {
                let closed = x[i] > rho * y[i];
                for k in cell.rows() {
                    f[k] = if closed { rho * y[k] } else { x[k] };
                }
            }
            Law::Coulomb { mu } => {
                let z = target(cell, x, y, rho);
                let z = &z[..cell.dim];
                if associated {
                    let mut p = [0.0; 3];
                    p[..cell.dim].copy_from_slice(z);
                    project_on_friction_cone(&mut p[..cell.dim], mu);
                    (0..cell.dim).for_each(|k| f[i + k] = x[i + k] - p[k]);
                } else if z[0] <= 0.0 {
                    f[cell.rows()].copy_from_slice(&x[cell.rows()]);
                } else {
                    f[i] = rho * y[i];
                    let (length, radius) = (tangent_norm(z), mu * z[0]);
                    for k in 1..cell.dim {
                        f[i + k] = if length <= radius {
                            rho * y[i + k]
                        } else {
                            x[i + k] - radius * (z[k] / length)
                        };
                    }
                }
            }
        }
        square += f[cell.rows()].iter().map(|f| f * f).sum::<f64>();
    }
    square
}

/// Writes the derivative `D` of `Pi` at `x - rho y` for every cell.
pub(crate) fn derivative(cells: &[Cell], associated: bool, x: &[f64], y: &[f64], rho: f64, d: &mut [Block]) {
    for (cell, d) in cells.iter().zip(d) {
        slope(cell, associated, &target(cell, x, y, rho)[..cell.dim], d);
    }
}

/// Replaces the rows `z` of a cell by `Pi(z)`.
pub(crate) fn impulse(cell: &Cell, associated: bool, z: &mut [f64]) {
    match cell.law {
        Law::Free => {}
        Law::Nonnegative => z[0] = z[0].max(0.0),
        Law::Interval { lower, upper } => z[0] = z[0].max(lower).min(upper),
        Law::NoSlip => open_unless_pressed(z),
        Law::Coulomb { mu } if associated => project_on_friction_cone(z, mu),
        Law::Coulomb { mu } => {
            z[0] = z[0].max(0.0);
            let (length, radius) = (tangent_norm(z), mu * z[0]);
            if length > radius {
                z[1..].iter_mut().for_each(|t| *t *= radius / length);
            }
        }
    }
}

/// Writes the derivative `D` of `Pi` at the rows `z` of a cell.
pub(crate) fn slope(cell: &Cell, associated: bool, z: &[f64], d: &mut Block) {
    let inside = |yes: bool| if yes { 1.0 } else { 0.0 };
    *d = [0.0; 9];
    match cell.law {
        Law::Free => d[0] = 1.0,
        Law::Nonnegative => d[0] = inside(z[0] > 0.0),
        Law::Interval { lower, upper } => d[0] = inside(lower < z[0] && z[0] < upper),
        Law::NoSlip if z[0] > 0.0 => identity(cell.dim, d),
        Law::NoSlip => {}
        Law::Coulomb { mu } if associated => of_cone_projection(z, mu, d),
        Law::Coulomb { mu } => of_disk(z, mu, d),
    }
}

fn identity(dim: usize, d: &mut Block) {
    (0..dim).for_each(|k| d[k * (dim + 1)] = 1.0);
}

/// Coulomb's law.
fn of_disk(z: &[f64], mu: f64, d: &mut Block) {
    let dim = z.len();
    let (length, radius) = (tangent_norm(z), mu * z[0]);
    if z[0] <= 0.0 {
        return;
    }
    if length <= radius {
        identity(dim, d);
        return;
    }
    d[0] = 1.0;
    let k = radius / length;
    for a in 1..dim {
        let t_a = z[a] / length;
        d[a * dim] = mu * t_a;
        for b in 1..dim {
            d[a * dim + b] = -k * t_a * (z[b] / length);
        }
        d[a * dim + a] += k;
    }
}

/// The associated law: projection on `|z_t| <= mu z_n`.
fn of_cone_projection(z: &[f64], mu: f64, d: &mut Block) {
    let dim = z.len();
    let length = tangent_norm(z);
    if z[0] <= -mu * length {
        return;
    }
    if length <= mu * z[0] {
        identity(dim, d);
        return;
    }
    let share = 1.0 / (1.0 + mu * mu);
    let height = (z[0] + mu * length) * share;
    d[0] = share;
    let k = mu * height / length;
    for a in 1..dim {
        let t_a = z[a] / length;
        d[a * dim] = mu * t_a * share;
        d[a] = mu * t_a * share;
        for b in 1..dim {
            d[a * dim + b] = (mu * mu * share - k) * t_a * (z[b] / length);
        }
        d[a * dim + a] += k;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn the_derivative_is_the_difference_quotient_of_the_equations() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(11);
        for trial in 0..3000 {
            let law = match trial % 7 {
                0 => Law::Free,
                1 => Law::Nonnegative,
                2 => Law::Interval { lower: -0.3, upper: 0.4 },
                3 => Law::Coulomb { mu: 0.0 },
                4 => Law::NoSlip,
                _ => Law::Coulomb { mu: random.random_range(0.0..2.0) },
            };
            let contact = matches!(law, Law::Coulomb { .. } | Law::NoSlip);
            let dim = if contact { 2 + trial % 2 } else { 1 };
            let cells = [Cell { row: 0, dim, law }];
            let associated = trial % 5 == 0;
            let mut draw = || -> [f64; 3] { std::array::from_fn(|_| random.random_range(-1.0..1.0)) };
            let (x, y, dx, dy) = (draw(), draw(), draw(), draw());
            let rho = 0.7;
            let (mut d, mut f) = ([[0.0; 9]], [0.0; 3]);
            derivative(&cells, associated, &x, &y, rho, &mut d);
            equations(&cells, associated, &x, &y, rho, &mut f);
            let h = 1e-7;
            let step = |a: [f64; 3], b: [f64; 3]| std::array::from_fn::<f64, 3, _>(|k| a[k] + h * b[k]);
            let mut ahead = [0.0; 3];
            equations(&cells, associated, &step(x, dx), &step(y, dy), rho, &mut ahead);
            for a in 0..dim {
                let through = |b: usize| d[0][a * dim + b] * (dx[b] - rho * dy[b]);
                let exact = dx[a] - (0..dim).map(through).sum::<f64>();
                let quotient = (ahead[a] - f[a]) / h;
                // Kinks are within reach of h for a few of the draws.
                let z = target(&cells[0], &x, &y, rho);
                let near_kink = z[0].abs() < 1e-5 || (tangent_norm(&z[..dim])).abs() < 1e-4;
                if !near_kink && (exact - quotient).abs() > 1e-4 {
                    let again = (exact - quotient).abs();
                    panic!("trial {trial} {law:?} row {a}: {exact} against {quotient}, off {again}");
                }
            }
        }
    }
}
