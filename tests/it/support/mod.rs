//! What several tests share.

mod app;
mod authority;
mod conditions;
mod data;
mod database;
mod load;
mod mail_server;
mod network;
mod nginx;
mod postgres_server;
mod process;
mod receiver;
mod release;
mod test_store;

pub use self::{
    app::*, authority::*, conditions::*, data::*, database::*, load::*, mail_server::*, network::*,
    nginx::*, postgres_server::*, process::*, receiver::*, release::*, test_store::*,
};
