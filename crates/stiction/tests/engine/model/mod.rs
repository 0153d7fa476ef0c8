//! What the builder makes of a scene, and what it refuses.

mod builder;
mod contact_rules;
mod errors;
