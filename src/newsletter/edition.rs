//! What the mails of one run have in common: the issue, who sends it, where it
//! goes, and where it is noted who got it.

use std::time::Duration;

use super::issue::Issue;
use super::publisher::Publisher;
use super::report::Refused;
use crate::mail::MailServer;
use crate::store::{Result, Store, StoreError};

/// A store that is busy for a moment is asked again: what was taken and is
/// not noted is in doubt.
const STORE_TRIES: u32 = 20;
const STORE_PAUSE: Duration = Duration::from_millis(250);

pub struct Edition {
    pub store: Store,
    pub server: MailServer,
    pub publisher: Publisher,
    pub issue: Issue,
}

impl Edition {
    pub async fn note_refusal(&self, refused: &Refused) -> Result<()> {
        let (store, issue, now) = (&self.store, &self.issue.id, self.store.now());
        let Refused {
            recipient, refusal, ..
        } = refused;
        persist(|| store.note_refusal(issue, recipient, refusal, now)).await
    }
}

/// Asks the store until it answers, for a few seconds.
pub async fn persist<F: Future<Output = Result<()>>>(work: impl Fn() -> F) -> Result<()> {
    let mut tries = 1;
    loop {
        match work().await {
            Err(StoreError::NoteGone) => return Err(StoreError::NoteGone),
            Err(_) if tries < STORE_TRIES => tries += 1,
            done => return done,
        }
        tokio::time::sleep(STORE_PAUSE).await;
    }
}
