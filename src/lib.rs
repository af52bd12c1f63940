//! frontdoor: the public website of a small consultancy in one program.
//!
//! Arrows go one way: `domain` (what is a valid lead) ← `store` (where it is
//! kept) ← `outbox` (how it reaches the owner), `http` (how visitors meet
//! it) and `cli` (the owner's tools).
//!
//! A request comes in through `listener`, which bounds what a client can draw
//! out, to [`http::App`]: a page is one lookup in a table made at start; only
//! what is no page goes on to the route table in `http::routes`. `server`
//! puts the parts together from `config`; `site` holds the facts about the
//! business, `consent` the newsletter's consent text, `histogram` counts durations, `html`
//! makes text safe for pages and mails, and `logging` writes the log.
//! `tests/imports.rs` sees to it that arrows go one way.

pub mod cli;
pub mod config;
pub mod consent;
pub mod domain;
mod histogram;
mod html;
pub mod http;
pub mod listener;
pub mod logging;
pub mod newsletter;
pub mod outbox;
pub mod server;
pub mod site;
pub mod store;
