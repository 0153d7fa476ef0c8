//! What relates bodies, read when all bodies are known.
//!
//! | file | element |
//! |---|---|
//! | `tendon` | `<tendon>` |
//! | `constraint` | `<contact>`, `<equality>` |
//! | `closure` | `stiction:closure`, `stiction:motion` |
//! | `actuator` | `<actuator>` |

pub(crate) mod actuator;
pub(crate) mod closure;
pub(crate) mod constraint;
pub(crate) mod tendon;
