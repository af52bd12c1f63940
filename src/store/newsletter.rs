//! The newsletter's part of the store's face.

use jiff::Timestamp;

use super::{
    Audience, ConsentRecord, EarlierIssue, Forgotten, IssueCounts, IssueRecord, LinkPurpose,
    LinkState, Recipient, Result, SendState, Store, Subscribed, Subscriber, SubscriberFilter,
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

    /// Confirmed subscribers who are to get this issue, by id.
    pub async fn recipients(
        &self,
        issue: &str,
        audience: Audience,
        after_id: &str,
        limit: usize,
    ) -> Result<Vec<Recipient>> {
        let (issue, after_id) = (issue.to_owned(), after_id.to_owned());
        let recipients = self.sqlite.recipients(issue, audience, after_id, limit);
        recipients.await
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

    /// Notes that a mail was not taken before it was offered. What another run
    /// has noted meanwhile counts more.
    pub async fn note_not_taken(
        &self,
        issue: &str,
        recipient: &Recipient,
        state: SendState,
        code: &str,
        now: Timestamp,
    ) -> Result<()> {
        let (issue, id, code) = (issue.to_owned(), recipient.id.clone(), code.to_owned());
        let noting = self.sqlite.note_not_taken(issue, id, state, code, now);
        noting.await
    }

    /// Notes that an offered mail was not taken: the mail server said so.
    pub async fn take_back(
        &self,
        issue: &str,
        recipient: &Recipient,
        state: SendState,
        code: &str,
    ) -> Result<()> {
        let (issue, id, code) = (issue.to_owned(), recipient.id.clone(), code.to_owned());
        self.sqlite.take_back(issue, id, state, code).await
    }

    /// Forgets that a mail was offered: it was not handed over after all.
    pub async fn withdraw_offer(&self, issue: &str, recipient: &Recipient) -> Result<()> {
        let (issue, id) = (issue.to_owned(), recipient.id.clone());
        self.sqlite.withdraw_offer(issue, id).await
    }

    /// How many subscribers [`Store::withdraw`] would offer an issue again.
    pub async fn noted_until(
        &self,
        issue: &str,
        state: SendState,
        until: Timestamp,
    ) -> Result<u64> {
        let issue = issue.to_owned();
        self.sqlite.noted_until(issue, state, until).await
    }

    /// Forgets the mails of an issue that were noted in one state until then,
    /// so that they are offered again.
    pub async fn withdraw(&self, issue: &str, state: SendState, until: Timestamp) -> Result<()> {
        self.sqlite.withdraw(issue.to_owned(), state, until).await
    }

    /// Notes that an issue is going out.
    pub async fn begin_issue(&self, issue: IssueRecord, now: Timestamp) -> Result<()> {
        self.sqlite.begin_issue(issue, now).await
    }

    /// Notes that nobody is left to get an issue.
    pub async fn finish_issue(&self, issue: &str, now: Timestamp) -> Result<()> {
        self.sqlite.finish_issue(issue.to_owned(), now).await
    }

    /// An issue was begun and not everybody got it.
    pub async fn is_unfinished(&self, issue: &str) -> Result<bool> {
        self.sqlite.is_unfinished(issue.to_owned()).await
    }

    /// Other issues with the same subject or from a file of the same name
    /// that some of those who are to get this one got, the latest first.
    pub async fn earlier_issues(&self, issue: IssueRecord) -> Result<Vec<EarlierIssue>> {
        self.sqlite.earlier_issues(issue).await
    }

    pub async fn issue_counts(&self, issue: &str) -> Result<IssueCounts> {
        self.sqlite.issue_counts(issue.to_owned()).await
    }
}
