//! A point of the normal map, and its merit.

use crate::linalg::capacity::resize_unset;
use crate::newton::equilibrated::Equilibrated;
use crate::pivoting::face::Face;
use crate::problem::Bounded;

/// A point of the normal map: `z` in the box, `s` of the sign its bound allows, `w = F(z)`.
#[derive(Clone, Debug, Default)]
pub(super) struct Point {
    pub(super) z: Vec<f64>,
    pub(super) s: Vec<f64>,
    pub(super) w: Vec<f64>,
    pub(super) faces: Vec<Face>,
    /// `|w - s|`; infinite where `F` is not defined.
    pub(super) merit: f64,
}

impl Point {
    pub(super) fn resize(&mut self, n: usize) {
        for vector in [&mut self.z, &mut self.s, &mut self.w] {
            resize_unset(vector, n);
        }
        self.faces.resize(n, Face::Free);
    }

    pub(super) fn copy_from(&mut self, other: &Point) {
        self.z.clone_from(&other.z);
        self.s.clone_from(&other.s);
        self.w.clone_from(&other.w);
        self.faces.clone_from(&other.faces);
        self.merit = other.merit;
    }

    /// Evaluates `w` and the merit at `z` and `s`.
    pub(super) fn evaluate<P: Bounded>(&mut self, problem: &P, units: &mut Equilibrated) {
        units.value(problem, &self.z, &mut self.w);
        let square: f64 = self.w.iter().zip(&self.s).map(|(w, s)| (w - s) * (w - s)).sum();
        self.merit = if square.is_nan() { f64::INFINITY } else { square.sqrt() };
    }

    /// The point at `z` whose `s` leaves the least merit.
    pub(super) fn settle<P: Bounded>(&mut self, problem: &P, units: &mut Equilibrated, z: &[f64]) {
        self.z.copy_from_slice(z);
        units.project(&mut self.z);
        units.value(problem, &self.z, &mut self.w);
        for i in 0..z.len() {
            let [lower, upper] = units.bounds[i];
            (self.faces[i], self.s[i]) = match self.z[i] {
                _ if lower == upper => (Face::Lower, self.w[i]),
                z if z <= lower => (Face::Lower, self.w[i].max(0.0)),
                z if z >= upper => (Face::Upper, self.w[i].min(0.0)),
                _ => (Face::Free, 0.0),
            };
        }
        self.evaluate(problem, units);
    }
}
