//! Who is told that the server works, and restarts nobody notices.

mod beacon;
mod journal;
mod request_ids;
mod restart;
mod service_manager;
