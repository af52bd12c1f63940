//! Notices to the owner: leads that are due, the daily digest, and a failing channel.

use jiff::{SignedDuration, Timestamp};

use super::deliveries;
use super::leads::{IS_HELD, IS_WAITING, WAITING_SINCE};
use super::tx::{Row, Tx, args, record};
use super::{BookedCall, Channel, DeliveryKind, DeliveryState, Lead, Result, Store};
use crate::content::site;

/// The time after which a lead is due and a reminder is sent: a fraction of the promised time.
pub fn remind_after(promise: SignedDuration) -> SignedDuration {
    promise * 5 / 6
}

/// Reminders per transaction: few, because other writers wait for it.
const MAX_REMINDED: u32 = 50;

/// The number of leads and of reasons in a digest.
const MAX_LISTED: usize = 10;
/// How far back the first digest goes.
const FIRST_LOOK_BACK: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A receiver is reported after failing this long: it may just be restarting.
const FAULT_AFTER: SignedDuration = SignedDuration::from_hours(1);
/// At most one report an hour for each channel.
const FAULT_PAUSE: SignedDuration = SignedDuration::from_hours(1);
/// The same fault is reported again after a day.
const SAME_FAULT: SignedDuration = SignedDuration::from_hours(24);
/// How long after its mail was given up a lead is still reported to the webhook.
const REPORT_WITHIN: SignedDuration = SignedDuration::from_hours(7 * 24);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelHealth {
    pub channel: Channel,
    /// When it started to accept nothing.
    pub failed_at: Option<Timestamp>,
    /// Contains no personal data.
    pub last_error: Option<String>,
    /// When a delivery was given up, until the owner is notified of it.
    pub given_up_at: Option<Timestamp>,
    /// When the owner was last notified.
    pub told_at: Option<Timestamp>,
}

impl ChannelHealth {
    /// True if a delivery was given up or nothing was accepted for an hour. A time in the future is
    /// from before the clock was set back and is ignored.
    pub fn should_notify(&self, now: Timestamp) -> bool {
        let ago = |time: Timestamp| now.duration_since(time);
        let since_report = self.told_at.map(ago).filter(|ago| !ago.is_negative());
        let is_fault = self.failed_at.is_some_and(|failed| {
            let is_unreported = since_report.is_none_or(|since_report| {
                since_report > ago(failed) || since_report >= SAME_FAULT
            });
            ago(failed) >= FAULT_AFTER && is_unreported
        });
        let may_report = since_report.is_none_or(|since_report| since_report >= FAULT_PAUSE);
        may_report && (is_fault || self.given_up_at.is_some())
    }
}

/// The number of leads that need the owner's attention.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attention {
    /// They wait for an answer and aren't due yet.
    pub fresh: u64,
    /// Their promised time is nearly over.
    pub due: u64,
    pub overdue: u64,
    /// They are held until the owner decides.
    pub held: u64,
}

impl Attention {
    /// Leads that wait for an answer.
    pub fn waiting(&self) -> u64 {
        self.fresh + self.due + self.overdue
    }
}

/// Deliveries of one kind that fail for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failing {
    pub kind: DeliveryKind,
    /// Waiting for a retry, or given up since the last digest.
    pub state: DeliveryState,
    /// Contains no personal data.
    pub reason: Option<String>,
    pub number: u64,
}

/// An issue of the newsletter that not everybody got, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenUpIssue {
    pub subject: String,
    pub reason: String,
}

/// The content of the daily digest.
#[derive(Debug, Clone, Default)]
pub struct Digest {
    pub attention: Attention,
    /// The leads that have waited longest.
    pub waiting: Vec<Lead>,
    pub failing: Vec<Failing>,
    /// Subscribers' addresses refused since the last digest.
    pub refused: u64,
    /// How many of them are suspended.
    pub suspended: u64,
    /// Given up since the last digest.
    pub issues: Vec<GivenUpIssue>,
    /// Booked for today.
    pub calls: Vec<BookedCall>,
    /// Set by the caller; the digest leaves out what is unknown.
    pub last_backup: Option<Timestamp>,
    /// Why there is no newer one.
    pub backup_failure: Option<String>,
}

impl Digest {
    /// Given-up and refused items count if they are new since the last digest, waiting ones until
    /// they are dealt with.
    pub fn has_something_to_say(&self) -> bool {
        let attention = self.attention;
        let waits = attention.waiting() + attention.held > 0;
        let fails =
            !self.failing.is_empty() || !self.issues.is_empty() || self.backup_failure.is_some();
        waits || fails || self.refused > 0 || !self.calls.is_empty()
    }
}

