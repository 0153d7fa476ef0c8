//! Snapshots: a complete function of the future, and the state's hash.
//!
//! A snapshot holds the state and what the formulation remembers of the last step, so that continuing from it gives
//! the same bits, in this process or another.

use crate::constraint::rows::BlockKey;
use crate::contact::Memory;
use crate::model::{Model, State};
use crate::report::Work;
use crate::sim::simulation::{SimError, Simulation};
use serde::{Deserialize, Serialize};

/// A stored simulation state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Format number.
    version: u32,
    /// The state.
    pub state: State,
    step_number: u64,
    work: Work,
    memory: Vec<(BlockKey, Memory)>,
}

const VERSION: u32 = 4;

/// Why a snapshot cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The bytes are not a snapshot of this version.
    #[error("not a stiction snapshot of version {VERSION}: {0}")]
    Format(String),
}

impl Snapshot {
    /// As bytes, for a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SnapshotError> {
        postcard::to_stdvec(self).map_err(|e| SnapshotError::Format(e.to_string()))
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let snapshot: Self = postcard::from_bytes(bytes).map_err(|e| SnapshotError::Format(e.to_string()))?;
        if snapshot.version != VERSION {
            return Err(SnapshotError::Format(format!("version {}", snapshot.version)));
        }
        Ok(snapshot)
    }
}

impl Simulation {
    /// Everything the future depends on.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            version: VERSION,
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
    /// The snapshot belongs to a model of another size.
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
        self.state.clone_from(&snapshot.state);
        self.step_number = snapshot.step_number;
        self.done = snapshot.work;
        self.memory.last.clone_from(&snapshot.memory);
        self.clear_readout();
        Ok(())
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
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |x: f64| {
        for byte in x.to_bits().to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
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
    hash
}
