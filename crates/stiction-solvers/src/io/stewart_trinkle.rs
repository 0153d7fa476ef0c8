//! The linear complementarity problem of contacts with a friction pyramid of `k` directions.
//!
//! Unknowns `z = (c_n, c_f, lambda)`: normal impulses, friction impulses contact by contact, multipliers. With the
//! directions `d_j = (cos 2 pi j / k, sin 2 pi j / k)` as columns of `D`,
//! ```text
//!     [ W_nn        W_nt D      0 ]        [ v_n     ]
//! M = [ D^T W_tn    D^T W_tt D  E ],   q = [ D^T v_t ],   E: ones, one column a contact.
//!     [ diag(mu)    -E^T        0 ]        [ 0       ]
//! ```
//!
//! # References
//! D. E. Stewart, J. C. Trinkle, *An implicit time-stepping scheme for rigid body dynamics with inelastic collisions
//! and Coulomb friction*, International Journal for Numerical Methods in Engineering 39 (1996) 2673-2691, eq. 12.

use crate::problem::{Lcp, SolverError};

/// Contacts in their frames `(n, t1, t2)`.
#[derive(Clone, Copy, Debug)]
pub struct Contacts<'a> {
    /// Delassus matrix `W`, `3 c x 3 c`, row-major.
    pub delassus: &'a [f64],
    /// Free velocities `v`, `3 c`.
    pub velocity: &'a [f64],
    /// Friction coefficients, `c`.
    pub friction: &'a [f64],
}

/// The problem of these contacts with `k` friction directions each, `(k + 2) c` unknowns.
///
/// # Errors
/// [`SolverError::Length`] names what is not of the size that `friction` asks for; an entry that is not finite.
pub fn assemble(contacts: &Contacts, k: usize) -> Result<Lcp, SolverError> {
    let count = contacts.friction.len();
    let size = 3 * count;
    let lengths = [("W", contacts.delassus.len(), size * size), ("q_contact", contacts.velocity.len(), size)];
    for (what, given, needed) in lengths {
        if given != needed {
            return Err(SolverError::Length { what, given, needed });
        }
    }
    // Impulse p acts along this vector of its contact's frame.
    let frame = |p: usize| {
        if p < count {
            return (p, [1.0, 0.0, 0.0]);
        }
        let angle = 2.0 * std::f64::consts::PI * ((p - count) % k) as f64 / k as f64;
        ((p - count) / k, [0.0, libm::cos(angle), libm::sin(angle)])
    };
    let impulses = (k + 1) * count;
    let frames: Vec<(usize, [f64; 3])> = (0..impulses).map(frame).collect();
    let mut lcp = Lcp::empty();
    lcp.resize((k + 2) * count);
    let n = lcp.q().len();
    for (i, (c, a)) in frames.iter().enumerate() {
        for (j, (d, b)) in frames.iter().enumerate() {
            let block = |p: usize, r: usize| contacts.delassus[(3 * c + p) * size + 3 * d + r];
            lcp.matrix_mut()[i * n + j] = (0..3)
                .flat_map(|p| (0..3).map(move |r| (p, r)))
                .map(|(p, r)| a[p] * block(p, r) * b[r])
                .sum();
        }
        lcp.q_mut()[i] = (0..3).map(|p| a[p] * contacts.velocity[3 * c + p]).sum();
        if i >= count {
            lcp.matrix_mut()[i * n + impulses + c] = 1.0;
            lcp.matrix_mut()[(impulses + c) * n + i] = -1.0;
        }
    }
    for (c, mu) in contacts.friction.iter().enumerate() {
        lcp.matrix_mut()[(impulses + c) * n + c] = *mu;
    }
    lcp.check_finite()?;
    Ok(lcp)
}
