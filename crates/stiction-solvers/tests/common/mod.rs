//! Random problems shared by the behaviour tests.
#![allow(dead_code, clippy::unwrap_used, reason = "not every test file uses every problem; a test may panic")]

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use stiction_solvers::{AnyProblem, BoxLcp, ConeNcp, FactoredLcp, Lcp};

/// `n x n` matrix from a function of row and column.
pub(crate) fn matrix(n: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Vec<f64> {
    (0..n * n).map(|at| entry(at / n, at % n)).collect()
}

/// Uniform numbers in (-1, 1).
pub(crate) fn uniform(random: &mut Pcg64, count: usize) -> Vec<f64> {
    (0..count).map(|_| random.random_range(-1.0..1.0)).collect()
}

/// `A A^T` for `A` with `n` rows and `rank` columns.
pub(crate) fn gram(n: usize, rank: usize, a: &[f64]) -> Vec<f64> {
    matrix(n, |i, j| (0..rank).map(|k| a[i * rank + k] * a[j * rank + k]).sum())
}

/// The Murty matrix: 1 on the diagonal, 2 below it.
pub(crate) fn murty_matrix(n: usize) -> Vec<f64> {
    matrix(n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Greater => 2.0,
        std::cmp::Ordering::Less => 0.0,
    })
}

/// The Stewart-Trinkle problem of `contacts` point contacts with `k` friction directions each.
///
/// `delassus` is the `3 c x 3 c` matrix and `velocity` the free velocity, both in the order (n, t1, t2) per
/// contact; `gaps` are the nonnegative constants `a_n`. Unknowns: normal impulses, then the friction impulses
/// contact by contact, then the multipliers. `friction` holds one coefficient per contact.
pub(crate) fn stewart_trinkle(
    delassus: &[f64],
    velocity: &[f64],
    gaps: &[f64],
    friction: &[f64],
    k: usize,
) -> Lcp {
    let contacts = gaps.len();
    let n = (k + 2) * contacts;
    let direction = |d: usize| {
        let angle = 2.0 * std::f64::consts::PI * d as f64 / k as f64;
        (angle.cos(), angle.sin())
    };
    // Unit impulse of unknown i as (contact, coefficients in the contact frame).
    let frame = |i: usize| {
        if i < contacts {
            (i, [1.0, 0.0, 0.0])
        } else {
            let (x, y) = direction((i - contacts) % k);
            ((i - contacts) / k, [0.0, x, y])
        }
    };
    let impulses = (k + 1) * contacts;
    let size = 3 * contacts;
    let m = matrix(n, |i, j| {
        if i < impulses && j < impulses {
            let ((c, a), (d, b)) = (frame(i), frame(j));
            let mut sum = 0.0;
            for p in 0..3 {
                for r in 0..3 {
                    sum += a[p] * delassus[(3 * c + p) * size + 3 * d + r] * b[r];
                }
            }
            sum
        } else if i < impulses {
            f64::from(u8::from(i >= contacts && (i - contacts) / k == j - impulses))
        } else if j < contacts {
            if i - impulses == j { friction[j] } else { 0.0 }
        } else if j < impulses && (j - contacts) / k == i - impulses {
            -1.0
        } else {
            0.0
        }
    });
    let q = (0..n)
        .map(|i| {
            if i >= impulses {
                return 0.0;
            }
            let (c, a) = frame(i);
            let free: f64 = (0..3).map(|p| a[p] * velocity[3 * c + p]).sum();
            if i < contacts { free + gaps[i] } else { free }
        })
        .collect();
    Lcp::new(m, q).unwrap()
}

/// A random Stewart-Trinkle problem: `G = J M^-1 J^T` with `J` random, `M` diagonal over two decades, free
/// velocity `J v` (so that `a_n >= 0` makes it solvable).
pub(crate) fn random_contact_problem(
    random: &mut Pcg64,
    contacts: usize,
    coordinates: usize,
    k: usize,
) -> Lcp {
    let size = 3 * contacts;
    let jacobian = uniform(random, size * coordinates);
    let mass: Vec<f64> = (0..coordinates).map(|_| 10f64.powf(random.random_range(-1.0..1.0))).collect();
    let v = uniform(random, coordinates);
    let scaled: Vec<f64> =
        jacobian.iter().enumerate().map(|(at, x)| x / mass[at % coordinates].sqrt()).collect();
    let delassus = gram(size, coordinates, &scaled);
    let velocity: Vec<f64> =
        jacobian.chunks_exact(coordinates).map(|row| row.iter().zip(&v).map(|(a, b)| a * b).sum()).collect();
    let gaps: Vec<f64> = (0..contacts)
        .map(|_| if random.random_bool(0.5) { 0.0 } else { random.random_range(0.0..1.0) })
        .collect();
    let friction: Vec<f64> = (0..contacts).map(|_| random.random_range(0.0..1.5)).collect();
    stewart_trinkle(&delassus, &velocity, &gaps, &friction, k)
}

