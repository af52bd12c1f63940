//! What visitors send: the contact form, the newsletter's, and the links in
//! the newsletter's mails.

pub mod contact;
mod contact_answer;
mod contact_form;
pub mod form_body;
mod intake;
pub mod links;
pub mod newsletter;
pub mod rate_limit;
