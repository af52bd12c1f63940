//! Storing a request for the newsletter.
//!
//! A new address becomes pending and is invited to confirm. An address that
//! is pending is invited again after a pause, or at once when the first mail
//! has failed; one that had left starts over, and the consent it had withdrawn
//! is kept as a past one. A confirmed one is left alone, unless its address is
//! suspended: then it starts over, too. Whoever filled in the
//! decoy is kept and never invited.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use super::Sqlite;
use super::cells::Parsed;
use super::deliveries::{self, Owner};
use super::leases::longest_lease;
use super::row::{self, stamp};
use crate::domain::{Subscription, fold_address, invitation_pause};
use crate::store::{DeliveryKind, Result, Subscribed, SubscriberState};

/// As many as the longest way through here needs: past consent, subscriber,
/// delivery and the note of it.
const CHANGES_OF_A_REQUEST: u64 = 4;

/// What is known about an address before the request is stored.
struct Known {
    id: String,
    state: SubscriberState,
    held: bool,
    /// Its mails are refused: it may begin anew.
    suspended: bool,
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
    let before = db.total_changes();
    let (id, done) = settle(db, new, by_mail, now)?;
    even_out(db, &id, done, before, now)?;
    Ok(done)
}

/// Whose request it is and what it leads to.
fn settle(
    db: &Connection,
    new: &Subscription,
    by_mail: bool,
    now: Timestamp,
) -> rusqlite::Result<(String, Subscribed)> {
    let key = fold_address(new.email.as_str());
    let Some(known) = find(db, &key, now)? else {
        let id = insert(db, &key, new, now)?;
        if new.hold.is_some() {
            return Ok((id, Subscribed::Unchanged));
        }
        let done = invite(db, &id, by_mail, now, now)?;
        return Ok((id, done));
    };
    let id = &known.id;
    let gets_issues = known.state == SubscriberState::Confirmed && !known.suspended;
    if gets_issues || new.hold.is_some() {
        return Ok((known.id, Subscribed::Unchanged));
    }
    if known.state == SubscriberState::Pending && !known.held {
        match open_invitation(db, id, now)? {
            // Nothing has arrived: neither the pause between two mails nor
            // that between two attempts keeps the visitor from getting one.
            Some(open) if open.failed && by_mail => {
                renew(db, id, new, now)?;
                start_over(db, &open.delivery_id, now)?;
                return Ok((known.id, Subscribed::Invited));
            }
            None if known.next_invitation <= now => {}
            _ => return Ok((known.id, Subscribed::Unchanged)),
        }
    }
    if known.state != SubscriberState::Pending {
        keep_past_consent(db, id)?;
    }
    renew(db, id, new, now)?;
    // Who has just left and comes back is invited too, only a little later.
    let done = invite(db, id, by_mail, now, known.next_invitation.max(now))?;
    Ok((known.id, done))
}

/// A known address must not answer faster than a new one, so every request
/// changes the same number of rows, in the same tables as far as can be.
fn even_out(
    db: &Connection,
    id: &str,
    done: Subscribed,
    before: u64,
    now: Timestamp,
) -> rusqlite::Result<()> {
    if done != Subscribed::Invited {
        let stand_in = call_for_mail(db, id, now, now)?;
        db.prepare_cached("DELETE FROM deliveries WHERE id = ?1")?
            .execute([stand_in])?;
    }
    let mut touch = db.prepare_cached("UPDATE subscribers SET last_asked_at = ?2 WHERE id = ?1")?;
    while db.total_changes() - before < CHANGES_OF_A_REQUEST {
        touch.execute(params![id, stamp(now)])?;
    }
    Ok(())
}

