//! Deliveries claimed by a worker, and their outcomes.

use std::time::Duration;

use jiff::Timestamp;
use uuid::Uuid;

use super::deliveries::{NOT_PAUSED, UNLEASED};
use super::leads::{HELD_NOTICES, IS_HELD};
use super::notices;
use super::tx::{Row, Tx, args, record, text_list};
use super::{
    DeliveryKind, DeliveryState, Invitation, Lead, Reply, Result, Store, replies, subscribers,
};

/// How many held leads a notice names.
const MAX_NAMED: u32 = 10;

/// An unreadable delivery is retried after this time.
const UNREADABLE_PAUSE: Duration = Duration::from_secs(60 * 60);

/// A delivery that this worker may send until its lease expires.
#[derive(Debug, Clone)]
pub struct Claim {
    pub delivery_id: String,
    pub kind: DeliveryKind,
    /// Failed attempts so far.
    pub attempts: u32,
    /// Proves to the store that the lease is still held.
    pub token: String,
    /// Recipients that already have it.
    pub reached: Vec<String>,
    /// The log's id of the request that created its lead.
    pub request_id: Option<String>,
    pub content: ClaimedContent,
}

#[derive(Debug, Clone)]
pub enum ClaimedContent {
    Lead(Box<Lead>),
    /// The number of held leads, and the latest of them.
    Held {
        leads: Vec<Lead>,
        number: u64,
    },
    Subscriber(Invitation),
    /// The owner's reply to a lead, and the earlier deliveries of its thread.
    Reply {
        lead: Box<Lead>,
        reply: Reply,
        thread: Vec<String>,
    },
    /// No person: its content is collected when it is sent.
    Site,
}

/// The outcome of a claimed delivery. Reasons contain no personal data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryOutcome {
    Delivered,
    Retry { at: Timestamp, reason: String },
    GivenUp { reason: String },
}

