//! Issues of the newsletter, and who was sent which.

use jiff::Timestamp;

use super::{Result, Store, StoreError, on_engine};
use crate::domain::{LinkToken, stored_enum};

stored_enum!(
    /// How far one mail of an issue is.
    SendState {
        /// Cut off in the moment of handing over: it may have arrived.
        Offered = "offered",
        /// Accepted by the mail server.
        Sent = "sent",
        /// The mail server will never take mail to this address.
        Refused = "refused",
        /// Not taken; comes again after everybody else.
        Deferred = "deferred",
    }
);

/// Which of those who are to get an issue.
#[derive(Debug, Clone, Copy)]
pub enum Audience {
    /// Nothing was tried yet.
    Untried,
    /// Not taken in a run before this time.
    DeferredBefore(Timestamp),
}

/// An issue of the newsletter that is about to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueRecord {
    /// The hash of its file.
    pub id: String,
    pub subject: String,
    pub file_name: String,
}

/// An earlier issue that looks like another version of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierIssue {
    pub subject: String,
    pub file_name: String,
    pub first_sent_at: Timestamp,
    /// How many of those who are to get the new one got this one.
    pub got: u64,
}

/// A confirmed subscriber, not suspended, who has not been offered an issue yet.
#[derive(Clone, PartialEq, Eq)]
pub struct Recipient {
    pub id: String,
    pub email: String,
}

/// How many mails of an issue are in each state, and how many are to come.
/// Who has unsubscribed counts only among those who got it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IssueCounts {
    pub waiting: u64,
    pub offered: u64,
    pub sent: u64,
    pub refused: u64,
}

impl Store {
    /// Confirmed subscribers who are to get this issue, by id.
    pub async fn recipients(
        &self,
        issue: &str,
        audience: Audience,
        after_id: &str,
        limit: usize,
    ) -> Result<Vec<Recipient>> {
        let (issue, after_id) = (issue.to_owned(), after_id.to_owned());
        on_engine!(self, db => db.recipients(issue, audience, after_id, limit).await)
    }

    /// A few of them, from anywhere in the list.
    pub async fn some_recipients(
        &self,
        issue: &str,
        audience: Audience,
        limit: usize,
    ) -> Result<Vec<Recipient>> {
        let issue = issue.to_owned();
        on_engine!(self, db => db.some_recipients(issue, audience, limit).await)
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
        on_engine!(self, db => db.offer(issue, id, unsubscribe.hash(), now).await)
    }

    /// Notes that the mail server has taken an offered mail.
    pub async fn mark_sent(&self, issue: &str, recipient: &Recipient) -> Result<()> {
        let (issue, id) = (issue.to_owned(), recipient.id.clone());
        match on_engine!(self, db => db.mark_sent(issue, id).await)? {
            true => Ok(()),
            false => Err(StoreError::NoteGone),
        }
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
        on_engine!(self, db => db.note_not_taken(issue, id, state, code, now).await)
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
        on_engine!(self, db => db.take_back(issue, id, state, code).await)
    }

    /// Forgets that a mail was offered: it was not handed over after all. Only the
    /// offer of the mail with this link, not that of another run.
    pub async fn withdraw_offer(
        &self,
        issue: &str,
        recipient: &Recipient,
        unsubscribe: &LinkToken,
    ) -> Result<()> {
        let (issue, id) = (issue.to_owned(), recipient.id.clone());
        on_engine!(self, db => db.withdraw_offer(issue, id, unsubscribe.hash()).await)
    }

    /// How many subscribers [`Store::withdraw`] would offer an issue again.
    pub async fn noted_until(
        &self,
        issue: &str,
        state: SendState,
        until: Timestamp,
    ) -> Result<u64> {
        let issue = issue.to_owned();
        on_engine!(self, db => db.noted_until(issue, state, until).await)
    }

    /// Forgets the mails of an issue that were noted in one state until then,
    /// so that they are offered again. Who was suspended because of it is not any
    /// more.
    pub async fn withdraw(&self, issue: &str, state: SendState, until: Timestamp) -> Result<()> {
        on_engine!(self, db => db.withdraw(issue.to_owned(), state, until).await)
    }

    /// Notes that an issue is going out.
    pub async fn begin_issue(&self, issue: IssueRecord, now: Timestamp) -> Result<()> {
        on_engine!(self, db => db.begin_issue(issue, now).await)
    }

    /// Notes that nobody is left to get an issue.
    pub async fn finish_issue(&self, issue: &str, now: Timestamp) -> Result<()> {
        on_engine!(self, db => db.finish_issue(issue.to_owned(), now).await)
    }

    /// An issue was begun and not everybody got it.
    pub async fn is_unfinished(&self, issue: &str) -> Result<bool> {
        on_engine!(self, db => db.is_unfinished(issue.to_owned()).await)
    }

    /// Other issues with the same subject or from a file of the same name
    /// that some of those who are to get this one got, the latest first.
    pub async fn earlier_issues(&self, issue: IssueRecord) -> Result<Vec<EarlierIssue>> {
        on_engine!(self, db => db.earlier_issues(issue).await)
    }

    pub async fn issue_counts(&self, issue: &str) -> Result<IssueCounts> {
        on_engine!(self, db => db.issue_counts(issue.to_owned()).await)
    }
}
