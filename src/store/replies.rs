//! The owner's replies from the desk: drafts, and replies on their way to the visitor. A reply
//! waits some seconds before it is mailed and can be called back until then. The lead is answered
//! once the mail server has accepted the reply.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::deliveries::{self, UNLEASED};
use super::lead_changes;
use super::tx::{Row, Tx, args, record, text_list};
use super::{DeliveryKind, Result, Store};

/// Key of a lock: drafts and replies are checked and written one after another.
const REPLIES: &str = "replies";

/// How long a mail sent from the desk can be called back for certain.
pub const LEAVES_AFTER: Duration = Duration::from_secs(10);

/// A reply as the owner wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Reply {
    /// The name of the desk's session.
    #[serde(skip)]
    pub who: String,
    pub text: String,
    /// Whether the mail has the booking link.
    #[serde(default)]
    pub booking: bool,
    /// Whether it quotes the visitor's message.
    #[serde(default)]
    pub quote: bool,
}

impl Reply {
    pub(super) fn read(row: &Row) -> Result<Self> {
        record!(row => Self: who, text, booking, quote)
    }
}

/// A reply that the mail server hasn't accepted yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LeavingReply {
    pub id: String,
    pub text: String,
    pub leaves_at: Timestamp,
}

/// Why a draft isn't kept, or a reply isn't stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyRefusal {
    /// Another reply to this lead can still be called back, and would be the draft then.
    AnotherIsLeaving,
    /// Another browser has changed the draft since this one read it.
    DraftChanged,
    UnknownLead,
}

impl Store {
    /// Stores a reply instead of its draft, unless the draft has another text by now, or another
    /// reply to this lead is leaving.
    pub async fn add_reply(
        &self,
        lead: &str,
        reply: Reply,
        now: Timestamp,
    ) -> Result<Result<LeavingReply, ReplyRefusal>> {
        let lead = lead.to_owned();
        self.write_at(now, move |tx| {
            let draft = match draft_to_change(tx, &lead)? {
                Ok(draft) => draft,
                Err(why) => return Ok(Err(why)),
            };
            if draft.is_some_and(|draft| draft.trim() != reply.text.trim()) {
                return Ok(Err(ReplyRefusal::DraftChanged));
            }
            let leaves_at = now + LEAVES_AFTER;
            let id = deliveries::add(tx, DeliveryKind::Reply, Some(&lead), Some(leaves_at))?;
            let Reply { who, text, .. } = &reply;
            let sql = "INSERT INTO replies
                    (delivery_id, contact_id, who, text, booking, quote, created_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7)";
            let values = args![&id, &lead, who, text, reply.booking, reply.quote, now];
            tx.execute(sql, values)?;
            keep_draft(tx, &lead, "")?;
            let text = text.clone();
            Ok(Ok(LeavingReply {
                id,
                text,
                leaves_at,
            }))
        })
        .await
    }

    /// Calls a reply back and keeps its text as the draft, after one that was written since.
    /// Returns the draft, or `None` if the reply was or is being sent.
    pub async fn call_back(&self, delivery: &str, now: Timestamp) -> Result<Option<String>> {
        let id = delivery.to_owned();
        self.write_at(now, move |tx| {
            let sql = format!(
                "SELECT replies.contact_id, text FROM replies
                    JOIN deliveries ON deliveries.id = delivery_id
                WHERE delivery_id = $2 AND deliveries.state IN ('pending', 'held') AND {UNLEASED}
                {{for_update}}"
            );
            let Some(row) = tx.first(&sql, args![now, &id])? else {
                return Ok(None);
            };
            let (lead, text): (String, String) = (row.get("contact_id")?, row.get("text")?);
            tx.execute("DELETE FROM deliveries WHERE id = $1", args![&id])?;
            let text = match draft(tx, &lead)? {
                Some(newer) if newer != text => format!("{newer}\n\n{text}"),
                _ => text,
            };
            keep_draft(tx, &lead, &text)?;
            Ok(Some(text))
        })
        .await
    }

    /// The reply to a lead that can still be called back.
    pub async fn leaving_reply(&self, lead: &str) -> Result<Option<LeavingReply>> {
        let lead = lead.to_owned();
        self.read(move |tx| leaving_reply(tx, &lead)).await
    }

    /// Keeps a draft, unless the stored one is neither this one nor `before`, which is what the
    /// owner's browser read; `None` replaces whatever is stored.
    pub async fn keep_reply_draft(
        &self,
        lead: &str,
        text: &str,
        before: Option<&str>,
        now: Timestamp,
    ) -> Result<Result<(), ReplyRefusal>> {
        let (lead, text, before) = (lead.to_owned(), text.to_owned(), before.map(str::to_owned));
        self.write_at(now, move |tx| {
            let stored = match draft_to_change(tx, &lead)? {
                Ok(stored) => stored,
                Err(why) => return Ok(Err(why)),
            };
            if is_changed_elsewhere(stored.as_deref(), before.as_deref(), &text) {
                return Ok(Err(ReplyRefusal::DraftChanged));
            }
            keep_draft(tx, &lead, &text)?;
            Ok(Ok(()))
        })
        .await
    }

