//! Constraints that are not contacts.

mod cable;
mod closure;
mod coupling;
mod equality;
mod tendon_oracle;
