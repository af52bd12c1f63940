//! The worker's side of deliveries: claim with a lease.
//!
//! A row that another worker holds is passed over, so no two of them have the
//! same delivery, and none waits for another.

use std::time::Duration;

use jiff::Timestamp;
use tokio_postgres::types::Type;
use tokio_postgres::{Row, Transaction};
use uuid::Uuid;

use super::ask::{Value, counted, number, parsed, text, time};
use super::held_notices::IS_HELD;
use super::recent::{NOW, interval, with_present};
use super::row::{self, LEAD};
use super::turns::{self, HELD_NOTICES};
use super::{Postgres, links};
use crate::store::deliveries::reached;
use crate::store::reminders::WAITS;
use crate::store::{About, Claim, DeliveryKind, LONGEST_LEASE, Lead, Result};

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
    ) -> Result<Vec<Claim>> {
        let token = Uuid::new_v4().to_string();
        let now = self.time(now);
        let lease = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let values = [
            time(&now),
            text(&token),
            number(&lease),
            number(&limit),
            (&busy as _, Type::TEXT_ARRAY),
        ];
        let sql = self.claim_sql(kinds);
        if kinds.iter().any(|kind| PREPARED.contains(kind)) {
            return self.claim_and_prepare(&sql, &values, &token, now).await;
        }
        let taken = self.rows(&sql, &values).await?;
        taken
            .iter()
            .map(|found| about_lead(found, &token))
            .collect()
    }

    async fn claim_and_prepare(
        &self,
        sql: &str,
        values: &[Value<'_>],
        token: &str,
        now: Option<Timestamp>,
    ) -> Result<Vec<Claim>> {
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
                        AND {not_leased} AND id <> ALL ($5) AND {wanted}
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
) -> Result<Vec<Claim>> {
    let mut claims = Vec::with_capacity(taken.len());
    for found in taken {
        claims.push(match parsed(found, "kind")? {
            DeliveryKind::Confirm => {
                let invitation = links::invite(db, found.try_get("delivery_id")?, now).await?;
                claim(found, token, About::Subscriber(invitation))?
            }
            DeliveryKind::HeldNotice => claim(found, token, held(db, row::lead(found)?).await?)?,
            kind if kind.is_about_site() => claim(found, token, About::Site)?,
            _ => about_lead(found, token)?,
        });
    }
    Ok(claims)
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
        Some(latest) => (row::lead(latest)?, counted(latest, "held")?),
        None => (noticed, 1),
    };
    Ok(About::Held {
        lead: Box::new(lead),
        number,
    })
}
