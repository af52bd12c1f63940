//! One transaction for all jobs that wait.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::Connection;

use super::committed::Committed;
use super::generation;
use super::job::Job;

/// Runs all jobs and commits them together. With `folded`, what is
/// written also says that the file has the generation of that name.
pub fn commit(
    db: &Connection,
    jobs: &mut [Box<dyn Job>],
    folded: Option<&str>,
) -> rusqlite::Result<Committed> {
    let outcome = run(db, jobs, folded);
    let committed = matches!(outcome, Ok(Committed::All { .. }));
    // SQLite may have undone the whole transaction by itself already.
    if !committed && !db.is_autocommit() {
        execute(db, "ROLLBACK")?;
    }
    outcome
}

fn run(
    db: &Connection,
    jobs: &mut [Box<dyn Job>],
    folded: Option<&str>,
) -> rusqlite::Result<Committed> {
    if jobs.is_empty() {
        return Ok(Committed::All { changed: false });
    }
    execute(db, "BEGIN IMMEDIATE")?;
    let before = db.total_changes();
    for job in jobs {
        // A bug in one job must not end the thread that stores all others.
        let ran = catch_unwind(AssertUnwindSafe(|| job.run(db)));
        match ran {
            Ok(Ok(())) => {}
            Ok(Err(error)) if ends_all(&error) => return Err(error),
            Ok(Err(_)) => return Ok(Committed::Nothing),
            Err(_) => {
                job.panicked();
                return Ok(Committed::Nothing);
            }
        }
    }
    let changed = db.total_changes() != before;
    if let Some(folded) = folded.filter(|_| changed) {
        generation::settle(db, folded)?;
    }
    execute(db, "COMMIT")?;
    Ok(Committed::All { changed })
}

/// Not the job's own fault: the transaction is gone.
fn ends_all(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{
        DatabaseCorrupt, DiskFull, NotADatabase, OutOfMemory, SystemIoFailure,
    };
    matches!(
        error.sqlite_error_code(),
        Some(DatabaseCorrupt | DiskFull | NotADatabase | OutOfMemory | SystemIoFailure)
    )
}

fn execute(db: &Connection, sql: &str) -> rusqlite::Result<()> {
    db.prepare_cached(sql)?.execute([]).map(|_| ())
}
