//! The owner's side of deliveries: list, count, retry.

use jiff::Timestamp;

use super::Postgres;
use super::ask::{self, Value, counted, number, parsed, text, time};
use super::claims::not_leased;
use super::recent::{NOW, with_present};
use super::row;
use super::turns::WAKE;
use crate::store::columns::DELIVERY_COLUMNS;
use crate::store::pause::DROPPED;
use crate::store::{
    Delivery, DeliveryCounts, DeliveryFilter, DeliveryState, MOST_ATTEMPTS, Read, Result, Retry,
};

impl Postgres {
    pub async fn deliveries(&self, filter: DeliveryFilter) -> Result<Read<Delivery>> {
        let since = filter.since.map(ask::milliseconds);
        let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
        let state = filter.state.map(DeliveryState::as_str);
        let kind = filter.kind.map(|kind| kind.as_str());
        let lead = format!("contacts.id = contact_id{}", self.ids.cast());
        let mut sql = format!(
            "SELECT {DELIVERY_COLUMNS}, coalesce(contacts.name, subscribers.email) AS person
            FROM deliveries LEFT JOIN contacts ON {lead}
                LEFT JOIN subscribers ON subscribers.id = subscriber_id
            WHERE true"
        );
        let mut values: Vec<Value<'_>> = vec![number(&limit)];
        if since.is_some() {
            values.push(time(&since));
            sql += &format!(" AND deliveries.created_at >= ${}", values.len());
        }
        let words = [
            ("contact_id", filter.contact_id.as_deref()),
            ("state", state),
            ("kind", kind),
        ];
        for (column, word) in words.iter().filter(|(_, word)| word.is_some()) {
            values.push(text(word));
            sql += &format!(" AND deliveries.{column} = ${}", values.len());
        }
        sql += " ORDER BY deliveries.created_at DESC, deliveries.id DESC LIMIT $1";
        let found = self.rows(&sql, &values).await?;
        Ok(row::read_all("deliveries", &found, row::delivery))
    }

    pub async fn retriable_ending(&self, end: String) -> Result<Vec<String>> {
        let sql = "SELECT id FROM deliveries WHERE state IN ('pending', 'given_up')
                AND right(id, length($1)) = $1 ORDER BY id LIMIT 10";
        let found = match end.contains('\0') {
            true => Vec::new(),
            false => self.rows(sql, &[text(&end)]).await?,
        };
        found.iter().map(|row| Ok(row.try_get("id")?)).collect()
    }

    pub async fn delivery_counts(&self) -> Result<DeliveryCounts> {
        let sql = "SELECT state, sum(number)::bigint AS number FROM delivery_counts GROUP BY state";
        let mut counts = DeliveryCounts::default();
        for found in self.rows(sql, &[]).await? {
            // A later version may have more states.
            if let Ok(state) = parsed(&found, "state") {
                *counts.of(state) = counted(&found, "number")?;
            }
        }
        Ok(counts)
    }

    /// A retried delivery starts its schedule over. One that is being sent right
    /// now is left alone, and so is one that has arrived or is about spam.
    pub async fn retry(&self, which: Retry, now: Timestamp) -> Result<u64> {
        let (present, not_leased) = (with_present(), not_leased());
        let not_spam = format!(
            "NOT EXISTS (SELECT FROM contacts
                WHERE contacts.id = contact_id{} AND contacts.state = 'spam')",
            self.ids.cast()
        );
        let (which, one) = match which {
            Retry::One(id) => {
                let open = "state IN ('pending', 'given_up')";
                let which = format!("id = $2 AND {open} AND {not_leased} AND {not_spam}");
                (which, Some(id))
            }
            Retry::All => {
                let waits = format!("(state = 'pending' AND attempts > 0 AND {not_leased})");
                let given_up = format!(
                    "(state = 'given_up' AND {not_spam}
                        AND last_error IS DISTINCT FROM '{DROPPED}' AND NOT
                        (kind IN ('auto_reply', 'confirm') AND attempts < {MOST_ATTEMPTS}))"
                );
                (format!("$2 IS NULL AND ({given_up} OR {waits})"), None)
            }
        };
        let sql = format!(
            "{present},
            due AS (
                UPDATE deliveries SET state = 'pending', attempts = 0, next_attempt_at = {NOW},
                    planned_at = {NOW}, finished_at = NULL
                WHERE {which} RETURNING id),
            told AS (SELECT {WAKE} FROM (SELECT FROM due LIMIT 1) AS any_due)
            SELECT (SELECT count(*) FROM due) AS retried, (SELECT count(*) FROM told) AS told"
        );
        let now = self.time(now);
        let done = self.row(&sql, &[time(&now), text(&one)]).await?;
        counted(&done, "retried")
    }
}
