//! What a step promises, under every stepper.

mod acceleration;
mod allocation;
mod carried;
mod certificate;
mod closing_contacts;
mod combinations;
mod conservation;
mod contract;
mod event_driven;
mod hand_backs;
mod handed_constraints;
mod laws_at_both_ends;
mod overlap_removal;
mod random_piles;
mod rattle;
mod restitution;
mod shipped_scenes;
mod snapshots;
mod sticking;
mod work;
mod written_poses;
