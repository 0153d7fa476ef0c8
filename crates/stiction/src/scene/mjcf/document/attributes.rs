//! Which attributes an element may have: those read, those without effect on motion, and those whose effect this
//! engine does not have, which go into the load report by name.

use crate::scene::Notes;
use crate::scene::load_report::EntryKind;
use crate::scene::mjcf::document::element::{Element, quoted};

/// The attributes of one kind of element.
pub(crate) struct Attributes {
    /// Read by this reader.
    pub(crate) read: &'static [&'static str],
    /// Of no consequence for the motion: looks, groups, bookkeeping.
    pub(crate) inert: &'static [&'static str],
    /// With an effect that is not modelled, and why. Not reported while the value switches the effect off.
    pub(crate) unmodelled: &'static [(&'static str, &'static str)],
}

/// Parameters of soft constraints. Rigid contact has no use for them; the first one of a file is reported for all.
const SOFT: &[&str] =
    &["solref", "solimp", "solmix", "solreflimit", "solimplimit", "solreffriction", "solimpfriction"];

/// Notes every attribute that is not read and matters.
pub(crate) fn check(element: Element<'_>, attributes: &Attributes, notes: &mut Notes) {
    for name in element.attribute_names() {
        let value = element.attribute(name).unwrap_or_default();
        if attributes.read.contains(&name) {
            continue;
        }
        if attributes.inert.contains(&name) {
            element.note_cosmetic(notes, Some(name));
        } else if SOFT.contains(&name) {
            if !std::mem::replace(&mut notes.soft_seen, true) {
                let message = "constraints are rigid; solref, solimp and their kin have no effect anywhere \
                               in this scene (noted once)";
                element.note(notes, EntryKind::Ignored, Some(name), message);
            }
        } else if let Some((_, why)) = attributes.unmodelled.iter().find(|(known, _)| *known == name) {
            if !switches_off(value) {
                element.note(
                    notes,
                    EntryKind::Ignored,
                    Some(name),
                    format!("{} has no effect: {why}", quoted(value)),
                );
            }
        } else {
            let message = format!("{} has no effect: this version does not read it", quoted(value));
            element.note(notes, EntryKind::Ignored, Some(name), message);
        }
    }
}

/// Whether a value says "nothing": zeros, or a word that means off.
fn switches_off(value: &str) -> bool {
    matches!(value, "false" | "none" | "auto" | "disable")
        || value.split_ascii_whitespace().all(|word| word.parse::<f64>().is_ok_and(|number| number == 0.0))
}

/// Notes a child element that is not read.
pub(crate) fn unread_child(child: Element<'_>, notes: &mut Notes) {
    child.note(notes, EntryKind::Ignored, None, "this version does not read it");
}
