//! Contacts by track: what one contact of two geoms does from the frame in which it appears to the one before it is
//! gone. Along a track numbers change little, which is what makes them small.
//!
//! Contacts of a pair in one frame are told apart by their place among them. Within a frame the recording orders
//! contacts by pair, and tracks are sorted the same way, so walking the tracks in order and putting each contact
//! at the end of its frame's list restores the recording's order.

use stiction::recording::{ContactTable, Recording};

/// One contact over consecutive frames.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Track {
    /// First frame.
    pub(crate) start: usize,
    /// The contact's index in the table, frame by frame.
    pub(crate) contacts: Vec<usize>,
}

/// The tracks of these steps of a recording whose contacts are in a table with one entry of each.
pub(crate) fn tracks(recording: &Recording, contacts: &ContactTable, steps: &[usize]) -> Vec<Track> {
    let ranks = recording.run.geoms.ranks();
    let pair = |c: usize| [contacts.geom1[c], contacts.geom2[c]].map(|geom| ranks[geom as usize]);
    let mut found: Vec<(([usize; 2], usize), Track)> = Vec::new();
    // Tracks that the last frame continued; like the contacts of a frame they are sorted by pair and place.
    let (mut open, mut next) = (Vec::<usize>::new(), Vec::new());
    for (frame, &step) in steps.iter().enumerate() {
        let range = contacts.of_step(step);
        let (first, mut place, mut candidate) = (range.start, 0, 0);
        for c in range {
            place = if c > first && pair(c) == pair(c - 1) { place + 1 } else { 0 };
            let key = (pair(c), place);
            while candidate < open.len() && found[open[candidate]].0 < key {
                candidate += 1;
            }
            let track = match open.get(candidate) {
                Some(&track) if found[track].0 == key => track,
                _ => {
                    found.push((key, Track { start: frame, contacts: Vec::new() }));
                    found.len() - 1
                }
            };
            found[track].1.contacts.push(c);
            next.push(track);
        }
        std::mem::swap(&mut open, &mut next);
        next.clear();
    }
    found.sort_by_key(|(key, track)| (*key, track.start));
    found.into_iter().map(|(_, track)| track).collect()
}
