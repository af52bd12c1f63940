//! Storing a request for the newsletter, and removing who made one.
//!
//! Requests for one address take turns, on whichever replica they arrive: each
//! holds a lock on its key before it looks, and the row until it is done. It asks
//! all its questions in one trip and makes all its changes in another, so that
//! nobody holds a connection for long.

use jiff::Timestamp;
use tokio_postgres::{Row, Transaction};

use super::Postgres;
use super::ask::{parsed, present, text, time};
use super::recent::with_present;
use super::request::{Change, Known, OpenInvitation, Request, not_taken};
use super::turns::{self, WAKE};
use crate::domain::{Subscription, fold_address, invitation_pause};
use crate::store::{DeliveryKind, Forgotten, Remains, Result, Subscribed, SubscriberState};

impl Postgres {
    pub async fn subscribe(
        &self,
        new: Subscription,
        by_mail: bool,
        now: Timestamp,
    ) -> Result<Subscribed> {
        self.in_time(async {
            let mut db = self.pool.get().await?;
            let transaction = db.transaction().await?;
            let key = fold_address(new.email.as_str());
            let (now, known) = look(&transaction, &key, self.time(now)).await?;
            let request = Request {
                new: &new,
                key: &key,
                by_mail,
                now,
            };
            let plan = request.settle(known);
            let changed = make(&transaction, &plan.changes).await?;
            transaction.commit().await?;
            // A worker has taken the mail meanwhile: it is on its way.
            let taken = plan.may_be_taken && changed == 0;
            Ok(if taken {
                Subscribed::Unchanged
            } else {
                plan.done
            })
        })
        .await
    }

    /// Links, past consents, deliveries and sends go with their subscriber.
    pub async fn remove_subscriber(&self, email: String) -> Result<Forgotten> {
        self.in_time(async {
            let mut db = self.pool.get().await?;
            let transaction = db.transaction().await?;
            let subscribers = remove(&transaction, &email).await?;
            transaction.commit().await?;
            Ok(Forgotten {
                subscribers,
                remains: Remains::UntilVacuum,
                ..Forgotten::default()
            })
        })
        .await
    }
}

/// Deliveries first: a worker that prepares one holds it and notes its links,
/// which a subscriber who is going away would make wait in a circle.
pub async fn remove(db: &Transaction<'_>, email: &str) -> Result<u64> {
    let key = fold_address(email);
    turns::lock(db.client(), &[&turn(&key)]).await?;
    let deliveries = "DELETE FROM deliveries WHERE subscriber_id IN
        (SELECT id FROM subscribers WHERE email_key = $1)";
    db.execute_typed(deliveries, &[text(&key)]).await?;
    let subscriber = "DELETE FROM subscribers WHERE email_key = $1";
    Ok(db.execute_typed(subscriber, &[text(&key)]).await?)
}

pub fn turn(key: &str) -> String {
    format!("subscriber {key}")
}

/// The present, by the clock that counts, and what is known about an address.
/// From now on nobody else asks for it, and its row is ours. Whoever is known
/// costs as many questions as whoever is not.
async fn look(
    db: &Transaction<'_>,
    key: &str,
    now: Option<Timestamp>,
) -> Result<(Timestamp, Option<Known>)> {
    let turn = turn(key);
    let turns = [turn.as_str()];
    let clock = format!("SELECT {} AS present", present("$1"));
    let who = "SELECT id, state, hold_reason IS NOT NULL AS held, invited_at, invitations,
            suspended_at IS NOT NULL AS suspended
        FROM subscribers WHERE email_key = $1 FOR NO KEY UPDATE";
    let open = open_sql();
    let kind = DeliveryKind::Confirm.as_str();
    let (clock_values, who_values) = ([time(&now)], [text(&key)]);
    let open_values = [time(&now), text(&key), text(&kind)];
    let (locked, clock, who, open) = tokio::join!(
        biased;
        turns::lock(db.client(), &turns),
        db.query_typed_one(&clock, &clock_values),
        db.query_typed_opt(who, &who_values),
        db.query_typed_opt(&open, &open_values),
    );
    locked?;
    let now: Timestamp = clock?.try_get("present")?;
    let (who, open) = (who?, open?);
    let open = open.as_ref().map(open_invitation).transpose()?;
    let known = who.map(|who| known(&who, open, now)).transpose()?;
    Ok((now, known))
}

/// The mail to an address that may still arrive.
fn open_sql() -> String {
    format!(
        "{} SELECT deliveries.id, {} AS failed
        FROM deliveries JOIN subscribers ON subscribers.id = deliveries.subscriber_id
        WHERE subscribers.email_key = $2 AND kind = $3
            AND deliveries.state IN ('pending', 'given_up')
        ORDER BY deliveries.state = 'pending' DESC, deliveries.id DESC LIMIT 1",
        with_present(),
        not_taken()
    )
}

fn open_invitation(found: &Row) -> Result<OpenInvitation> {
    Ok(OpenInvitation {
        delivery_id: found.try_get("id")?,
        failed: found.try_get("failed")?,
    })
}

fn known(found: &Row, open: Option<OpenInvitation>, now: Timestamp) -> Result<Known> {
    let invited_at: Option<Timestamp> = found.try_get("invited_at")?;
    let invitations: i32 = found.try_get("invitations")?;
    let pause = invitation_pause(invitations.unsigned_abs());
    // Later than now: the clock was set back. It must not make the pause
    // longer than it is.
    let next = invited_at.and_then(|time| time.min(now).saturating_add(pause).ok());
    let stepped_back = invited_at.is_some_and(|time| time > now);
    let state = parsed(found, "state")?;
    let at_once = stepped_back && state == SubscriberState::Pending;
    Ok(Known {
        id: found.try_get("id")?,
        state,
        held: found.try_get("held")?,
        suspended: found.try_get("suspended")?,
        next_invitation: next.filter(|_| !at_once).unwrap_or(now),
        open,
    })
}

/// All in one trip; returns how many rows the first was about. Whoever delivers
/// is woken in any case.
async fn make(db: &Transaction<'_>, changes: &[Change]) -> Result<u64> {
    let one = async |place: usize| match changes.get(place) {
        Some(change) => db.execute_typed(&change.sql, &change.values()).await,
        None => Ok(0),
    };
    let wake = format!("SELECT {WAKE}");
    let (first, second, third, fourth, woken) = tokio::join!(
        biased;
        one(0),
        one(1),
        one(2),
        one(3),
        db.execute_typed(&wake, &[]),
    );
    let changed = first?;
    second?;
    third?;
    fourth?;
    woken?;
    Ok(changed)
}
