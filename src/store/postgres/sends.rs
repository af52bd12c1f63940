//! Who was sent which issue of the newsletter.
//!
//! Two runs at once offer nobody twice: the note of a mail is a row with a
//! unique key, and whoever comes second sees what the first has committed.

use jiff::Timestamp;
use tokio_postgres::Row;

use super::Postgres;
use super::ask::{Moment, counted, number, parsed, present, text, time};
use crate::store::{Audience, GETS_ISSUES, IssueCounts, Recipient, Result, SendState};

impl Postgres {
    pub async fn recipients(
        &self,
        issue: String,
        audience: Audience,
        after_id: String,
        limit: usize,
    ) -> Result<Vec<Recipient>> {
        self.select(issue, audience, after_id, "id", limit).await
    }

    pub async fn some_recipients(
        &self,
        issue: String,
        audience: Audience,
        limit: usize,
    ) -> Result<Vec<Recipient>> {
        let first = String::new();
        self.select(issue, audience, first, "random()", limit).await
    }

    async fn select(
        &self,
        issue: String,
        audience: Audience,
        after_id: String,
        order: &str,
        limit: usize,
    ) -> Result<Vec<Recipient>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut values = vec![text(&issue), text(&after_id), number(&limit)];
        let (noted, moment) = match audience {
            Audience::Untried => ("NOT EXISTS", None),
            Audience::DeferredBefore(time) => ("EXISTS", Some(self.moment(time))),
        };
        let mut sends = "SELECT 1 FROM newsletter_sends AS sends
            WHERE sends.issue = $1 AND sends.subscriber_id = subscribers.id"
            .to_owned();
        if let Some(moment) = &moment {
            sends += " AND sends.state = 'deferred' AND sends.offered_at < ";
            sends += &Moment::at("$4", "$5");
            values.extend(moment.values());
        }
        let sql = format!(
            "SELECT id, email FROM subscribers
            WHERE {GETS_ISSUES} AND id > $2 AND {noted} ({sends})
            ORDER BY {order} LIMIT $3"
        );
        self.rows(&sql, &values)
            .await?
            .iter()
            .map(recipient)
            .collect()
    }

    /// Only to somebody who is subscribed at this very moment, and only once.
    /// Who leaves right now waits for us, or we for them.
    pub async fn offer(
        &self,
        issue: String,
        subscriber_id: String,
        link_hash: String,
        now: Timestamp,
    ) -> Result<bool> {
        let sql = format!(
            "WITH subscribed AS (
                SELECT id FROM subscribers WHERE id = $2 AND {GETS_ISSUES} FOR SHARE
            ), offered AS (
                INSERT INTO newsletter_sends (issue, subscriber_id, state, offered_at)
                SELECT $1, id, 'offered', {} FROM subscribed
                ON CONFLICT (issue, subscriber_id) DO UPDATE
                    SET state = excluded.state, offered_at = excluded.offered_at, code = NULL
                    WHERE newsletter_sends.state = 'deferred'
                RETURNING subscriber_id, offered_at
            )
            INSERT INTO mail_links (hash, subscriber_id, purpose, created_at)
            SELECT $4, subscriber_id, 'unsubscribe', offered_at FROM offered",
            present("$3")
        );
        let now = self.time(now);
        let values = [
            text(&issue),
            text(&subscriber_id),
            time(&now),
            text(&link_hash),
        ];
        Ok(self.change(&sql, &values).await? > 0)
    }

    /// False when it was not offered.
    pub async fn mark_sent(&self, issue: String, subscriber_id: String) -> Result<bool> {
        // Earlier refusals say nothing any more: the mailbox takes mail again.
        let sql = "WITH welcome AS (
                UPDATE subscribers SET refusals = 0, refused_issue = NULL
                WHERE id = $2 AND refusals > 0)
            UPDATE newsletter_sends SET state = 'sent'
            WHERE issue = $1 AND subscriber_id = $2";
        let values = [text(&issue), text(&subscriber_id)];
        Ok(self.change(sql, &values).await? > 0)
    }

    /// The link was stored together with the offer.
    pub async fn withdraw_offer(
        &self,
        issue: String,
        subscriber_id: String,
        link_hash: String,
    ) -> Result<()> {
        let sql = "DELETE FROM newsletter_sends
            WHERE issue = $1 AND subscriber_id = $2 AND state = 'offered'
                AND EXISTS (SELECT 1 FROM mail_links WHERE hash = $3)";
        let values = [text(&issue), text(&subscriber_id), text(&link_hash)];
        self.change(sql, &values).await.map(|_| ())
    }

    pub async fn noted_until(
        &self,
        issue: String,
        state: SendState,
        until: Timestamp,
    ) -> Result<u64> {
        let sql = format!(
            "SELECT count(*) AS number FROM newsletter_sends AS sends
            JOIN subscribers ON subscribers.id = sends.subscriber_id
            WHERE sends.issue = $1 AND sends.state = $2 AND sends.offered_at <= {}
                AND subscribers.state = 'confirmed'
                AND (subscribers.suspended_at IS NULL OR sends.state = 'refused')",
            Moment::at("$3", "$4")
        );
        let (state, moment) = (state.as_str(), self.moment(until));
        let [until, ago] = moment.values();
        let values = [text(&issue), text(&state), until, ago];
        counted(&self.row(&sql, &values).await?, "number")
    }

    pub async fn withdraw(&self, issue: String, state: SendState, until: Timestamp) -> Result<()> {
        // Who is tried again because the owner asks for it is taken up again.
        let sql = format!(
            "WITH withdrawn AS (
                DELETE FROM newsletter_sends
                WHERE issue = $1 AND state = $2 AND offered_at <= {}
                RETURNING subscriber_id, state)
            UPDATE subscribers SET suspended_at = NULL FROM withdrawn
            WHERE id = subscriber_id AND withdrawn.state = 'refused'
                AND suspended_at IS NOT NULL",
            Moment::at("$3", "$4")
        );
        let (state, moment) = (state.as_str(), self.moment(until));
        let [until, ago] = moment.values();
        let values = [text(&issue), text(&state), until, ago];
        self.change(&sql, &values).await.map(|_| ())
    }

    pub async fn note_not_taken(
        &self,
        issue: String,
        subscriber_id: String,
        state: SendState,
        code: String,
        now: Timestamp,
    ) -> Result<()> {
        let sql = format!(
            "INSERT INTO newsletter_sends (issue, subscriber_id, state, offered_at, code)
            SELECT $1, id, $3, {}, $5 FROM subscribers WHERE id = $2
            ON CONFLICT (issue, subscriber_id) DO UPDATE
                SET state = excluded.state, offered_at = excluded.offered_at,
                    code = excluded.code
                WHERE newsletter_sends.state = 'deferred'",
            present("$4")
        );
        let (state, now) = (state.as_str(), self.time(now));
        let who = [text(&issue), text(&subscriber_id)];
        let values = [&who[..], &[text(&state), time(&now), text(&code)]].concat();
        self.change(&sql, &values).await.map(|_| ())
    }

    pub async fn take_back(
        &self,
        issue: String,
        subscriber_id: String,
        state: SendState,
        code: String,
    ) -> Result<()> {
        let sql = "UPDATE newsletter_sends SET state = $3, code = $4
            WHERE issue = $1 AND subscriber_id = $2 AND state = 'offered'";
        let state = state.as_str();
        let values = [
            text(&issue),
            text(&subscriber_id),
            text(&state),
            text(&code),
        ];
        self.change(sql, &values).await.map(|_| ())
    }

    /// One statement: all its numbers are of the same moment.
    pub async fn issue_counts(&self, issue: String) -> Result<IssueCounts> {
        let sql = format!(
            "SELECT state, count(*) AS number FROM newsletter_sends AS sends
            WHERE issue = $1 AND state <> 'deferred' AND (state = 'sent'
                OR EXISTS (SELECT 1 FROM subscribers
                    WHERE id = sends.subscriber_id AND subscribers.state = 'confirmed'))
            GROUP BY state
        UNION ALL
            SELECT 'deferred', count(*) FROM subscribers
            WHERE {GETS_ISSUES} AND NOT EXISTS (SELECT 1 FROM newsletter_sends
                WHERE issue = $1 AND subscriber_id = subscribers.id
                    AND newsletter_sends.state <> 'deferred')"
        );
        let mut counts = IssueCounts::default();
        for row in self.rows(&sql, &[text(&issue)]).await? {
            let number = counted(&row, "number")?;
            match parsed(&row, "state")? {
                SendState::Offered => counts.offered = number,
                SendState::Sent => counts.sent = number,
                SendState::Refused => counts.refused = number,
                // Together with those to whom nothing was offered yet.
                SendState::Deferred => counts.waiting = number,
            }
        }
        Ok(counts)
    }
}

fn recipient(row: &Row) -> Result<Recipient> {
    Ok(Recipient {
        id: row.try_get("id")?,
        email: row.try_get("email")?,
    })
}
