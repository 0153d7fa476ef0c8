//! Which geoms may touch, under which law and with what restitution: MuJoCo's rules, with laws and coefficients of
//! restitution by pair of materials on top.
//!
//! Explicit pairs come first. Otherwise two geoms may collide when the collision bits of one meet the affinity of
//! the other, one of them can move, they are not welded together, not on parent and child (unless the parent is
//! fixed to the world) and their bodies are not excluded (MuJoCo documentation, *Computation: collision
//! detection, selection*). Both questions are asked for every broad-phase pair of every step: no strings, no
//! allocation.

use super::{Base, Body, BodyId, Geom, GeomId, Law, Model};
use crate::geometry::are_supported;
use serde::{Deserialize, Serialize};

/// Contact parameters that replace the rules for one pair of geoms (MJCF `<pair>`), which then always may collide.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairRule {
    /// The geoms, lesser index first.
    pub geoms: [GeomId; 2],
    /// Law of their contacts.
    pub law: Law,
}

/// The law between two materials, in either order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaterialRule {
    /// Names of the materials.
    pub materials: [String; 2],
    /// Law of their contacts.
    pub law: Law,
}

/// The coefficient of restitution between two materials, in either order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaterialRestitution {
    /// Names of the materials.
    pub materials: [String; 2],
    /// Coefficient of restitution of their contacts, 0 to 1.
    pub restitution: f64,
}

