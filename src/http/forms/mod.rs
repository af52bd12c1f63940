//! What visitors send: the contact form, the newsletter's, and the links in
//! the newsletter's mails. Both forms go through the frame of `intake`.

mod contact;
pub mod contact_form;
pub mod form_body;
pub mod intake;
pub mod links;
pub mod newsletter;
mod not_taken;
mod posted;
mod words;

pub use words::template_words;
