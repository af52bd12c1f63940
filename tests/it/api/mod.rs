//! The server as visitors and the owner's machines meet it: over real HTTP,
//! each test with a server and a database of its own.

mod bookings;
mod connections;
mod contact;
mod health;
mod newsletter;
mod plain_forms;
mod site;
mod visits;
