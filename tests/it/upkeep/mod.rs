//! What the server does by itself once a day, at times that the test chooses.

mod backups;
mod retention;
