//! Letters about nobody in particular, which say how things are when they go
//! out: the day's digest, and what became of the webhook.

use jiff::{SignedDuration, Timestamp};

use crate::content::SITE;
use crate::mail::letters::{Letter, digest, fault};
use crate::store::{Channel, DeliveryKind, Result, Store};
use crate::upkeep::Backups;

pub struct Report {
    pub store: Store,
    pub promise: SignedDuration,
    pub backups: Option<Backups>,
}

impl Report {
    /// `None` when there is nothing to say any more.
    pub async fn letter(&self, kind: DeliveryKind, now: Timestamp) -> Result<Option<Letter>> {
        match kind {
            DeliveryKind::FaultMail => self.fault(now).await,
            _ => self.digest(now).await,
        }
    }

    async fn digest(&self, now: Timestamp) -> Result<Option<Letter>> {
        let mut found = self.store.digest(self.promise, now).await?;
        if let Some(backups) = &self.backups {
            backups.tell(&mut found);
        }
        let letter = || digest::letter(&SITE, &found, self.promise, now);
        Ok(found.has_something_to_say().then(letter))
    }

    async fn fault(&self, now: Timestamp) -> Result<Option<Letter>> {
        let channels = self.store.channels().await?;
        let webhook = channels
            .into_iter()
            .find(|each| each.channel == Channel::Webhook);
        let failing = self
            .store
            .digest(self.promise, now)
            .await?
            .failing
            .into_iter();
        let failing: Vec<_> = failing
            .filter(|each| each.kind.channel() == Channel::Webhook)
            .collect();
        Ok(webhook
            .filter(|_| !failing.is_empty())
            .map(|webhook| fault::letter(&SITE, &webhook, &failing)))
    }
}
