//! Several replicas of the program over PostgreSQL, behind nginx, as
//! `docs/scale.md` describes them. The long form is part of `make chaos`.

mod automation;
mod changeover;
mod chaos;
pub mod cluster;
mod house;
mod load;
mod replica;
pub mod server;
mod verdict;
pub mod wire;
