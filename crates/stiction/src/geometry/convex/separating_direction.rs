//! The direction along which two convex shapes are furthest apart, or least deep in each other.
//!
//! Problem: maximise `s(n) = -h_A(n) - h_B(-n)` over unit vectors n. For shapes that are apart the maximum is their
//! distance and its direction that of the closest points; for shapes that overlap it is the shortest way out.
//!
//! 1. *Candidates* that are exact when they are right: all face normals of both shapes, and directions across their axes.
//!    With x, y the points that attain s(n) at the best direction so far, `s(m) <= m . (y - x)`, which rules out most.
//! 2. If that does not settle it (the caller knows: a pair of points with gap s(n) along n is proof for shapes that are
//!    apart), polyhedra that overlap are searched over all pairs of edges, which with the faces is complete; otherwise the
//!    collision library is asked (Gilbert-Johnson-Keerthi, and the expanding polytope algorithm for overlap).
//!    What it says is a start, never an answer: it stops at a relative 5e-8, and on shapes that touch or are exactly
//!    aligned it has been seen to be wrong altogether. So shapes that are near are also drawn apart along the best direction
//!    so far and looked at again, until that no longer helps: it shows which corners and edges face each other.
//! 3. *Polishing*: Newton's method on the sphere for s restricted to directions across a choice of lines (edges, rulings)
//!    that are nearly across n. With w = y - x, tangents T and curvatures H, the step is
//!    `(T' (H_A + H_B) T + s) d = T' w`.
//!
//! A direction replaces another only if it separates by more than rounding, so the exact ones win ties.

use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d_f64::shape::SupportMap;
use std::cell::RefCell;

use crate::geometry::convex::support::{Convex, LINES};
use crate::geometry::direction::length_and_direction;

/// Sine of the angle up to which a line counts as possibly across the best direction.
const NEARLY_ACROSS: f64 = 0.05;
/// Most rounds of asking the library and polishing.
const ROUNDS: usize = 6;
/// Distance over the size of the shapes up to which they are drawn apart, and to which.
const NEAR: f64 = 0.01;
/// Steps of Newton's method.
const NEWTON_STEPS: usize = 12;
/// Step after whose square nothing is left (rad).
const CONVERGED: f64 = 1e-8;
/// Least stiffness over the largest.
const SOFT: f64 = 1e-6;
/// Longest step of Newton's method (rad).
const LONGEST_STEP: f64 = 0.3;
/// Up to this many pairs of edges are tried.
const EDGE_PAIRS: usize = 40_000;
/// Sine between two lines below which they have no common perpendicular to speak of.
const PARALLEL: f64 = 1e-12;

/// Two convex shapes in the frame of the first.
pub(crate) struct ConvexPair<'a> {
    pub a: Convex<'a>,
    pub b: Convex<'a>,
    /// Bound on the rounding of a separation (m).
    pub tolerance: f64,
    /// Sum of the sizes (m).
    pub size: f64,
}

/// A direction and what it separates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Direction {
    /// Unit vector from the first to the second shape.
    pub normal: Vector3<f64>,
    /// s(normal) (m).
    pub separation: f64,
    /// Where it comes from.
    pub kind: Kind,
}

/// How well a direction is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Normal of a plane face of either shape.
    Face,
    /// Common perpendicular of two straight lines.
    Lines,
    /// Anything else: a direction that attains the separation to rounding can be off by the root of rounding.
    Free,
}

