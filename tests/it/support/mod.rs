//! What tests share: one of each.

pub mod app;
pub mod authority;
pub mod client;
pub mod data;
pub mod database;
pub mod desk;
pub mod long;
pub mod mail_server;
pub mod name_server;
pub mod network;
pub mod nginx;
pub mod office;
pub mod past;
pub mod postgres;
pub mod postgres_server;
pub mod process;
pub mod receiver;
pub mod release;
pub mod root;
pub mod scripted_smtp;
pub mod small_disk;
pub mod terminal;
pub mod visitors;
pub mod wait;
pub mod wire;
