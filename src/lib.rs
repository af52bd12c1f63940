//! frontdoor: the public website of a small consultancy in one program.
//!
//! Modules depend on each other in one direction: `content` (the facts the build took in) ←
//! `domain` (a valid lead) and `spam` (how much a message looks like spam) ← `store` (where
//! leads are kept) ← `mail` (letters and the mail server) ← `outbox` (deliveries of a lead),
//! `newsletter` (an issue and its readers) and `notices` (what the owner is told unasked) ←
//! `http` (visitors) and `cli` (the owner's tools). `calls` is shared by outgoing calls,
//! `upkeep` does the daily backup and removal of old records, `alive` tells systemd and the
//! owner's alarm that the server works.
//!
//! A request comes in through `listener`, which limits what a client can use up, to
//! [`http::App`]: a page is one lookup in a table made at start; everything else goes to the
//! route table in `http::routes`. `server` puts the parts together from `config`; `histogram`
//! counts durations, `html` escapes text for pages and mails, and `logging` writes the log.
//! `tests/it/imports.rs` checks the direction.

pub mod alive;
mod calls;
pub mod cli;
pub mod config;
pub mod content;
pub mod domain;
mod histogram;
mod html;
pub mod http;
mod lead_facts;
pub mod listener;
pub mod logging;
pub mod mail;
pub mod newsletter;
pub mod notices;
pub mod outbox;
pub mod server;
pub mod spam;
pub mod store;
pub mod upkeep;
