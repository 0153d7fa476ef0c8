//! Limits of the length of cables as rows.
//!
//! A cable runs straight from point to point. With `d_i` the direction from point i to point i + 1 and `u_i` their velocities
//! its length changes at the rate `sum d_i . (u_(i+1) - u_i)`, so a point is pulled along `d_(i-1) - d_i`, and the end points
//! along the cable. A stretch without length has no direction and does not pull.
//!
//! As all unilateral rows these are predicted: a rope becomes taut exactly at its length. A body that then swings at speed
//! `v_t` leaves the row's tangent by `(h v_t)^2 / 2 length` within a step of `h` seconds; the position projection takes it
//! back at the beginning of the next.

use crate::constraint::rows::{BlockKey, RowKind, Rows};
use crate::contact::BlockKind;
use crate::dynamics::base_motion;
use crate::dynamics::{Data, point_velocity};
use crate::model::Mocap;
use crate::model::{Base, Cable, Model};
use nalgebra::Vector3;

/// Stretches shorter than this (m) have no direction.
const SHORTEST: f64 = 1e-12;

/// One side of a cable's limit: how far it is (m; negative when crossed), and the sign of its row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CableSide {
    pub(crate) upper: bool,
    pub(crate) gap: f64,
    pub(crate) sign: f64,
}

/// A cable at the poses of `data` and of the prescribed bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spanned<'a> {
    pub(crate) model: &'a Model,
    pub(crate) data: &'a Data,
    pub(crate) mocap: &'a [Mocap],
    pub(crate) cable: &'a Cable,
}

impl Spanned<'_> {
    /// Where a point of it is (m, world).
    fn point(&self, index: usize) -> Vector3<f64> {
        let (body, point) = &self.cable.points[index];
        base_motion(self.model, self.data, self.mocap, *body).0.point(point)
    }

    /// Length (m).
    pub(crate) fn length(&self) -> f64 {
        (1..self.cable.points.len()).map(|i| (self.point(i) - self.point(i - 1)).norm()).sum()
    }

    /// The sides of its limit. One that no length crosses is none.
    pub(crate) fn sides(&self) -> [Option<CableSide>; 2] {
        let [low, high] = self.cable.range;
        let length = self.length();
        [
            (low > 0.0).then_some(CableSide { upper: false, gap: length - low, sign: 1.0 }),
            Some(CableSide { upper: true, gap: high - length, sign: -1.0 }),
        ]
    }

    /// Direction from a point to the next; zero where there is none.
    fn direction(&self, index: usize) -> Vector3<f64> {
        if index + 1 >= self.cable.points.len() {
            return Vector3::zeros();
        }
        let stretch = self.point(index + 1) - self.point(index);
        stretch.try_normalize(SHORTEST).unwrap_or_else(Vector3::zeros)
    }

    /// Bases of its points with the directions by whose sum of velocities its length grows.
    fn pulls(&self) -> impl Iterator<Item = (Base, Vector3<f64>, Vector3<f64>)> + '_ {
        let mut before = Vector3::zeros();
        self.cable.points.iter().enumerate().map(move |(i, (body, _))| {
            let after = self.direction(i);
            let pull = before - after;
            before = after;
            (self.model.bodies[*body].base, self.point(i), pull)
        })
    }

    /// Rate of the length at generalized velocities `v` (m/s).
    pub(crate) fn rate(&self, v: &[f64]) -> f64 {
        let of_links = self.pulls().filter_map(|(base, point, pull)| match base {
            Base::Link(link) => Some(point_velocity(self.model, self.data, link, &point, v).dot(&pull)),
            Base::World | Base::Mocap(_) => None,
        });
        of_links.sum::<f64>() + self.drift()
    }

    /// The part of the rate that is prescribed (m/s).
    fn drift(&self) -> f64 {
        let prescribed = self.pulls().filter_map(|(base, point, pull)| match base {
            Base::Mocap(i) => {
                let arm = point - self.mocap[i].position;
                Some(self.mocap[i].velocity.at(&arm).linear.dot(&pull))
            }
            Base::World | Base::Link(_) => None,
        });
        prescribed.sum()
    }

    /// Adds the row of one side; `bias` as in [`BlockKind::Limit`].
    pub(crate) fn push(&self, rows: &mut Rows, rank: u32, side: &CableSide, bias: f64) {
        let key = BlockKey::cable_limit(rank, side.upper);
        let kind = RowKind::Unilateral(BlockKind::Limit { bias });
        let pulls = self.pulls().filter_map(|(base, point, pull)| match base {
            Base::Link(link) => Some((link, point, pull * side.sign)),
            Base::World | Base::Mocap(_) => None,
        });
        rows.push_points(self.model, self.data, key, kind, side.sign * self.drift(), pulls);
    }
}

/// All cables of a model, spanned.
pub(crate) fn spanned<'a>(
    model: &'a Model,
    data: &'a Data,
    mocap: &'a [Mocap],
) -> impl Iterator<Item = Spanned<'a>> {
    model.cables.iter().map(move |cable| Spanned { model, data, mocap, cable })
}

/// Trees that a cable goes to; some may come up more than once.
pub(crate) fn cable_trees<'m>(model: &'m Model, cable: &'m Cable) -> impl Iterator<Item = usize> + 'm {
    cable.points.iter().filter_map(|(body, _)| match model.bodies[*body].base {
        Base::Link(link) => Some(model.links[link].tree),
        Base::World | Base::Mocap(_) => None,
    })
}

/// Largest violation of a cable's limit (m).
pub(crate) fn worst_violation(model: &Model, data: &Data, mocap: &[Mocap]) -> f64 {
    let gaps = spanned(model, data, mocap).flat_map(|cable| cable.sides()).flatten().map(|side| side.gap);
    gaps.fold(0.0, |worst: f64, gap| worst.max(-gap))
}
