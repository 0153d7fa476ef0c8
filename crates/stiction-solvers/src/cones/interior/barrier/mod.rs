//! The kinds of cell that the interior-point method knows, one a file, and what it asks of each.
//!
//! A cell has its impulses `x`, velocities `y` and slacks `v`. With the step `dx` of its impulses its part of the system is
//! `P dx + Q W dx = b`, where `P` and `Q` hold the scaling of its pair `(x, v)` and the derivative of its correction.
//!
//! | file | impulses | slack |
//! |---|---|---|
//! | `free` | any | `y = 0` |
//! | `fixed` | given | any velocity |
//! | `half_line` | the first `>= 0`, the others `= 0` | `x v = 0`, `v = y` |
//! | `segment` | `lower <= x <= upper`, one bound at least finite | `(x - lower) v_l = (upper - x) v_u = 0`, `y = v_l - v_u` |
//! | `sticking` | the normal one `>= 0`, the tangential ones any | `x v = 0`, `v = y_n`; `y_t = 0`: as if the contact were active |
//! | `friction_cone` | in the friction cone, brought to `mu = 1` | `x^ o v = 0`, `v = y^ + |y^_t| e_n` |
//! | `sliding_cone` | the same | `x_n v_n = 0`, `(mu x_n, x_t) o (s, v_t) = 0`, `v = y` |
//!
//! `pair` is a scalar complementary pair, of which `half_line` and `sticking` have one and `segment` two;
//! `second_order_cone` is the algebra of the cones.

mod fixed;
mod free;
mod friction_cone;
mod half_line;
mod pair;
mod second_order_cone;
mod segment;
mod sliding_cone;
mod sticking;

use self::fixed::Fixed;
use self::free::Free;
use self::friction_cone::FrictionCone;
use self::half_line::HalfLine;
use self::segment::Segment;
use self::sliding_cone::SlidingCone;
use self::sticking::Sticking;
use crate::cones::normalized::Law;

/// A block of up to three rows, row-major in its first `d * d` entries.
pub(super) type Block = [f64; 9];

/// Added to the diagonal of the system (dimensionless): free rows have no barrier of their own, and near the boundary a
/// scaling alone is singular to working precision.
const REGULARIZATION: f64 = 1e-10;

/// What the method asks of a cell. Slices have an entry for each row of the cell.
pub(super) trait Barrier {
    /// Number of scalar complementarity conditions.
    fn degree(&self) -> f64;

    /// Largest constant, in the cell's own coordinates.
    fn size(&self, q: &[f64]) -> f64 {
        q[0].abs()
    }

    /// Starts at impulses of 1 and slacks of `size`; writes the impulses.
    fn begin(&mut self, size: f64, x: &mut [f64]);

    /// Starts at the point of the central path with `x - v = z` and products `gap`, where the kind of cell has a formula for it, else with
    /// impulses of 1 and slacks of `gap`; writes the impulses.
    fn begin_centred(&mut self, _z: &[f64], gap: f64, x: &mut [f64]) {
        self.begin(gap, x);
    }

    /// `x . v`.
    fn gap(&self) -> f64;

    /// The scaling and the defect of the slack at velocities `y`; writes the blocks, which are zero before. `smoothing` is
    /// that of the correction, if there is one. `None` where the point has left the cone.
    fn linearize(&mut self, y: &[f64], smoothing: Option<f64>, p: &mut Block, q: &mut Block) -> Option<()>;

    /// Writes the right side of the system for a gap of `sigma_gap`, with Mehrotra's term of the last step if `second_order`.
    fn target(&mut self, sigma_gap: f64, second_order: bool, b: &mut [f64]);

    /// Takes the step of the impulses and finds that of the slack.
    fn take(&mut self, step: &[f64]);

    /// The largest step at most 1 that stays inside.
    fn largest_step(&self) -> f64;

    /// Goes `alpha` times the step and writes the impulses.
    fn advance(&mut self, alpha: f64, step: &[f64], x: &mut [f64]);

    /// The products of its complementary pairs, `alpha` times the step on; `None` outside.
    fn products(&self, alpha: f64) -> Option<Products>;
}

/// Products of complementary pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Products {
    pub(super) least: f64,
    pub(super) largest: f64,
    pub(super) sum: f64,
}

impl Products {
    /// Those of a cell without such pairs.
    pub(super) const NONE: Products = Products { least: f64::INFINITY, largest: 0.0, sum: 0.0 };

