//! The links in mails: made for one mail, looked at, followed.
//!
//! Whoever changes a subscriber holds their row, in a way that lets others go on
//! noting what belongs to it (`NO KEY`): a worker that prepares a mail holds its
//! delivery and makes links, and neither must wait for the other in a circle.

use jiff::Timestamp;
use tokio_postgres::{Row, Transaction};

use super::Postgres;
use super::ask::{Value, number, parsed, present, text, time};
use crate::domain::LinkToken;
use crate::store::{
    CONFIRM_LINK_LASTS, DeliveryKind, Invitation, LinkPurpose, LinkState, Result, SubscriberState,
};

impl Postgres {
    pub async fn look_at_link(
        &self,
        hash: String,
        purpose: LinkPurpose,
        now: Timestamp,
    ) -> Result<LinkState> {
        let (sql, now, word) = (look_sql(), self.time(now), purpose.as_str());
        let values = [text(&hash), text(&word), time(&now)];
        let found = self.rows(&sql, &values).await?;
        let Some(found) = found.first() else {
            return Ok(LinkState::Unknown);
        };
        state(found, purpose)
    }

    pub async fn follow_link(
        &self,
        hash: String,
        purpose: LinkPurpose,
        now: Timestamp,
    ) -> Result<LinkState> {
        let now = self.time(now);
        self.in_time(async {
            let mut db = self.pool.get().await?;
            let transaction = db.transaction().await?;
            let found = follow(&transaction, &hash, purpose, now).await?;
            transaction.commit().await?;
            Ok(found)
        })
        .await
    }
}

/// The links of a confirmation mail that is about to be sent. Each attempt has
/// its own, so that the token need not be kept; those of earlier attempts go
/// on working, because one of them may have arrived after all.
pub async fn invite(
    db: &Transaction<'_>,
    delivery_id: &str,
    now: Option<Timestamp>,
) -> Result<Invitation> {
    let (confirm, unsubscribe) = (LinkToken::random(), LinkToken::random());
    let hashes = (confirm.hash(), unsubscribe.hash());
    let lasts = i64::try_from(CONFIRM_LINK_LASTS.as_secs()).unwrap_or(i64::MAX);
    let sql = format!(
        "WITH who AS (
            SELECT subscribers.id, subscribers.email, {} AS present
            FROM deliveries JOIN subscribers ON subscribers.id = deliveries.subscriber_id
            WHERE deliveries.id = $1
        ), links AS (
            INSERT INTO mail_links (hash, subscriber_id, purpose, created_at, expires_at)
            SELECT $3, id, 'confirm', present, present + $5 * interval '1 second' FROM who
            UNION ALL SELECT $4, id, 'unsubscribe', present, NULL FROM who
        )
        SELECT email FROM who",
        present("$2")
    );
    let places = [text(&delivery_id), time(&now)];
    let links = [text(&hashes.0), text(&hashes.1), number(&lasts)];
    let values = [places.as_slice(), &links].concat();
    let found = db.query_typed_one(&sql, &values).await?;
    Ok(Invitation {
        email: found.try_get("email")?,
        confirm,
        unsubscribe,
    })
}

fn look_sql() -> String {
    format!(
        "SELECT subscribers.id, subscribers.state, used_at IS NOT NULL AS used,
            expires_at IS NOT NULL AND expires_at <= {} AS expired
        FROM mail_links JOIN subscribers ON subscribers.id = mail_links.subscriber_id
        WHERE hash = $1 AND purpose = $2",
        present("$3")
    )
}

/// Where a link leads.
fn state(found: &Row, purpose: LinkPurpose) -> Result<LinkState> {
    let (used, expired): (bool, bool) = (found.try_get("used")?, found.try_get("expired")?);
    let state: SubscriberState = parsed(found, "state")?;
    Ok(match (purpose, state) {
        (LinkPurpose::Unsubscribe, SubscriberState::Unsubscribed) => LinkState::Done,
        (LinkPurpose::Unsubscribe, _) => LinkState::Open,
        (LinkPurpose::Confirm, SubscriberState::Pending) if !used && !expired => LinkState::Open,
        (LinkPurpose::Confirm, _) => LinkState::Gone,
    })
}

async fn follow(
    db: &Transaction<'_>,
    hash: &str,
    purpose: LinkPurpose,
    now: Option<Timestamp>,
) -> Result<LinkState> {
    let word = purpose.as_str();
    let values = [text(&hash), text(&word), time(&now)];
    // First the row alone: what is read of the link after that is what whoever
    // held it before us has left.
    let hold = "SELECT FROM subscribers WHERE id =
        (SELECT subscriber_id FROM mail_links WHERE hash = $1 AND purpose = $2)
        FOR NO KEY UPDATE";
    db.execute_typed(hold, &values[..2]).await?;
    let Some(found) = db.query_typed_opt(&look_sql(), &values).await? else {
        return Ok(LinkState::Unknown);
    };
    let state = state(&found, purpose)?;
    if state == LinkState::Open {
        let id: String = found.try_get("id")?;
        answer(db, &id, purpose, now).await?;
    }
    Ok(state)
}

/// Whichever way a subscriber has answered, older invitations are void and
/// none that is still waiting goes out. Deliveries first: who prepares one
/// right now is waited for, and its link is void too.
async fn answer(
    db: &Transaction<'_>,
    id: &str,
    purpose: LinkPurpose,
    now: Option<Timestamp>,
) -> Result<()> {
    let present = present("$2");
    let change = match purpose {
        LinkPurpose::Confirm => {
            format!(
                "state = 'confirmed', confirmed_at = {present}, invitations = 0,
                suspended_at = NULL, refusals = 0, refused_code = NULL, refused_at = NULL,
                refused_issue = NULL"
            )
        }
        // The number of invitations stays: leaving must not be a way to have
        // more mail sent to an address.
        LinkPurpose::Unsubscribe => {
            format!("state = 'unsubscribed', unsubscribed_at = {present}")
        }
    };
    let values: [Value<'_>; 2] = [text(&id), time(&now)];
    let change = format!("UPDATE subscribers SET {change} WHERE id = $1");
    db.execute_typed(&change, &values).await?;
    close_confirmation(db, id, now).await
}

pub async fn close_confirmation(
    db: &Transaction<'_>,
    id: &str,
    now: Option<Timestamp>,
) -> Result<()> {
    let values: [Value<'_>; 2] = [text(&id), time(&now)];
    let present = present("$2");
    let kind = DeliveryKind::Confirm.as_str();
    let drop_waiting = "DELETE FROM deliveries
        WHERE subscriber_id = $1 AND kind = $2 AND state IN ('pending', 'given_up')";
    db.execute_typed(drop_waiting, &[text(&id), text(&kind)])
        .await?;
    let use_up = format!(
        "UPDATE mail_links SET used_at = {present}
        WHERE subscriber_id = $1 AND purpose = 'confirm' AND used_at IS NULL"
    );
    db.execute_typed(&use_up, &values).await?;
    Ok(())
}
