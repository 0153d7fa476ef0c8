//! The text of a scene as a tree of elements with places, of which every attribute is read strictly or noted.
//!
//! | file | what it is |
//! |---|---|
//! | `files` | the main file and those it includes, as one tree |
//! | `element` | an element with its place: numbers, vectors, words, and the errors that point at them |
//! | `vocabulary` | the words of MJCF |
//! | `attributes` | which attributes are read, which have no effect, which effect is not modelled |
//! | `names` | names that are unique among their kind |
//! | `orientation` | positions and the five ways to write an orientation |

pub(crate) mod attributes;
pub(crate) mod element;
pub(crate) mod files;
pub(crate) mod names;
pub(crate) mod orientation;
pub(crate) mod vocabulary;
