//! The server as visitors and other machines use it: over real HTTP, each test with its own server
//! and database.

mod bookings;
mod connections;
mod contact;
mod health;
mod newsletter;
mod plain_forms;
mod site;
mod visits;
