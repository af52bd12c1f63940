//! Subscribers who gave their consent elsewhere.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, named_params};
use uuid::Uuid;

use super::deliveries::{self, Owner};
use super::row::{self, stamp};
use super::{Sqlite, links};
use crate::domain::fold_address;
use crate::store::{DeliveryKind, Import, Imported, Result, SubscriberState, Welcome};

impl Sqlite {
    pub async fn import(&self, people: Vec<Import>, now: Timestamp) -> Result<Vec<Imported>> {
        let work = move |db: &Connection| people.iter().map(|each| import(db, each, now)).collect();
        self.writer.run(work).await
    }
}

fn import(db: &Connection, new: &Import, now: Timestamp) -> rusqlite::Result<Imported> {
    let key = fold_address(new.email.as_str());
    let mut query = db.prepare_cached(
        "SELECT id, state, suspended_at IS NOT NULL AS suspended FROM subscribers
        WHERE email_key = ?1",
    )?;
    let known: Option<(String, SubscriberState, bool)> = query
        .query_row([&key], |found| {
            let state = row::parsed(found, "state")?;
            Ok((found.get("id")?, state, found.get("suspended")?))
        })
        .optional()?;
    let fate = Imported::of(known.as_ref().map(|known| (known.1, known.2)), &new.welcome);
    let id = known.map(|(id, ..)| id);
    match (fate, &new.welcome) {
        (Imported::Invited, Welcome::ByMail(pause)) => {
            let due = now.saturating_add(*pause).unwrap_or(now);
            let id = store(db, id, &key, new, None, now)?;
            let owner = Owner::Subscriber(&id);
            deliveries::add(db, owner, DeliveryKind::Confirm, Some(due), now)?;
            let note = "UPDATE subscribers SET invited_at = ?2, invitations = 1 WHERE id = ?1";
            db.prepare_cached(note)?.execute([&id, &stamp(due)])?;
        }
        (Imported::Confirmed, Welcome::ConfirmedElsewhere(time)) => {
            let id = store(db, id, &key, new, Some(time.unwrap_or(now)), now)?;
            links::close_confirmation(db, &id, now)?;
        }
        _ => {}
    }
    Ok(fate)
}

/// A new row, or in place of a consent that was never confirmed.
fn store(
    db: &Connection,
    id: Option<String>,
    key: &str,
    new: &Import,
    confirmed_at: Option<Timestamp>,
    now: Timestamp,
) -> rusqlite::Result<String> {
    let id = id.unwrap_or_else(|| Uuid::now_v7().to_string());
    let state = match confirmed_at {
        Some(_) => SubscriberState::Confirmed,
        None => SubscriberState::Pending,
    };
    let mut store = db.prepare_cached(
        "INSERT INTO subscribers (id, email, state, created_at, consent_version, consent_text,
            confirmed_at, email_key, import_file, import_source)
        VALUES (:id, :email, :state, :now, 0, :consent, :confirmed, :key, :file, :source)
        ON CONFLICT (id) DO UPDATE SET state = excluded.state, page = NULL,
            created_at = excluded.created_at, consent_version = excluded.consent_version,
            consent_text = excluded.consent_text, confirmed_at = excluded.confirmed_at,
            import_file = excluded.import_file, import_source = excluded.import_source,
            hold_reason = NULL, invitations = 0",
    )?;
    store.execute(named_params! {
        ":id": id, ":email": new.email.as_str().to_lowercase(), ":state": state.as_str(),
        ":now": stamp(now), ":consent": new.consent, ":confirmed": confirmed_at.map(stamp),
        ":key": key, ":file": new.file_name, ":source": new.source,
    })?;
    Ok(id)
}
