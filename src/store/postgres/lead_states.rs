//! What the owner has done about a lead; the same as on a file
//! (`sqlite/lead_states.rs`).

use std::collections::HashMap;

use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::Postgres;
use super::ask::{counted, parsed, text, time};
use super::held_notices::{self, HOLDS, IS_HELD};
use super::ids::IdKind;
use super::recent::{NOW, with_present};
use super::turns::{self, HELD_NOTICES, Statement, Turn};
use crate::domain::Note;
use crate::store::{LeadChange, LeadState, Result, StateSet};

impl Postgres {
    pub async fn set_lead_state(
        &self,
        ids: Vec<String>,
        state: LeadState,
        now: Timestamp,
    ) -> Result<Vec<StateSet>> {
        let asked: Vec<_> = ids.iter().map(|id| self.ids.read(id)).collect();
        let known: Vec<&String> = asked.iter().flatten().collect();
        let (now, word) = (self.time(now), state.as_str());
        let found = self.in_time(async {
            let db = self.pool.get().await?;
            let turn = Turn {
                keys: &[HELD_NOTICES],
                wakes: state == LeadState::New,
                first: Statement {
                    sql: &set_state(self.ids, state),
                    values: &[time(&now), text(&word), (&known, Type::TEXT_ARRAY)],
                },
                then: None,
            };
            Ok(turns::run(&db, turn).await?.0)
        });
        let mut done = HashMap::new();
        for row in found.await? {
            done.insert(row.try_get::<_, String>("id")?, state_set(&row)?);
        }
        let mut answer = |id: &Option<String>| {
            let set = id.as_ref().and_then(|id| done.get_mut(id));
            // Named twice, it was changed once.
            set.map_or(StateSet::UnknownLead, |set| {
                std::mem::replace(set, StateSet::Already)
            })
        };
        Ok(asked.iter().map(&mut answer).collect())
    }

    pub async fn lead_changes(&self, id: String) -> Result<Vec<LeadChange>> {
        let sql = "SELECT state, changed_at FROM contact_changes WHERE contact_id = $1
            ORDER BY changed_at, ctid";
        let Some(id) = self.ids.read(&id) else {
            return Ok(Vec::new());
        };
        let found = self.rows(sql, &[text(&id)]).await?;
        let change = |row: &Row| {
            Ok(LeadChange {
                state: parsed(row, "state")?,
                changed_at: row.try_get("changed_at")?,
            })
        };
        found.iter().map(change).collect()
    }

    pub async fn set_note(&self, id: String, note: Option<Note>) -> Result<bool> {
        let Some(id) = self.ids.read(&id) else {
            return Ok(false);
        };
        let note = note.as_ref().map(Note::as_str);
        let given = self.ids.value(2);
        let sql = format!("UPDATE contacts SET note = $1 WHERE id = {given}");
        Ok(self.change(&sql, &[text(&note), text(&id)]).await? > 0)
    }
}

/// Holds the leads first, in one order, as whoever forgets one does.
fn set_state(ids: IdKind, state: LeadState) -> String {
    let (present, waits, kind) = (with_present(), held_notices::waits(), ids.cast());
    let deliveries = match state {
        LeadState::Spam => KEPT_BACK.to_owned(),
        LeadState::New => format!(
            "UPDATE deliveries SET state = 'pending', next_attempt_at = {NOW}, planned_at = {NOW}
            WHERE contact_id IN (SELECT id::text FROM changed WHERE NOT holds) AND state = 'held'
            RETURNING contact_id"
        ),
        _ => "SELECT NULL::text AS contact_id WHERE false".to_owned(),
    };
    format!(
        "{present},
        asked AS MATERIALIZED (
            SELECT id, state, {HOLDS} AS holds FROM contacts
            WHERE id IN (SELECT word{kind} FROM unnest($3) AS word) ORDER BY id FOR UPDATE),
        changed AS (
            UPDATE contacts SET state = $2, answered_at = CASE $2
                WHEN 'new' THEN NULL
                WHEN 'answered' THEN coalesce(answered_at, {NOW})
                ELSE answered_at END
            FROM asked WHERE contacts.id = asked.id AND asked.state <> $2
            RETURNING contacts.id, asked.holds),
        noted AS (
            INSERT INTO contact_changes (contact_id, state, changed_at)
            SELECT id::text, $2, {NOW} FROM changed),
        touched AS ({deliveries}),
        taken_back AS (
            DELETE FROM deliveries WHERE {waits} AND EXISTS (SELECT FROM changed)
                AND NOT EXISTS (SELECT FROM contacts
                    WHERE {IS_HELD} AND id NOT IN (SELECT id FROM changed)
                    UNION ALL SELECT FROM changed WHERE holds AND $2 = 'new'))
        SELECT asked.id::text, asked.state, asked.state <> $2 AS changed, $2 AS now_is,
            (SELECT count(*) FROM touched WHERE contact_id = asked.id::text) AS deliveries
        FROM asked"
    )
}

/// Also what is being sent right now: if it arrives, that is noted; if not, it
/// is not tried again. A notice of held leads is about others too.
const KEPT_BACK: &str = "UPDATE deliveries SET state = 'held', next_attempt_at = NULL
    WHERE contact_id IN (SELECT id::text FROM changed) AND state = 'pending'
        AND kind <> 'held_notice'
    RETURNING contact_id";

fn state_set(row: &Row) -> Result<StateSet> {
    if !row.try_get::<_, bool>("changed")? {
        return Ok(StateSet::Already);
    }
    let deliveries = counted(row, "deliveries")?;
    let state: LeadState = parsed(row, "now_is")?;
    let when = |is_it: bool| if is_it { deliveries } else { 0 };
    Ok(StateSet::Changed {
        from: parsed(row, "state")?,
        kept_back: when(state == LeadState::Spam),
        sent_on: when(state == LeadState::New),
    })
}