/// A stack of `boxes` unit cubes of 1 kg (the uppermost of `top` kg) on the ground, friction coefficient 0.5, four
/// corner contacts per interface, one step of `dt` seconds from rest under gravity; `perturbation` is a random velocity added to every coordinate.
pub(crate) fn box_stack(random: &mut Pcg64, boxes: usize, dt: f64, top: f64, perturbation: f64) -> Lcp {
    let contacts = 4 * boxes;
    let coordinates = 6 * boxes;
    let size = 3 * contacts;
    let mut jacobian = vec![0.0; size * coordinates];
    for interface in 0..boxes {
        for corner in 0..4 {
            let x = if corner & 1 == 0 { -0.5 } else { 0.5 };
            let y = if corner & 2 == 0 { -0.5 } else { 0.5 };
            for (p, axis) in [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].iter().enumerate() {
                let row = 3 * (4 * interface + corner) + p;
                // The upper box touches with its bottom face, the lower one with its top face.
                for (body, z, sign) in [(Some(interface), -0.5, 1.0), (interface.checked_sub(1), 0.5, -1.0)] {
                    let Some(body) = body else { continue };
                    let arm: [f64; 3] = [x, y, z];
                    let torque = [
                        arm[1] * axis[2] - arm[2] * axis[1],
                        arm[2] * axis[0] - arm[0] * axis[2],
                        arm[0] * axis[1] - arm[1] * axis[0],
                    ];
                    for d in 0..3 {
                        jacobian[row * coordinates + 6 * body + d] = sign * axis[d];
                        jacobian[row * coordinates + 6 * body + 3 + d] = sign * torque[d];
                    }
                }
            }
        }
    }
    let inertia = |coordinate: usize| {
        let mass = if coordinate / 6 + 1 == boxes { top } else { 1.0f64 };
        if coordinate % 6 < 3 { mass } else { mass / 6.0 }
    };
    let v: Vec<f64> = (0..coordinates)
        .map(|i| {
            let fall = if i % 6 == 2 { -9.81 * dt } else { 0.0 };
            fall + perturbation * random.random_range(-1.0..1.0)
        })
        .collect();
    let scaled: Vec<f64> =
        jacobian.iter().enumerate().map(|(at, x)| x / inertia(at % coordinates).sqrt()).collect();
    let delassus = gram(size, coordinates, &scaled);
    let velocity: Vec<f64> =
        jacobian.chunks_exact(coordinates).map(|row| row.iter().zip(&v).map(|(a, b)| a * b).sum()).collect();
    stewart_trinkle(&delassus, &velocity, &vec![0.0; contacts], &vec![0.5; contacts], 4)
}

/// A point contact between two bodies: rows (n, t1, t2) on the coordinates, three of them after each other.
type ContactRows = [Vec<f64>; 3];

