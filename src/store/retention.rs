//! What is removed once it is old enough, by the kind of record.
//!
//! One rule for each kind, in words that both databases understand: a table,
//! which of its rows are old by `$1`, and what becomes of them.

use jiff::{SignedDuration, Timestamp};

use super::{Remains, Result, Store, on_engine};

/// Kinds of records that grow old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldRecords {
    Leads,
    Spam,
    Unconfirmed,
    Unsubscribed,
    PastConsents,
    Deliveries,
    Links,
    Refusals,
    RefusedIssues,
    Schedules,
}

/// A row that was found to be old, by the database's own number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldRow(pub(super) String);

pub(super) struct Rule {
    pub table: &'static str,
    /// `$1`: what is not later is old. `{id}` makes the id of a lead from text.
    pub old: &'static str,
    /// Empty: the row is removed; otherwise this is set.
    pub set: &'static str,
}

/// Of a lead. Whoever wrote again is still in contact; a row without a key was
/// there before us, and is not ours to remove.
const NO_CONTACT_SINCE: &str = "contacts.state <> 'new' AND contacts.state <> 'spam'
    AND contacts.created_at <= $1 AND contacts.email_key <> ''
    AND NOT EXISTS (SELECT 1 FROM contact_changes AS change
        WHERE change.contact_id = CAST(contacts.id AS text) AND change.changed_at > $1)
    AND NOT EXISTS (SELECT 1 FROM contacts AS later
        WHERE later.email_key = contacts.email_key AND later.created_at > $1
            AND later.state <> 'spam')";

/// What it is not lets the index of states be used.
const SPAM_SINCE: &str = "contacts.state = 'spam' AND contacts.state <> 'new'
    AND contacts.created_at <= $1 AND contacts.email_key <> ''
    AND NOT EXISTS (SELECT 1 FROM contact_changes AS change
        WHERE change.contact_id = CAST(contacts.id AS text) AND change.changed_at > $1)";

/// An earlier consent of theirs is proof, which is kept longer.
const NEVER_CONFIRMED: &str = "state = 'pending' AND created_at <= $1
    AND coalesce(last_asked_at, created_at) <= $1 AND coalesce(invited_at, created_at) <= $1
    AND NOT EXISTS (SELECT 1 FROM past_consents WHERE subscriber_id = subscribers.id)";

/// Also who asked again and never confirmed it.
const UNSUBSCRIBED_SINCE: &str = "state IN ('unsubscribed', 'pending') AND created_at <= $1
    AND coalesce(unsubscribed_at, created_at) <= $1
    AND coalesce(last_asked_at, created_at) <= $1 AND coalesce(invited_at, created_at) <= $1
    AND (state = 'unsubscribed'
        OR EXISTS (SELECT 1 FROM past_consents WHERE subscriber_id = subscribers.id))
    AND NOT EXISTS (SELECT 1 FROM past_consents
        WHERE subscriber_id = subscribers.id AND coalesce(unsubscribed_at, created_at) > $1)";

/// What was done about a lead that waits can be looked up as long as it does.
const DONE_SINCE: &str = "deliveries.state IN ('delivered', 'given_up')
    AND deliveries.created_at <= $1
    AND coalesce(deliveries.finished_at, deliveries.created_at) <= $1
    AND NOT EXISTS (SELECT 1 FROM contacts
        WHERE contacts.id = deliveries.contact_id{id} AND contacts.state = 'new')";

impl OldRecords {
    /// Those that take others with them come first.
    pub const ALL: [Self; 10] = [
        Self::Leads,
        Self::Spam,
        Self::Unconfirmed,
        Self::Unsubscribed,
        Self::PastConsents,
        Self::Deliveries,
        Self::Links,
        Self::Refusals,
        Self::RefusedIssues,
        Self::Schedules,
    ];

