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

pub use app::*;
pub use authority::*;
pub use conditions::*;
pub use data::*;
pub use database::*;
pub use load::*;
pub use mail_server::*;
pub use network::*;
pub use nginx::*;
pub use postgres_server::*;
pub use process::*;
pub use receiver::*;
pub use release::*;
pub use test_store::*;
