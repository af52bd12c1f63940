//! `frontdoor newsletter send` and `frontdoor subscribers`, run as the owner
//! runs them: the real program, a real database, a real SMTP conversation.

mod interruptions;
mod question;
pub mod refused;
mod sending;
mod subscribers;
mod suspended;
