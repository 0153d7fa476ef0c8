//! What commands print.
//!
//! | file | what it is |
//! |---|---|
//! | `output` | data to standard output, notes to standard error, with colours where they can be seen |
//! | `progress` | how far a run is |
//! | `summary`, `readout` | what a run came to, as text and as JSON; what its last step carried |
//! | `report` | entries of load reports and errors as JSON |
//! | `excerpt` | the line of a scene that an error is about |

pub(crate) mod excerpt;
pub(crate) mod output;
pub(crate) mod progress;
pub(crate) mod readout;
pub(crate) mod report;
pub(crate) mod summary;
