//! The text of a scene as a tree of elements with places.

pub(crate) mod attributes;
pub(crate) mod element;
pub(crate) mod files;
pub(crate) mod names;
pub(crate) mod orientation;
pub(crate) mod vocabulary;
