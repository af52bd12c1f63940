//! The pages: what the build made, what settings add to it, and how each is
//! sent.

pub mod changeover;
mod chat;
pub mod earlier;
pub mod live;
mod negotiate;
pub mod pages;
pub mod press;
pub mod release;
pub mod resource;
pub mod review;
mod settings;
pub mod shell;
pub mod template;
