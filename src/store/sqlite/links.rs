//! The links in mails: made for one mail, looked at, followed.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, named_params, params};

use super::Sqlite;
use super::row::{self, stamp};
use crate::domain::LinkToken;
use crate::store::{
    CONFIRM_LINK_LASTS, DeliveryKind, Invitation, LinkPurpose, LinkState, Result, SubscriberState,
};

impl Sqlite {
    pub async fn look_at_link(
        &self,
        hash: String,
        purpose: LinkPurpose,
        now: Timestamp,
    ) -> Result<LinkState> {
        let work = move |db: &Connection| Ok(look(db, &hash, purpose, now)?.0);
        self.readers.run(work).await
    }

    pub async fn follow_link(
        &self,
        hash: String,
        purpose: LinkPurpose,
        now: Timestamp,
    ) -> Result<LinkState> {
        let work = move |db: &Connection| follow(db, &hash, purpose, now);
        self.writer.run(work).await
    }
}

/// The links of a confirmation mail that is about to be sent. Each attempt has
/// its own, so that the token need not be kept; those of earlier attempts go
/// on working, because one of them may have arrived after all.
pub fn invite(db: &Connection, delivery_id: &str, now: Timestamp) -> rusqlite::Result<Invitation> {
    let mut query = db.prepare_cached(
        "SELECT subscribers.id AS id, subscribers.email AS email
        FROM deliveries JOIN subscribers ON subscribers.id = deliveries.subscriber_id
        WHERE deliveries.id = ?1",
    )?;
    let (id, email): (String, String) =
        query.query_row([delivery_id], |row| Ok((row.get("id")?, row.get("email")?)))?;
    let (confirm, unsubscribe) = (LinkToken::random(), LinkToken::random());
    let end = now.saturating_add(CONFIRM_LINK_LASTS).unwrap_or(now);
    add(
        db,
        &confirm.hash(),
        &id,
        LinkPurpose::Confirm,
        now,
        Some(end),
    )?;
    add(
        db,
        &unsubscribe.hash(),
        &id,
        LinkPurpose::Unsubscribe,
        now,
        None,
    )?;
    Ok(Invitation {
        email,
        confirm,
        unsubscribe,
    })
}

pub fn add(
    db: &Connection,
    hash: &str,
    subscriber_id: &str,
    purpose: LinkPurpose,
    now: Timestamp,
    end: Option<Timestamp>,
) -> rusqlite::Result<()> {
    let mut insert = db.prepare_cached(
        "INSERT INTO mail_links (hash, subscriber_id, purpose, created_at, expires_at)
        VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    let (purpose, end) = (purpose.as_str(), end.map(stamp));
    insert.execute(params![hash, subscriber_id, purpose, stamp(now), end])?;
    Ok(())
}

/// Where a link leads, and to whom.
fn look(
    db: &Connection,
    hash: &str,
    purpose: LinkPurpose,
    now: Timestamp,
) -> rusqlite::Result<(LinkState, String)> {
    let mut query = db.prepare_cached(
        "SELECT subscribers.id AS id, subscribers.state AS state, used_at IS NOT NULL AS used,
            expires_at IS NOT NULL AND expires_at <= ?3 AS expired
        FROM mail_links JOIN subscribers ON subscribers.id = mail_links.subscriber_id
        WHERE hash = ?1 AND purpose = ?2",
    )?;
    let found = query
        .query_row(params![hash, purpose.as_str(), stamp(now)], |found| {
            let (used, expired): (bool, bool) = (found.get("used")?, found.get("expired")?);
            let state: SubscriberState = row::parsed(found, "state")?;
            let state = match (purpose, state) {
                (LinkPurpose::Unsubscribe, SubscriberState::Unsubscribed) => LinkState::Done,
                (LinkPurpose::Unsubscribe, _) => LinkState::Open,
                (LinkPurpose::Confirm, SubscriberState::Pending) if !used && !expired => {
                    LinkState::Open
                }
                (LinkPurpose::Confirm, _) => LinkState::Gone,
            };
            Ok((state, found.get("id")?))
        })
        .optional()?;
    Ok(found.unwrap_or((LinkState::Unknown, String::new())))
}

fn follow(
    db: &Connection,
    hash: &str,
    purpose: LinkPurpose,
    now: Timestamp,
) -> rusqlite::Result<LinkState> {
    let (state, id) = look(db, hash, purpose, now)?;
    if state != LinkState::Open {
        return Ok(state);
    }
    let change = match purpose {
        LinkPurpose::Confirm => {
            "UPDATE subscribers SET state = 'confirmed', confirmed_at = :now, invitations = 0,
                suspended_at = NULL, refusals = 0, refused_code = NULL, refused_at = NULL,
                refused_issue = NULL
            WHERE id = :id"
        }
        // The number of invitations stays: leaving must not be a way to have
        // more mail sent to an address.
        LinkPurpose::Unsubscribe => {
            "UPDATE subscribers SET state = 'unsubscribed', unsubscribed_at = :now
            WHERE id = :id"
        }
    };
    let values = named_params! {":id": id, ":now": stamp(now)};
    db.prepare_cached(change)?.execute(values)?;
    close_confirmation(db, &id, now)?;
    Ok(LinkState::Open)
}

/// Whichever way a subscriber has answered, older invitations are void and
/// none that is still waiting goes out.
pub fn close_confirmation(db: &Connection, id: &str, now: Timestamp) -> rusqlite::Result<()> {
    let mut use_up = db.prepare_cached(
        "UPDATE mail_links SET used_at = ?2
        WHERE subscriber_id = ?1 AND purpose = 'confirm' AND used_at IS NULL",
    )?;
    use_up.execute(params![id, stamp(now)])?;
    let mut drop_waiting = db.prepare_cached(
        "DELETE FROM deliveries
        WHERE subscriber_id = ?1 AND kind = ?2 AND state IN ('pending', 'given_up')",
    )?;
    drop_waiting.execute(params![id, DeliveryKind::Confirm.as_str()])?;
    Ok(())
}
