//! Daily maintenance: makes a backup and deletes records whose retention period is over, in small
//! steps, so that visitors never wait for it.

mod backups;

use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::timeout;

pub use backups::Backups;

use crate::config::RetentionSettings;
use crate::content::{Retention, retention, site};
use crate::store::{OldRecords, Residue, Result, Store};

const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// How often a server checks whether something is due.
const POLL: Duration = Duration::from_secs(60);
/// How long a replica holds the job of deleting old records; then another may take it.
const LEASE: SignedDuration = SignedDuration::from_mins(30);
/// If nothing was deleted for this long, deleting waits a day: a clock that is wrong by years makes
/// every record look old.
const LONG_GAP: SignedDuration = SignedDuration::from_hours(24 * 31);
/// An hour with few visitors.
const QUIET_HOUR: i8 = 3;

/// The number of records per search, which may have to skip many that are kept.
const FOUND_AT_ONCE: u32 = 10_000;
/// The number of records deleted in one transaction.
const REMOVED_AT_ONCE: usize = 100;

/// Why nothing is deleted.
pub const OTHER_PERIODS: &str = "the published release has other retention periods, or was made for another \
    version of this program: use that version";

/// Checks what is due and does it.
pub struct DailyMaintenance {
    store: Store,
    backups: Option<Backups>,
    retention: RetentionSettings,
    /// When the last backup failed, if it did.
    backup_failed: Option<Timestamp>,
    /// Whether the log already says that nothing is deleted.
    is_held_back: bool,
}

impl DailyMaintenance {
    pub fn new(store: Store, backups: Option<Backups>, retention: RetentionSettings) -> Self {
        Self {
            store,
            backups,
            retention,
            backup_failed: None,
            is_held_back: false,
        }
    }

    /// Checks every minute what is due, until stopped. A step in progress is finished if there is
    /// time: cutting it off leaves a reader open, which keeps the journal (WAL) from being removed.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        self.run_once(self.store.now()).await;
        while timeout(POLL, stop.wait_for(|stop| *stop)).await.is_err() {
            self.run_once(self.store.now()).await;
        }
    }

    /// Does everything that is due; the backup comes first, in case a deleted record is still
    /// needed.
    pub async fn run_once(&mut self, now: Timestamp) {
        if let Err(error) = self.store.fix_future_times(now).await {
            tracing::warn!(%error, "can't correct times that a wrong clock set in the future: what they delay keeps waiting");
        }
        if let Some(backups) = self.backups.clone() {
            self.back_up(&backups, now).await;
        }
        if let Err(error) = self.remove_old(now).await {
            tracing::warn!(%error, "can't delete old records: they stay until a later try succeeds");
        }
    }

    /// Deletes old records once a day, on the first server to claim it.
    async fn remove_old(&mut self, now: Timestamp) -> Result<()> {
        let last = self.store.last_pruning().await?;
        if !is_due(last, now, &site().zone()) {
            return Ok(());
        }
        let is_held_back = !is_as_published(&self.store).await?;
        if is_held_back && !self.is_held_back {
            tracing::warn!("no old records are deleted: {OTHER_PERIODS}");
        }
        self.is_held_back = is_held_back;
        if is_held_back || !self.store.claim_pruning(last, LEASE, now).await? {
            return Ok(());
        }
        if last.is_some_and(|last| now.duration_since(last) > LONG_GAP) {
            tracing::warn!(
                "no old records were deleted for a month, or the clock is wrong: deletion waits \
                until tomorrow, so you can correct the clock"
            );
        } else {
            let pruned = prune(&self.store, &self.retention, now).await;
            if pruned.counts.iter().any(|(_, number)| *number > 0) {
                log_deleted(&pruned.counts, &self.store.scrub().await);
            }
            pruned.ended?;
        }
        self.store.finish_pruning(now).await
    }

    async fn back_up(&mut self, backups: &Backups, now: Timestamp) {
        let last = backups.last_good(now).ok().flatten();
        // A failure in the future is from before the clock was set back.
        let ago = self.backup_failed.map(|failed| now.duration_since(failed));
        let too_soon = ago.is_some_and(|ago| (SignedDuration::ZERO..HOUR).contains(&ago));
        if too_soon || !is_due(last, now, &site().zone()) {
            return;
        }
        match backups.make(&self.store, now).await {
            Ok(file) => {
                self.backup_failed = None;
                tracing::info!(file = %file.display(), "a backup was written and checked");
            }
            Err(error) => {
                self.backup_failed = Some(now);
                tracing::error!(error, "the daily backup failed; retrying in an hour");
            }
        }
    }
}