    pub async fn reply_draft(&self, lead: &str) -> Result<Option<String>> {
        let lead = lead.to_owned();
        self.read(move |tx| draft(tx, &lead)).await
    }

    /// Those of these leads to which a reply is being written.
    pub async fn leads_with_draft(&self, leads: &[&str]) -> Result<Vec<String>> {
        let sql = "SELECT contact_id FROM reply_drafts WHERE contact_id IN {list $1}";
        let ids = [text_list(leads)];
        self.query(sql, &ids, |row| row.at(0)).await
    }
}

/// Locks a lead's draft and returns it, unless it must not be changed.
fn draft_to_change(tx: &mut Tx<'_>, lead: &str) -> Result<Result<Option<String>, ReplyRefusal>> {
    tx.lock(REPLIES)?;
    if !tx.exists("SELECT 1 FROM contacts WHERE id = $1", args![lead])? {
        return Ok(Err(ReplyRefusal::UnknownLead));
    }
    if leaving_reply(tx, lead)?.is_some() {
        return Ok(Err(ReplyRefusal::AnotherIsLeaving));
    }
    draft(tx, lead).map(Ok)
}

fn draft(tx: &mut Tx<'_>, lead: &str) -> Result<Option<String>> {
    let sql = "SELECT text FROM reply_drafts WHERE contact_id = $1";
    Ok(tx.column(sql, args![lead])?.pop())
}

/// Whether keeping a draft would overwrite a text that its author's browser never read.
pub(super) fn is_changed_elsewhere(stored: Option<&str>, before: Option<&str>, text: &str) -> bool {
    let stored = stored.unwrap_or_default();
    before.is_some_and(|before| !["", before, text].contains(&stored))
}

fn leaving_reply(tx: &mut Tx<'_>, lead: &str) -> Result<Option<LeavingReply>> {
    let sql = "SELECT deliveries.id, text, next_attempt_at AS leaves_at
        FROM deliveries JOIN replies ON delivery_id = deliveries.id
        WHERE deliveries.contact_id = $1 AND state = 'pending' AND attempts = 0
        ORDER BY deliveries.created_at DESC LIMIT 1";
    let row = tx.first(sql, args![lead])?;
    let read = |row: &Row| record!(row => LeavingReply: id, text, leaves_at);
    row.as_ref().map(read).transpose()
}

/// Replaces the draft; an empty text removes it.
fn keep_draft(tx: &mut Tx<'_>, lead: &str, text: &str) -> Result<()> {
    let sql = "DELETE FROM reply_drafts WHERE contact_id = $1";
    tx.execute(sql, args![lead])?;
    if text.trim().is_empty() {
        return Ok(());
    }
    let sql = "INSERT INTO reply_drafts (contact_id, text, kept_at)
        SELECT id, $2, $3 FROM contacts WHERE id = $1";
    tx.execute(sql, args![lead, text, tx.now]).map(drop)
}

/// The reply of a delivery, and the deliveries of its thread: the mails that the visitor and the
/// owner have had about this lead.
pub(super) fn of_delivery(tx: &mut Tx<'_>, delivery: &str) -> Result<(Reply, Vec<String>)> {
    let sql = "SELECT who, text, booking, quote, contact_id FROM replies WHERE delivery_id = $1";
    let row = tx.first(sql, args![delivery])?;
    let row = row.ok_or_else(|| super::StoreError::Unreadable("its text is gone".into()))?;
    let lead: String = row.get("contact_id")?;
    let sql = "SELECT id FROM deliveries
        WHERE contact_id = $1 AND kind IN ('auto_reply', 'notify', 'reply') AND state = 'delivered'
        ORDER BY created_at, id";
    Ok((Reply::read(&row)?, tx.column(sql, args![lead])?))
}

/// Keeps the text of a reply that was given up as the draft, unless there is a newer one.
pub(super) fn restore_draft(tx: &mut Tx<'_>, delivery: &str) -> Result<()> {
    let sql = "INSERT INTO reply_drafts (contact_id, text, kept_at)
        SELECT contact_id, text, $2 FROM replies WHERE delivery_id = $1
        ON CONFLICT (contact_id) DO NOTHING";
    tx.execute(sql, args![delivery, tx.now]).map(drop)
}

/// Records that the mail server has accepted a reply, which answers the lead.
pub(super) fn record_accepted(tx: &mut Tx<'_>, delivery: &str) -> Result<()> {
    let sql = "SELECT contact_id, who, text, created_at FROM replies WHERE delivery_id = $1";
    if let Some(row) = tx.first(sql, args![delivery])? {
        let (lead, who): (String, String) = (row.get("contact_id")?, row.get("who")?);
        lead_changes::record_reply(tx, &lead, &who, row.get("created_at")?)?;
        // It was given up once, and has arrived after a retry.
        let text: String = row.get("text")?;
        let sql = "DELETE FROM reply_drafts WHERE contact_id = $1 AND text = $2";
        tx.execute(sql, args![&lead, text])?;
    }
    Ok(())
}