/// Two unit cubes of 1 kg side by side, squeezed by two grippers of 1 kg that slide along x, each pushed by 20 N for 10 ms
/// while gravity pulls the cubes down. At each of the three faces the four corners touch, each with three normals, along
/// the axes: 36 contacts on 14 coordinates, at rest and without gaps. Returns `Y` by contact, and the free velocities.
pub(crate) fn grasp_rows() -> (Vec<ContactRows>, Vec<[f64; 3]>) {
    const COORDINATES: usize = 14;
    // Centres along x; coordinates of a cube are its linear, then its angular velocity; of a gripper its x velocity.
    let centre = [-1.5, -0.5, 0.5, 1.5];
    let inertia = |k: usize| if (3..6).contains(&k) || (9..12).contains(&k) { 1.0 / 6.0 } else { 1.0f64 };
    let mut free = [0.0; COORDINATES];
    (free[2], free[8]) = (-0.0981, -0.0981);
    (free[12], free[13]) = (0.2, -0.2);
    let row = |body: usize, sign: f64, point: [f64; 3], direction: [f64; 3], out: &mut [f64]| {
        let arm = [point[0] - centre[body], point[1], point[2]];
        let moment = |a: usize, b: usize| arm[a] * direction[b] - arm[b] * direction[a];
        match body {
            0 => out[12] += sign * direction[0],
            3 => out[13] += sign * direction[0],
            _ => {
                let first = 6 * (body - 1);
                let entries = [direction, [moment(1, 2), moment(2, 0), moment(0, 1)]].concat();
                out[first..first + 6].iter_mut().zip(entries).for_each(|(o, e)| *o += sign * e);
            }
        }
    };
    let (mut rows, mut velocities) = (Vec::new(), Vec::new());
    for face in 0..3 {
        for corner in 0..4 {
            let [y, z] = [[0.5, 0.5], [0.5, -0.5], [-0.5, 0.5], [-0.5, -0.5]][corner];
            for normal in 0..3 {
                let sign: f64 = [1.0, y, z][normal];
                let axis = |k: usize| {
                    let mut e = [0.0; 3];
                    e[(normal + k) % 3] = if k == 0 { sign.signum() } else { 1.0 };
                    e
                };
                let point = [f64::from(face) - 1.0, y, z];
                let mut velocity = [0.0; 3];
                let contact = [0, 1, 2].map(|k| {
                    let mut out = vec![0.0; COORDINATES];
                    row(face as usize, -1.0, point, axis(k), &mut out);
                    row(face as usize + 1, 1.0, point, axis(k), &mut out);
                    velocity[k] = out.iter().zip(&free).map(|(j, v)| j * v).sum();
                    out.iter_mut().enumerate().for_each(|(k, o)| *o /= inertia(k).sqrt());
                    out
                });
                rows.push(contact);
                velocities.push(velocity);
            }
        }
    }
    (rows, velocities)
}

/// The grasp with polyhedral friction (mu 0.5, four directions): 216 unknowns.
pub(crate) fn grasp() -> Lcp {
    let (rows, velocities) = grasp_rows();
    let half: Vec<f64> = rows.iter().flatten().flatten().copied().collect();
    let delassus = gram(108, 14, &half);
    stewart_trinkle(&delassus, &velocities.concat(), &[0.0; 36], &[0.5; 36], 4)
}

/// Solves `a x = b` by Gaussian elimination with complete pivoting; none if singular to 1e-11.
pub(crate) fn solve_linear(n: usize, mut a: Vec<f64>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let mut order: Vec<usize> = (0..n).collect();
    for k in 0..n {
        let (mut row, mut column) = (k, k);
        for i in k..n {
            for j in k..n {
                if a[i * n + j].abs() > a[row * n + column].abs() {
                    (row, column) = (i, j);
                }
            }
        }
        if a[row * n + column].abs() < 1e-11 {
            return None;
        }
        for j in 0..n {
            a.swap(k * n + j, row * n + j);
        }
        b.swap(k, row);
        for i in 0..n {
            a.swap(i * n + k, i * n + column);
        }
        order.swap(k, column);
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            for j in k..n {
                a[i * n + j] -= factor * a[k * n + j];
            }
            b[i] -= factor * b[k];
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k * n + j] * x[order[j]]).sum();
        x[order[k]] = (b[k] - sum) / a[k * n + k];
    }
    Some(x)
}

/// Problems of `n` unknowns that most solvers cannot solve, of every class with a dense matrix.
pub(crate) fn hard(n: usize) -> Vec<AnyProblem> {
    let mut random = Pcg64::seed_from_u64(n as u64);
    let mut uniform = |count: usize| (0..count).map(|_| random.random_range(-1.0..1.0)).collect::<Vec<f64>>();
    let (m, q) = (uniform(n * n), uniform(n));
    let lower = (0..n).map(|i| if i % 3 == 0 { f64::NEG_INFINITY } else { 0.0 }).collect();
    let bounded = BoxLcp::new(m.clone(), q.clone(), lower, vec![f64::INFINITY; n]).unwrap();
    let rows = n / 3 * 3;
    let half = uniform(rows * 6);
    let columns = |i: usize| &half[i * 6..(i + 1) * 6];
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let w = (0..rows * rows).map(|k| dot(columns(k / rows), columns(k % rows))).collect();
    let cones = ConeNcp::contacts(3, w, uniform(rows), &vec![0.7; rows / 3]).unwrap();
    let factored = FactoredLcp::from_half(6, half.clone(), uniform(rows)).unwrap();
    vec![Lcp::new(m, q).unwrap().into(), bounded.into(), factored.into(), cones.into()]
}
