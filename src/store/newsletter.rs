//! The newsletter's part of the store's face.

use jiff::Timestamp;

use super::{
    ConsentRecord, Forgotten, IssueCounts, LinkPurpose, LinkState, Recipient, Result, Store,
    Subscribed, Subscriber, SubscriberFilter,
};
use crate::domain::{LinkToken, Subscription};

impl Store {
    /// Stores a request for the newsletter and, with `by_mail`, calls for a
    /// confirmation mail, unless one was called for a short time ago.
    pub async fn subscribe(
        &self,
        new: Subscription,
        by_mail: bool,
        now: Timestamp,
    ) -> Result<Subscribed> {
        self.sqlite.subscribe(new, by_mail, now).await
    }

    /// By the address in any spelling.
    pub async fn subscriber(&self, email: &str) -> Result<Option<Subscriber>> {
        self.sqlite.subscriber(email.to_owned()).await
    }

    /// Newest first.
    pub async fn subscribers(&self, filter: SubscriberFilter) -> Result<Vec<Subscriber>> {
        self.sqlite.subscribers(filter).await
    }

    /// Consents that a subscriber withdrew before giving the present one, the
    /// oldest first.
    pub async fn past_consents(&self, subscriber_id: &str) -> Result<Vec<ConsentRecord>> {
        self.sqlite.past_consents(subscriber_id.to_owned()).await
    }

    /// Removes a subscriber with all proof, and overwrites it in the files.
    pub async fn remove_subscriber(&self, email: &str) -> Result<Forgotten> {
        self.sqlite.remove_subscriber(email.to_owned()).await
    }

    /// What following a link would do; changes nothing.
    pub async fn look_at_link(
        &self,
        token: &LinkToken,
        purpose: LinkPurpose,
        now: Timestamp,
    ) -> Result<LinkState> {
        self.sqlite.look_at_link(token.hash(), purpose, now).await
    }

    /// Does what a link is for. Returns what it found: [`LinkState::Open`]
    /// means that it is done now.
    pub async fn follow_link(
        &self,
        token: &LinkToken,
        purpose: LinkPurpose,
        now: Timestamp,
    ) -> Result<LinkState> {
        self.sqlite.follow_link(token.hash(), purpose, now).await
    }

    /// Confirmed subscribers who were not offered this issue, by id.
    pub async fn recipients(
        &self,
        issue: &str,
        after_id: &str,
        limit: usize,
    ) -> Result<Vec<Recipient>> {
        let (issue, after_id) = (issue.to_owned(), after_id.to_owned());
        self.sqlite.recipients(issue, after_id, limit).await
    }

    /// Notes, just before a mail is handed over, that it will be, together
    /// with the hash of its link. False when it must not be: somebody else has
    /// offered it, or the subscriber has left in the meantime.
    pub async fn offer(
        &self,
        issue: &str,
        recipient: &Recipient,
        unsubscribe: &LinkToken,
        now: Timestamp,
    ) -> Result<bool> {
        let (issue, id) = (issue.to_owned(), recipient.id.clone());
        self.sqlite.offer(issue, id, unsubscribe.hash(), now).await
    }

    /// Notes that the mail server has taken an offered mail.
    pub async fn mark_sent(&self, issue: &str, recipient: &Recipient) -> Result<()> {
        let (issue, id) = (issue.to_owned(), recipient.id.clone());
        self.sqlite.mark_sent(issue, id).await
    }

    /// Forgets that a mail was offered, so that it is offered again: the mail
    /// server said that it has not taken it.
    pub async fn withdraw_offer(&self, issue: &str, recipient: &Recipient) -> Result<()> {
        let (issue, id) = (issue.to_owned(), recipient.id.clone());
        self.sqlite.withdraw_offer(issue, id).await
    }

    /// The same for all that were cut off; returns how many.
    pub async fn withdraw_unsure(&self, issue: &str) -> Result<u64> {
        self.sqlite.withdraw_unsure(issue.to_owned()).await
    }

    pub async fn issue_counts(&self, issue: &str) -> Result<IssueCounts> {
        self.sqlite.issue_counts(issue.to_owned()).await
    }
}
