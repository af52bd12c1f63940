//! The server as visitors and the owner's machines meet it: over real HTTP,
//! each test with a server and a database of its own.

#![allow(clippy::unwrap_used)] // A test that cannot go on should stop here.

mod chat;
mod connections;
mod contact;
mod forms_without_javascript;
mod headers;
mod helpers;
mod idempotency;
mod limits;
#[path = "../long/mod.rs"]
mod long;
#[path = "../outbox/mail_server.rs"]
mod mail_server;
mod newsletter;
mod ops;
mod pages;
mod protocol;
mod random_bodies;
mod routes;
mod shutdown;
mod slow_clients;
mod store_down;
