//! Removing what was kept long enough: all kinds of records, in small steps, so
//! that visitors never wait for it.

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

use crate::config::RetentionSettings;
use crate::content::{RETENTION, Retention};
use crate::store::{OldRecords, Result, Store};

/// In one search, which may have to go through many that are kept.
const FOUND_AT_ONCE: u32 = 10_000;

/// Why nothing is removed.
pub const NOT_OURS: &str = "the published release has other periods, or was made for another \
    version of this program: use that version";

/// Whether the periods that hold here are those of the published release: the
/// policy that visitors read. What is removed by another's is gone.
pub async fn is_as_published(store: &Store) -> Result<bool> {
    #[derive(Deserialize)]
    struct Published {
        retention: Retention,
    }
    let facts = store.release_facts().await?;
    Ok(facts.is_none_or(|json| {
        let published = serde_json::from_str::<Published>(&json);
        published.is_ok_and(|published| published.retention == *RETENTION)
    }))
}

/// How many there were of each kind.
pub type Counts = Vec<(OldRecords, u64)>;

/// What has a period, and which.
fn periods(settings: &RetentionSettings) -> impl Iterator<Item = (OldRecords, SignedDuration)> {
    let period = |of| settings.period(of).map(|period| (of, period));
    OldRecords::ALL.into_iter().filter_map(period)
}

/// In one transaction. To take the words of a lead out of the index of words
/// costs milliseconds.
fn at_once(of: OldRecords) -> usize {
    match of {
        OldRecords::Leads | OldRecords::Spam => 20,
        _ => 200,
    }
}

/// What is gone, and whether that is all of it.
pub struct Pruned {
    pub counts: Counts,
    pub ended: Result<()>,
}

/// Removes all that is old enough.
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

/// Adds to `number` step by step: what is removed stays removed, whatever the
/// next step meets.
async fn remove(
    store: &Store,
    of: OldRecords,
    period: SignedDuration,
    now: Timestamp,
    number: &mut u64,
) -> Result<()> {
    loop {
        let old = store.old(of, period, FOUND_AT_ONCE, now).await?;
        let before = *number;
        for rows in old.chunks(at_once(of)) {
            *number += store.prune(of, rows, period, now).await?;
        }
        // What others hold on to goes tomorrow.
        if *number == before || old.len() < FOUND_AT_ONCE as usize {
            return Ok(());
        }
    }
}

/// The same without removing anything.
pub async fn count(store: &Store, settings: &RetentionSettings, now: Timestamp) -> Result<Counts> {
    let mut counts = Vec::new();
    for (of, period) in periods(settings) {
        counts.push((of, store.count_old(of, period, now).await?));
    }
    Ok(counts)
}