impl ConvexPair<'_> {
    /// `s(n)` of a unit vector n (m).
    pub(crate) fn separation(&self, n: &Vector3<f64>) -> f64 {
        -self.a.height(n) - self.b.height(&-n)
    }

    /// From the first core's point furthest along `n` to the second's furthest along `-n`.
    fn between(&self, n: &Vector3<f64>) -> Vector3<f64> {
        self.b.support(&-n) - self.a.support(n)
    }

    /// Takes `n` for `best` if it separates better by more than rounding.
    fn try_direction(&self, n: Vector3<f64>, kind: Kind, best: &mut Direction) {
        let separation = self.separation(&n);
        if separation > best.separation + self.tolerance {
            *best = Direction { normal: n, separation, kind };
        }
    }

    /// Step 1; stops early once a direction separates by more than `enough`.
    pub(crate) fn candidates(&self, enough: f64) -> Direction {
        let mut best = Direction { normal: Vector3::z(), separation: f64::NEG_INFINITY, kind: Kind::Free };
        let mut between: Option<Vector3<f64>> = None;
        let radii = self.a.radius() + self.b.radius();
        for (shape, sign) in [(&self.a, 1.0), (&self.b, -1.0)] {
            for face in 0..shape.face_count() {
                let n = shape.face_normal(face) * sign;
                if between.is_some_and(|w| n.dot(&w) - radii <= best.separation + self.tolerance) {
                    continue;
                }
                let w = self.between(&n);
                let separation = n.dot(&w) - radii;
                if separation > best.separation + self.tolerance {
                    best = Direction { normal: n, separation, kind: Kind::Face };
                    between = Some(w);
                    if separation > enough {
                        return best;
                    }
                }
            }
        }
        let between = self.b.pose.translation - self.a.pose.translation;
        let mut try_both = |v: Vector3<f64>, kind: Kind| {
            if let Some((_, n)) = length_and_direction(&v) {
                self.try_direction(n, kind, &mut best);
                self.try_direction(-n, kind, &mut best);
            }
        };
        let (first, second) = (self.a.axis(), self.b.axis());
        for axis in [first, second].into_iter().flatten() {
            try_both(between - axis * axis.dot(&between), Kind::Free);
        }
        if let (Some(first), Some(second)) = (first, second)
            && first.cross(&second).norm() > PARALLEL
        {
            try_both(first.cross(&second), Kind::Lines);
        }
        try_both(between, Kind::Free);
        best
    }

    /// Steps 2 and 3 from the best candidate.
    pub(crate) fn search(&self, candidate: Direction) -> Direction {
        let mut best = candidate;
        let overlap = candidate.separation < -self.tolerance;
        let pairs = self.a.edge_count() * self.b.edge_count();
        if overlap && self.a.is_polyhedron() && self.b.is_polyhedron() && pairs <= EDGE_PAIRS {
            self.try_edge_pairs(&mut best);
            if best.separation < -self.tolerance {
                return best;
            }
        }
        for round in 0..ROUNDS {
            let before = best.separation;
            // Shapes that touch or overlap are looked at as they are and, again and again, drawn out of each other.
            let shift = if round == 0 { 0.0 } else { (NEAR * self.size - before).max(0.0) };
            let start = best.normal;
            // Then corners and edges that face each other may be closest along any direction between their neighbours.
            let width = if round == 0 { NEARLY_ACROSS } else { 1.0 };
            self.polish(start, width, &mut best);
            for n in self.library_directions(&start, &(start * shift)).into_iter().flatten() {
                self.polish(n, width, &mut best);
            }
            if best.separation > NEAR * self.size || (round > 0 && best.separation <= before) {
                break;
            }
        }
        best
    }

    /// All common perpendiculars of an edge of either polyhedron.
    fn try_edge_pairs(&self, best: &mut Direction) {
        let mut between = self.between(&best.normal);
        for i in 0..self.a.edge_count() {
            let first = self.a.edge_direction(i);
            for j in 0..self.b.edge_count() {
                let second = self.b.edge_direction(j);
                let across = first.cross(&second);
                // For the sign to which `between` is closer: `s <= |n . between|`, and s is to exceed best.
                let along = across.dot(&between);
                for sign in [1.0, -1.0] {
                    let bound = sign * along;
                    if best.separation < 0.0
                        && bound < 0.0
                        && bound * bound >= best.separation * best.separation * across.norm_squared()
                    {
                        continue;
                    }
                    let Some((length, n)) = length_and_direction(&(across * sign)) else { continue };
                    if length <= PARALLEL * first.norm() * second.norm() {
                        continue;
                    }
                    let before = best.separation;
                    self.try_direction(n, Kind::Lines, best);
                    if best.separation > before {
                        between = self.between(&best.normal);
                    }
                }
            }
        }
    }

    /// What the collision library takes for the direction of the closest points or the shortest way out, once the second
    /// shape is moved by `shift` (m).
    fn library_directions(&self, start: &Vector3<f64>, shift: &Vector3<f64>) -> [Option<Vector3<f64>>; 2] {
        let scale = 1.0 / self.size;
        let cores = [(&self.a, Vector3::zeros()), (&self.b, *shift)].map(|(convex, shift)| Core {
            convex,
            shift,
            scale,
        });
        let vector = |v: &Vector3<f64>| Vector::new(v.x, v.y, v.z);
        let unit = |v: Vector| length_and_direction(&Vector3::new(v.x, v.y, v.z)).map(|(_, n)| n);
        let here = Pose::IDENTITY;
        let mut simplex = VoronoiSimplex::new();
        simplex.reset(CsoPoint::from_shapes(&here, &cores[0], &cores[1], vector(start)));
        match closest_points(&here, &cores[0], &cores[1], f64::MAX, true, &mut simplex) {
            GJKResult::ClosestPoints(x, y, n) => [unit(n), unit(y - x)],
            GJKResult::Proximity(n) | GJKResult::NoIntersection(n) => [unit(n), None],
            GJKResult::Intersection => POLYTOPE.with_borrow_mut(|polytope| {
                let found = polytope.closest_points(&here, &cores[0], &cores[1], &simplex);
                [found.and_then(|(_, _, n)| unit(n)), None]
            }),
        }
    }

    /// Step 3 around `n`, with lines that lie across it within the sine `width`.
    fn polish(&self, n: Vector3<f64>, width: f64, best: &mut Direction) {
        let (lines_a, lines_b) = (Lines::across(&self.a, &n, width), Lines::across(&self.b, &-n, width));
        for i in lines_a.choices() {
            for j in lines_b.choices() {
                match (i, j) {
                    (Some(first), Some(second)) => {
                        let across = first.cross(&second);
                        match length_and_direction(&across) {
                            Some((sine, m)) if sine > PARALLEL => {
                                let m = if m.dot(&n) < 0.0 { -m } else { m };
                                self.try_direction(m, Kind::Lines, best);
                            }
                            _ => self.ascend(n, Some(first), best),
                        }
                    }
                    (line, None) | (None, line) => self.ascend(n, line, best),
                }
            }
        }
        self.try_direction(n, Kind::Free, best);
    }

    /// Newton's method from `n` among the directions across `line`. Where it converges it replaces a free direction that
    /// separates as well: of the two it is the accurate one.
    fn ascend(&self, mut n: Vector3<f64>, line: Option<Vector3<f64>>, best: &mut Direction) {
        let project = |n: Vector3<f64>| {
            let across = line.map_or(n, |line| n - line * line.dot(&n));
            length_and_direction(&across).map(|(_, n)| n)
        };
        for _ in 0..NEWTON_STEPS {
            let Some(unit) = project(n) else { return };
            n = unit;
            let w = self.between(&n);
            let separation = n.dot(&w) - self.a.radius() - self.b.radius();
            let curvature = self.a.curvature(&n) + self.b.curvature(&-n);
            let Some(step) = newton_step(&n, line, &w, &curvature) else { break };
            let converged = step.norm() < CONVERGED;
            let as_good = best.kind == Kind::Free && separation >= best.separation - self.tolerance;
            if separation > best.separation + self.tolerance || (converged && as_good) {
                *best = Direction { normal: n, separation, kind: Kind::Free };
            }
            if step.norm() < 4.0 * f64::EPSILON {
                break;
            }
            n += step * (LONGEST_STEP / step.norm()).min(1.0);
        }
    }
}

