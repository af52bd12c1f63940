//! The two ways to the owner, and whether they work: when one fails, the other
//! tells of it.

use jiff::{SignedDuration, Timestamp};

use super::{Result, Store, on_engine};
use crate::domain::stored_enum;

stored_enum!(
    /// A way to the owner.
    Channel {
        Mail = "mail",
        Webhook = "webhook",
    }
);

/// A receiver that is restarted, or greets slowly for a while, is no fault.
const FAULT_AFTER: SignedDuration = SignedDuration::from_hours(1);
/// At most one message an hour for each channel, whatever happens.
const PAUSE: SignedDuration = SignedDuration::from_hours(1);
/// The same fault is told again after a day.
const SAME_FAULT: SignedDuration = SignedDuration::from_hours(24);

/// So long after it was given up a lead may still be told of over the other one.
pub(super) const STILL_NEWS: SignedDuration = SignedDuration::from_hours(7 * 24);

/// What is known of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelHealth {
    pub channel: Channel,
    /// Since then it has taken nothing.
    pub failed_at: Option<Timestamp>,
    /// Free of personal data.
    pub last_error: Option<String>,
    /// Something was given up of which the owner was not told.
    pub given_up_at: Option<Timestamp>,
    /// When the owner was last told.
    pub told_at: Option<Timestamp>,
}

impl ChannelHealth {
    /// Something was given up, or nothing was taken for an hour. What was told
    /// in the future was told before the clock was set back.
    pub fn is_to_be_told(&self, now: Timestamp) -> bool {
        let ago = |time: Timestamp| now.duration_since(time);
        let told = self.told_at.map(ago).filter(|ago| !ago.is_negative());
        let is_fault = self.failed_at.is_some_and(|failed| {
            let unheard = told.is_none_or(|told| told > ago(failed) || told >= SAME_FAULT);
            ago(failed) >= FAULT_AFTER && unheard
        });
        let may = told.is_none_or(|told| told >= PAUSE);
        may && (is_fault || self.given_up_at.is_some())
    }
}

impl Store {
    pub async fn channels(&self) -> Result<Vec<ChannelHealth>> {
        on_engine!(self, db => db.channels().await)
    }

    /// Writes down that a channel did not take something. What it takes ends
    /// the row of failures ([`Store::record`]).
    pub async fn note_failing(&self, channel: Channel, reason: &str, now: Timestamp) -> Result<()> {
        let reason = reason.to_owned();
        on_engine!(self, db => db.note_failing(channel, reason, now).await)
    }

    /// Writes down that something was given up.
    pub async fn note_given_up(&self, channel: Channel, now: Timestamp) -> Result<()> {
        on_engine!(self, db => db.note_given_up(channel, now).await)
    }

    /// Stores a message about a channel that is to go over the other one. False
    /// when another replica has done so, or there is no lead to tell it with: then
    /// it is told as soon as there is one.
    pub async fn tell_fault(&self, seen: &ChannelHealth, now: Timestamp) -> Result<bool> {
        let seen = seen.clone();
        let told = on_engine!(self, db => db.tell_fault(seen, now).await)?;
        self.wakeups.wake();
        Ok(told)
    }
}

/// The latest lead of which the owner could not be told by mail. Each half by an
/// index of its own.
pub(super) fn unmailed_lead_sql(since: &str) -> String {
    let some = |which: &str| {
        format!(
            "SELECT contact_id, created_at, id FROM deliveries
            WHERE {which} AND kind IN ('notify', 'due_mail')"
        )
    };
    format!(
        "SELECT contact_id FROM ({} UNION ALL {}) AS unmailed
        ORDER BY created_at DESC, id DESC LIMIT 1",
        some("state = 'pending' AND attempts > 0"),
        some(&format!("state = 'given_up' AND finished_at > {since}"))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noon() -> Timestamp {
        "2026-03-01T12:00:00Z".parse().unwrap()
    }

    /// Minutes ago; negative: in the future.
    fn health(failed: Option<i64>, given_up: bool, told: Option<i64>) -> ChannelHealth {
        let time = |ago: i64| noon() - SignedDuration::from_mins(ago);
        ChannelHealth {
            channel: Channel::Mail,
            failed_at: failed.map(time),
            last_error: None,
            given_up_at: given_up.then(noon),
            told_at: told.map(time),
        }
    }

    #[test]
    fn a_fault_is_told_after_an_hour_then_daily_and_what_is_given_up_at_once() {
        for (failed, given_up, told, expected) in [
            (None, false, None, false),
            (Some(59), false, None, false),
            (Some(60), false, None, true),
            (None, true, None, true),
            (Some(90), false, Some(10), false),
            (Some(600), false, Some(500), false),
            (Some(3000), false, Some(1440), true),
            // Told of the one before; this is another.
            (Some(60), false, Some(120), true),
            (Some(120), true, Some(59), false),
            (Some(120), true, Some(60), true),
            (Some(60), false, Some(-10), true),
        ] {
            let told = health(failed, given_up, told).is_to_be_told(noon());
            assert_eq!(told, expected, "{failed:?} {given_up} {told:?}");
        }
    }
}
