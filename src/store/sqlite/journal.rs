//! When the journal (`-wal`) is folded into the database's file.
//!
//! Folding makes writers wait for two more syncs, so under load it waits for
//! 16 MB; on a small disk the journal must not take the room that the folding
//! itself needs, so there it is folded earlier. See also `keeper`, which folds
//! when nobody writes, when the disk is full and at the end.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use super::admission::Open;
use super::connection::BUSY_TIMEOUT;
use super::generation;

/// Below this nobody's disk is too small.
const ALWAYS_FINE: u64 = 128 * 1024;
const LARGEST: u64 = 16 * 1024 * 1024;
/// Of the free space.
const LARGEST_SHARE: u64 = 4;
/// For the largest lead, in the journal and in the file.
const ROOM: u64 = 128 * 1024;
/// Whoever reads right now is not waited for; there is a next time.
const PATIENCE: Duration = Duration::from_millis(50);

pub fn is_too_large(journal_bytes: u64, database: &Path) -> bool {
    journal_bytes > ALWAYS_FINE && journal_bytes >= limit(free_bytes(database))
}

/// Whether there is room for more than what a health check writes.
pub fn has_room(database: &Path) -> bool {
    free_bytes(database).is_none_or(|free| free >= ROOM)
}

fn limit(free: Option<u64>) -> u64 {
    free.map_or(LARGEST, |free| LARGEST.min(free / LARGEST_SHARE))
}

fn free_bytes(database: &Path) -> Option<u64> {
    let system = rustix::fs::statvfs(database).ok()?;
    Some(system.f_bavail.saturating_mul(system.f_frsize))
}

/// Moves all that is in the journal into the file and empties the journal.
/// False when somebody who reads kept it from being emptied.
pub fn fold(open: &mut Open) -> rusqlite::Result<bool> {
    open.db.busy_timeout(PATIENCE)?;
    let folded = begin_and_empty(&open.db, &mut open.unfolded);
    open.db.busy_timeout(BUSY_TIMEOUT)?;
    if open.unfolded.is_some() {
        open.known.clone_from(&open.unfolded);
    }
    if matches!(folded, Ok(true)) {
        open.folded = open.unfolded.take();
    }
    folded
}

/// `unfolded` is the generation that is begun and not in the file yet.
pub fn begin_and_empty(db: &Connection, unfolded: &mut Option<String>) -> rusqlite::Result<bool> {
    let begun = generation::begin(db, unfolded.as_deref());
    *unfolded = match begun {
        Ok(name) => Some(name),
        Err(_) => {
            // No room even for that: what is in the journal already goes first.
            empty(db)?;
            *unfolded = None;
            Some(generation::begin(db, None)?)
        }
    };
    empty(db)
}

/// The same without a new generation: for files that are ours no more.
pub fn empty(db: &Connection) -> rusqlite::Result<bool> {
    let busy: i64 = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    Ok(busy == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_journal_takes_at_most_a_quarter_of_what_is_free_and_16_mb() {
        assert_eq!(limit(Some(1024)), 256);
        assert_eq!(limit(Some(u64::MAX)), LARGEST);
        assert_eq!(limit(None), LARGEST);
    }
}
