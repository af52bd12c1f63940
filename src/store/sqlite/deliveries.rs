//! The owner's side of deliveries: list, count, retry.

use jiff::Timestamp;
use rusqlite::{Connection, ToSql, named_params};

use super::Sqlite;
use super::claims::longest_lease;
use super::row::{self, DELIVERY_COLUMNS, stamp};
use crate::store::{Delivery, DeliveryCounts, DeliveryFilter, DeliveryState, Result, Retry};

impl Sqlite {
    pub async fn deliveries(&self, filter: DeliveryFilter) -> Result<Vec<Delivery>> {
        self.readers.run(move |db| list(db, &filter)).await
    }

    pub async fn delivery_counts(&self) -> Result<DeliveryCounts> {
        self.readers.run(count).await
    }

    pub async fn retry(&self, which: Retry, now: Timestamp) -> Result<u64> {
        self.writer.run(move |db| retry(db, &which, now)).await
    }
}

fn list(db: &Connection, filter: &DeliveryFilter) -> rusqlite::Result<Vec<Delivery>> {
    let mut sql = format!("SELECT {DELIVERY_COLUMNS} FROM deliveries WHERE created_at >= :since");
    let since = filter.since.map_or(String::new(), stamp);
    let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
    let state = filter.state.map(DeliveryState::as_str);
    let kind = filter.kind.map(|kind| kind.as_str());
    let mut values: Vec<(&str, &dyn ToSql)> = vec![(":since", &since), (":limit", &limit)];
    if filter.contact_id.is_some() {
        sql.push_str(" AND contact_id = :contact_id");
        values.push((":contact_id", &filter.contact_id));
    }
    if state.is_some() {
        sql.push_str(" AND state = :state");
        values.push((":state", &state));
    }
    if kind.is_some() {
        sql.push_str(" AND kind = :kind");
        values.push((":kind", &kind));
    }
    sql.push_str(" ORDER BY created_at DESC, id DESC LIMIT :limit");
    let mut query = db.prepare_cached(&sql)?;
    query.query_map(values.as_slice(), row::delivery)?.collect()
}

fn count(db: &Connection) -> rusqlite::Result<DeliveryCounts> {
    let mut query = db.prepare_cached("SELECT state, count(*) FROM deliveries GROUP BY state")?;
    let rows = query.query_map([], |found| {
        Ok((
            row::parsed(found, 0)?,
            found.get::<_, i64>(1)?.unsigned_abs(),
        ))
    })?;
    let mut counts = DeliveryCounts::default();
    for found in rows {
        let (state, number) = found?;
        match state {
            DeliveryState::Pending => counts.pending = number,
            DeliveryState::Held => counts.held = number,
            DeliveryState::Delivered => counts.delivered = number,
            DeliveryState::GivenUp => counts.given_up = number,
        }
    }
    Ok(counts)
}

/// A retried delivery starts its schedule over. One that is being sent right
/// now is left alone, and so is one that has arrived.
fn retry(db: &Connection, which: &Retry, now: Timestamp) -> rusqlite::Result<u64> {
    let start_over = "UPDATE deliveries SET state = 'pending', attempts = 0,
        next_attempt_at = :now, planned_at = :now, finished_at = NULL WHERE";
    let not_leased = "(lease_until IS NULL OR lease_until <= :now OR lease_until > :longest_lease)";
    let longest_lease = longest_lease(now);
    let now = stamp(now);
    let changed = match which {
        Retry::One(id) => db.execute(
            &format!(
                "{start_over} id = :id AND state IN ('pending', 'given_up')
                    AND {not_leased}"
            ),
            named_params! {":id": id, ":now": now, ":longest_lease": longest_lease},
        )?,
        Retry::All => db.execute(
            &format!(
                "{start_over} state = 'given_up' OR (state = 'pending' AND attempts > 0
                    AND {not_leased})"
            ),
            named_params! {":now": now, ":longest_lease": longest_lease},
        )?,
    };
    Ok(changed as u64)
}