impl Store {
    /// Stores a reminder of each kind for every lead that has waited this long. A lead is marked in
    /// the same transaction, with or without a reminder, and not selected again. Returns the number
    /// of marked leads.
    pub async fn remind(
        &self,
        kinds: &'static [DeliveryKind],
        waited: SignedDuration,
        now: Timestamp,
    ) -> Result<u64> {
        let since = now - waited;
        let due = format!(
            "SELECT id FROM contacts WHERE {IS_WAITING} AND contacts.reminded_at IS NULL
                AND {WAITING_SINCE} <= $1
            ORDER BY {WAITING_SINCE} LIMIT {MAX_REMINDED}"
        );
        let mark = format!(
            "UPDATE contacts SET reminded_at = $2
            WHERE reminded_at IS NULL AND id IN ({due} {{skip_locked}}) RETURNING id"
        );
        let mut total = 0;
        loop {
            let (due, mark) = (due.clone(), mark.clone());
            let some_are_due = move |tx: &mut Tx<'_>| tx.exists(&due, args![since]);
            let remind = move |tx: &mut Tx<'_>| {
                tx.now = now;
                let marked: Vec<String> = tx.column(&mark, args![since, now])?;
                for id in &marked {
                    for kind in kinds {
                        deliveries::add(tx, *kind, Some(id), Some(now))?;
                    }
                }
                Ok(marked.len() as u64)
            };
            let marked = self.write_if(some_are_due, remind).await?;
            total += marked;
            if marked < u64::from(MAX_REMINDED) {
                return Ok(total);
            }
        }
    }

    pub async fn attention(&self, promise: SignedDuration, now: Timestamp) -> Result<Attention> {
        self.read(move |tx| attention(tx, promise, now)).await
    }

    pub async fn digest(&self, promise: SignedDuration, now: Timestamp) -> Result<Digest> {
        let waiting = self.waiting_leads(None, MAX_LISTED).await?;
        let (start, end) = site().day_around(now);
        let calls = self.calls(start, end).await?;
        self.read(move |tx| {
            let sql = "SELECT max(finished_at) FROM deliveries
                WHERE kind = 'digest' AND state = 'delivered'";
            let last: Option<Timestamp> = tx.value(sql, &[])?;
            let since = last.unwrap_or(now - FIRST_LOOK_BACK);
            let sql = "SELECT count(*) AS refused, count(suspended_at) AS suspended
                FROM subscribers WHERE refused_at IS NOT NULL AND refused_at > $1";
            let row = tx.query(sql, args![since])?.remove(0);
            record!(row => Digest: refused, suspended; waiting: waiting.clone(), calls: calls.clone(),
                attention: attention(tx, promise, now)?, failing: failing(tx, since)?,
                issues: given_up_issues(tx, since)?, last_backup: None, backup_failure: None)
        })
        .await
    }

    /// Whether a replica has settled this day's digest.
    pub async fn digest_is_settled(&self, day: &str) -> Result<bool> {
        self.value("SELECT count(*) FROM digests WHERE day = $1", args![day])
            .await
    }

    /// Settles a day, unless another replica has settled it, and, if `send` is set, stores its
    /// digest, replacing an unsent one.
    pub async fn settle_digest(&self, day: &str, send: bool, now: Timestamp) -> Result<()> {
        let day = day.to_owned();
        self.write_at(now, move |tx| {
            let sql =
                "INSERT INTO digests (day, decided_at) VALUES ($1, $2) ON CONFLICT DO NOTHING";
            let settled = tx.execute(sql, args![&day, now])? > 0;
            if settled && send {
                deliveries::replace(tx, DeliveryKind::Digest, None)?;
            }
            Ok(())
        })
        .await
    }

    pub async fn channels(&self) -> Result<Vec<ChannelHealth>> {
        let sql = "SELECT channel AS id, channels.* FROM channels";
        let read = |row: &Row| record!(row => ChannelHealth: channel, failed_at, last_error, given_up_at, told_at);
        self.query_readable("channels", sql, &[], read).await
    }

    /// Records that a channel didn't accept a delivery. The next accepted one ends the failure
    /// ([`Store::record_delivery`]).
    pub async fn record_failing(
        &self,
        channel: Channel,
        reason: &str,
        now: Timestamp,
    ) -> Result<()> {
        // A time in the future is from before the clock was set back.
        let sql = "UPDATE channels SET last_error = $2,
                failed_at = CASE WHEN failed_at <= $3 THEN failed_at ELSE $3 END
            WHERE channel = $1";
        self.execute(sql, args![channel, reason, now])
            .await
            .map(drop)
    }

    pub async fn record_given_up(&self, channel: Channel, now: Timestamp) -> Result<()> {
        let sql = "UPDATE channels SET given_up_at = $2 WHERE channel = $1";
        self.execute(sql, args![channel, now]).await.map(drop)
    }

    /// Stores a report about a channel, to be sent over the other one, unless another replica has
    /// done so. If there is no lead to report it with, it is reported as soon as there is one.
    pub async fn report_fault(&self, seen: &ChannelHealth, now: Timestamp) -> Result<()> {
        let seen = seen.clone();
        self.write_at(now, move |tx| {
            let (kind, lead) = match seen.channel {
                Channel::Webhook => (DeliveryKind::FaultMail, None),
                Channel::Mail => match unmailed_lead(tx)? {
                    None => return Ok(()),
                    lead => (DeliveryKind::FaultWebhook, lead),
                },
            };
            let sql = "UPDATE channels SET told_at = $2, given_up_at = NULL
                WHERE channel = $1 AND told_at IS NOT DISTINCT FROM $3";
            let is_first = tx.execute(sql, args![seen.channel, now, seen.told_at])? > 0;
            if is_first {
                deliveries::replace(tx, kind, lead.as_deref())?;
            }
            Ok(())
        })
        .await
    }
}

