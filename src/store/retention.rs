//! What is removed once it is old enough, by the kind of record: found without
//! holding up whoever writes, then removed a little at a time.

use jiff::{SignedDuration, Timestamp};

use super::tx::{args, list};
use super::{Result, Store};

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

/// A row that was found to be old, by its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldRow(String);

/// One for each kind.
struct Rule {
    table: &'static str,
    /// The column by which its rows are found again.
    key: &'static str,
    /// `$1`: what is not later is old.
    old: &'static str,
    /// Empty: the row is removed; otherwise this is set.
    set: &'static str,
}

/// Of a lead. Somebody who wrote again is still in contact.
const NO_CONTACT_SINCE: &str = "contacts.state <> 'new' AND contacts.state <> 'spam'
    AND contacts.created_at <= $1
    AND NOT EXISTS (SELECT 1 FROM contact_changes AS change
        WHERE change.contact_id = contacts.id AND change.changed_at > $1)
    AND NOT EXISTS (SELECT 1 FROM contacts AS later
        WHERE later.email_key = contacts.email_key AND later.created_at > $1
            AND later.state <> 'spam')";

/// What it is not lets the index of states be used.
const SPAM_SINCE: &str = "contacts.state = 'spam' AND contacts.state <> 'new'
    AND contacts.created_at <= $1
    AND NOT EXISTS (SELECT 1 FROM contact_changes AS change
        WHERE change.contact_id = contacts.id AND change.changed_at > $1)";

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
        WHERE contacts.id = deliveries.contact_id AND contacts.state = 'new')";

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

    fn rule(self) -> Rule {
        let removed = |table, key, old| Rule {
            table,
            key,
            old,
            set: "",
        };
        match self {
            Self::Leads => removed("contacts", "id", NO_CONTACT_SINCE),
            Self::Spam => removed("contacts", "id", SPAM_SINCE),
            Self::Unconfirmed => removed("subscribers", "id", NEVER_CONFIRMED),
            Self::Unsubscribed => removed("subscribers", "id", UNSUBSCRIBED_SINCE),
            Self::PastConsents => {
                let old = "coalesce(unsubscribed_at, created_at) <= $1";
                removed("past_consents", "subscriber_id", old)
            }
            Self::Deliveries => removed("deliveries", "id", DONE_SINCE),
            // One to unsubscribe works as long as the subscription is there.
            Self::Links => {
                let old = "purpose = 'confirm' AND expires_at <= $1";
                removed("mail_links", "hash", old)
            }
            // While somebody is suspended it says why.
            Self::Refusals => Rule {
                table: "subscribers",
                key: "id",
                old: "refused_at <= $1 AND suspended_at IS NULL",
                set: "refused_code = NULL, refused_at = NULL, refused_issue = NULL, refusals = 0",
            },
            Self::RefusedIssues => Rule {
                table: "newsletter_sends",
                key: "subscriber_id",
                old: "state = 'refused' AND code IS NOT NULL AND offered_at <= $1",
                set: "code = NULL",
            },
            Self::Schedules => {
                let old = "state <> 'scheduled' AND finished_at <= $1";
                removed("newsletter_schedules", "issue", old)
            }
        }
    }
}

/// When old records were last removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastPruning {
    pub at: Option<Timestamp>,
    pub now: Timestamp,
}

impl Store {
    pub async fn last_pruning(&self, now: Timestamp) -> Result<LastPruning> {
        let at = self.value("SELECT pruned_at FROM store_state", &[]);
        Ok(LastPruning { at: at.await?, now })
    }

    /// Takes it on, for `lease`, unless somebody else has, or has done it since.
    pub async fn claim_pruning(
        &self,
        last: LastPruning,
        lease: SignedDuration,
        now: Timestamp,
    ) -> Result<bool> {
        let until = now.saturating_add(lease).unwrap_or(Timestamp::MAX);
        // Later than a lease could end: the clock was set back.
        let sql = "UPDATE store_state SET pruning_ends_at = $3
            WHERE pruned_at IS NOT DISTINCT FROM $1 AND (pruning_ends_at IS NULL
                OR pruning_ends_at <= $2 OR pruning_ends_at > $3)";
        Ok(self.execute(sql, args![last.at, now, until]).await? > 0)
    }

    /// It is done.
    pub async fn finish_pruning(&self, now: Timestamp) -> Result<()> {
        let sql = "UPDATE store_state SET pruned_at = $1, pruning_ends_at = NULL";
        self.execute(sql, args![now]).await?;
        Ok(())
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
        let (rule, before) = (of.rule(), before(age, now));
        let Rule {
            table, key, old, ..
        } = rule;
        let sql = format!("SELECT {key} FROM {table} WHERE {old} LIMIT $2");
        let found = self.read_long(move |tx| tx.column(&sql, args![before, most]));
        Ok(found.await?.into_iter().map(OldRow).collect())
    }

    /// Removes those of them that still are; returns how many.
    pub async fn prune(
        &self,
        of: OldRecords,
        rows: &[OldRow],
        age: SignedDuration,
        now: Timestamp,
    ) -> Result<u64> {
        let (rule, before) = (of.rule(), before(age, now));
        let keys: Vec<String> = rows.iter().map(|OldRow(key)| key.clone()).collect();
        let Rule {
            table, key, old, ..
        } = rule;
        let change = match rule.set {
            "" => format!("DELETE FROM {table}"),
            set => format!("UPDATE {table} SET {set}"),
        };
        let sql = format!("{change} WHERE {table}.{key} IN {{list $2}} AND {old}");
        self.execute(&sql, &[before.into(), list(&keys)]).await
    }

    /// How many there are.
    pub async fn count_old(
        &self,
        of: OldRecords,
        age: SignedDuration,
        now: Timestamp,
    ) -> Result<u64> {
        let (Rule { table, old, .. }, before) = (of.rule(), before(age, now));
        let sql = format!("SELECT count(*) FROM {table} WHERE {old}");
        self.read_long(move |tx| tx.value(&sql, args![before]))
            .await
    }
}

fn before(age: SignedDuration, now: Timestamp) -> Timestamp {
    now.saturating_sub(age).unwrap_or(Timestamp::MIN)
}
