//! Mail: everything about it but when it goes out.
//!
//! `server` is where mail goes and `session` a conversation there; `answer`
//! judges its refusals and `step_error` puts them into words. `letters` are
//! what mails say, `page` how they look, `list` what makes one a newsletter's.
//! Deliveries and issues use all of it; it knows of neither.

pub mod address;
mod answer;
pub mod letters;
pub mod list;
pub mod page;
mod server;
mod session;
mod step_error;

pub use server::MailServer;
pub use session::{Session, TurnedAway};
pub use step_error::{Refusal, StepError};
