//! Mail: everything about it but when it goes out.
//!
//! `session` is the one conversation with a mail server, `answer` judges its
//! refusals, `tls` says whom a call out trusts and `cause` why one failed (for
//! the webhook too), `letters` are the words, `page` their look, `list` what
//! makes a mail a newsletter's.

pub mod address;
mod answer;
pub mod cause;
pub mod letters;
pub mod list;
pub mod page;
pub mod session;
pub mod tls;
