//! What waits for the owner: numbers for whoever watches, and the day's digest.

use std::fmt::Display;

use jiff::{SignedDuration, Timestamp};

use super::{Channel, DeliveryKind, DeliveryState, Lead, Result, Store, on_engine};

/// A reminder goes out at this share of the promise; from then on a lead is due.
pub fn remind_after(promise: SignedDuration) -> SignedDuration {
    promise * 5 / 6
}

/// Nobody needs a larger number, and to count a million takes too long.
const MOST_COUNTED: u32 = 10_000;
/// Of leads and of reasons that are named one by one.
const MOST_LISTED: usize = 10;
/// So far back goes the first digest, or one after a long pause.
const FIRST_LOOK_BACK: SignedDuration = SignedDuration::from_hours(7 * 24);

/// What waits for the owner at this moment; no number is above 10,000.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attention {
    /// Leads that wait for an answer and are not due yet.
    pub fresh: u64,
    /// Little of the promise is left.
    pub due: u64,
    pub overdue: u64,
    /// Held back until the owner decides.
    pub held: u64,
    /// Deliveries that wait for another try, by the way they go.
    pub failing_mail: u64,
    pub failing_webhook: u64,
}

impl Attention {
    pub fn failing(&self, channel: Channel) -> u64 {
        match channel {
            Channel::Mail => self.failing_mail,
            Channel::Webhook => self.failing_webhook,
        }
    }
}

/// Deliveries of one kind that fail for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failing {
    pub kind: DeliveryKind,
    /// Waiting for another try, or given up since the last digest.
    pub state: DeliveryState,
    /// Free of personal data.
    pub reason: Option<String>,
    pub number: u64,
}

/// What the owner is told once a day.
#[derive(Debug, Clone, Default)]
pub struct Digest {
    pub attention: Attention,
    /// Who waits longest; not all of them.
    pub waiting: Vec<Lead>,
    pub failing: Vec<Failing>,
    /// Addresses of subscribers that were refused since the last digest.
    pub refused: u64,
    /// And were left out of further issues.
    pub suspended: u64,
    /// For whoever keeps backups to fill in; nothing is said of what is unknown.
    pub last_backup: Option<Timestamp>,
    /// Why there is no newer one.
    pub backup_failure: Option<String>,
}

impl Digest {
    /// What has been given up or refused counts while it is news; what waits
    /// counts until it is dealt with.
    pub fn has_something_to_say(&self) -> bool {
        let Attention {
            fresh,
            due,
            overdue,
            held,
            ..
        } = self.attention;
        let waits = fresh + due + overdue + held > 0;
        let fails = !self.failing.is_empty() || self.backup_failure.is_some();
        waits || fails || self.refused > 0
    }
}

impl Store {
    pub async fn attention(&self, promise: SignedDuration, now: Timestamp) -> Result<Attention> {
        on_engine!(self, db => db.attention(promise, now).await)
    }

    /// As things are now.
    pub async fn digest(&self, promise: SignedDuration, now: Timestamp) -> Result<Digest> {
        let last = on_engine!(self, db => db.last_digest().await)?;
        let since = last.unwrap_or_else(|| now.saturating_sub(FIRST_LOOK_BACK).unwrap_or(now));
        let (refused, suspended) = on_engine!(self, db => db.refused_since(since).await)?;
        Ok(Digest {
            attention: self.attention(promise, now).await?,
            waiting: self.waiting_leads(MOST_LISTED).await?,
            failing: on_engine!(self, db => db.failing_since(since).await)?,
            refused,
            suspended,
            ..Digest::default()
        })
    }

    /// Whether it is settled already what becomes of this day's digest.
    pub async fn digest_is_settled(&self, day: &str) -> Result<bool> {
        on_engine!(self, db => db.digest_is_settled(day.to_owned()).await)
    }

    /// Settles a day, and with something to `say` stores its digest, in place of
    /// one that could not be sent yet. False when another replica has settled it.
    pub async fn settle_digest(&self, day: &str, say: bool, now: Timestamp) -> Result<bool> {
        let day = day.to_owned();
        let settled = on_engine!(self, db => db.settle_digest(day, say, now).await)?;
        self.wakeups.wake();
        Ok(settled)
    }
}

/// All numbers in one row; the three places are times up to which somebody waits.
pub(super) fn attention_sql(overdue: &str, due: &str, now: &str) -> String {
    let (overdue, due, all) = (waiting_sql(overdue), waiting_sql(due), waiting_sql(now));
    let held =
        limited("contacts WHERE hold_reason IS NOT NULL AND released_at IS NULL AND state = 'new'");
    let failing = |channel: Channel| {
        let kinds = DeliveryKind::ALL.iter();
        let kinds = kinds.filter(|kind| kind.channel() == channel);
        let kinds: Vec<_> = kinds.map(|kind| format!("'{}'", kind.as_str())).collect();
        let kinds = kinds.join(", ");
        limited(&format!(
            "deliveries WHERE state = 'pending' AND attempts > 0 AND kind IN ({kinds})"
        ))
    };
    let (mail, webhook) = (failing(Channel::Mail), failing(Channel::Webhook));
    format!(
        "SELECT {overdue} AS overdue, {due} AS due, {all} AS waiting, {held} AS held,
            {mail} AS failing_mail, {webhook} AS failing_webhook"
    )
}

/// Those who were never held, and those who were released, each by an index.
fn waiting_sql(until: &str) -> String {
    let unheld = limited(&format!(
        "contacts WHERE state = 'new' AND hold_reason IS NULL AND created_at <= {until}"
    ));
    let released = limited(&format!(
        "contacts WHERE state = 'new' AND released_at IS NOT NULL AND hold_reason IS NOT NULL
            AND released_at <= {until}"
    ));
    format!("({unheld} + {released})")
}

fn limited(from: &str) -> String {
    limited_to(MOST_COUNTED, from)
}

pub(super) fn limited_to(most: impl Display, from: &str) -> String {
    format!("(SELECT count(*) FROM (SELECT 1 AS one FROM {from} LIMIT {most}) AS counted)")
}

/// From the counts up to each time to those between.
pub(super) fn attention(
    [overdue, due, waiting]: [u64; 3],
    [held, failing_mail, failing_webhook]: [u64; 3],
) -> Attention {
    Attention {
        fresh: waiting.saturating_sub(due),
        due: due.saturating_sub(overdue),
        overdue,
        held,
        failing_mail,
        failing_webhook,
    }
}

/// The digest itself is not among what it tells of.
pub(super) fn failing_sql(since: &str) -> String {
    let grouped = |which: &str| {
        format!(
            "SELECT kind, state, last_error, count(*) AS number FROM deliveries
            WHERE {which} AND kind <> 'digest' GROUP BY kind, state, last_error"
        )
    };
    format!(
        "{} UNION ALL {} ORDER BY number DESC LIMIT {MOST_LISTED}",
        grouped("state = 'pending' AND attempts > 0"),
        grouped(&format!("state = 'given_up' AND finished_at > {since}"))
    )
}

pub(super) fn refused_sql(since: &str) -> String {
    format!(
        "SELECT count(*) AS refused, count(suspended_at) AS suspended FROM subscribers
        WHERE refused_at IS NOT NULL AND refused_at > {since}"
    )
}

pub(super) const LAST_DIGEST: &str =
    "SELECT max(finished_at) AS last FROM deliveries WHERE kind = 'digest' AND state = 'delivered'";
