//! frontdoor: the public website of a small consultancy in one program.
//!
//! Arrows go one way: `domain` (what is a valid lead) ← `store` (where it is
//! kept) ← `outbox` (how it reaches the owner) and `cli` (the owner's tools).

pub mod cli;
pub mod config;
pub mod domain;
pub mod outbox;
pub mod site;
pub mod store;
