//! `frontdoor newsletter send` and `frontdoor subscribers`, run as the owner
//! runs them: the real program, a real database, a real SMTP conversation.

#![allow(clippy::unwrap_used)] // A test that cannot go on should stop here.

mod interruptions;
#[allow(dead_code)] // Others wait for mails; here the program's end says it all.
#[path = "../outbox/mail_server.rs"]
mod mail_server;
mod office;
mod question;
mod refused;
#[allow(dead_code)] // TLS is asked for elsewhere.
#[path = "../outbox/scripted_smtp.rs"]
mod scripted_smtp;
mod sending;
mod subscribers;
