//! frontdoor: the public website of a small consultancy in one program.
//!
//! Modules depend on each other in one direction: `content` (facts and texts from the build) ←
//! `domain` (valid leads and subscriptions) and `spam` (the spam score) ← `store` (the database) ←
//! `config` (settings) ← `mail` (mails and the mail server) ← `outbox` (deliveries of leads) ←
//! `newsletter` (issues and their subscribers) and `notices` (reminders, the digest and fault
//! reports for the owner) ← `http` (visitors) ← `desk` (the owner's pages) and `cli` (the owner's
//! commands). `calls` is shared by outgoing calls, `lead_fields` labels what is known about a lead,
//! `upkeep` makes the daily backup and deletes old records, and `alive` reports health to systemd
//! and to the owner's monitoring; `check` says what needs the owner, on the command line and at the
//! desk. `tests/it/imports.rs` checks the direction.
//!
//! A request arrives through `listener`, which limits the resources a client can use, at
//! [`http::App`]: a page is one lookup in a table, which a new release replaces; everything else
//! goes through the route table in `http::routes`. `server` assembles the parts from `config`;
//! `histogram` counts durations, `csv` writes tables for spreadsheets, `html` escapes text for pages
//! and mails, and `logging` writes the log.

pub mod alive;
mod calls;
mod check;
pub mod cli;
pub mod config;
pub mod content;
mod csv;
pub mod desk;
pub mod domain;
mod histogram;
mod html;
pub mod http;
mod lead_fields;
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
