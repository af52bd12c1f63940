//! Storing a request for the newsletter.
//!
//! A new address becomes pending and is invited to confirm. An address that
//! is pending is invited again after a pause; one that had left starts over,
//! and the consent it had withdrawn is kept as a past one. A confirmed one is
//! left alone. Whoever filled in the decoy is kept and never invited.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use super::Sqlite;
use super::row::{self, stamp};
use crate::domain::{Subscription, fold_address, invitation_pause};
use crate::store::{DeliveryKind, Result, Subscribed, SubscriberState};

/// What is known about an address before the request is stored.
struct Known {
    id: String,
    state: SubscriberState,
    held: bool,
    /// The earliest time for another confirmation mail.
    next_invitation: Timestamp,
}

impl Sqlite {
    pub async fn subscribe(
        &self,
        new: Subscription,
        by_mail: bool,
        now: Timestamp,
    ) -> Result<Subscribed> {
        let work = move |db: &Connection| subscribe(db, &new, by_mail, now);
        self.writer.run(work).await
    }
}

fn subscribe(
    db: &Connection,
    new: &Subscription,
    by_mail: bool,
    now: Timestamp,
) -> rusqlite::Result<Subscribed> {
    let key = fold_address(new.email.as_str());
    let Some(known) = find(db, &key, now)? else {
        let id = insert(db, &key, new, now)?;
        if new.hold.is_some() {
            return Ok(Subscribed::Unchanged);
        }
        return invite(db, &id, by_mail, now, now);
    };
    let waits = known.state == SubscriberState::Pending
        && !known.held
        && (known.next_invitation > now || is_being_invited(db, &known.id)?);
    if known.state == SubscriberState::Confirmed || new.hold.is_some() || waits {
        return Ok(Subscribed::Unchanged);
    }
    if known.state == SubscriberState::Unsubscribed {
        keep_past_consent(db, &known.id)?;
    }
    renew(db, &known.id, new, now)?;
    // Who has just left and comes back is invited too, only a little later.
    invite(db, &known.id, by_mail, now, known.next_invitation.max(now))
}

fn find(db: &Connection, key: &str, now: Timestamp) -> rusqlite::Result<Option<Known>> {
    let mut query = db.prepare_cached(
        "SELECT id, state, hold_reason IS NOT NULL, invited_at, invitations
        FROM subscribers WHERE email_key = ?1",
    )?;
    query
        .query_row([key], |found| {
            let invited_at: Option<Timestamp> = row::parsed_if_set(found, 3)?;
            let pause = invitation_pause(found.get(4)?);
            let next = invited_at.and_then(|time| time.saturating_add(pause).ok());
            Ok(Known {
                id: found.get(0)?,
                state: row::parsed(found, 1)?,
                held: found.get(2)?,
                next_invitation: next.unwrap_or(now),
            })
        })
        .optional()
}

fn insert(
    db: &Connection,
    key: &str,
    new: &Subscription,
    now: Timestamp,
) -> rusqlite::Result<String> {
    let id = Uuid::now_v7().to_string();
    let mut insert = db.prepare_cached(
        "INSERT INTO subscribers (id, email, state, created_at, page, consent_version,
            consent_text, hold_reason, email_key)
        VALUES (?1, ?2, 'pending', ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    insert.execute(params![
        id,
        // As it was written but for capitals: the key may spell it in a way
        // that no mail server knows.
        new.email.as_str().to_lowercase(),
        stamp(now),
        new.page,
        new.consent.version,
        new.consent.wording,
        new.hold.map(|reason| reason.as_str()),
        key,
    ])?;
    Ok(id)
}

/// The consent given now is the one that counts.
fn renew(db: &Connection, id: &str, new: &Subscription, now: Timestamp) -> rusqlite::Result<()> {
    let mut update = db.prepare_cached(
        "UPDATE subscribers SET state = 'pending', created_at = ?2, page = ?3,
            consent_version = ?4, consent_text = ?5, confirmed_at = NULL,
            unsubscribed_at = NULL, hold_reason = NULL
        WHERE id = ?1",
    )?;
    let (version, wording) = (new.consent.version, &new.consent.wording);
    update.execute(params![id, stamp(now), new.page, version, wording])?;
    Ok(())
}

fn keep_past_consent(db: &Connection, id: &str) -> rusqlite::Result<()> {
    let mut copy = db.prepare_cached(
        "INSERT INTO past_consents (subscriber_id, created_at, page, consent_version,
            consent_text, confirmed_at, unsubscribed_at)
        SELECT id, created_at, page, consent_version, consent_text, confirmed_at, unsubscribed_at
        FROM subscribers WHERE id = ?1",
    )?;
    copy.execute([id]).map(|_| ())
}

/// A confirmation mail is still on its way.
fn is_being_invited(db: &Connection, id: &str) -> rusqlite::Result<bool> {
    let mut query = db.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM deliveries
            WHERE subscriber_id = ?1 AND kind = ?2 AND state = 'pending')",
    )?;
    let kind = DeliveryKind::Confirm.as_str();
    query.query_row(params![id, kind], |row| row.get(0))
}

fn invite(
    db: &Connection,
    id: &str,
    by_mail: bool,
    now: Timestamp,
    due: Timestamp,
) -> rusqlite::Result<Subscribed> {
    if !by_mail {
        return Ok(Subscribed::Unconfirmed);
    }
    let mut insert = db.prepare_cached(
        "INSERT INTO deliveries (id, subscriber_id, kind, state, next_attempt_at, created_at)
        VALUES (?1, ?2, ?3, 'pending', ?4, ?5)",
    )?;
    let delivery_id = Uuid::now_v7().to_string();
    let kind = DeliveryKind::Confirm.as_str();
    insert.execute(params![delivery_id, id, kind, stamp(due), stamp(now)])?;
    let mut note = db.prepare_cached(
        "UPDATE subscribers SET invited_at = ?2, invitations = invitations + 1 WHERE id = ?1",
    )?;
    note.execute(params![id, stamp(due)])?;
    Ok(Subscribed::Invited)
}
