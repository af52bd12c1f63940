//! Several replicas of the program over PostgreSQL, behind nginx, as
//! `docs/scale.md` describes them. The long form is part of `make chaos`.

mod automation;
mod changeover;
mod chaos;
mod cluster;
mod load;
mod replica;
mod verdict;