fn find(db: &Connection, key: &str, now: Timestamp) -> rusqlite::Result<Option<Known>> {
    let mut query = db.prepare_cached(
        "SELECT id, state, hold_reason IS NOT NULL AS held, invited_at, invitations,
            suspended_at IS NOT NULL AS suspended
        FROM subscribers WHERE email_key = ?1",
    )?;
    query
        .query_row([key], |found| {
            let invited_at: Option<Parsed<Timestamp>> = found.get("invited_at")?;
            let invited_at = invited_at.map(|Parsed(time)| time);
            let pause = invitation_pause(found.get("invitations")?);
            // Later than now: the clock was set back. It must not make the
            // pause longer than it is.
            let next = invited_at.and_then(|time| time.min(now).saturating_add(pause).ok());
            let stepped_back = invited_at.is_some_and(|time| time > now);
            let state = row::parsed(found, "state")?;
            let at_once = stepped_back && state == SubscriberState::Pending;
            Ok(Known {
                id: found.get("id")?,
                state,
                held: found.get("held")?,
                suspended: found.get("suspended")?,
                next_invitation: next.filter(|_| !at_once).unwrap_or(now),
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
            unsubscribed_at = NULL, hold_reason = NULL, import_file = NULL,
            import_source = NULL
        WHERE id = ?1",
    )?;
    let (version, wording) = (new.consent.version, &new.consent.wording);
    update.execute(params![id, stamp(now), new.page, version, wording])?;
    Ok(())
}

fn keep_past_consent(db: &Connection, id: &str) -> rusqlite::Result<()> {
    let consent = row::CONSENT.join(", ");
    let mut copy = db.prepare_cached(&format!(
        "INSERT INTO past_consents (subscriber_id, {consent})
        SELECT id, {consent} FROM subscribers WHERE id = ?1"
    ))?;
    copy.execute([id]).map(|_| ())
}

/// A confirmation mail that has not arrived yet, as far as is known.
struct OpenInvitation {
    delivery_id: String,
    /// At least one attempt was not taken, and none is under way.
    failed: bool,
}

fn open_invitation(
    db: &Connection,
    id: &str,
    now: Timestamp,
) -> rusqlite::Result<Option<OpenInvitation>> {
    let mut query = db.prepare_cached(
        "SELECT id, (state = 'given_up' OR attempts > 0)
            AND (lease_until IS NULL OR lease_until <= ?3 OR lease_until > ?4) AS failed
        FROM deliveries
        WHERE subscriber_id = ?1 AND kind = ?2 AND state IN ('pending', 'given_up')
        ORDER BY state = 'pending' DESC, id DESC LIMIT 1",
    )?;
    let kind = DeliveryKind::Confirm.as_str();
    let values = params![id, kind, stamp(now), longest_lease(now)];
    query
        .query_row(values, |found| {
            Ok(OpenInvitation {
                delivery_id: found.get("id")?,
                failed: found.get("failed")?,
            })
        })
        .optional()
}

fn start_over(db: &Connection, delivery_id: &str, now: Timestamp) -> rusqlite::Result<()> {
    let mut update = db.prepare_cached(
        "UPDATE deliveries SET state = 'pending', attempts = 0, next_attempt_at = ?2,
            planned_at = ?2, finished_at = NULL, lease_token = NULL, lease_until = NULL
        WHERE id = ?1",
    )?;
    update.execute(params![delivery_id, stamp(now)]).map(|_| ())
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
    call_for_mail(db, id, due, now)?;
    let mut note = db.prepare_cached(
        "UPDATE subscribers SET invited_at = ?2, invitations = invitations + 1 WHERE id = ?1",
    )?;
    note.execute(params![id, stamp(due)])?;
    Ok(Subscribed::Invited)
}

fn call_for_mail(
    db: &Connection,
    subscriber_id: &str,
    due: Timestamp,
    now: Timestamp,
) -> rusqlite::Result<String> {
    let owner = Owner::Subscriber(subscriber_id);
    deliveries::add(db, owner, DeliveryKind::Confirm, Some(due), now)
}

#[cfg(test)]
mod tests;
