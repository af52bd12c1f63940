//! What the owner has done about a lead.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, named_params, params};

use super::row::{self, stamp};
use super::{Sqlite, held_notices};
use crate::domain::Note;
use crate::store::{LeadChange, LeadState, Result, StateSet};

impl Sqlite {
    pub async fn set_lead_state(
        &self,
        ids: Vec<String>,
        state: LeadState,
        now: Timestamp,
    ) -> Result<Vec<StateSet>> {
        let work = move |db: &Connection| {
            let ids = ids.iter();
            ids.map(|id| set_state(db, id, state, now)).collect()
        };
        self.writer.run(work).await
    }

    pub async fn lead_changes(&self, id: String) -> Result<Vec<LeadChange>> {
        let work = move |db: &Connection| {
            let mut query = db.prepare_cached(
                "SELECT state, changed_at FROM contact_changes WHERE contact_id = ?1
                ORDER BY changed_at, rowid",
            )?;
            let changes = query.query_map([id], |found| {
                Ok(LeadChange {
                    state: row::parsed(found, "state")?,
                    changed_at: row::parsed(found, "changed_at")?,
                })
            })?;
            changes.collect()
        };
        self.readers.run(work).await
    }

    pub async fn set_note(&self, id: String, note: Option<Note>) -> Result<bool> {
        let work = move |db: &Connection| {
            let mut update = db.prepare_cached("UPDATE contacts SET note = ?2 WHERE id = ?1")?;
            let note = note.as_ref().map(Note::as_str);
            Ok(update.execute(params![id, note])? > 0)
        };
        self.writer.run(work).await
    }
}

fn set_state(
    db: &Connection,
    id: &str,
    state: LeadState,
    time: Timestamp,
) -> rusqlite::Result<StateSet> {
    let from = db
        .prepare_cached("SELECT state FROM contacts WHERE id = ?1")?
        .query_row([id], |found| row::parsed(found, "state"))
        .optional()?;
    let from = match from {
        None => return Ok(StateSet::UnknownLead),
        Some(from) if from == state => return Ok(StateSet::Already),
        Some(from) => from,
    };
    let now = stamp(time);
    db.prepare_cached(
        "UPDATE contacts SET state = :state, answered_at = CASE :state
            WHEN 'new' THEN NULL
            WHEN 'answered' THEN coalesce(answered_at, :now)
            ELSE answered_at END
        WHERE id = :id",
    )?
    .execute(named_params! {":id": id, ":state": state.as_str(), ":now": now})?;
    db.prepare_cached(
        "INSERT INTO contact_changes (contact_id, state, changed_at) VALUES (?1, ?2, ?3)",
    )?
    .execute(params![id, state.as_str(), now])?;
    held_notices::take_back_if_none_is_held(db, time)?;
    Ok(StateSet::Changed {
        from,
        kept_back: match state {
            LeadState::Spam => keep_back(db, id)?,
            _ => 0,
        },
        sent_on: match state {
            LeadState::New => send_on(db, id, &now)?,
            _ => 0,
        },
    })
}

/// Also what is being sent right now: if it arrives, that is noted; if not, it
/// is not tried again. A notice of held leads is about others too.
fn keep_back(db: &Connection, id: &str) -> rusqlite::Result<u64> {
    let mut update = db.prepare_cached(
        "UPDATE deliveries SET state = 'held', next_attempt_at = NULL
        WHERE contact_id = ?1 AND state = 'pending' AND kind <> 'held_notice'",
    )?;
    Ok(update.execute([id])? as u64)
}

/// Unless the lead waits for a release.
fn send_on(db: &Connection, id: &str, now: &str) -> rusqlite::Result<u64> {
    let mut update = db.prepare_cached(
        "UPDATE deliveries SET state = 'pending', next_attempt_at = ?2, planned_at = ?2
        WHERE contact_id = ?1 AND state = 'held' AND NOT EXISTS (SELECT 1 FROM contacts
            WHERE id = ?1 AND hold_reason IS NOT NULL AND released_at IS NULL)",
    )?;
    Ok(update.execute([id, now])? as u64)
}
