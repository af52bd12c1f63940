//! An issue that is to be sent, and what it takes.

use std::time::Duration;

use super::issue::Issue;
use super::letter::Sender;
use crate::outbox::mail::session::MailServer;
use crate::store::Store;

pub struct Dispatch {
    pub store: Store,
    pub server: MailServer,
    pub sender: Sender,
    pub issue: Issue,
    /// The time from one mail to the next.
    pub pause: Duration,
}