    /// For people; also in the log.
    pub fn name(self) -> &'static str {
        match self {
            Self::Leads => "leads",
            Self::Spam => "spam",
            Self::Unconfirmed => "unconfirmed sign-ups",
            Self::Unsubscribed => "unsubscribed",
            Self::PastConsents => "withdrawn consents",
            Self::Deliveries => "deliveries",
            Self::Links => "links",
            Self::Refusals => "refusals",
            Self::RefusedIssues => "refusals of issues",
            Self::Schedules => "issues sent at a set time",
        }
    }

    /// For programs.
    pub fn key(self) -> &'static str {
        match self {
            Self::Leads => "leads",
            Self::Spam => "spam",
            Self::Unconfirmed => "unconfirmed",
            Self::Unsubscribed => "unsubscribed",
            Self::PastConsents => "past_consents",
            Self::Deliveries => "deliveries",
            Self::Links => "links",
            Self::Refusals => "refusals",
            Self::RefusedIssues => "refused_issues",
            Self::Schedules => "schedules",
        }
    }

    pub(super) fn rule(self) -> Rule {
        let removed = |table, old| Rule {
            table,
            old,
            set: "",
        };
        match self {
            Self::Leads => removed("contacts", NO_CONTACT_SINCE),
            Self::Spam => removed("contacts", SPAM_SINCE),
            Self::Unconfirmed => removed("subscribers", NEVER_CONFIRMED),
            Self::Unsubscribed => removed("subscribers", UNSUBSCRIBED_SINCE),
            Self::PastConsents => {
                let old = "coalesce(unsubscribed_at, created_at) <= $1";
                removed("past_consents", old)
            }
            Self::Deliveries => removed("deliveries", DONE_SINCE),
            // One to unsubscribe works as long as the subscription is there.
            Self::Links => removed("mail_links", "purpose = 'confirm' AND expires_at <= $1"),
            // While somebody is suspended it says why.
            Self::Refusals => Rule {
                table: "subscribers",
                old: "refused_at <= $1 AND suspended_at IS NULL",
                set: "refused_code = NULL, refused_at = NULL, refused_issue = NULL, refusals = 0",
            },
            Self::RefusedIssues => Rule {
                table: "newsletter_sends",
                old: "state = 'refused' AND code IS NOT NULL AND offered_at <= $1",
                set: "code = NULL",
            },
            Self::Schedules => removed(
                "newsletter_schedules",
                "state <> 'scheduled' AND finished_at <= $1",
            ),
        }
    }
}

/// When old records were last removed, by the clock that all share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastPruning {
    pub at: Option<Timestamp>,
    pub now: Timestamp,
}

impl Store {
    pub async fn last_pruning(&self, now: Timestamp) -> Result<LastPruning> {
        on_engine!(self, db => db.last_pruning(now).await)
    }

    /// Takes it on, for `lease`, unless somebody else has, or has done it since.
    pub async fn claim_pruning(
        &self,
        last: LastPruning,
        lease: SignedDuration,
        now: Timestamp,
    ) -> Result<bool> {
        on_engine!(self, db => db.claim_pruning(last.at, lease, now).await)
    }

    /// It is done.
    pub async fn finish_pruning(&self, now: Timestamp) -> Result<()> {
        on_engine!(self, db => db.finish_pruning(now).await)
    }

    /// Some of what is older than `age`. Looking for it may take long, and holds
    /// up nobody.
    pub async fn old(
        &self,
        of: OldRecords,
        age: SignedDuration,
        most: u32,
        now: Timestamp,
    ) -> Result<Vec<OldRow>> {
        on_engine!(self, db => db.old(of, age, most, now).await)
    }

    /// Removes those of them that still are; returns how many.
    pub async fn prune(
        &self,
        of: OldRecords,
        rows: &[OldRow],
        age: SignedDuration,
        now: Timestamp,
    ) -> Result<u64> {
        on_engine!(self, db => db.prune(of, rows, age, now).await)
    }

    /// How many there are.
    pub async fn count_old(
        &self,
        of: OldRecords,
        age: SignedDuration,
        now: Timestamp,
    ) -> Result<u64> {
        on_engine!(self, db => db.count_old(of, age, now).await)
    }

    /// Overwrites removed rows in the files that are ours. Thoroughly: a file
    /// with pages left over is written anew, for which others have to wait.
    pub async fn scrub(&self, thoroughly: bool) -> Remains {
        on_engine!(self, db => db.scrub(thoroughly).await)
    }
}
