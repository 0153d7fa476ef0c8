//! Passage: whether a motion has taken a body through another, which its end does not show.
//!
//! A motion is tried and its end is searched for overlap; what is thinner than the way that it is passed by lies behind then. So contacts
//! are looked for where a motion begins, as far as bodies may travel in it, and each is followed to its end, as its features there tell or,
//! where they are gone or turned to the other side, as the bodies have carried the contact plane ([`ContactStart`]). A gap that has
//! closed so has been crossed, or may have been, and so has one of bodies that turn too far against each other for a plane that one of
//! them carries: then the motion is too long to tell.

use crate::contact::detection::{ContactFinder, far_travellers};
use crate::contact::{Contact, find_contact};
use crate::dynamics::{Data, base_motion};
use crate::geometry::Shape;
use crate::model::{Mocap, Model, TreeId};
use crate::spatial::Transform;
use crate::step::slip::{ContactStart, Poses};
use crate::step::stepper::acceleration::PERSISTING;

/// How far bodies may turn against each other in a motion for contact planes to be carried (rad).
const TURN: f64 = 0.5;

/// The contacts that are followed. Keeps its capacity.
#[derive(Debug, Default)]
pub(crate) struct Passage {
    contacts: Vec<(Contact, ContactStart)>,
    /// Where the geoms were, and how far their contacts were looked for (m).
    poses: Vec<Transform>,
    reaches: Vec<f64>,
}

impl Passage {
    /// Follows the contacts that have been found where `data` and `mocap` have the bodies, of those of which `counts` holds.
    pub(crate) fn begin(
        &mut self,
        model: &Model,
        data: &Data,
        mocap: &[Mocap],
        finder: &ContactFinder,
        counts: impl Fn(&Contact) -> bool,
    ) {
        let poses = Poses { model, links: &data.link_pose, mocap };
        let followed = finder.contacts.iter().filter(|contact| counts(contact));
        self.contacts.clear();
        self.contacts.extend(followed.map(|c| (*c, ContactStart::new(poses, c))));
        self.poses.clone_from(&finder.poses);
        self.reaches.clone_from(&finder.reaches);
    }

    /// Trees that have moved farther than contacts were looked for.
    pub(crate) fn outrun<'a>(
        &'a self,
        model: &'a Model,
        data: &'a Data,
    ) -> impl Iterator<Item = TreeId> + 'a {
        far_travellers(model, data, &self.reaches, |geom| self.poses[geom.index()])
    }

    /// Those that have closed `h` seconds later, where `data` and `mocap` have the bodies now and `found` are the contacts.
    pub(crate) fn crossed<'a>(
        &'a self,
        model: &'a Model,
        data: &'a Data,
        mocap: &'a [Mocap],
        found: &'a [Contact],
        h: f64,
    ) -> impl Iterator<Item = &'a Contact> {
        let poses = Poses { model, links: &data.link_pose, mocap };
        let crossed = move |(contact, start): &&(Contact, ContactStart)| {
            let end = find_contact(found, &contact.key);
            start.displacement(poses, contact, end, h).x < -PERSISTING
                || spin(model, data, mocap, contact) * h > TURN
        };
        self.contacts.iter().filter(crossed).map(|(contact, _)| contact)
    }
}

/// How fast the bodies of a contact turn against each other (rad/s). A ball's contacts do not turn with it.
fn spin(model: &Model, data: &Data, mocap: &[Mocap], contact: &Contact) -> f64 {
    let geoms = contact.geoms.map(|geom| &model.geoms[geom]);
    if geoms.iter().any(|geom| matches!(geom.shape, Shape::Sphere { .. })) {
        return 0.0;
    }
    let [first, second] = geoms.map(|geom| base_motion(model, data, mocap, geom.body).1.angular);
    (second - first).norm()
}
