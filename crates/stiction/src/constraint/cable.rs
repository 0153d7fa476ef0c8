//! Cables, as a kind of constraint: their lengths have limits.
//!
//! A cable runs straight from point to point. With `d_i` the direction from point i to point i + 1 and `u_i` their velocities
//! its length changes at the rate `sum d_i . (u_(i+1) - u_i)`, so a point is pulled along `d_(i-1) - d_i`, and the end points
//! along the cable. A stretch without length has no direction and does not pull.
//!
//! As all unilateral rows these are predicted: a rope becomes taut exactly at its length. A body that then swings at speed
//! `v_t` leaves the row's tangent by `(h v_t)^2 / 2 length` within a step of `h` seconds; the position projection takes it
//! back at the beginning of the next.

use super::kind::{Constraint, Level, Present, Side, range_sides};
use super::limit::name_ranks;
use super::position_error::PositionError;
use super::rows::{BlockKey, RowKind, Rows};
use crate::contact::BlockKind;
use crate::dynamics::{Data, base_motion, point_velocity};
use crate::model::{Base, Cable, LinkId, Mocap, Model, TreeId};
use nalgebra::Vector3;

/// Stretches shorter than this (m) have no direction.
const SHORTEST: f64 = 1e-12;

/// A cable at the poses of `data` and of the prescribed bodies.
#[derive(Clone, Copy, Debug)]
struct Spanned<'a> {
    model: &'a Model,
    data: &'a Data,
    mocap: &'a [Mocap],
    cable: &'a Cable,
}

impl Spanned<'_> {
    /// Where a point of it is (m, world).
    fn point(&self, index: usize) -> Vector3<f64> {
        let (body, point) = &self.cable.points[index];
        base_motion(self.model, self.data, self.mocap, *body).0.point(point)
    }

    /// Length (m).
    fn length(&self) -> f64 {
        (1..self.cable.points.len()).map(|i| (self.point(i) - self.point(i - 1)).norm()).sum()
    }

    /// The ends of its range. One that no length crosses is none.
    fn sides(&self) -> impl Iterator<Item = Side> + use<> {
        let range = self.cable.range;
        let crossed = move |side: &Side| side.upper || range[0] > 0.0;
        range_sides(range, self.length()).into_iter().filter(crossed)
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
    fn rate(&self, v: &[f64]) -> f64 {
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
                Some(self.mocap[i].motion().at(&arm).linear.dot(&pull))
            }
            Base::World | Base::Link(_) => None,
        });
        prescribed.sum()
    }
}

/// The cables.
#[derive(Clone, Debug)]
pub(crate) struct Cables {
    ranks: Vec<u32>,
}

impl Cables {
    /// What a unit force that lengthens a cable does on links: where it acts on each, and along what (m, world axes).
    pub(crate) fn pulls(
        &self,
        model: &Model,
        data: &Data,
        mocap: &[Mocap],
        index: usize,
    ) -> Vec<(LinkId, Vector3<f64>, Vector3<f64>)> {
        let spanned = Spanned { model, data, mocap, cable: &model.cables[index] };
        spanned.pulls().filter_map(|(base, point, pull)| Some((base.link()?, point, pull))).collect()
    }

    fn spanned<'a>(&self, at: &Present<'a>, index: usize) -> Spanned<'a> {
        Spanned { model: at.model, data: at.data, mocap: at.mocap, cable: &at.model.cables[index] }
    }
}

impl Constraint for Cables {
    const CODE: u32 = 4;

    fn new(model: &Model) -> Self {
        Self { ranks: name_ranks(model.cables.iter().map(|cable| cable.name.as_str())) }
    }

    fn count(&self, model: &Model) -> usize {
        model.cables.len()
    }

    fn describe(&self, model: &Model, index: usize) -> String {
        format!("cables ('{}')", model.cables[index].name)
    }

    fn supports(&self, level: Level<'_>) -> bool {
        matches!(level, Level::Displacement { .. } | Level::Velocity(_))
    }

    fn trees<'a>(&'a self, model: &'a Model, index: usize) -> impl Iterator<Item = TreeId> + 'a {
        let links = model.cables[index].points.iter().filter_map(|(body, _)| model.bodies[*body].base.link());
        links.map(|link| model.links[link].tree)
    }

    fn may_act(&self, _at: &Present<'_>, _index: usize) -> bool {
        true
    }

    fn gaps<'a>(
        &'a self,
        at: &Present<'a>,
        index: usize,
        v: &'a [f64],
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let cable = self.spanned(at, index);
        let rate = cable.rate(v);
        cable.sides().map(move |side| (side.gap, side.sign * rate))
    }

    fn push(&self, rows: &mut Rows, at: &Present<'_>, index: usize, level: Level<'_>) {
        let cable = self.spanned(at, index);
        for side in cable.sides() {
            let bias = level.limit_bias(side.gap, |ahead| {
                cable.rate(ahead.free).abs().max(cable.rate(&at.loops.v).abs())
            });
            let Some(bias) = bias else { continue };
            let key = BlockKey::limit(self.ranks[index], Self::CODE, side.upper);
            let kind = RowKind::Unilateral(BlockKind::Limit { bias });
            let drift = level.prescribed(|| side.sign * cable.drift());
            let pulls = cable.pulls().filter_map(|(base, point, pull)| match base {
                Base::Link(link) => Some((link, point, pull * side.sign)),
                Base::World | Base::Mocap(_) => None,
            });
            rows.push_points(at.model, at.data, key, kind, drift, pulls);
        }
    }

    fn position_error(&self, at: &Present<'_>, index: usize) -> PositionError {
        PositionError::of_gaps(self.spanned(at, index).sides().map(|side| side.gap), false)
    }
}