impl Store {
    /// Claims up to `limit` due deliveries for `lease`: kind by kind, in the order they are due.
    /// A delivery whose lease expires without an outcome is due again.
    pub async fn claim_deliveries(
        &self,
        kinds: &'static [DeliveryKind],
        limit: usize,
        lease: Duration,
        now: Timestamp,
    ) -> Result<Vec<Claim>> {
        let some_are_due = move |tx: &mut Tx<'_>| {
            for kind in kinds {
                let sql = format!(
                    "SELECT 1 FROM deliveries WHERE state = 'pending' AND kind = $2
                        AND next_attempt_at <= $1 AND {UNLEASED} AND {NOT_PAUSED}"
                );
                if tx.exists(&sql, args![now, *kind])? {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        self.write_if(some_are_due, move |tx| {
            tx.now = now;
            let mut claims: Vec<Claim> = Vec::new();
            for &kind in kinds {
                let free = limit - claims.len();
                claims.extend(claim(tx, kind, free, lease)?);
            }
            Ok(claims)
        })
        .await
    }

    /// Records the outcome of a claim. Returns false if the lease was lost and another worker's
    /// outcome counts. A success shows that the channel works.
    pub async fn record_delivery(
        &self,
        claim: &Claim,
        outcome: DeliveryOutcome,
        now: Timestamp,
    ) -> Result<bool> {
        let (id, token) = (claim.delivery_id.clone(), claim.token.clone());
        let channel = claim.kind.channel();
        self.write_at(now, move |tx| {
            if outcome == DeliveryOutcome::Delivered {
                notices::channel_works(tx, channel)?;
            }
            let is_ours = settle(tx, &id, &token, &outcome)?;
            match outcome {
                DeliveryOutcome::Delivered if is_ours => replies::record_accepted(tx, &id)?,
                DeliveryOutcome::GivenUp { .. } if is_ours => {
                    replies::restore_draft(tx, &id)?;
                }
                _ => {}
            }
            Ok(is_ours)
        })
        .await
    }

    /// Records which of several recipients have it, so that a retry goes to the others.
    pub async fn record_reached(&self, claim: &Claim, reached: &[String]) -> Result<()> {
        let all = text_list(&[&claim.reached[..], reached].concat());
        let (id, channel) = (claim.delivery_id.clone(), claim.kind.channel());
        self.write(move |tx| {
            notices::channel_works(tx, channel)?;
            let sql = "UPDATE deliveries SET reached = $2 WHERE id = $1";
            tx.execute(sql, args![&id, &all]).map(drop)
        })
        .await
    }

    /// Deletes a claimed delivery that has nothing left to report.
    pub async fn drop_claimed(&self, claim: &Claim) -> Result<()> {
        let sql = "DELETE FROM deliveries WHERE id = $1 AND state = 'pending' AND lease_token = $2";
        let values = args![&claim.delivery_id, &claim.token];
        self.execute(sql, values).await.map(drop)
    }
}

/// Claims deliveries and returns those that are readable.
fn claim(tx: &mut Tx<'_>, kind: DeliveryKind, limit: usize, lease: Duration) -> Result<Vec<Claim>> {
    let token = Uuid::new_v4().to_string();
    let sql = format!(
        "UPDATE deliveries SET lease_token = $2, lease_until = $3 WHERE id IN (
            SELECT id FROM deliveries
            WHERE state = 'pending' AND kind = $4 AND next_attempt_at <= $1 AND {UNLEASED}
                AND {NOT_PAUSED}
            ORDER BY next_attempt_at LIMIT $5 {{skip_locked}})
        RETURNING id"
    );
    let values = args![tx.now, &token, tx.now + lease, kind, limit];
    let ids: Vec<String> = tx.column(&sql, values)?;
    let sql = format!(
        "SELECT deliveries.id AS delivery_id, attempts, reached, {}
        FROM deliveries LEFT JOIN contacts ON contacts.id = contact_id
        WHERE deliveries.id IN {{list $1}} ORDER BY next_attempt_at",
        Lead::sql_columns()
    );
    let rows = tx.query(&sql, &[text_list(&ids)])?;
    let mut claims = Vec::with_capacity(rows.len());
    for row in &rows {
        let id: String = row.get("delivery_id")?;
        let read = read_claim(tx, row, &id, kind, &token);
        match tx.readable_one("deliveries", &id, read)? {
            Ok(claim) => claims.push(claim),
            Err(reason) => {
                // Without the pause it would be claimed again at once, before all others.
                let sql = "UPDATE deliveries SET next_attempt_at = $2, last_error = $3,
                    lease_token = NULL, lease_until = NULL WHERE id = $1";
                let next = tx.now + UNREADABLE_PAUSE;
                tx.execute(sql, args![id, next, format!("can't be read: {reason}")])?;
            }
        }
    }
    Ok(claims)
}

fn read_claim(
    tx: &mut Tx<'_>,
    row: &Row,
    delivery_id: &str,
    kind: DeliveryKind,
    token: &str,
) -> Result<Claim> {
    let reached: Option<String> = row.get("reached")?;
    let reached = reached.and_then(|json| serde_json::from_str(&json).ok());
    let content = match kind {
        DeliveryKind::Confirm => {
            ClaimedContent::Subscriber(subscribers::invitation(tx, delivery_id)?)
        }
        DeliveryKind::HeldNotice => {
            tx.lock(HELD_NOTICES)?;
            let sql = format!(
                "SELECT {}, count(*) OVER () AS number FROM contacts WHERE {IS_HELD}
                ORDER BY created_at DESC, id DESC LIMIT {MAX_NAMED}",
                Lead::sql_columns()
            );
            let rows = tx.query(&sql, &[])?;
            match rows.first() {
                Some(latest) => ClaimedContent::Held {
                    number: latest.get("number")?,
                    leads: tx.readable(&rows, "contacts", Lead::read),
                },
                // If no lead is held any more, the notice is about the original one.
                None => ClaimedContent::Held {
                    number: 1,
                    leads: vec![Lead::read(row)?],
                },
            }
        }
        DeliveryKind::Digest | DeliveryKind::FaultMail => ClaimedContent::Site,
        DeliveryKind::Reply => {
            let (reply, thread) = replies::of_delivery(tx, delivery_id)?;
            let lead = Box::new(Lead::read(row)?);
            ClaimedContent::Reply {
                lead,
                reply,
                thread,
            }
        }
        DeliveryKind::LeadWebhook
        | DeliveryKind::LeadMail
        | DeliveryKind::AutoReply
        | DeliveryKind::ReminderMail
        | DeliveryKind::CallCancelled
        | DeliveryKind::ReminderWebhook
        | DeliveryKind::FaultWebhook => ClaimedContent::Lead(Box::new(Lead::read(row)?)),
    };
    record!(row => Claim: attempts, request_id;
        delivery_id: delivery_id.to_owned(), kind: kind, token: token.to_owned(),
        reached: reached.unwrap_or_default(), content: content)
}

/// Returns false if the lease was lost. A success is recorded all the same: the delivery arrived and
/// must not be sent again.
fn settle(tx: &mut Tx<'_>, id: &str, token: &str, outcome: &DeliveryOutcome) -> Result<bool> {
    let (state, next, reason, finished) = match outcome {
        DeliveryOutcome::Delivered => (DeliveryState::Delivered, None, None, Some(tx.now)),
        DeliveryOutcome::Retry { at, reason } => {
            (DeliveryState::Pending, Some(*at), Some(reason), None)
        }
        DeliveryOutcome::GivenUp { reason } => {
            (DeliveryState::GivenUp, None, Some(reason), Some(tx.now))
        }
    };
    let sql = "UPDATE deliveries SET state = $3, attempts = attempts + 1, next_attempt_at = $4,
            last_error = $5, finished_at = $6, lease_token = NULL, lease_until = NULL
        WHERE id = $1 AND (state = 'pending' AND lease_token = $2
            OR state <> 'delivered' AND $3 = 'delivered')";
    let values = args![id, token, state, next, reason, finished];
    Ok(tx.execute(sql, values)? > 0)
}
