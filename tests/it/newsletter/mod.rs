//! `frontdoor newsletter send` and `frontdoor subscribers`, run as the owner
//! runs them: the real program, a real database, a real SMTP conversation.

mod import;
pub mod interruptions;
mod later;
mod preview;
mod question;
pub mod refused;
mod rich;
mod sender;
mod sending;
mod subscribers;
mod suspended;
