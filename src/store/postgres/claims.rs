//! The worker's side of deliveries: claim with a lease.
//!
//! A row that another worker holds is passed over, so no two of them have the
//! same delivery, and none waits for another.

use std::time::Duration;

use jiff::Timestamp;
use tokio_postgres::types::Type;
use tokio_postgres::{Row, Transaction};
use uuid::Uuid;

use super::ask::{Value, counted, number, parsed, present, text, time};
use super::held_notices::IS_HELD;
use super::recent::{NOW, interval, with_present};
use super::row::{self, LEAD};
use super::turns::{self, HELD_NOTICES};
use super::{Postgres, links};
use crate::store::deliveries::{UNREADABLE_PAUSE, reached};
use crate::store::pause::NOT_PAUSED;
use crate::store::reminders::WAITS;
use crate::store::{About, Claim, DeliveryKind, LONGEST_LEASE, Lead, Read, Result, Unreadable};

/// More than their lead goes with them, and is made in the same transaction.
const PREPARED: [DeliveryKind; 2] = [DeliveryKind::Confirm, DeliveryKind::HeldNotice];

impl Postgres {
    pub async fn claim(
        &self,
        kinds: &'static [DeliveryKind],
        limit: usize,
        lease: Duration,
        busy: Vec<String>,
        now: Timestamp,
    ) -> Result<Read<Claim>> {
        let mut claims = Read::default();
        loop {
            let free = limit - claims.rows.len();
            let taken = self.claim_some(kinds, free, lease, &busy, now).await?;
            let unreadable = taken.unreadable.clone();
            claims.extend(taken);
            if unreadable.is_empty() {
                return Ok(claims);
            }
            for row in unreadable {
                self.put_off(row, now).await?;
            }
        }
    }

    async fn put_off(&self, row: Unreadable, now: Timestamp) -> Result<()> {
        let now_is = present("$1");
        let sql = format!(
            "UPDATE deliveries SET next_attempt_at = {now_is} + {}, planned_at = {now_is},
                last_error = $3, lease_token = NULL, lease_until = NULL WHERE id = $2",
            interval(UNREADABLE_PAUSE)
        );
        let (now, reason) = (self.time(now), format!("cannot be read: {}", row.reason));
        let values = [time(&now), text(&row.id), text(&reason)];
        self.change(&sql, &values).await.map(|_| ())
    }

    async fn claim_some(
        &self,
        kinds: &'static [DeliveryKind],
        limit: usize,
        lease: Duration,
        busy: &Vec<String>,
        now: Timestamp,
    ) -> Result<Read<Claim>> {
        let token = Uuid::new_v4().to_string();
        let now = self.time(now);
        let lease = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let values = [
            time(&now),
            text(&token),
            number(&lease),
            number(&limit),
            (busy as _, Type::TEXT_ARRAY),
        ];
        let sql = self.claim_sql(kinds);
        if kinds.iter().any(|kind| PREPARED.contains(kind)) {
            return self.claim_and_prepare(&sql, &values, &token, now).await;
        }
        let mut claims = Read::default();
        for found in &self.rows(&sql, &values).await? {
            push(&mut claims, found, about_lead(found, &token));
        }
        Ok(claims)
    }

