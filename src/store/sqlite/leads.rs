//! Leads: store, read, release.

use std::sync::OnceLock;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, ToSql, named_params, params};
use uuid::Uuid;

use super::deliveries::{self, Owner};
use super::recent::last;
use super::row::{self, LEAD_COLUMNS, stamp};
use super::{Sqlite, cells, held_notices, repeats, same_text};
use crate::domain::{Source, fold_address};
use crate::store::spam::Judged;
use crate::store::{
    AUTO_REPLY_PAUSE, AddedLead, DeliveryKind, Lead, LeadState, NewLead, Released, Result,
};

impl Sqlite {
    pub async fn add_lead(&self, lead: NewLead, now: Timestamp) -> Result<AddedLead> {
        let key = fold_address(lead.contact.email.as_str());
        let work = move |db: &Connection| add_lead(db, &lead, &key, now);
        self.writer.run(work).await
    }

    pub async fn add_form_lead(&self, lead: NewLead, now: Timestamp) -> Result<AddedLead> {
        let key = fold_address(lead.contact.email.as_str());
        let work = move |db: &Connection| match repeats::first(db, &lead, &key, now)? {
            Some(id) => Ok(AddedLead::known(id)),
            None => add_lead(db, &lead, &key, now),
        };
        self.writer.run(work).await
    }

    pub async fn lead(&self, id: String) -> Result<Option<Lead>> {
        let sql = format!("SELECT {LEAD_COLUMNS} FROM contacts WHERE id = ?1");
        let work = move |db: &Connection| {
            let mut query = db.prepare_cached(&sql)?;
            row::read_all("contacts", query.query([id])?, row::lead)
        };
        self.readers.run(work).await?.one()
    }

    pub async fn release(&self, id: String, now: Timestamp) -> Result<Released> {
        self.writer.run(move |db| release(db, &id, now)).await
    }
}

/// The key is made by the caller: the one thread that writes has enough to do.
fn add_lead(
    db: &Connection,
    lead: &NewLead,
    email_key: &str,
    now: Timestamp,
) -> rusqlite::Result<AddedLead> {
    let id = Uuid::now_v7().to_string();
    let judged = lead.judged(same_text::others(db, lead, email_key, now)?);
    if !insert_contact(db, &id, lead, &judged, email_key, now)? {
        let key = lead.idempotency_key.as_ref().map(|key| key.as_str());
        let mut query = db.prepare_cached("SELECT id FROM contacts WHERE idempotency_key = ?1")?;
        let id = query.query_row([key], |row| row.get(0))?;
        return Ok(AddedLead::known(id));
    }
    for &kind in &lead.deliveries {
        let repeated = kind == DeliveryKind::AutoReply && was_replied_to(db, email_key, now)?;
        if !repeated {
            let due = judged.hold.is_none().then_some(now);
            deliveries::add(db, Owner::Lead(&id), kind, due, now)?;
        }
    }
    let by_mail = lead.deliveries.contains(&DeliveryKind::Notify);
    if judged.hold.is_some()
        && by_mail
        && let Some(due) = held_notices::due(db, now)?
    {
        let kind = DeliveryKind::HeldNotice;
        deliveries::add(db, Owner::Lead(&id), kind, Some(due), now)?;
    }
    let (created, hold) = (true, judged.hold);
    Ok(AddedLead { id, created, hold })
}

/// False when the idempotency key is known already.
fn insert_contact(
    db: &Connection,
    id: &str,
    lead: &NewLead,
    judged: &Judged,
    email_key: &str,
    now: Timestamp,
) -> rusqlite::Result<bool> {
    static SQL: OnceLock<String> = OnceLock::new();
    let contact = &lead.contact;
    let (location, created_at) = (contact.form_location.as_str(), stamp(now));
    let hold = judged.hold.map(|reason| reason.as_str());
    let key = lead.idempotency_key.as_ref().map(|key| key.as_str());
    let typed: Vec<_> = contact.typed().collect();
    let mut row: Vec<(&str, &dyn ToSql)> = vec![
        ("id", &id),
        ("form_location", &location),
        ("created_at", &created_at),
        ("hold_reason", &hold),
        ("spam_reasons", &judged.reasons),
        ("text_key", &lead.spam.fingerprint),
        ("idempotency_key", &key),
        ("email_key", &email_key),
        ("request_id", &lead.request_id),
    ];
    row.extend(typed.iter().map(|(field, value)| (field.name, value as _)));
    let source = Source::FIELDS.into_iter().zip(lead.source.values());
    row.extend(source.map(|(name, value)| (name, value as &dyn ToSql)));
    // Every lead has the same columns, so one statement serves all.
    let sql = SQL.get_or_init(|| {
        let insert = cells::insert("contacts", &row);
        format!("{insert} ON CONFLICT (idempotency_key) DO NOTHING")
    });
    let values: Vec<_> = row.iter().map(|(_, value)| *value).collect();
    Ok(db.prepare_cached(sql)?.execute(values.as_slice())? > 0)
}

fn was_replied_to(db: &Connection, email_key: &str, now: Timestamp) -> rusqlite::Result<bool> {
    let mut query = db.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM contacts
            JOIN deliveries ON deliveries.contact_id = contacts.id
            WHERE contacts.email_key = ?1 AND deliveries.kind = ?2
                AND deliveries.created_at > ?3 AND deliveries.created_at <= ?4)",
    )?;
    let (since, until) = last(AUTO_REPLY_PAUSE, now);
    let kind = DeliveryKind::AutoReply.as_str();
    query.query_row(params![email_key, kind, since, until], |row| row.get(0))
}

fn release(db: &Connection, id: &str, time: Timestamp) -> rusqlite::Result<Released> {
    let now = stamp(time);
    let released = db.execute(
        "UPDATE contacts SET released_at = :now
        WHERE id = :id AND hold_reason IS NOT NULL AND released_at IS NULL AND state <> 'spam'",
        named_params! {":now": now, ":id": id},
    )?;
    if released == 0 {
        let sql = "SELECT state FROM contacts WHERE id = ?1";
        let state = db.query_row(sql, [id], |found| row::parsed(found, "state"));
        return Ok(match state.optional()? {
            None => Released::UnknownLead,
            Some(LeadState::Spam) => Released::Spam,
            Some(_) => Released::NotHeld,
        });
    }
    let deliveries = db.execute(
        "UPDATE deliveries SET state = 'pending', next_attempt_at = :now
        WHERE contact_id = :id AND state = 'held'",
        named_params! {":now": now, ":id": id},
    )?;
    held_notices::take_back_if_none_is_held(db, time)?;
    Ok(Released::Now {
        deliveries: deliveries as u64,
    })
}
