//! The page: a recording as one HTML file that plays it, with everything inside.
//!
//! The page's program is written in TypeScript in `viewer/`; its bundle is `page.html` in this directory, committed so
//! that cargo needs no node. [`page`] puts a recording into it: a header in JSON and numbers in columns that are
//! rounded (`columns.rs` says how), predicted, deflated and written in base 64.

pub(crate) mod columns;
pub(crate) mod page;
pub(crate) mod tracks;

pub use page::{PAGE_LIMIT, PageError, page, write_page};
