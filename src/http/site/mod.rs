//! The pages: what the build made, what settings add to it, and how each is
//! sent.

mod chat;
pub mod embedded;
mod negotiate;
pub mod pages;
pub mod resource;
mod settings;
pub mod shell;
pub mod template;
