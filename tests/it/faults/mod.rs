//! What breaks around the program while visitors send: the process, the disk,
//! the files, the reader of its log. Their long forms are `make chaos`.

mod disk_and_log;
mod kill;
mod replaced_database;