    /// That of one pair.
    pub(super) fn of(product: f64) -> Products {
        if product.is_finite() {
            Products { least: product, largest: product, sum: product }
        } else {
            Products::NONE
        }
    }

    pub(super) fn and(self, other: Products) -> Products {
        Products {
            least: self.least.min(other.least),
            largest: self.largest.max(other.largest),
            sum: self.sum + other.sum,
        }
    }
}

/// A cell of any kind.
#[derive(Clone, Copy, Debug)]
pub(super) enum AnyBarrier {
    Free(Free),
    Fixed(Fixed),
    HalfLine(HalfLine),
    Segment(Segment),
    Sticking(Sticking),
    FrictionCone(FrictionCone),
    SlidingCone(SlidingCone),
}

impl AnyBarrier {
    /// The kind that serves a law, with the sliding speed of contacts as an unknown of this weight.
    pub(super) fn with_sliding_speed(law: Law, theta: f64) -> AnyBarrier {
        match law {
            Law::Coulomb { mu } if mu > 0.0 => AnyBarrier::SlidingCone(SlidingCone::of(mu, theta)),
            _ => AnyBarrier::of(law),
        }
    }

    /// The kind that serves a law, with De Saxce's correction.
    pub(super) fn of(law: Law) -> AnyBarrier {
        match law {
            Law::Free => AnyBarrier::Free(Free::default()),
            Law::Nonnegative | Law::Coulomb { mu: 0.0 } => AnyBarrier::HalfLine(HalfLine::default()),
            Law::Interval { lower, upper } if lower == upper => AnyBarrier::Fixed(Fixed::at(lower)),
            Law::Interval { lower, upper } if lower.is_infinite() && upper.is_infinite() => {
                AnyBarrier::Free(Free::default())
            }
            Law::Interval { lower, upper } => AnyBarrier::Segment(Segment::between(lower, upper)),
            Law::Coulomb { mu } => AnyBarrier::FrictionCone(FrictionCone::of(mu)),
            Law::NoSlip => AnyBarrier::Sticking(Sticking::default()),
        }
    }
}

/// Calls the kind's own method.
macro_rules! dispatch {
    ($self:expr, $barrier:ident => $call:expr) => {
        match $self {
            AnyBarrier::Free($barrier) => $call,
            AnyBarrier::Fixed($barrier) => $call,
            AnyBarrier::HalfLine($barrier) => $call,
            AnyBarrier::Segment($barrier) => $call,
            AnyBarrier::Sticking($barrier) => $call,
            AnyBarrier::FrictionCone($barrier) => $call,
            AnyBarrier::SlidingCone($barrier) => $call,
        }
    };
}

impl Barrier for AnyBarrier {
    fn degree(&self) -> f64 {
        dispatch!(self, barrier => barrier.degree())
    }

    fn size(&self, q: &[f64]) -> f64 {
        dispatch!(self, barrier => barrier.size(q))
    }

    fn begin(&mut self, size: f64, x: &mut [f64]) {
        dispatch!(self, barrier => barrier.begin(size, x));
    }

    fn begin_centred(&mut self, z: &[f64], gap: f64, x: &mut [f64]) {
        dispatch!(self, barrier => barrier.begin_centred(z, gap, x));
    }

    fn gap(&self) -> f64 {
        dispatch!(self, barrier => barrier.gap())
    }

    fn linearize(&mut self, y: &[f64], smoothing: Option<f64>, p: &mut Block, q: &mut Block) -> Option<()> {
        dispatch!(self, barrier => barrier.linearize(y, smoothing, p, q))
    }

    fn target(&mut self, sigma_gap: f64, second_order: bool, b: &mut [f64]) {
        dispatch!(self, barrier => barrier.target(sigma_gap, second_order, b));
    }

    fn take(&mut self, step: &[f64]) {
        dispatch!(self, barrier => barrier.take(step));
    }

    fn largest_step(&self) -> f64 {
        dispatch!(self, barrier => barrier.largest_step())
    }

    fn advance(&mut self, alpha: f64, step: &[f64], x: &mut [f64]) {
        dispatch!(self, barrier => barrier.advance(alpha, step, x));
    }

    fn products(&self, alpha: f64) -> Option<Products> {
        dispatch!(self, barrier => barrier.products(alpha))
    }
}
