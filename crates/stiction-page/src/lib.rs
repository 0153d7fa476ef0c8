//! The page: a recording of stiction as one HTML file that plays it, with everything inside.
//!
//! The page's program is written in TypeScript in the repository's `viewer/`; its bundle is `src/page.html`, committed
//! so that cargo needs no node. [`page`] puts a [`Recording`](stiction::recording::Recording) into it; a [`PageServer`]
//! shows one to a browser on this machine.
//!
//! | file | what it is |
//! |---|---|
//! | `page` | bundle, header and columns as one text; leaves out steps of what would be too large |
//! | `header` | names, shapes and the worst certificates, in JSON |
//! | `content` | which columns there are, and how each is rounded |
//! | `columns` | numbers made small: rounded, predicted, split into bytes |
//! | `tracks` | contacts sorted by what they continue |
//! | `whole` | whether a text is a page, and all of it |
//! | `base64` | bytes as text |
//! | `server` | one page over HTTP |

mod base64;
mod columns;
mod content;
mod header;
mod page;
mod server;
mod tracks;
mod whole;

pub use page::{PAGE_LIMIT, PageError, page, write_page};
pub use server::PageServer;
pub use whole::{PageFault, check_page, is_page};

/// The example of the readme is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
