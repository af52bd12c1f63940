//! Deliveries from a stored lead to an HTTP receiver and a mail server. The tests set the clock, so
//! nothing waits for a schedule.

mod mail;
mod webhook;
mod workers;
