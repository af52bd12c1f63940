//! Deliveries from a stored lead to a real HTTP receiver and a real SMTP
//! conversation. Time is moved by hand, so nothing waits for a schedule.

#![allow(clippy::unwrap_used)] // A test that cannot go on should stop here.

mod clock;
mod desk;
mod held;
mod lanes;
mod log;
mod mail;
mod mail_server;
#[path = "../process/mod.rs"]
mod process;
mod receiver;
mod refusals;
#[allow(dead_code)] // The newsletter's tests use the rest of it.
mod scripted_smtp;
mod trust;
mod webhook;
