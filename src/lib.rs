//! frontdoor: the public website of a small consultancy in one program.
//!
//! Arrows go one way: `content` (what the build takes in) ← `domain` (what is
//! a valid lead) and `spam` (what does not look like one) ← `store` (where it
//! is kept) ← `mail` (letters, and the one way to a mail server) ← `outbox`
//! (how a lead reaches the owner), `newsletter` (how an issue reaches its
//! readers) and `notices` (what the owner is told unasked) ← `http` (how
//! visitors meet it) and `cli` (the owner's tools). `calls` is what calls out
//! share, `upkeep` what the server does once a day, `alive` who is told that it
//! works, `trace` what a collector is told of each step.
//!
//! A request comes in through `listener`, which bounds what a client can draw
//! out, to [`http::App`]: a page is one lookup in a table made at start; only
//! what is no page goes on to the route table in `http::routes`. `server`
//! puts the parts together from `config`; `histogram` counts durations, `html`
//! makes text safe for pages and mails, and `logging` writes the log.
//! `tests/it/imports.rs` sees to it that arrows go one way.

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
pub mod trace;
pub mod upkeep;
