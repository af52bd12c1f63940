//! Leads whose promise is nearly over. Whoever marks one holds its row, so of
//! several replicas one does.

use jiff::{SignedDuration, Timestamp};
use tokio_postgres::types::Type;

use super::Postgres;
use super::ask::{counted, number, present, time};
use super::claims::not_leased;
use super::recent::{NOW, with_present};
use super::turns::WAKE;
use crate::store::reminders::{MOST_REMINDED, WAITS, WAITS_SINCE};
use crate::store::{DeliveryKind, Result};

impl Postgres {
    pub async fn remind(
        &self,
        kinds: &'static [DeliveryKind],
        waited: SignedDuration,
        now: Timestamp,
    ) -> Result<u64> {
        let waited = i64::try_from(waited.as_millis()).unwrap_or(i64::MAX);
        let kinds: Vec<_> = kinds.iter().map(|kind| kind.as_str()).collect();
        let now = self.time(now);
        let values = [time(&now), number(&waited), (&kinds as _, Type::TEXT_ARRAY)];
        let done = self.row(&self.remind_sql(), &values).await?;
        counted(&done, "marked")
    }

    pub async fn present(&self, now: Timestamp) -> Result<Timestamp> {
        let sql = format!("SELECT {} AS now", present("$1"));
        let found = self.row(&sql, &[time(&self.time(now))]).await?;
        Ok(found.try_get("now")?)
    }

    fn remind_sql(&self) -> String {
        let (present, not_leased, id) = (with_present(), not_leased(), self.ids.cast());
        format!(
            "{present},
            taken_back AS (
                DELETE FROM deliveries USING contacts
                WHERE contacts.id = deliveries.contact_id{id} AND contacts.state <> 'new'
                    AND deliveries.state = 'pending' AND kind IN ('due_mail', 'due_webhook')
                    AND {not_leased}),
            due AS MATERIALIZED (
                SELECT id FROM contacts WHERE {WAITS} AND contacts.reminded_at IS NULL
                    AND {WAITS_SINCE} <= {NOW} - $2 * interval '1 millisecond'
                ORDER BY {WAITS_SINCE} LIMIT {MOST_REMINDED} FOR UPDATE SKIP LOCKED),
            marked AS (
                UPDATE contacts SET reminded_at = {NOW} FROM due WHERE contacts.id = due.id
                RETURNING contacts.id::text AS id),
            added AS (
                INSERT INTO deliveries (id, contact_id, kind, state, next_attempt_at, created_at)
                SELECT gen_random_uuid()::text, marked.id, kind, 'pending', {NOW}, {NOW}
                FROM marked, unnest($3) AS kind
                ON CONFLICT DO NOTHING RETURNING id),
            told AS (SELECT {WAKE} FROM (SELECT FROM added LIMIT 1) AS any_added)
            SELECT (SELECT count(*) FROM marked) AS marked, (SELECT count(*) FROM told) AS told"
        )
    }
}
