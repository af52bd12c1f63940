//! When the owner is told of held leads: each of them, in at most one mail an
//! hour, which says how many there are when it goes out.

use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::recent::last;
use super::row::{self, LEAD_COLUMNS, stamp};
use crate::store::{HELD_NOTICE_PAUSE, Lead};

/// And the owner has not decided: [`crate::store::Lead::is_held`].
pub const IS_HELD: &str = "contacts.hold_reason IS NOT NULL AND contacts.released_at IS NULL
    AND contacts.state = 'new'";
/// One that is on its way right now says how many there were before.
const WAITS: &str = "kind = 'held_notice' AND state = 'pending'
    AND (lease_until IS NULL OR lease_until <= ?1)";

/// When to tell of a lead that is held now; `None`: a notice that waits will.
pub fn due(db: &Connection, now: Timestamp) -> rusqlite::Result<Option<Timestamp>> {
    let sql = format!("SELECT EXISTS (SELECT 1 FROM deliveries WHERE {WAITS})");
    let waits: bool = db
        .prepare_cached(&sql)?
        .query_row([stamp(now)], |row| row.get(0))?;
    if waits {
        return Ok(None);
    }
    let next = latest(db, now)?.and_then(|told| told.saturating_add(HELD_NOTICE_PAUSE).ok());
    Ok(Some(next.map_or(now, |next| next.max(now))))
}

/// When the owner was told last, if that was a short time ago.
fn latest(db: &Connection, now: Timestamp) -> rusqlite::Result<Option<Timestamp>> {
    let mut query = db.prepare_cached(
        "SELECT coalesce(finished_at, next_attempt_at, created_at) AS told FROM deliveries
        WHERE kind = 'held_notice' AND told > ?1 AND told <= ?2
        ORDER BY told DESC LIMIT 1",
    )?;
    let told = query.query_row(last(HELD_NOTICE_PAUSE, now), |found| row::parsed(found, 0));
    if_readable(told)
}

/// Nobody needs to hear of what is no longer held.
pub fn take_back_if_none_is_held(db: &Connection, now: Timestamp) -> rusqlite::Result<()> {
    let sql = format!(
        "DELETE FROM deliveries WHERE {WAITS}
            AND NOT EXISTS (SELECT 1 FROM contacts WHERE {IS_HELD})"
    );
    db.execute(&sql, params![stamp(now)]).map(|_| ())
}

/// How many leads are held, and the latest of them.
pub fn held(db: &Connection) -> rusqlite::Result<(u64, Option<Lead>)> {
    let sql = format!("SELECT count(*) FROM contacts WHERE {IS_HELD}");
    let number: i64 = db
        .prepare_cached(&sql)?
        .query_row([], |found| found.get(0))?;
    let sql = format!(
        "SELECT {LEAD_COLUMNS} FROM contacts WHERE {IS_HELD}
        ORDER BY created_at DESC, id DESC LIMIT 1"
    );
    let latest = db.prepare_cached(&sql)?.query_row([], row::lead);
    Ok((number.unsigned_abs(), if_readable(latest)?))
}

fn if_readable<T>(found: rusqlite::Result<T>) -> rusqlite::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if row::is_unreadable(&error) => Ok(None),
        Err(error) => Err(error),
    }
}
