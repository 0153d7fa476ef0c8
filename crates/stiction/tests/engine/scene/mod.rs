//! The reader of scenes.

mod bad_files;
mod bad_meshes;
mod includes;
mod mutations;
mod oracle;
mod refusals;
mod report;
mod shipped;