fn log_deleted(counts: &Counts, remains: &Residue) {
    let nonzero = counts.iter().filter(|(_, number)| *number > 0);
    let deleted = nonzero.map(|(kind, number)| format!("{}: {number}", kind.name()));
    let deleted = deleted.collect::<Vec<_>>().join(", ");
    tracing::info!(deleted, "old records were deleted");
    if let Residue::InFiles(why) = remains {
        tracing::warn!(
            why,
            "the deleted records may still be in the database's journal until it is overwritten; `frontdoor prune` tries again"
        );
    }
}

/// Whether a daily job last done at `last` is due: after half a day at the quiet hour, so that a
/// server started at noon shifts the job to the night, or after a day. A time in the future is from
/// before the clock was set back.
fn is_due(last: Option<Timestamp>, now: Timestamp, zone: &TimeZone) -> bool {
    let Some(last) = last.filter(|last| *last <= now) else {
        return true;
    };
    let age = now.duration_since(last);
    let is_quiet = now.to_zoned(zone.clone()).hour() == QUIET_HOUR;
    age >= HOUR * 24 || (is_quiet && age >= HOUR * 12)
}

/// Whether the current retention periods are those of the published release, whose policy visitors
/// read. Deleting by any other periods couldn't be undone.
pub async fn is_as_published(store: &Store) -> Result<bool> {
    #[derive(Deserialize)]
    struct Published {
        retention: Retention,
    }
    let facts = store.release_facts().await?;
    Ok(facts.is_none_or(|json| {
        let published = serde_json::from_str::<Published>(&json);
        published.is_ok_and(|published| published.retention == *retention())
    }))
}

/// The number of records of each kind.
pub type Counts = Vec<(OldRecords, u64)>;

/// The kinds of records with a limited retention period.
fn periods(settings: &RetentionSettings) -> impl Iterator<Item = (OldRecords, SignedDuration)> {
    let period = |kind| settings.period(kind).map(|period| (kind, period));
    OldRecords::ALL.into_iter().filter_map(period)
}

/// The deleted records, and whether all were deleted.
pub struct Pruned {
    pub counts: Counts,
    pub ended: Result<()>,
}

/// Deletes all records that are old enough.
pub async fn prune(store: &Store, settings: &RetentionSettings, now: Timestamp) -> Pruned {
    let mut counts = Vec::new();
    for (kind, period) in periods(settings) {
        let mut number = 0;
        let ended = remove(store, kind, period, now, &mut number).await;
        counts.push((kind, number));
        if ended.is_err() {
            return Pruned { counts, ended };
        }
    }
    let ended = store.remove_old_visits(now).await.map(drop);
    Pruned { counts, ended }
}

/// Updates `number` after each step: deleted records stay deleted even if a later step fails.
async fn remove(
    store: &Store,
    kind: OldRecords,
    period: SignedDuration,
    now: Timestamp,
    number: &mut u64,
) -> Result<()> {
    loop {
        let old = store.old_records(kind, now - period, FOUND_AT_ONCE).await?;
        let before = *number;
        for rows in old.chunks(REMOVED_AT_ONCE) {
            *number += store.delete_records(kind, rows, now - period).await?;
        }
        // Records that are still in use are deleted tomorrow.
        if *number == before || old.len() < FOUND_AT_ONCE as usize {
            return Ok(());
        }
    }
}

/// Counts the records that [`prune`] would delete.
pub async fn count(store: &Store, settings: &RetentionSettings, now: Timestamp) -> Result<Counts> {
    let mut counts = Vec::new();
    for (kind, period) in periods(settings) {
        counts.push((kind, store.count_old(kind, now - period).await?));
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_due_at_once_then_at_night_and_never_less_than_once_a_day() {
        let zone = TimeZone::get("America/Toronto").unwrap();
        let time = |text: &str| -> Timestamp { text.parse().unwrap() };
        let noon = time("2026-11-15T17:00:00Z");
        for (last, now, due) in [
            (None, noon, true),
            (Some(noon), noon, false),
            // 02:59 and 03:00 in Toronto.
            (Some(noon), time("2026-11-16T07:59:00Z"), false),
            (Some(noon), time("2026-11-16T08:00:00Z"), true),
            // The machine was off at night.
            (Some(noon), time("2026-11-16T16:59:00Z"), false),
            (Some(noon), time("2026-11-16T17:00:00Z"), true),
            // The clock was set back.
            (Some(noon), time("2026-11-15T12:00:00Z"), true),
        ] {
            assert_eq!(is_due(last, now, &zone), due, "{last:?} {now}");
        }
    }
}
