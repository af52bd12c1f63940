//! What the server does by itself once a day, at times that the test chooses.

mod backups;
mod prune_command;
mod records;
mod retention;
