//! Daily maintenance: makes a backup and deletes records whose retention period is over, in small
//! steps, so that visitors never wait for it.

mod backups;

use std::pin::pin;
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub use backups::Backups;

use crate::config::RetentionSettings;
use crate::content::{Retention, retention, site};
use crate::store::{OldRecords, Result, ScrubResult, Store};

const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// How often a server checks whether something is due.
const POLL: Duration = Duration::from_secs(60);
const LOOKS_AN_HOUR: u64 = 60;
/// How long a step in progress may continue at shutdown: cutting it off leaves a reader open, which
/// keeps the journal (WAL) from being removed.
const LAST_STEP: Duration = Duration::from_secs(2);
/// How long a replica holds the job of deleting old records; then another may take it.
const LEASE: SignedDuration = SignedDuration::from_mins(30);
/// After such a gap nothing is deleted on the first day: a clock that is wrong by years makes every
/// record look old.
const LONG_GAP: SignedDuration = SignedDuration::from_hours(24 * 31);
/// An hour with few visitors.
const QUIET_HOUR: i8 = 3;

/// The number of records per search, which may have to skip many that are kept.
const FOUND_AT_ONCE: u32 = 10_000;
/// The number of records deleted in one transaction.
const REMOVED_AT_ONCE: usize = 100;

/// Why nothing is deleted.
pub const NOT_OURS: &str = "the published release has other periods, or was made for another \
    version of this program: use that version";

/// The daily maintenance running in the background.
pub struct Upkeep {
    stop: watch::Sender<bool>,
    work: JoinHandle<()>,
}

impl Upkeep {
    pub fn start(mut maintenance: DailyMaintenance) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self {
            stop,
            work: tokio::spawn(async move { maintenance.run(stopped).await }),
        }
    }

    /// A step that takes too long is cut off; an incomplete backup doesn't have its final name yet.
    pub async fn stop(self) {
        let _ = self.stop.send(true);
        let _ = self.work.await;
    }
}

/// Checks what is due and does it.
pub struct DailyMaintenance {
    store: Store,
    backups: Option<Backups>,
    retention: RetentionSettings,
    /// No backup is attempted before this time.
    next_try: Option<Timestamp>,
    /// Whether the log already says that nothing is deleted.
    is_held_back: bool,
    looks: u64,
}

impl DailyMaintenance {
    pub fn new(store: Store, backups: Option<Backups>, retention: RetentionSettings) -> Self {
        Self {
            store,
            backups,
            retention,
            next_try: None,
            is_held_back: false,
            looks: 0,
        }
    }

    async fn run(&mut self, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            let now = self.store.now();
            {
                let mut look = pin!(self.look(now));
                tokio::select! {
                    _ = stop.changed() => {
                        let _ = timeout(LAST_STEP, look).await;
                        return;
                    }
                    () = &mut look => {}
                }
            }
            tokio::select! {
                _ = stop.changed() => {}
                () = tokio::time::sleep(POLL) => {}
            }
        }
    }

    /// Does everything that is due; the backup comes first, in case a deleted record is still
    /// needed.
    pub async fn look(&mut self, now: Timestamp) {
        if self.looks.is_multiple_of(LOOKS_AN_HOUR)
            && let Err(error) = self.store.fix_future_times(now).await
        {
            tracing::warn!(%error, "cannot bring back what is planned too late");
        }
        self.looks += 1;
        if let Some(backups) = self.backups.clone() {
            self.back_up(&backups, now).await;
        }
        if let Err(error) = self.remove_old(now).await {
            tracing::warn!(%error, "cannot remove what was kept long enough");
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
            tracing::warn!("nothing is removed: {NOT_OURS}");
        }
        self.is_held_back = is_held_back;
        if is_held_back || !self.store.claim_pruning(last, LEASE, now).await? {
            return Ok(());
        }
        if last.is_some_and(|last| now.duration_since(last) > LONG_GAP) {
            tracing::warn!(
                "nothing was removed for a month, or the clock is wrong: what was kept long \
                enough is removed tomorrow"
            );
        } else {
            let pruned = prune(&self.store, &self.retention, now).await;
            if pruned.counts.iter().any(|(_, number)| *number > 0) {
                tell(&pruned.counts, &self.store.scrub().await);
            }
            pruned.ended?;
        }
        self.store.finish_pruning(now).await
    }

    async fn back_up(&mut self, backups: &Backups, now: Timestamp) {
        let last = backups.last_good(now).ok().flatten();
        let too_soon = self.next_try.is_some_and(|next| {
            let left = next.duration_since(now);
            // A longer wait than was set means that the clock was set back.
            left > SignedDuration::ZERO && left <= HOUR
        });
        if too_soon || !is_due(last, now, &site().zone()) {
            return;
        }
        match backups.make(&self.store, now).await {
            Ok(file) => {
                self.next_try = None;
                tracing::info!(file = %file.display(), "a backup was written and checked");
            }
            Err(error) => {
                self.next_try = now.checked_add(HOUR).ok();
                tracing::error!(
                    error,
                    "the daily backup failed; what is due is tried again in an hour"
                );
            }
        }
    }
}

/// Logs the counts, without personal data.
fn tell(counts: &Counts, remains: &ScrubResult) {
    let some = counts.iter().filter(|(_, number)| *number > 0);
    let removed: Vec<_> = some
        .map(|(of, number)| format!("{}: {number}", of.name()))
        .collect();
    let removed = removed.join(", ");
    tracing::info!(removed, "removed what was kept long enough");
    if let ScrubResult::InFiles(why) = remains {
        tracing::warn!(
            why,
            "it may still be in the journal, until that is written over"
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
    let period = |of| settings.period(of).map(|period| (of, period));
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
    for (of, period) in periods(settings) {
        let mut number = 0;
        let ended = remove(store, of, period, now, &mut number).await;
        counts.push((of, number));
        if ended.is_err() {
            return Pruned { counts, ended };
        }
    }
    let ended = Ok(());
    Pruned { counts, ended }
}

/// Updates `number` after each step: deleted records stay deleted even if a later step fails.
async fn remove(
    store: &Store,
    of: OldRecords,
    period: SignedDuration,
    now: Timestamp,
    number: &mut u64,
) -> Result<()> {
    loop {
        let old = store.old(of, now - period, FOUND_AT_ONCE).await?;
        let before = *number;
        for rows in old.chunks(REMOVED_AT_ONCE) {
            *number += store.prune(of, rows, now - period).await?;
        }
        // Records that are still in use are deleted tomorrow.
        if *number == before || old.len() < FOUND_AT_ONCE as usize {
            return Ok(());
        }
    }
}

/// Counts the same records without deleting them.
pub async fn count(store: &Store, settings: &RetentionSettings, now: Timestamp) -> Result<Counts> {
    let mut counts = Vec::new();
    for (of, period) in periods(settings) {
        counts.push((of, store.count_old(of, now - period).await?));
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
            (
                Some(time("2026-11-16T08:00:00Z")),
                time("2026-11-16T08:59:00Z"),
                false,
            ),
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
