//! What waits for the owner.

use jiff::{SignedDuration, Timestamp};
use tokio_postgres::Row;

use super::Postgres;
use super::ask::{counted, milliseconds, number, parsed, text, time};
use super::channels::replace;
use super::recent::{NOW, with_present};
use crate::store::digests::{
    LAST_DIGEST, attention, attention_sql, failing_sql, refused_sql, remind_after,
};
use crate::store::{Attention, DeliveryKind, Failing, Result};

impl Postgres {
    pub async fn attention(&self, promise: SignedDuration, now: Timestamp) -> Result<Attention> {
        let before = |place: &str| format!("({NOW} - {place} * interval '1 millisecond')");
        let (overdue, due) = (before("$2"), before("$3"));
        let sql = attention_sql(&overdue, &due, "'infinity'");
        let sql = format!("{} {sql}", with_present());
        let now = self.time(now);
        let (promise, reminded) = (millis(promise), millis(remind_after(promise)));
        let values = [time(&now), number(&promise), number(&reminded)];
        let found = self.row(&sql, &values).await?;
        let number = |column| counted(&found, column);
        Ok(attention(
            [number("overdue")?, number("due")?, number("waiting")?],
            [
                number("held")?,
                number("failing_mail")?,
                number("failing_webhook")?,
            ],
        ))
    }

    pub async fn last_digest(&self) -> Result<Option<Timestamp>> {
        Ok(self.row(LAST_DIGEST, &[]).await?.try_get("last")?)
    }

    pub async fn failing_since(&self, since: Timestamp) -> Result<Vec<Failing>> {
        let since = Some(milliseconds(since));
        let found = self.rows(&failing_sql("$1"), &[time(&since)]).await?;
        let failing = |row: &Row| -> Result<Failing> {
            Ok(Failing {
                kind: parsed(row, "kind")?,
                state: parsed(row, "state")?,
                reason: row.try_get("last_error")?,
                number: counted(row, "number")?,
            })
        };
        // A later version may have more kinds and states.
        let known = |row: &Row| failing(row).ok();
        Ok(found.iter().filter_map(known).collect())
    }

    pub async fn refused_since(&self, since: Timestamp) -> Result<(u64, u64)> {
        let since = Some(milliseconds(since));
        let found = self.row(&refused_sql("$1"), &[time(&since)]).await?;
        Ok((counted(&found, "refused")?, counted(&found, "suspended")?))
    }

    pub async fn digest_is_settled(&self, day: String) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT FROM digests WHERE day = $1) AS settled";
        Ok(self.row(sql, &[text(&day)]).await?.try_get("settled")?)
    }

    pub async fn settle_digest(&self, day: String, say: bool, now: Timestamp) -> Result<bool> {
        let sql = format!(
            "{},
            settled AS (
                INSERT INTO digests (day, decided_at) VALUES ($2, {NOW})
                ON CONFLICT DO NOTHING RETURNING day),
            wanted AS (SELECT day FROM settled WHERE $4 <> 0),
            replaced AS ({}),
            added AS (
                INSERT INTO deliveries (id, kind, state, next_attempt_at, created_at)
                SELECT gen_random_uuid()::text, $3, 'pending', {NOW}, {NOW} FROM wanted)
            SELECT count(*) AS settled FROM settled",
            with_present(),
            replace("$3", "wanted")
        );
        let (now, kind, say) = (
            self.time(now),
            DeliveryKind::Digest.as_str(),
            i64::from(say),
        );
        let values = [time(&now), text(&day), text(&kind), number(&say)];
        let done = self.row(&sql, &values).await?;
        Ok(counted(&done, "settled")? > 0)
    }
}

fn millis(time: SignedDuration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
