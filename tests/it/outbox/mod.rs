//! Deliveries from a stored lead to a real HTTP receiver and a real SMTP
//! conversation. Time is moved by hand, so nothing waits for a schedule.

mod lanes;
mod mail;
mod webhook;
