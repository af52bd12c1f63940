//! What the server does by itself once a day: a backup, and removing what was
//! kept long enough.

mod backups;
mod daily;
mod retention;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub use backups::Backups;
pub use retention::{Counts, NOT_OURS, Pruned, count, is_as_published, prune};

use crate::config::RetentionSettings;
use crate::content::SITE;
use crate::store::{self, Remains, Store};

/// How often a server looks whether something is due.
const POLL: Duration = Duration::from_secs(60);
const LOOKS_AN_HOUR: u64 = 60;
/// What is at hand when the server stops may end by itself for so long: a step
/// cut off in the middle leaves a reader behind, and with it the journal.
const LAST_STEP: Duration = Duration::from_secs(2);
/// After a failure.
const PAUSE: SignedDuration = SignedDuration::from_hours(1);
/// Whoever removes old records has it for so long; a killed one's is taken up.
const LEASE: SignedDuration = SignedDuration::from_mins(30);
/// After such a gap nothing is removed on the first day: a clock that is wrong
/// by years makes everything old.
const LONG_GAP: SignedDuration = SignedDuration::from_hours(24 * 31);

pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// At work in the background.
pub struct Upkeep {
    stop: watch::Sender<bool>,
    work: JoinHandle<()>,
}

impl Upkeep {
    pub fn start(mut keeper: Keeper) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self {
            stop,
            work: tokio::spawn(async move { keeper.run(stopped).await }),
        }
    }

    /// What takes longer to end is cut off: a backup that is not whole has no
    /// name yet.
    pub async fn stop(self) {
        let _ = self.stop.send(true);
        let _ = self.work.await;
    }
}

/// Whoever looks what is due, by a clock that a test can turn.
pub struct Keeper {
    store: Store,
    backups: Option<Backups>,
    retention: RetentionSettings,
    clock: Clock,
    /// No backup is tried before.
    next_try: Option<Timestamp>,
    /// Told once that nothing is removed.
    is_held_back: bool,
    looks: u64,
}

impl Keeper {
    pub fn new(
        store: Store,
        backups: Option<Backups>,
        retention: RetentionSettings,
        clock: Clock,
    ) -> Self {
        Self {
            store,
            backups,
            retention,
            clock,
            next_try: None,
            is_held_back: false,
            looks: 0,
        }
    }

    async fn run(&mut self, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            {
                let mut look = pin!(self.look());
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

    /// Does whatever is due; the backup first, in case something was to be kept
    /// after all.
    pub async fn look(&mut self) {
        if self.looks.is_multiple_of(LOOKS_AN_HOUR)
            && let Err(error) = self.store.bring_back_plans((self.clock)()).await
        {
            tracing::warn!(%error, "cannot bring back what is planned too late");
        }
        self.looks += 1;
        if let Some(backups) = self.backups.clone() {
            self.back_up(&backups).await;
        }
        if let Err(error) = self.remove_old().await {
            tracing::warn!(%error, "cannot remove what was kept long enough");
        }
    }

    /// Once a day, whichever server comes first.
    async fn remove_old(&mut self) -> store::Result<()> {
        let now = (self.clock)();
        let last = self.store.last_pruning().await?;
        if !daily::is_due(last, now, &SITE.zone()) {
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

    async fn back_up(&mut self, backups: &Backups) {
        let now = (self.clock)();
        let last = backups.last_good(now).ok().flatten();
        let too_soon = self.next_try.is_some_and(|next| {
            let left = next.duration_since(now);
            // Longer than it was set for: the clock was set back.
            left > SignedDuration::ZERO && left <= PAUSE
        });
        if too_soon || !daily::is_due(last, now, &SITE.zone()) {
            return;
        }
        match backups.make(&self.store, now).await {
            Ok(file) => {
                self.next_try = None;
                tracing::info!(file = %file.display(), "a backup was written and checked");
            }
            Err(error) => {
                self.next_try = now.checked_add(PAUSE).ok();
                tracing::error!(
                    error,
                    "the daily backup failed; what is due is tried again in an hour"
                );
            }
        }
    }
}

/// How many of each, and nothing about whom.
fn tell(counts: &Counts, remains: &Remains) {
    let some = counts.iter().filter(|(_, number)| *number > 0);
    let removed: Vec<_> = some
        .map(|(of, number)| format!("{}: {number}", of.name()))
        .collect();
    let removed = removed.join(", ");
    tracing::info!(removed, "removed what was kept long enough");
    if let Remains::InFiles(why) = remains {
        tracing::warn!(
            why,
            "it may still be in the journal, until that is written over"
        );
    }
}
