//! The worker's side of deliveries: claim with a lease, record the outcome.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, Row, named_params, params};
use uuid::Uuid;

use super::leases::longest_lease;
use super::row::{self, LEAD_COLUMNS, stamp};
use super::{Sqlite, channels, held_notices, links};
use crate::store::deliveries::{UNREADABLE_PAUSE, reached};
use crate::store::pause::NOT_PAUSED;
use crate::store::reminders::WAITS;
use crate::store::{
    About, Channel, Claim, DeliveryKind, Lead, MOST_REPLANNED, Outcome, Read, Result, Unreadable,
};

impl Sqlite {
    pub async fn claim(
        &self,
        kinds: &'static [DeliveryKind],
        limit: usize,
        lease: Duration,
        busy: Vec<String>,
        now: Timestamp,
    ) -> Result<Read<Claim>> {
        let work = move |db: &Connection| {
            let mut claims = Read::default();
            for &kind in kinds {
                loop {
                    let free = limit - claims.rows.len();
                    let taken = claim(db, kind, free, lease, &busy, now)?;
                    let all_are_read = taken.unreadable.is_empty();
                    claims.extend(taken);
                    if all_are_read {
                        break;
                    }
                }
            }
            Ok(claims)
        };
        self.writer.run(work).await
    }

    pub async fn replan(&self, kinds: &'static [DeliveryKind], now: Timestamp) -> Result<bool> {
        let work = move |db: &Connection| {
            let mut left = false;
            for &kind in kinds {
                left |= replan(db, kind, now)? >= MOST_REPLANNED as usize;
            }
            Ok(left)
        };
        self.writer.run(work).await
    }

    pub async fn record(
        &self,
        id: String,
        token: String,
        channel: Channel,
        outcome: Outcome,
        now: Timestamp,
    ) -> Result<bool> {
        let work = move |db: &Connection| {
            if outcome == Outcome::Delivered {
                channels::works(db, channel)?;
            }
            record(db, &id, &token, &outcome, now)
        };
        self.writer.run(work).await
    }

    pub async fn note_reached(&self, id: String, all: String, channel: Channel) -> Result<()> {
        let work = move |db: &Connection| {
            channels::works(db, channel)?;
            let sql = "UPDATE deliveries SET reached = ?2 WHERE id = ?1";
            db.prepare_cached(sql)?
                .execute(params![id, all])
                .map(|_| ())
        };
        self.writer.run(work).await
    }

    pub async fn drop_claimed(&self, id: String, token: String) -> Result<()> {
        let work = move |db: &Connection| {
            let sql = "DELETE FROM deliveries
                WHERE id = ?1 AND state = 'pending' AND lease_token = ?2";
            db.prepare_cached(sql)?
                .execute(params![id, token])
                .map(|_| ())
        };
        self.writer.run(work).await
    }
}

