//! The server as visitors and the owner's machines meet it: over real HTTP,
//! each test with a server and a database of its own.

mod browser_errors;
mod chat;
mod connections;
mod contact;
mod forms_without_javascript;
mod headers;
mod idempotency;
mod limits;
mod newsletter;
mod ops;
mod pages;
mod protocol;
mod random_bodies;
mod routes;
mod store_down;
