//! The worker's side of deliveries: claim with a lease, record the outcome.

use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, named_params};
use uuid::Uuid;

use super::row::{self, LEAD_COLUMNS, stamp};
use super::{Sqlite, links};
use crate::store::{About, Claim, DeliveryKind, Lead, Outcome, Result};

impl Sqlite {
    pub async fn claim(
        &self,
        kinds: &'static [DeliveryKind],
        limit: usize,
        lease: Duration,
        now: Timestamp,
    ) -> Result<Vec<Claim>> {
        let work = move |db: &Connection| {
            let mut claims = Vec::new();
            for &kind in kinds {
                claims.extend(claim(db, kind, limit - claims.len(), lease, now)?);
            }
            Ok(claims)
        };
        self.writer.run(work).await
    }

    pub async fn record(
        &self,
        id: String,
        token: String,
        outcome: Outcome,
        now: Timestamp,
    ) -> Result<bool> {
        let work = move |db: &Connection| record(db, &id, &token, &outcome, now);
        self.writer.run(work).await
    }
}

fn claim(
    db: &Connection,
    kind: DeliveryKind,
    limit: usize,
    lease: Duration,
    now: Timestamp,
) -> rusqlite::Result<Vec<Claim>> {
    let token = Uuid::new_v4().to_string();
    let until = stamp(now.saturating_add(lease).unwrap_or(Timestamp::MAX));
    let mut take = db.prepare_cached(
        "UPDATE deliveries SET lease_token = :token, lease_until = :until
        WHERE id IN (
            SELECT id FROM deliveries
            WHERE state = 'pending' AND kind = :kind AND next_attempt_at <= :now
                AND (lease_until IS NULL OR lease_until <= :now)
            ORDER BY next_attempt_at LIMIT :limit)
        RETURNING id",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let values = named_params! {
        ":token": token, ":until": until, ":kind": kind.as_str(), ":now": stamp(now),
        ":limit": limit,
    };
    let taken = take.query_map(values, |row| row.get(0))?;
    let ids: Vec<String> = taken.collect::<rusqlite::Result<_>>()?;
    ids.into_iter()
        .map(|id| read_claim(db, id, kind, &token, now))
        .collect()
}

fn read_claim(
    db: &Connection,
    delivery_id: String,
    kind: DeliveryKind,
    token: &str,
    now: Timestamp,
) -> rusqlite::Result<Claim> {
    let attempts = db
        .prepare_cached("SELECT attempts FROM deliveries WHERE id = ?1")?
        .query_row([&delivery_id], |row| row.get(0))?;
    let about = match kind.is_for_subscriber() {
        true => About::Subscriber(links::invite(db, &delivery_id, now)?),
        false => About::Lead(Box::new(lead_of(db, &delivery_id)?)),
    };
    Ok(Claim {
        delivery_id,
        kind,
        attempts,
        token: token.to_owned(),
        about,
    })
}

fn lead_of(db: &Connection, delivery_id: &str) -> rusqlite::Result<Lead> {
    let mut query = db.prepare_cached(&format!(
        "SELECT {LEAD_COLUMNS}
        FROM deliveries JOIN contacts ON contacts.id = deliveries.contact_id
        WHERE deliveries.id = ?1"
    ))?;
    query.query_row([delivery_id], row::lead)
}

fn record(
    db: &Connection,
    id: &str,
    token: &str,
    outcome: &Outcome,
    now: Timestamp,
) -> rusqlite::Result<bool> {
    let now = stamp(now);
    let ours = "WHERE id = :id AND state = 'pending' AND lease_token = :token";
    let changed = match outcome {
        // True whoever holds the lease by now: it did arrive, and must not
        // be sent once more.
        Outcome::Delivered => db
            .prepare_cached(
                "UPDATE deliveries SET state = 'delivered', attempts = attempts + 1,
                    next_attempt_at = NULL, last_error = NULL, finished_at = :now,
                    lease_token = NULL, lease_until = NULL
                WHERE id = :id AND state <> 'delivered'",
            )?
            .execute(named_params! {":id": id, ":now": now})?,
        Outcome::Retry { at, reason } => db
            .prepare_cached(&format!(
                "UPDATE deliveries SET attempts = attempts + 1, next_attempt_at = :at,
                    last_error = :reason, lease_token = NULL, lease_until = NULL {ours}"
            ))?
            .execute(named_params! {
                ":id": id, ":token": token, ":at": stamp(*at), ":reason": reason,
            })?,
        Outcome::GivenUp { reason } => db
            .prepare_cached(&format!(
                "UPDATE deliveries SET state = 'given_up', attempts = attempts + 1,
                    next_attempt_at = NULL, last_error = :reason, finished_at = :now,
                    lease_token = NULL, lease_until = NULL {ours}"
            ))?
            .execute(named_params! {
                ":id": id, ":token": token, ":now": now, ":reason": reason,
            })?,
    };
    Ok(changed > 0)
}