    async fn claim_and_prepare(
        &self,
        sql: &str,
        values: &[Value<'_>],
        token: &str,
        now: Option<Timestamp>,
    ) -> Result<Read<Claim>> {
        self.in_time(async {
            let mut db = self.pool.get().await?;
            let step = db.transaction().await?;
            // Whoever adds a held lead meanwhile sees that the notice is on
            // its way, and calls for another.
            let (turn, taken) = tokio::join!(
                biased;
                turns::lock(step.client(), &[HELD_NOTICES]),
                step.query_typed(sql, values),
            );
            turn?;
            let claims = prepare(&step, &taken?, token, now).await?;
            step.commit().await?;
            Ok(claims)
        })
        .await
    }

    /// Kind after kind, each the longest due first.
    fn claim_sql(&self, kinds: &[DeliveryKind]) -> String {
        let (present, not_leased) = (with_present(), not_leased());
        let mut due = String::new();
        let mut all = Vec::new();
        for (place, kind) in kinds.iter().enumerate() {
            let before = (0..place).map(|place| format!(" - (SELECT count(*) FROM due{place})"));
            let wanted = match kind.is_reminder() {
                true => format!(
                    "EXISTS (SELECT FROM contacts
                        WHERE contacts.id = deliveries.contact_id{} AND {WAITS})",
                    self.ids.cast()
                ),
                false => "true".to_owned(),
            };
            let (before, kind): (String, _) = (before.collect(), kind.as_str());
            due += &format!(
                ", due{place} AS MATERIALIZED (
                    SELECT id FROM deliveries
                    WHERE state = 'pending' AND kind = '{kind}' AND next_attempt_at <= {NOW}
                        AND {not_leased} AND id <> ALL ($5) AND {wanted} AND {NOT_PAUSED}
                    ORDER BY next_attempt_at LIMIT $4{before} FOR UPDATE SKIP LOCKED)"
            );
            all.push(format!("SELECT id, {place} AS place FROM due{place}"));
        }
        let (all, id) = (all.join(" UNION ALL "), self.ids.cast());
        format!(
            "{present}{due},
            taken AS (
                UPDATE deliveries SET lease_token = $2,
                    lease_until = {NOW} + $3 * interval '1 millisecond'
                FROM ({all}) AS due WHERE deliveries.id = due.id
                RETURNING deliveries.id, kind, attempts, reached, contact_id, next_attempt_at,
                    place)
            SELECT taken.id AS delivery_id, taken.kind, taken.attempts, taken.reached,
                contacts.request_id, {}
            FROM taken LEFT JOIN contacts ON contacts.id = taken.contact_id{id}
            ORDER BY place, next_attempt_at",
            *LEAD
        )
    }
}

/// Nobody sends it: no lease lasts longer than the longest, so one that ends
/// later is from before the clock was set back, and has ended.
pub fn not_leased() -> String {
    let longest = interval(LONGEST_LEASE);
    format!("(lease_until IS NULL OR lease_until <= {NOW} OR lease_until > {NOW} + {longest})")
}

fn about_lead(found: &Row, token: &str) -> Result<Claim> {
    claim(found, token, About::Lead(Box::new(row::lead(found)?)))
}

fn claim(found: &Row, token: &str, about: About) -> Result<Claim> {
    Ok(Claim {
        delivery_id: found.try_get("delivery_id")?,
        kind: parsed(found, "kind")?,
        attempts: row::attempts(found)?,
        token: token.to_owned(),
        reached: reached(found.try_get("reached")?),
        request_id: found.try_get("request_id")?,
        about,
    })
}

async fn prepare(
    db: &Transaction<'_>,
    taken: &[Row],
    token: &str,
    now: Option<Timestamp>,
) -> Result<Read<Claim>> {
    let mut claims = Read::default();
    for found in taken {
        let mut read = match parsed::<DeliveryKind>(found, "kind")? {
            kind if kind.is_for_subscriber() || kind.is_about_site() => {
                claim(found, token, About::Site)
            }
            _ => about_lead(found, token),
        };
        if let Ok(claim) = &mut read {
            claim.about = match (claim.kind, std::mem::replace(&mut claim.about, About::Site)) {
                (DeliveryKind::Confirm, _) => {
                    About::Subscriber(links::invite(db, &claim.delivery_id, now).await?)
                }
                (DeliveryKind::HeldNotice, About::Lead(lead)) => held(db, *lead).await?,
                (_, about) => about,
            };
        }
        push(&mut claims, found, read);
    }
    Ok(claims)
}

fn push(claims: &mut Read<Claim>, found: &Row, read: Result<Claim>) {
    match read {
        Ok(claim) => claims.rows.push(claim),
        Err(error) => {
            let row = row::unreadable("deliveries", "delivery_id", found, &error);
            claims.unreadable.push(row);
        }
    }
}

/// How many leads are held, and the latest of them.
async fn held(db: &Transaction<'_>, noticed: Lead) -> Result<About> {
    let sql = format!(
        "SELECT {}, (SELECT count(*) FROM contacts WHERE {IS_HELD}) AS held
        FROM contacts WHERE {IS_HELD} ORDER BY created_at DESC, contacts.id DESC LIMIT 1",
        *LEAD
    );
    let latest = db.query_typed_opt(&sql, &[]).await?;
    let (lead, number) = match &latest {
        Some(latest) => (
            row::lead(latest).unwrap_or(noticed),
            counted(latest, "held")?,
        ),
        None => (noticed, 1),
    };
    Ok(About::Held {
        lead: Box::new(lead),
        number,
    })
}