fn claim(
    db: &Connection,
    kind: DeliveryKind,
    limit: usize,
    lease: Duration,
    busy: &[String],
    now: Timestamp,
) -> rusqlite::Result<Read<Claim>> {
    let token = Uuid::new_v4().to_string();
    let busy = serde_json::Value::from(busy).to_string();
    let until = stamp(now.saturating_add(lease).unwrap_or(Timestamp::MAX));
    let wanted = match kind.is_reminder() {
        true => {
            format!("EXISTS (SELECT 1 FROM contacts WHERE contacts.id = contact_id AND {WAITS})")
        }
        false => "true".to_owned(),
    };
    let mut take = db.prepare_cached(&format!(
        "UPDATE deliveries SET lease_token = :token, lease_until = :until
        WHERE id IN (
            SELECT id FROM deliveries
            WHERE state = 'pending' AND kind = :kind AND next_attempt_at <= :now
                AND (lease_until IS NULL OR lease_until <= :now OR lease_until > :longest_lease)
                AND id NOT IN (SELECT value FROM json_each(:busy)) AND {wanted}
                AND {NOT_PAUSED}
            ORDER BY next_attempt_at LIMIT :limit)
        RETURNING id"
    ))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let values = named_params! {
        ":token": token, ":until": until, ":kind": kind.as_str(), ":now": stamp(now),
        ":longest_lease": longest_lease(now), ":busy": busy, ":limit": limit,
    };
    let taken = take.query_map(values, |row| row.get(0))?;
    let ids: Vec<String> = taken.collect::<rusqlite::Result<_>>()?;
    let mut claims = Read::default();
    for id in ids {
        match read_claim(db, id.clone(), kind, &token, now) {
            Ok(claim) => claims.rows.push(claim),
            Err(error) if row::is_unreadable(&error) => {
                let reason = error.to_string();
                put_off(db, &id, &reason, now)?;
                let table = "deliveries";
                claims.unreadable.push(Unreadable { table, id, reason });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(claims)
}

fn put_off(db: &Connection, id: &str, reason: &str, now: Timestamp) -> rusqlite::Result<()> {
    let mut update = db.prepare_cached(
        "UPDATE deliveries SET next_attempt_at = ?2, planned_at = ?3, last_error = ?4,
            lease_token = NULL, lease_until = NULL WHERE id = ?1",
    )?;
    let next = now.saturating_add(UNREADABLE_PAUSE).unwrap_or(now);
    let reason = format!("cannot be read: {reason}");
    update
        .execute(params![id, stamp(next), stamp(now), reason])
        .map(|_| ())
}

/// What was planned after this very moment was planned before the clock was
/// set back. It keeps its pause, counted from now.
fn replan(db: &Connection, kind: DeliveryKind, now: Timestamp) -> rusqlite::Result<usize> {
    let mut query = db.prepare_cached(
        "SELECT id, next_attempt_at, coalesce(planned_at, created_at) AS planned FROM deliveries
        WHERE state = 'pending' AND kind = ?1 AND next_attempt_at > ?2
            AND coalesce(planned_at, created_at) > ?2
        LIMIT ?3",
    )?;
    let planned = |found: &Row<'_>| {
        let next: Timestamp = row::parsed(found, "next_attempt_at")?;
        let planned: Timestamp = row::parsed(found, "planned")?;
        let pause = next.duration_since(planned).max(SignedDuration::ZERO);
        Ok((found.get("id")?, now.saturating_add(pause).unwrap_or(now)))
    };
    let rows = query.query(params![kind.as_str(), stamp(now), MOST_REPLANNED])?;
    let found: Vec<(String, Timestamp)> = row::read_all("deliveries", rows, planned)?.rows;
    let mut update = db.prepare_cached(
        "UPDATE deliveries SET next_attempt_at = ?2, planned_at = ?3 WHERE id = ?1",
    )?;
    for (id, next) in &found {
        update.execute(params![id, stamp(*next), stamp(now)])?;
    }
    Ok(found.len())
}

fn read_claim(
    db: &Connection,
    delivery_id: String,
    kind: DeliveryKind,
    token: &str,
    now: Timestamp,
) -> rusqlite::Result<Claim> {
    let mut query = db.prepare_cached(
        "SELECT attempts, reached, request_id
        FROM deliveries LEFT JOIN contacts ON contacts.id = contact_id WHERE deliveries.id = ?1",
    )?;
    let (attempts, stored, request_id): (_, Option<String>, _) = query
        .query_row([&delivery_id], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
    let about = match kind {
        _ if kind.is_for_subscriber() => About::Subscriber(links::invite(db, &delivery_id, now)?),
        DeliveryKind::HeldNotice => held(db, &delivery_id)?,
        _ if kind.is_about_site() => About::Site,
        _ => About::Lead(Box::new(lead_of(db, &delivery_id)?)),
    };
    Ok(Claim {
        delivery_id,
        kind,
        attempts,
        token: token.to_owned(),
        reached: reached(stored.as_deref()),
        request_id,
        about,
    })
}

fn held(db: &Connection, delivery_id: &str) -> rusqlite::Result<About> {
    let (number, latest) = held_notices::held(db)?;
    let lead = match latest {
        Some(lead) => lead,
        None => lead_of(db, delivery_id)?,
    };
    Ok(About::Held {
        lead: Box::new(lead),
        number: number.max(1),
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
                    planned_at = :now, last_error = :reason, lease_token = NULL,
                    lease_until = NULL {ours}"
            ))?
            .execute(named_params! {
                ":id": id, ":token": token, ":at": stamp(*at), ":now": now, ":reason": reason,
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
