//! Leads whose promise is nearly over.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, params};

use super::Sqlite;
use super::deliveries::{self, Owner};
use super::leases::longest_lease;
use super::row::stamp;
use crate::store::reminders::{MOST_REMINDED, WAITS, WAITS_SINCE};
use crate::store::{DeliveryKind, Result};

impl Sqlite {
    pub async fn remind(
        &self,
        kinds: &'static [DeliveryKind],
        waited: SignedDuration,
        now: Timestamp,
    ) -> Result<u64> {
        let since = stamp(now.saturating_sub(waited).unwrap_or(Timestamp::MIN));
        // Looked for without the writer: mostly there is nothing.
        let asked = since.clone();
        let look = move |db: &Connection| {
            let stale = !stale(db, now)?.is_empty();
            Ok(stale || !due(db, &asked)?.is_empty())
        };
        if !self.readers.run(look).await? {
            return Ok(0);
        }
        let work = move |db: &Connection| {
            take_back(db, now)?;
            let due = due(db, &since)?;
            for id in &due {
                mark(db, id, kinds, now)?;
            }
            Ok(due.len() as u64)
        };
        self.writer.run(work).await
    }

    pub async fn present(&self, now: Timestamp) -> Result<Timestamp> {
        Ok(now)
    }
}

fn due(db: &Connection, since: &str) -> rusqlite::Result<Vec<String>> {
    let mut query = db.prepare_cached(&format!(
        "SELECT id FROM contacts WHERE {WAITS} AND contacts.reminded_at IS NULL
            AND {WAITS_SINCE} <= ?1
        ORDER BY {WAITS_SINCE} LIMIT {MOST_REMINDED}"
    ))?;
    query.query_map([since], |row| row.get(0))?.collect()
}

fn mark(db: &Connection, id: &str, kinds: &[DeliveryKind], now: Timestamp) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE contacts SET reminded_at = ?2 WHERE id = ?1")?
        .execute(params![id, stamp(now)])?;
    for kind in kinds {
        deliveries::add(db, Owner::Lead(id), *kind, Some(now), now)?;
    }
    Ok(())
}

/// Reminders of leads that were dealt with meanwhile. What is being sent right
/// now is on its way.
fn stale(db: &Connection, now: Timestamp) -> rusqlite::Result<Vec<String>> {
    let mut query = db.prepare_cached(
        "SELECT deliveries.id FROM deliveries INDEXED BY deliveries_due
            JOIN contacts ON contacts.id = contact_id
        WHERE deliveries.state = 'pending' AND kind IN ('due_mail', 'due_webhook')
            AND contacts.state <> 'new'
            AND (lease_until IS NULL OR lease_until <= ?1 OR lease_until > ?2)",
    )?;
    let values = params![stamp(now), longest_lease(now)];
    query.query_map(values, |row| row.get(0))?.collect()
}

fn take_back(db: &Connection, now: Timestamp) -> rusqlite::Result<()> {
    for id in stale(db, now)? {
        db.prepare_cached("DELETE FROM deliveries WHERE id = ?1")?
            .execute([id])?;
    }
    Ok(())
}