/// What the rules need to know of each geom, by number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ContactTable {
    geoms: Vec<GeomFilter>,
    /// Law by pair of material numbers, lesser first, sorted.
    laws: Vec<([u32; 2], Law)>,
    /// Coefficient of restitution by pair of material numbers, in the same order.
    restitutions: Vec<([u32; 2], f64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct GeomFilter {
    /// Weld group of the geom's body.
    weld: BodyId,
    /// Weld group of the parent of the body that moves the group.
    parent_weld: BodyId,
    /// Whether a joint moves the geom.
    movable: bool,
    /// Whether an explicit pair names the geom.
    in_pair: bool,
    /// Number of the material among those with rules.
    material: Option<u32>,
}

impl ContactTable {
    /// From the finished lists of a model.
    pub(crate) fn new(
        bodies: &[Body],
        geoms: &[Geom],
        pair_rules: &[PairRule],
        rules: &[MaterialRule],
        restitutions: &[MaterialRestitution],
    ) -> Self {
        let ruled = rules.iter().flat_map(|r| &r.materials);
        let named = ruled.chain(restitutions.iter().flat_map(|r| &r.materials));
        let mut names: Vec<&str> = named.map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        // A scene has far fewer than 2^32 materials: each takes more than four bytes.
        let number = |name: &str| names.binary_search(&name).ok().map(|i| i as u32);
        let mut table = Self {
            geoms: geoms.iter().map(|geom| GeomFilter::new(bodies, geom, number)).collect(),
            laws: Vec::with_capacity(rules.len()),
            restitutions: Vec::with_capacity(restitutions.len()),
        };
        for geom in pair_rules.iter().flat_map(|rule| rule.geoms) {
            table.geoms[geom.index()].in_pair = true;
        }
        let pair = |[a, b]: &[String; 2]| {
            let [a, b] = [number(a)?, number(b)?];
            Some([a.min(b), a.max(b)])
        };
        table.laws.extend(rules.iter().filter_map(|rule| Some((pair(&rule.materials)?, rule.law))));
        let known = restitutions.iter().filter_map(|rule| Some((pair(&rule.materials)?, rule.restitution)));
        table.restitutions.extend(known);
        table.laws.sort_unstable_by_key(|rule| rule.0);
        table.restitutions.sort_unstable_by_key(|rule| rule.0);
        table
    }

    /// Law between the materials of two geoms, if a rule gives it.
    fn material_law(&self, first: GeomId, second: GeomId) -> Option<Law> {
        self.of_pair(&self.laws, first, second)
    }

    /// Coefficient of restitution between the materials of two geoms, if a rule gives it.
    fn material_restitution(&self, first: GeomId, second: GeomId) -> Option<f64> {
        self.of_pair(&self.restitutions, first, second)
    }

    fn of_pair<T: Copy>(&self, rules: &[([u32; 2], T)], first: GeomId, second: GeomId) -> Option<T> {
        let (a, b) = (self.geoms[first.index()].material?, self.geoms[second.index()].material?);
        let found = rules.binary_search_by_key(&[a.min(b), a.max(b)], |rule| rule.0).ok()?;
        Some(rules[found].1)
    }
}

impl GeomFilter {
    fn new(bodies: &[Body], geom: &Geom, number: impl Fn(&str) -> Option<u32>) -> Self {
        let body = &bodies[geom.body];
        Self {
            weld: body.weld,
            parent_weld: bodies[bodies[body.weld].parent].weld,
            movable: matches!(body.base, Base::Link(_)),
            in_pair: false,
            material: geom.material.as_deref().and_then(number),
        }
    }
}

impl Model {
    /// Whether contacts between two geoms (in either order) are looked for.
    pub fn may_collide(&self, first: GeomId, second: GeomId) -> bool {
        let (a, b) = (&self.contact_table.geoms[first.index()], &self.contact_table.geoms[second.index()]);
        if a.weld == b.weld || !(a.movable || b.movable) {
            return false;
        }
        if self.pair_rule(first, second).is_some() {
            return true;
        }
        let (ga, gb) = (&self.geoms[first], &self.geoms[second]);
        let bits_meet = ga.contype & gb.conaffinity != 0 || gb.contype & ga.conaffinity != 0;
        // A parent fixed to the world is the world: a hinged door does collide with the floor.
        let kin = a.weld != BodyId::WORLD
            && b.weld != BodyId::WORLD
            && (a.weld == b.parent_weld || b.weld == a.parent_weld);
        bits_meet && !kin && !self.is_excluded(ga.body, gb.body)
    }

    /// Pairs of geoms that may collide although no contact points are computed for them (see
    /// [`are_supported`](crate::geometry::are_supported)): what is of them goes through each other.
    pub fn unsupported_pairs(&self) -> impl Iterator<Item = [GeomId; 2]> + '_ {
        let geoms = || GeomId::all(&self.geoms);
        let pairs = geoms().flat_map(move |b| geoms().take(b.index()).map(move |a| [a, b]));
        pairs.filter(|&[a, b]| {
            self.may_collide(a, b) && !are_supported(&self.geoms[a].shape, &self.geoms[b].shape)
        })
    }

    /// Law of the contacts between two geoms (in either order).
    ///
    /// An explicit pair decides first. Otherwise the law is that of the pair of materials, or the scene's, or Coulomb's
    /// with the friction of the geom with the higher priority, or the larger of the two; a contact dimension of 1 (of the
    /// geom with the higher priority, or the larger of the two) or friction zero makes the contact frictionless.
    pub fn pair_law(&self, first: GeomId, second: GeomId) -> Law {
        if let Some(rule) = self.pair_rule(first, second) {
            return rule.law.simplified();
        }
        let (a, b) = (&self.geoms[first], &self.geoms[second]);
        let (dimension, friction) = match a.priority.cmp(&b.priority) {
            std::cmp::Ordering::Greater => (a.contact_dimension, a.friction),
            std::cmp::Ordering::Less => (b.contact_dimension, b.friction),
            std::cmp::Ordering::Equal => {
                (a.contact_dimension.max(b.contact_dimension), a.friction.max(b.friction))
            }
        };
        if dimension <= 1 {
            return Law::Frictionless;
        }
        let law = self.contact_table.material_law(first, second).or(self.default_law);
        law.unwrap_or(Law::Coulomb { mu: friction }).simplified()
    }

    /// Coefficient of restitution of the contacts between two geoms (in either order): that of the pair of
    /// materials, or the scene's.
    pub fn pair_restitution(&self, first: GeomId, second: GeomId) -> f64 {
        self.contact_table.material_restitution(first, second).unwrap_or(self.default_restitution)
    }

    /// Whether any contact may have a coefficient of restitution that is not zero.
    pub fn has_restitution(&self) -> bool {
        self.default_restitution > 0.0 || self.material_restitutions.iter().any(|rule| rule.restitution > 0.0)
    }

    /// All laws that contacts of this model may have, but for the friction of geoms.
    pub fn laws(&self) -> impl Iterator<Item = Law> + '_ {
        let pairs = self.pair_rules.iter().map(|rule| rule.law);
        pairs.chain(self.material_rules.iter().map(|rule| rule.law)).chain(self.default_law)
    }

    /// Fills the table the rules work with; the lists of bodies, geoms and rules are then final.
    pub(crate) fn prepare_contact_rules(&mut self) {
        self.contact_table = ContactTable::new(
            &self.bodies,
            &self.geoms,
            &self.pair_rules,
            &self.material_rules,
            &self.material_restitutions,
        );
    }

    fn pair_rule(&self, first: GeomId, second: GeomId) -> Option<&PairRule> {
        let table = &self.contact_table.geoms;
        if !(table[first.index()].in_pair && table[second.index()].in_pair) {
            return None;
        }
        let key = [first.min(second), first.max(second)];
        self.pair_rules.binary_search_by_key(&key, |rule| rule.geoms).ok().map(|i| &self.pair_rules[i])
    }

    fn is_excluded(&self, first: BodyId, second: BodyId) -> bool {
        !self.excluded.is_empty()
            && self.excluded.binary_search(&[first.min(second), first.max(second)]).is_ok()
    }
}
