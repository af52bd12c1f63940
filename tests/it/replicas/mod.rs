//! Several replicas of the program over PostgreSQL, behind nginx, as
//! `docs/scale.md` describes them. The long form is part of `make chaos`.

mod automation;
mod chaos;
mod cluster;
mod house;
mod load;
mod network;
mod nginx;
mod replica;
mod server;
mod verdict;
mod wire;
