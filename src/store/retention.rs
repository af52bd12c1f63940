//! Deletes old records by kind: they are found without blocking writers, then deleted in small
//! batches.

use jiff::{SignedDuration, Timestamp};

use super::tx::{args, text_list};
use super::{Result, Store};

/// The rule for one kind of record.
struct Rule {
    name: &'static str,
    key: &'static str,
    table: &'static str,
    /// The column that identifies its rows.
    column: &'static str,
    /// The condition for old rows, which are no later than `$1`.
    old: &'static str,
    /// If empty, the row is deleted; otherwise these columns are set.
    set: &'static str,
}

macro_rules! old_records {
    ($($(#[$doc:meta])* $kind:ident $name:literal $key:literal: $table:ident.$column:ident
        $(set $set:literal)? where $old:literal;)+) => {
        /// Kinds of records that expire; those whose deletion cascades to others come first.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum OldRecords {
            $($(#[$doc])* $kind,)+
        }

        impl OldRecords {
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$kind),+];

            fn rule(self) -> Rule {
                match self {
                    $(Self::$kind => Rule {
                        name: $name, key: $key, table: stringify!($table),
                        column: stringify!($column), old: $old, set: concat!($($set)?),
                    },)+
                }
            }
        }
    };
}

old_records! {
    /// Leads of a person who wrote again later are kept.
    Leads "leads" "leads": contacts.id where
        "contacts.state <> 'new' AND contacts.state <> 'spam' AND contacts.created_at <= $1
        AND NOT EXISTS (SELECT 1 FROM contact_changes AS change
            WHERE change.contact_id = contacts.id AND change.changed_at > $1)
        AND NOT EXISTS (SELECT 1 FROM contacts AS later
            WHERE later.email_key = contacts.email_key AND later.created_at > $1
                AND later.state <> 'spam')";
    // `<> 'new'` lets SQLite use the index on states.
    Spam "spam" "spam": contacts.id where
        "contacts.state = 'spam' AND contacts.state <> 'new' AND contacts.created_at <= $1
        AND NOT EXISTS (SELECT 1 FROM contact_changes AS change
            WHERE change.contact_id = contacts.id AND change.changed_at > $1)";
    /// Sign-ups with an earlier consent are kept longer, as proof.
    Unconfirmed "unconfirmed sign-ups" "unconfirmed": subscribers.id where
        "state = 'pending' AND created_at <= $1
        AND coalesce(last_asked_at, created_at) <= $1 AND coalesce(invited_at, created_at) <= $1
        AND NOT EXISTS (SELECT 1 FROM past_consents WHERE subscriber_id = subscribers.id)";
    /// Includes people who signed up again and never confirmed.
    Unsubscribed "unsubscribed" "unsubscribed": subscribers.id where
        "state IN ('unsubscribed', 'pending') AND created_at <= $1
        AND coalesce(unsubscribed_at, created_at) <= $1
        AND coalesce(last_asked_at, created_at) <= $1 AND coalesce(invited_at, created_at) <= $1
        AND (state = 'unsubscribed'
            OR EXISTS (SELECT 1 FROM past_consents WHERE subscriber_id = subscribers.id))
        AND NOT EXISTS (SELECT 1 FROM past_consents
            WHERE subscriber_id = subscribers.id AND coalesce(unsubscribed_at, created_at) > $1)";
    PastConsents "withdrawn consents" "past_consents": past_consents.subscriber_id where
        "coalesce(unsubscribed_at, created_at) <= $1";
    /// The deliveries of a waiting lead are kept as long as it waits.
    Deliveries "deliveries" "deliveries": deliveries.id where
        "deliveries.state IN ('delivered', 'given_up') AND deliveries.created_at <= $1
        AND coalesce(deliveries.finished_at, deliveries.created_at) <= $1
        AND NOT EXISTS (SELECT 1 FROM contacts
            WHERE contacts.id = deliveries.contact_id AND contacts.state = 'new')";
    /// Bookings without a lead; the others are deleted with their lead.
    Bookings "bookings without a lead" "bookings": bookings.id where
        "contact_id IS NULL AND created_at <= $1";
    /// An unsubscribe link works as long as the subscription exists.
    Links "links" "links": mail_links.hash where
        "purpose = 'confirm' AND expires_at <= $1";
    /// The refusal of a suspended address is kept: it is why the address is suspended.
    Refusals "refusals" "refusals": subscribers.id
        set "refused_code = NULL, refused_at = NULL, refused_issue = NULL, refusals = 0" where
        "refused_at <= $1 AND suspended_at IS NULL";
    RefusedIssues "refusals of issues" "refused_issues": newsletter_sends.subscriber_id
        set "code = NULL" where
        "state = 'refused' AND code IS NOT NULL AND offered_at <= $1";
    Schedules "issues sent at a set time" "schedules": newsletter_schedules.issue where
        "state <> 'scheduled' AND finished_at <= $1";
}

impl OldRecords {
    /// For people and the log.
    pub fn name(self) -> &'static str {
        self.rule().name
    }

    /// For programs.
    pub fn key(self) -> &'static str {
        self.rule().key
    }
}

impl Store {
    /// When old records were last deleted.
    pub async fn last_pruning(&self) -> Result<Option<Timestamp>> {
        self.value("SELECT pruned_at FROM store_state", &[]).await
    }

    /// Claims the pruning for `lease`, unless another replica has claimed or finished it meanwhile.
    pub async fn claim_pruning(
        &self,
        last: Option<Timestamp>,
        lease: SignedDuration,
        now: Timestamp,
    ) -> Result<bool> {
        let sql = "UPDATE store_state SET pruning_ends_at = $3
            WHERE pruned_at IS NOT DISTINCT FROM $1
                AND (pruning_ends_at IS NULL OR pruning_ends_at <= $2)";
        Ok(self.execute(sql, args![last, now, now + lease]).await? > 0)
    }

    pub async fn finish_pruning(&self, now: Timestamp) -> Result<()> {
        let sql = "UPDATE store_state SET pruned_at = $1, pruning_ends_at = NULL";
        self.execute(sql, args![now]).await.map(drop)
    }

    /// Keys of some rows that were old at that time. The search may take long but blocks no other
    /// work.
    pub async fn old_records(
        &self,
        kind: OldRecords,
        before: Timestamp,
        most: u32,
    ) -> Result<Vec<String>> {
        let Rule {
            column, table, old, ..
        } = kind.rule();
        let sql = format!("SELECT {column} FROM {table} WHERE {old} LIMIT $2");
        self.read_long(move |tx| tx.column(&sql, args![before, most]))
            .await
    }

    /// Deletes those rows that are still old and returns how many.
    pub async fn delete_records(
        &self,
        kind: OldRecords,
        keys: &[String],
        before: Timestamp,
    ) -> Result<u64> {
        let rule = kind.rule();
        let (column, table, old) = (rule.column, rule.table, rule.old);
        let change = match rule.set {
            "" => format!("DELETE FROM {table}"),
            set => format!("UPDATE {table} SET {set}"),
        };
        let sql = format!("{change} WHERE {table}.{column} IN {{list $2}} AND {old}");
        self.execute(&sql, args![before, text_list(keys)]).await
    }

    pub async fn count_old(&self, kind: OldRecords, before: Timestamp) -> Result<u64> {
        let Rule { table, old, .. } = kind.rule();
        let sql = format!("SELECT count(*) FROM {table} WHERE {old}");
        self.read_long(move |tx| tx.value(&sql, args![before]))
            .await
    }
}
