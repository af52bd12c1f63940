//! The owner's side of deliveries: list, count, retry.

use jiff::Timestamp;
use rusqlite::{Connection, ToSql, named_params, params};
use uuid::Uuid;

use super::Sqlite;
use super::leases::longest_lease;
use super::row::{self, DELIVERY_COLUMNS, stamp};
use crate::store::pause::DROPPED;
use crate::store::{
    Delivery, DeliveryCounts, DeliveryFilter, DeliveryKind, DeliveryState, MOST_ATTEMPTS, Read,
    Result, Retry,
};

/// Whom a delivery is about.
pub enum Owner<'a> {
    Lead(&'a str),
    Subscriber(&'a str),
    /// Nobody in particular.
    Site,
}

impl Sqlite {
    pub async fn deliveries(&self, filter: DeliveryFilter) -> Result<Read<Delivery>> {
        self.readers.run(move |db| list(db, &filter)).await
    }

    pub async fn retriable_ending(&self, end: String) -> Result<Vec<String>> {
        let work = move |db: &Connection| {
            let mut query = db.prepare_cached(
                "SELECT id FROM deliveries WHERE state IN ('pending', 'given_up')
                    AND substr(id, -length(?1)) = ?1 ORDER BY id LIMIT 10",
            )?;
            query.query_map([end], |row| row.get(0))?.collect()
        };
        self.readers.run(work).await
    }

    pub async fn delivery_counts(&self) -> Result<DeliveryCounts> {
        self.readers.run(count).await
    }

    pub async fn retry(&self, which: Retry, now: Timestamp) -> Result<u64> {
        self.writer.run(move |db| retry(db, &which, now)).await
    }
}

/// Held when it is not due at any time. Returns its id.
pub fn add(
    db: &Connection,
    owner: Owner<'_>,
    kind: DeliveryKind,
    due: Option<Timestamp>,
    now: Timestamp,
) -> rusqlite::Result<String> {
    let mut insert = db.prepare_cached(
        "INSERT INTO deliveries (id, contact_id, subscriber_id, kind, state, next_attempt_at,
            created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (contact_id, kind) WHERE kind IN ('due_mail', 'due_webhook') DO NOTHING",
    )?;
    let (lead, subscriber) = match owner {
        Owner::Lead(id) => (Some(id), None),
        Owner::Subscriber(id) => (None, Some(id)),
        Owner::Site => (None, None),
    };
    let state = match due {
        Some(_) => DeliveryState::Pending,
        None => DeliveryState::Held,
    };
    let (kind, state, due) = (kind.as_str(), state.as_str(), due.map(stamp));
    let id = Uuid::now_v7().to_string();
    insert.execute(params![id, lead, subscriber, kind, state, due, stamp(now)])?;
    Ok(id)
}

fn list(db: &Connection, filter: &DeliveryFilter) -> rusqlite::Result<Read<Delivery>> {
    let mut sql = format!(
        "SELECT {DELIVERY_COLUMNS}, coalesce(contacts.name, subscribers.email) AS person
        FROM deliveries LEFT JOIN contacts ON contacts.id = contact_id
            LEFT JOIN subscribers ON subscribers.id = subscriber_id
        WHERE deliveries.created_at >= :since"
    );
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
        sql.push_str(" AND deliveries.state = :state");
        values.push((":state", &state));
    }
    if kind.is_some() {
        sql.push_str(" AND kind = :kind");
        values.push((":kind", &kind));
    }
    sql.push_str(" ORDER BY deliveries.created_at DESC, deliveries.id DESC LIMIT :limit");
    let mut query = db.prepare_cached(&sql)?;
    row::read_all("deliveries", query.query(values.as_slice())?, row::delivery)
}

fn count(db: &Connection) -> rusqlite::Result<DeliveryCounts> {
    let mut query = db.prepare_cached(
        "SELECT state, number FROM delivery_counts
        UNION ALL SELECT 'pending', count(*) FROM deliveries WHERE state = 'pending'
        UNION ALL SELECT 'held', count(*) FROM deliveries WHERE state = 'held'",
    )?;
    let rows = query.query_map([], |found| {
        let number: i64 = found.get("number")?;
        Ok((row::parsed(found, "state")?, number.unsigned_abs()))
    })?;
    let mut counts = DeliveryCounts::default();
    for found in rows {
        let (state, number) = found?;
        *counts.of(state) = number;
    }
    Ok(counts)
}

/// A retried delivery starts its schedule over. One that is being sent right
/// now is left alone, and so is one that has arrived or is about spam.
fn retry(db: &Connection, which: &Retry, now: Timestamp) -> rusqlite::Result<u64> {
    let start_over = "UPDATE deliveries SET state = 'pending', attempts = 0,
        next_attempt_at = :now, planned_at = :now, finished_at = NULL WHERE";
    let not_leased = "(lease_until IS NULL OR lease_until <= :now OR lease_until > :longest_lease)";
    let not_spam = "NOT EXISTS (SELECT 1 FROM contacts
        WHERE contacts.id = deliveries.contact_id AND contacts.state = 'spam')";
    let longest_lease = longest_lease(now);
    let now = stamp(now);
    let changed = match which {
        Retry::One(id) => db.execute(
            &format!(
                "{start_over} id = :id AND state IN ('pending', 'given_up')
                    AND {not_leased} AND {not_spam}"
            ),
            named_params! {":id": id, ":now": now, ":longest_lease": longest_lease},
        )?,
        Retry::All => db.execute(
            &format!(
                "{start_over} (state = 'given_up' AND {not_spam} AND last_error IS NOT '{DROPPED}'
                        AND NOT (kind IN ('auto_reply', 'confirm') AND attempts < {MOST_ATTEMPTS}))
                    OR (state = 'pending' AND attempts > 0 AND {not_leased})"
            ),
            named_params! {":now": now, ":longest_lease": longest_lease},
        )?,
    };
    Ok(changed as u64)
}
