//! A lead that waits for its commit, and whom to tell of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use tokio::sync::oneshot;

use crate::domain::fold_address;
use crate::store::{AddedLead, NewLead, Result};

pub struct Job {
    pub lead: NewLead,
    pub email_key: String,
    /// The same words within a minute are one lead.
    pub once: bool,
    /// Empty: by the server's clock.
    pub now: Option<Timestamp>,
    pub reply: oneshot::Sender<Result<AddedLead>>,
    /// Its caller was told that it failed. A caller that merely went away was
    /// told nothing: a visitor who closes the page has still sent a message.
    pub refused: Arc<AtomicBool>,
}

impl Job {
    pub fn new(
        lead: NewLead,
        once: bool,
        now: Option<Timestamp>,
        reply: oneshot::Sender<Result<AddedLead>>,
    ) -> Self {
        Self {
            email_key: fold_address(lead.contact.email.as_str()),
            once: once && lead.idempotency_key.is_none(),
            lead,
            now,
            reply,
            refused: Arc::default(),
        }
    }

    pub fn key(&self) -> Option<&str> {
        self.lead.idempotency_key.as_ref().map(|key| key.as_str())
    }

    pub fn is_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    pub fn answer(self, answer: Result<AddedLead>) {
        // Who went away, or ran out of patience while this was being written,
        // does not hear it; a retry finds the lead by its idempotency key.
        let _ = self.reply.send(answer);
    }
}
