//! Removing what was kept long enough: all kinds of records, in small steps, so
//! that visitors never wait for it.

use jiff::{SignedDuration, Timestamp};

use crate::config::RetentionSettings;
use crate::store::{OldRecords, Result, Store};

/// In one transaction.
const AT_ONCE: u32 = 200;

/// How many there were of each kind.
pub type Counts = Vec<(OldRecords, u64)>;

/// What has a period, and which.
fn periods(settings: &RetentionSettings) -> impl Iterator<Item = (OldRecords, SignedDuration)> {
    let period = |of| settings.period(of).map(|period| (of, period));
    OldRecords::ALL.into_iter().filter_map(period)
}

/// Removes all that is old enough.
pub async fn prune(store: &Store, settings: &RetentionSettings, now: Timestamp) -> Result<Counts> {
    let mut counts = Vec::new();
    for (of, period) in periods(settings) {
        let mut number = 0;
        loop {
            let removed = store.prune(of, period, AT_ONCE, now).await?;
            number += removed;
            if removed == 0 {
                break;
            }
        }
        counts.push((of, number));
    }
    Ok(counts)
}

/// The same without removing anything.
pub async fn count(store: &Store, settings: &RetentionSettings, now: Timestamp) -> Result<Counts> {
    let mut counts = Vec::new();
    for (of, period) in periods(settings) {
        counts.push((of, store.count_old(of, period, now).await?));
    }
    Ok(counts)
}
