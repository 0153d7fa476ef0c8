//! Rules of contacts: laws of pairs of geoms and of materials, coefficients of restitution, pairs of bodies that never
//! collide.

use super::assembly::Assembly;
use super::check;
use super::element::ElementKind;
use super::error::ModelError;
use super::references::{both, find, never_move};
use super::spec::{BodyHandle, MaterialRuleSpec, PairSpec};
use crate::model::{GeomId, MaterialRestitution, MaterialRule, Model, PairRule};

pub(crate) fn add_pairs(model: &mut Model, pairs: &[PairSpec]) -> Result<(), ModelError> {
    let geoms = GeomId::all(&model.geoms).map(|geom| (model.geoms[geom].name.clone(), geom)).collect();
    for pair in pairs {
        let [first, second] = &pair.geoms;
        let element = both(ElementKind::Pair, first, second);
        let a = find(&geoms, &element, ElementKind::Geom, first)?;
        let b = find(&geoms, &element, ElementKind::Geom, second)?;
        if a == b {
            return Err(ModelError::SameTwice { element, name: first.clone() });
        }
        let base = |geom: GeomId| model.bodies[model.geoms[geom].body].base;
        if never_move(base(a), base(b)) {
            return Err(ModelError::NeverMove { element, first: first.clone(), second: second.clone() });
        }
        check::law(&element, pair.law)?;
        model.pair_rules.push(PairRule { geoms: [a.min(b), a.max(b)], law: pair.law });
    }
    model.pair_rules.sort_unstable_by_key(|rule| rule.geoms);
    for rules in model.pair_rules.windows(2) {
        if rules[0].geoms == rules[1].geoms {
            let [a, b] = rules[0].geoms.map(|geom| &model.geoms[geom].name);
            return Err(ModelError::DuplicateRule { element: both(ElementKind::Pair, a, b) });
        }
    }
    Ok(())
}

pub(crate) fn add_material_rules(model: &mut Model, rules: Vec<MaterialRuleSpec>) -> Result<(), ModelError> {
    for MaterialRuleSpec { mut materials, law } in rules {
        let element = both(ElementKind::MaterialRule, &materials[0], &materials[1]);
        check::law(&element, law)?;
        materials.sort_unstable();
        model.material_rules.push(MaterialRule { materials, law });
    }
    model.material_rules.sort_by(|a, b| a.materials.cmp(&b.materials));
    for rules in model.material_rules.windows(2) {
        if rules[0].materials == rules[1].materials {
            let [a, b] = &rules[0].materials;
            return Err(ModelError::DuplicateRule { element: both(ElementKind::MaterialRule, a, b) });
        }
    }
    Ok(())
}

pub(crate) fn add_restitutions(model: &mut Model, rules: Vec<MaterialRestitution>) -> Result<(), ModelError> {
    model.material_restitutions = rules;
    for MaterialRestitution { materials, restitution } in &mut model.material_restitutions {
        let element = both(ElementKind::Restitution, &materials[0], &materials[1]);
        check::restitution(&element, *restitution)?;
        materials.sort_unstable();
    }
    model.material_restitutions.sort_by(|a, b| a.materials.cmp(&b.materials));
    for rules in model.material_restitutions.windows(2) {
        if rules[0].materials == rules[1].materials {
            let [a, b] = &rules[0].materials;
            return Err(ModelError::DuplicateRule { element: both(ElementKind::Restitution, a, b) });
        }
    }
    Ok(())
}

pub(crate) fn add_exclusions(
    assembly: &mut Assembly,
    exclusions: &[[BodyHandle; 2]],
) -> Result<(), ModelError> {
    let label = |id: BodyHandle| match assembly.index.get(id.0) {
        Some(&body) => assembly.names[body].body.name.clone(),
        None => id.0.to_string(),
    };
    let mut excluded = Vec::with_capacity(exclusions.len());
    for &[first, second] in exclusions {
        let element = both(ElementKind::Exclusion, &label(first), &label(second));
        let (a, b) = (assembly.number(&element, first)?, assembly.number(&element, second)?);
        if a == b {
            return Err(ModelError::SameTwice { element, name: label(first) });
        }
        excluded.push([a.min(b), a.max(b)]);
    }
    excluded.sort_unstable();
    excluded.dedup();
    assembly.model.excluded = excluded;
    Ok(())
}
