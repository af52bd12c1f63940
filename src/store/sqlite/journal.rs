//! When the journal (`-wal`) is folded into the database's file.
//!
//! Folding makes writers wait for two more syncs, so under load it waits for
//! 16 MB; on a small disk the journal must not take the room that the folding
//! itself needs, so there it is folded earlier. See also `keeper`, which folds
//! when nobody writes, when the disk is full and at the end.
//!
//! Under load the journal's file keeps its length and is written over: a sync
//! of a file that grows has its new length to write, too.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use super::admission::Open;
use super::connection::BUSY_TIMEOUT;
use super::generation;
use super::used::Used;

/// Below this nobody's disk is too small.
const ALWAYS_FINE: u64 = 128 * 1024;
const LARGEST: u64 = 16 * 1024 * 1024;
/// Of the free space.
const LARGEST_SHARE: u64 = 4;
/// For the largest lead, in the journal and in the file.
const ROOM: u64 = 128 * 1024;
/// Whoever reads right now is not waited for; there is a next time.
const PATIENCE: Duration = Duration::from_millis(50);

/// What becomes of the file of a journal that has been folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emptied {
    /// It keeps its length; the next commit begins at its start.
    InPlace,
    /// Its room goes back to the disk.
    GivenBack,
}

/// How to empty the journal if there is too much in it.
pub fn is_due(used: &Used, database: &Path) -> Option<Emptied> {
    let used = used.bytes();
    match used > ALWAYS_FINE {
        true => due(used, free_bytes(database)),
        false => None,
    }
}

fn due(used: u64, free: Option<u64>) -> Option<Emptied> {
    let limit = free.map_or(LARGEST, |free| LARGEST.min(free / LARGEST_SHARE));
    let emptied = match limit {
        LARGEST => Emptied::InPlace,
        _ => Emptied::GivenBack,
    };
    (used >= limit).then_some(emptied)
}

/// Whether there is room for more than what a health check writes.
pub fn has_room(database: &Path) -> bool {
    free_bytes(database).is_none_or(|free| free >= ROOM)
}

fn free_bytes(database: &Path) -> Option<u64> {
    let system = rustix::fs::statvfs(database).ok()?;
    Some(system.f_bavail.saturating_mul(system.f_frsize))
}

/// Moves all that is in the journal into the file and empties the journal.
/// False when somebody who reads kept it from being emptied.
pub fn fold(open: &mut Open, emptied: Emptied) -> rusqlite::Result<bool> {
    open.db.busy_timeout(PATIENCE)?;
    let folded = begin_and_empty(&open.db, &mut open.unfolded, emptied);
    open.db.busy_timeout(BUSY_TIMEOUT)?;
    if open.unfolded.is_some() {
        open.known.clone_from(&open.unfolded);
    }
    if matches!(folded, Ok(true)) {
        open.folded = open.unfolded.take();
        open.used.set(0);
    }
    folded
}

/// `unfolded` is the generation that is begun and not in the file yet.
pub fn begin_and_empty(
    db: &Connection,
    unfolded: &mut Option<String>,
    emptied: Emptied,
) -> rusqlite::Result<bool> {
    let begun = generation::begin(db, unfolded.as_deref());
    *unfolded = match begun {
        Ok(name) => Some(name),
        Err(_) => {
            // No room even for that: what is in the journal already goes first.
            empty(db, Emptied::GivenBack)?;
            *unfolded = None;
            Some(generation::begin(db, None)?)
        }
    };
    empty(db, emptied)
}

/// The same without a new generation: for files that are ours no more.
pub fn empty(db: &Connection, emptied: Emptied) -> rusqlite::Result<bool> {
    let sql = match emptied {
        Emptied::InPlace => "PRAGMA wal_checkpoint(RESTART)",
        Emptied::GivenBack => "PRAGMA wal_checkpoint(TRUNCATE)",
    };
    let busy: i64 = db.query_row(sql, [], |row| row.get(0))?;
    Ok(busy == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_journal_takes_at_most_a_quarter_of_what_is_free_and_16_mb() {
        assert_eq!(due(255, Some(1024)), None);
        assert_eq!(due(256, Some(1024)), Some(Emptied::GivenBack));
        for much in [Some(u64::MAX), None] {
            assert_eq!(due(LARGEST - 1, much), None);
            assert_eq!(due(LARGEST, much), Some(Emptied::InPlace));
        }
    }

    #[test]
    fn a_journal_that_is_emptied_in_place_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let mut db = Connection::open(&path).unwrap();
        let setup = "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (b)";
        db.execute_batch(setup).unwrap();
        let used = Used::follow(&mut db).unwrap();
        let write = |bytes: i64| db.execute("INSERT INTO t VALUES (zeroblob(?1))", [bytes]);
        let length = || path.with_extension("db-wal").metadata().unwrap().len();

        write(1024 * 1024).unwrap();
        let full = length();
        assert!(used.bytes() > 1024 * 1024 && used.bytes() <= full);
        assert!(empty(&db, Emptied::InPlace).unwrap());
        write(1).unwrap();
        assert_eq!(length(), full);
        assert!(used.bytes() < ALWAYS_FINE);

        assert!(empty(&db, Emptied::GivenBack).unwrap());
        assert_eq!(length(), 0);
    }
}
