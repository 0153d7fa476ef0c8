//! What relates bodies: actuators, tendons, equalities, closures.

pub(crate) mod actuator;
pub(crate) mod closure;
pub(crate) mod constraint;
pub(crate) mod tendon;