/// The step in the tangent space at `n`; `None` where s has no maximum nearby (the matrix is not definite).
fn newton_step(
    n: &Vector3<f64>,
    line: Option<Vector3<f64>>,
    w: &Vector3<f64>,
    curvature: &Matrix3<f64>,
) -> Option<Vector3<f64>> {
    let s = n.dot(w);
    if let Some(line) = line {
        let t = line.cross(n);
        let stiffness = t.dot(&(curvature * t)) + s;
        return (stiffness > 0.0).then(|| t * (t.dot(w) / stiffness));
    }
    let mut e = Vector3::zeros();
    e[crate::geometry::direction::weakest(n)] = 1.0;
    let (_, t) = length_and_direction(&n.cross(&e))?;
    let u = n.cross(&t);
    let (ct, cu) = (curvature * t, curvature * u);
    let curved = Matrix2::new(t.dot(&ct), t.dot(&cu), u.dot(&ct), u.dot(&cu));
    // Where the shapes touch or overlap and are not curved in one direction (a corner on a rim), there is no maximum in that
    // direction, but still one across it: a little stiffness instead of s keeps the step nearly there.
    let soft = SOFT * curved.trace();
    let stiffness = (curved + Matrix2::identity() * s)
        .cholesky()
        .or_else(|| (curved + Matrix2::identity() * soft).cholesky())?;
    let step = stiffness.solve(&Vector2::new(t.dot(w), u.dot(w)));
    Some(t * step.x + u * step.y)
}

/// The lines of a core that are nearly across a direction.
struct Lines {
    directions: [Vector3<f64>; LINES],
    count: usize,
}

impl Lines {
    fn across(core: &Convex, n: &Vector3<f64>, width: f64) -> Self {
        let mut lines = Self { directions: [Vector3::zeros(); LINES], count: 0 };
        core.lines_across(n, width, |direction, _| {
            lines.directions[lines.count] = direction;
            lines.count += 1;
        });
        lines
    }

    /// Every line, then none.
    fn choices(&self) -> impl Iterator<Item = Option<Vector3<f64>>> {
        self.directions[..self.count].iter().copied().map(Some).chain([None])
    }
}

thread_local! {
    /// Memory of the expanding polytope; every search starts by clearing it.
    static POLYTOPE: RefCell<EPA> = RefCell::new(EPA::new());
}

/// A core as the library sees it, scaled to sizes of about 1 because the library's tolerances are absolute.
struct Core<'a> {
    convex: &'a Convex<'a>,
    shift: Vector3<f64>,
    scale: f64,
}

impl SupportMap for Core<'_> {
    fn local_support_point(&self, direction: Vector) -> Vector {
        let n = Vector3::new(direction.x, direction.y, direction.z);
        let x = (self.convex.support(&n) + self.shift) * self.scale;
        Vector::new(x.x, x.y, x.z)
    }
}
