//! The letters that go out, each in a file of its own.

pub mod auto_reply;
pub mod confirmation;
pub mod held_notice;
pub mod notification;

/// A mail's words, both ways of showing them.
pub struct Letter {
    pub subject: String,
    pub text: String,
    pub html: String,
}
