//! Deliveries from a stored lead to a real HTTP receiver and a real SMTP
//! conversation. Time is moved by hand, so nothing waits for a schedule.

mod clock;
mod held;
mod lanes;
mod log;
mod mail;
mod refusals;
mod several_addresses;
mod slow_receiver;
mod trust;
mod unreadable;
mod webhook;
