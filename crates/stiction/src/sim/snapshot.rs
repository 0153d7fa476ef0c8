//! Snapshots: a complete function of the future, and the state's hash.
//!
//! A snapshot holds the state and what the formulation remembers of the last step, so that continuing from it gives
//! the same bits, in this process or another. It names the model it is of, and no other takes it.
//!
//! | bytes | content |
//! |---|---|
//! | 0 .. 8 | [`MAGIC`] |
//! | 8 .. 12 | version of this layout, little-endian as all numbers |
//! | 12 .. 20 | [`Model::fingerprint`] |
//! | 20 .. 28 | hash of all other bytes |
//! | 28 .. | the rest, in the format of the crate `postcard` |

use crate::model::{Model, State};
use crate::report::Work;
use crate::sim::fingerprint::Hash;
use crate::sim::simulation::{SimError, Simulation};
use crate::step::contact_problem::Remembered;
use serde::{Deserialize, Serialize};

/// A stored simulation state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The fingerprint of its model.
    model: u64,
    /// The state.
    pub state: State,
    step_number: u64,
    work: Work,
    memory: Remembered,
}

/// How stored snapshots begin.
const MAGIC: &[u8; 8] = b"stiction";

/// Version of the layout of what is stored. Another layout of a [`Model`] is another version too, as its fingerprint changes.
const VERSION: u32 = 8;

/// Where the hash stands, and what follows it.
const CHECKSUM: std::ops::Range<usize> = 20..28;

/// Why a snapshot cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The bytes are not a snapshot of this version.
    #[error("not a stiction snapshot of version {VERSION}: {0}")]
    Format(String),
    /// The bytes were a snapshot once.
    #[error(
        "this stiction snapshot is damaged: its bytes are not those that were stored; store the state again"
    )]
    Damaged,
}

impl Snapshot {
    /// As bytes, for a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SnapshotError> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(self.model.to_le_bytes());
        bytes.extend([0; 8]);
        let mut bytes =
            postcard::to_extend(self, bytes).map_err(|error| SnapshotError::Format(error.to_string()))?;
        let checksum = checksum(&bytes);
        bytes[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
        Ok(bytes)
    }

    /// From bytes.
    ///
    /// # Errors
    /// Bytes that are no snapshot of this version, or not all of one as it was stored.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        if !Self::begins(bytes) {
            return Err(SnapshotError::Format("it does not begin like one".into()));
        }
        let number = |place: std::ops::Range<usize>| {
            let mut number = [0; 8];
            number[..place.len()].copy_from_slice(bytes.get(place)?);
            Some(u64::from_le_bytes(number))
        };
        let (version, stored) = (number(8..12), number(CHECKSUM));
        match version {
            Some(version) if version != u64::from(VERSION) => {
                return Err(SnapshotError::Format(format!("it is of version {version}")));
            }
            Some(_) if stored == Some(checksum(bytes)) => {}
            _ => return Err(SnapshotError::Damaged),
        }
        postcard::from_bytes(&bytes[CHECKSUM.end..]).map_err(|e| SnapshotError::Format(e.to_string()))
    }

    /// Whether these are the first bytes of a snapshot of any version from 5 on.
    pub fn begins(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }
}

/// Of all bytes but its own.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = Hash::EMPTY;
    hash.add(&bytes[..CHECKSUM.start.min(bytes.len())]);
    hash.add(bytes.get(CHECKSUM.end..).unwrap_or_default());
    hash.value()
}

impl Simulation {
    /// Everything the future depends on.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            model: self.fingerprint(),
            state: self.state.clone(),
            step_number: self.step_number,
            work: self.done,
            memory: self.memory.last.clone(),
        }
    }

    /// The state before the step that is being taken.
    pub(crate) fn snapshot_before(&self) -> Snapshot {
        let mut snapshot = self.snapshot();
        self.work.start.restore(&mut snapshot.state);
        snapshot
    }

    /// Continues from a snapshot, bit for bit.
    ///
    /// # Errors
    /// The snapshot belongs to another model.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SimError> {
        let (new, old) = (&snapshot.state, &self.state);
        let checks = [
            ("qpos", new.q.len(), old.q.len()),
            ("qvel", new.v.len(), old.v.len()),
            ("loop_q", new.loop_q.len(), old.loop_q.len()),
            ("ctrl", new.ctrl.len(), old.ctrl.len()),
            ("mocap", new.mocap.len(), old.mocap.len()),
            ("applied force", new.applied.len(), old.applied.len()),
            ("external wrench", new.external.len(), old.external.len()),
        ];
        for (quantity, found, expected) in checks {
            if found != expected {
                return Err(SimError::Shape { quantity, found, expected });
            }
        }
        let (found, expected) = (snapshot.model, self.fingerprint());
        if found != expected {
            return Err(SimError::OtherModel { found, expected });
        }
        self.state.clone_from(&snapshot.state);
        self.step_number = snapshot.step_number;
        self.done = snapshot.work;
        self.memory.last.clone_from(&snapshot.memory);
        self.clear_readout();
        Ok(())
    }

    /// Of the model; found when it is first asked for.
    pub(crate) fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| self.model.fingerprint())
    }

    /// A 64-bit hash of time, configuration and velocity, taken over the bodies in name order (FNV-1a over the bits).
    pub fn state_hash(&self) -> u64 {
        state_hash(&self.model, &self.state)
    }
}

fn state_hash(model: &Model, state: &State) -> u64 {
    let mut links: Vec<usize> = (0..model.links.len()).collect();
    // Joints of one body keep the order in which they are applied.
    links.sort_by_key(|&i| (&model.bodies[model.links[i].body].name, i));
    let mut hash = Hash::EMPTY;
    let mut add = |x: f64| hash.add(&x.to_bits().to_le_bytes());
    add(state.time);
    for i in links {
        let link = &model.links[i];
        // Of a state of another model what there is.
        let (q, v) = (link.q..link.q + link.kind.nq(), link.v..link.v + link.kind.nv());
        state.q.get(q).into_iter().flatten().for_each(|&x| add(x));
        state.v.get(v).into_iter().flatten().for_each(|&x| add(x));
    }
    for mocap in &state.mocap {
        mocap.position.iter().for_each(|&x| add(x));
        mocap.orientation.iter().for_each(|&x| add(x));
    }
    hash.value()
}
