//! Leads: store, read, release.

use jiff::Timestamp;
use tokio_postgres::Row;

use super::ask::{text, time};
use super::held_notices::{self, HOLDS, IS_HELD};
use super::recent::{NOW, with_present};
use super::row::{self, LEAD};
use super::turns::{self, HELD_NOTICES, Statement, Turn};
use super::{Postgres, ask};
use crate::store::{AddedLead, Lead, NewLead, Released, Result};

impl Postgres {
    pub async fn add_lead(&self, lead: NewLead, now: Timestamp) -> Result<AddedLead> {
        self.adder.add(lead, false, self.time(now)).await
    }

    pub async fn add_form_lead(&self, lead: NewLead, now: Timestamp) -> Result<AddedLead> {
        self.adder.add(lead, true, self.time(now)).await
    }

    pub async fn lead(&self, id: String) -> Result<Option<Lead>> {
        let Some(id) = self.ids.read(&id) else {
            return Ok(None);
        };
        let given = self.ids.value(1);
        let sql = format!("SELECT {} FROM contacts WHERE id = {given}", *LEAD);
        let found = self.rows(&sql, &[text(&id)]).await?;
        row::read_all("contacts", &found, row::lead).one()
    }

    pub async fn release(&self, id: String, now: Timestamp) -> Result<Released> {
        let Some(id) = self.ids.read(&id) else {
            return Ok(Released::UnknownLead);
        };
        let now = self.time(now);
        self.in_time(async {
            let db = self.pool.get().await?;
            let turn = Turn {
                keys: &[HELD_NOTICES],
                wakes: true,
                first: Statement {
                    sql: &release(&self.ids.value(2)),
                    values: &[time(&now), text(&id)],
                },
                then: None,
            };
            let (found, _) = turns::run(&db, turn).await?;
            found.first().map_or(Ok(Released::UnknownLead), released)
        })
        .await
    }
}

/// Nobody needs to hear of what is no longer held: a notice that waits is taken
/// back with the last of them.
fn release(id: &str) -> String {
    let (present, waits) = (with_present(), held_notices::waits());
    format!(
        "{present},
        released AS (
            UPDATE contacts SET released_at = {NOW}
            WHERE id = {id} AND {HOLDS} AND state <> 'spam'
            RETURNING id::text AS id),
        due AS (
            UPDATE deliveries SET state = 'pending', next_attempt_at = {NOW}
            WHERE contact_id IN (SELECT id FROM released) AND state = 'held'
            RETURNING id),
        taken_back AS (
            DELETE FROM deliveries WHERE {waits} AND EXISTS (SELECT FROM released)
                AND NOT EXISTS (SELECT FROM contacts WHERE {IS_HELD} AND id <> {id}))
        SELECT EXISTS (SELECT FROM contacts WHERE id = {id}) AS known,
            EXISTS (SELECT FROM contacts WHERE id = {id} AND state = 'spam') AS spam,
            EXISTS (SELECT FROM released) AS released, (SELECT count(*) FROM due) AS deliveries"
    )
}

fn released(row: &Row) -> Result<Released> {
    let deliveries = ask::counted(row, "deliveries")?;
    let is = |column| row.try_get::<_, bool>(column);
    Ok(match (is("known")?, is("released")?) {
        (false, _) => Released::UnknownLead,
        (true, true) => Released::Now { deliveries },
        (true, false) if is("spam")? => Released::Spam,
        (true, false) => Released::NotHeld,
    })
}
