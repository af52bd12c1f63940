//! What several tests share.

pub mod app;
pub mod authority;
pub mod client;
pub mod conditions;
pub mod data;
pub mod database;
pub mod load;
pub mod mail_server;
pub mod network;
pub mod nginx;
pub mod postgres_server;
pub mod process;
pub mod receiver;
pub mod release;
pub mod tcp_proxy;
pub mod terminal;
pub mod test_store;
pub mod visitors;
pub mod wait;
