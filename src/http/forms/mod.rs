//! What visitors send: the contact form, the newsletter's, the links in the
//! newsletter's mails, and what failed in their browsers. Both forms go through
//! the frame of `intake`.

mod contact;
pub mod contact_form;
pub mod form_body;
pub mod intake;
pub mod links;
pub mod newsletter;
mod not_taken;
mod posted;
mod words;

pub use contact::{CHECK_HEADER, CLIENT_HEADER, PROXY_HEADER};
pub use words::template_words;
