//! Tests of the program from outside, over real HTTP, with real mail and real files, as visitors, the
//! owner and other machines use it. They are one binary, so that it is linked once. Each test has its
//! own server and database.
//!
//! `api` tells what visitors meet, `owner_tools`, `desk`, `newsletter` and `live` what the owner does,
//! `faults`, `replicas` and `postgres` what happens when something breaks. Good ones to read first:
//! `api/contact.rs`, `outbox/workers.rs`, `newsletter/interruptions.rs`.

#![allow(clippy::unwrap_used)] // A test that can't go on should stop here.

mod alive;
mod api;
mod cli;
mod deploy;
mod desk;
mod faults;
mod imports;
mod live;
mod moving;
mod newsletter;
mod notices;
mod outbox;
mod owner_tools;
mod postgres;
mod releases;
mod replicas;
mod settings;
mod spam;
mod store;
mod support;
mod upkeep;
