//! The bodies that a builder has collected, depth first, and the names of all they hold.

use super::super::element::{Element, ElementKind};
use super::super::error::ModelError;
use super::super::names::NameSpace;
use super::super::spec::Node;

/// Names of a body and what is on it.
pub(crate) struct BodyNames {
    pub(crate) body: Element,
    pub(super) joints: Vec<Element>,
    pub(super) geoms: Vec<Element>,
}

/// Sorts bodies depth first, children in the order they were added. Also the new number of each.
pub(crate) fn depth_first(nodes: Vec<Node>) -> (Vec<Node>, Vec<usize>) {
    let mut children = vec![Vec::new(); nodes.len()];
    for (body, node) in nodes.iter().enumerate().skip(1) {
        children[node.parent].push(body);
    }
    // A stack of its own: chains may be longer than the thread's stack.
    let mut index = vec![0; nodes.len()];
    let mut stack = vec![0];
    let mut next = 0;
    while let Some(body) = stack.pop() {
        index[body] = next;
        next += 1;
        stack.extend(children[body].iter().rev());
    }
    let mut sorted: Vec<(usize, Node)> =
        nodes.into_iter().enumerate().map(|(body, node)| (index[body], node)).collect();
    sorted.sort_unstable_by_key(|(place, _)| *place);
    let renumbered =
        sorted.into_iter().map(|(_, node)| Node { parent: index[node.parent], ..node }).collect();
    (renumbered, index)
}

/// Names all bodies, joints and geoms. Those without one are called after their parent or body and their number:
/// among its unnamed children, its joints, its geoms.
pub(crate) fn name_everything(nodes: &[Node]) -> Result<Vec<BodyNames>, ModelError> {
    let specs = || nodes.iter().map(|node| &node.spec);
    let mut bodies = NameSpace::claim(ElementKind::Body, specs().map(|s| s.name.as_str()))?;
    let joints = specs().flat_map(|s| s.joints.iter().map(|j| j.name.as_str()));
    let mut joints = NameSpace::claim(ElementKind::Joint, joints)?;
    let geoms = specs().flat_map(|s| s.geoms.iter().map(|g| g.name.as_str()));
    let mut geoms = NameSpace::claim(ElementKind::Geom, geoms)?;

    let mut unnamed_children = vec![0; nodes.len()];
    let mut names: Vec<BodyNames> = Vec::with_capacity(nodes.len());
    for Node { parent, spec } in nodes {
        let body = bodies.resolve(&spec.name, || {
            unnamed_children[*parent] += 1;
            format!("{}/{}", names[*parent].body.name, unnamed_children[*parent] - 1)
        });
        let on_body = |space: &mut NameSpace, given: &str, tail: String| {
            space.resolve(given, || format!("{}/{tail}", body.name))
        };
        let joints = (spec.joints.iter().enumerate())
            .map(|(i, joint)| on_body(&mut joints, &joint.name, format!("joint {i}")))
            .collect();
        let geoms = (spec.geoms.iter().enumerate())
            .map(|(i, geom)| on_body(&mut geoms, &geom.name, i.to_string()))
            .collect();
        names.push(BodyNames { body, joints, geoms });
    }
    Ok(names)
}