fn attention(tx: &mut Tx<'_>, promise: SignedDuration, now: Timestamp) -> Result<Attention> {
    let number = |which: &str| format!("count(CASE WHEN {which} THEN 1 END)");
    let waiting = |until| number(&format!("{IS_WAITING} AND {WAITING_SINCE} <= {until}"));
    let sql = format!(
        "SELECT {} AS overdue, {} AS due, {} AS waiting, {} AS held
        FROM contacts WHERE contacts.state = 'new'",
        waiting("$1"),
        waiting("$2"),
        number(IS_WAITING),
        number(IS_HELD)
    );
    let values = args![now - promise, now - remind_after(promise)];
    let row = tx.query(&sql, values)?.remove(0);
    let (overdue, due, waiting): (u64, u64, u64) =
        (row.get("overdue")?, row.get("due")?, row.get("waiting")?);
    record!(row => Attention: held; overdue: overdue, due: due.saturating_sub(overdue),
        fresh: waiting.saturating_sub(due))
}

/// The deliveries that fail, except the digest itself.
fn failing(tx: &mut Tx<'_>, since: Timestamp) -> Result<Vec<Failing>> {
    let sql = format!(
        "SELECT kind AS id, kind, state, last_error, count(*) AS number FROM deliveries
        WHERE kind <> 'digest' AND (state = 'pending' AND attempts > 0
            OR state = 'given_up' AND finished_at > $1)
        GROUP BY kind, state, last_error ORDER BY number DESC LIMIT {MAX_LISTED}"
    );
    let rows = tx.query(&sql, args![since])?;
    let read =
        |row: &Row| record!(row => Failing: kind, state, number; reason: row.get("last_error")?);
    Ok(tx.readable(&rows, "deliveries", read))
}

fn given_up_issues(tx: &mut Tx<'_>, since: Timestamp) -> Result<Vec<GivenUpIssue>> {
    let sql = "SELECT issue AS id, subject, coalesce(last_error, '') AS reason
        FROM newsletter_schedules WHERE state = 'given_up' AND finished_at > $1
        ORDER BY finished_at";
    let rows = tx.query(sql, args![since])?;
    let read = |row: &Row| record!(row => GivenUpIssue: subject, reason);
    Ok(tx.readable(&rows, "newsletter_schedules", read))
}

/// Records that the channel accepted a delivery.
pub(super) fn channel_works(tx: &mut Tx<'_>, channel: Channel) -> Result<()> {
    let sql = "UPDATE channels SET failed_at = NULL, last_error = NULL
        WHERE channel = $1 AND failed_at IS NOT NULL";
    tx.execute(sql, args![channel]).map(drop)
}

/// The latest lead that couldn't be mailed to the owner. Each half of the query uses its own index.
fn unmailed_lead(tx: &mut Tx<'_>) -> Result<Option<String>> {
    let sql = "SELECT contact_id FROM (
            SELECT contact_id, created_at, id FROM deliveries
            WHERE state = 'pending' AND attempts > 0 AND kind IN ('notify', 'due_mail')
            UNION ALL
            SELECT contact_id, created_at, id FROM deliveries
            WHERE state = 'given_up' AND finished_at > $1 AND kind IN ('notify', 'due_mail')
        ) AS unmailed ORDER BY created_at DESC, id DESC LIMIT 1";
    Ok(tx.column(sql, args![tx.now - REPORT_WITHIN])?.pop())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_fault_is_told_after_an_older_report_or_one_of_a_clock_that_was_ahead() {
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        let ago = |minutes| Some(now - SignedDuration::from_mins(minutes));
        for (failed, told, expected) in [(90, 80, false), (60, 120, true), (60, -10, true)] {
            let health = ChannelHealth {
                channel: Channel::Mail,
                failed_at: ago(failed),
                last_error: None,
                given_up_at: None,
                told_at: ago(told),
            };
            assert_eq!(health.should_notify(now), expected, "{failed} {told}");
        }
    }
}
