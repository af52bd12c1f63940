//! The program from outside: over real HTTP, through real mail, on real files,
//! as visitors, the owner and the owner's machines meet it. One binary, which
//! is linked once; each test has a server and a database of its own.

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
