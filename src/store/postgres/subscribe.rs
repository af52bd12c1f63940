//! Storing a request for the newsletter; what it leads to is the same as on a
//! file (`sqlite/subscribe.rs`).
//!
//! Requests for one address take turns, on whichever replica they arrive: each
//! holds a lock on its key before it looks, and the row until it is done.

use jiff::Timestamp;
use tokio_postgres::{Row, Transaction};
use uuid::Uuid;

use super::Postgres;
use super::ask::{Value, number, parsed, present, text, time};
use super::claims::not_leased;
use super::recent::{NOW, with_present};
use super::turns::{self, WAKE};
use crate::domain::{Subscription, fold_address, invitation_pause};
use crate::store::columns::CONSENT;
use crate::store::{DeliveryKind, Forgotten, Remains, Result, Subscribed, SubscriberState};

/// As many as the longest way through here needs: past consent, subscriber,
/// delivery and the note of it.
const CHANGES_OF_A_REQUEST: u64 = 4;

/// At least one attempt was not taken, and none is under way.
fn not_taken() -> String {
    let not_leased = not_leased();
    format!("((deliveries.state = 'given_up' OR attempts > 0) AND {not_leased})")
}

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
            let now = take_turn(&transaction, &key, self.time(now)).await?;
            let mut request = Request {
                db: &transaction,
                new: &new,
                by_mail,
                now,
                changes: 0,
            };
            let (id, done) = request.settle(&key).await?;
            request.even_out(&id, done).await?;
            transaction.commit().await?;
            Ok(done)
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

/// Until the end of the transaction nobody else asks for this address. Returns
/// the present, by the clock that counts.
async fn take_turn(db: &Transaction<'_>, key: &str, now: Option<Timestamp>) -> Result<Timestamp> {
    turns::lock(db.client(), &[&format!("subscriber {key}")]).await?;
    let sql = format!("SELECT {} AS present", present("$1"));
    let found = db.query_typed_one(&sql, &[time(&now)]).await?;
    Ok(found.try_get("present")?)
}

/// Deliveries first: a worker that prepares one holds it and notes its links,
/// which a subscriber who is going away would make wait in a circle.
pub async fn remove(db: &Transaction<'_>, email: &str) -> Result<u64> {
    let key = fold_address(email);
    take_turn(db, &key, None).await?;
    let deliveries = "DELETE FROM deliveries WHERE subscriber_id IN
        (SELECT id FROM subscribers WHERE email_key = $1)";
    db.execute_typed(deliveries, &[text(&key)]).await?;
    let subscriber = "DELETE FROM subscribers WHERE email_key = $1";
    Ok(db.execute_typed(subscriber, &[text(&key)]).await?)
}

/// What is known about an address before the request is stored.
struct Known {
    id: String,
    state: SubscriberState,
    held: bool,
    /// The earliest time for another confirmation mail.
    next_invitation: Timestamp,
    open: Option<OpenInvitation>,
}

/// A confirmation mail that has not arrived yet, as far as is known.
struct OpenInvitation {
    delivery_id: String,
    /// At least one attempt was not taken, and none is under way.
    failed: bool,
}

struct Request<'a> {
    db: &'a Transaction<'a>,
    new: &'a Subscription,
    by_mail: bool,
    now: Timestamp,
    /// How many rows it has changed so far.
    changes: u64,
}

impl Request<'_> {
    /// Whose request it is and what it leads to.
    async fn settle(&mut self, key: &str) -> Result<(String, Subscribed)> {
        let Some(known) = self.find(key).await? else {
            return self.welcome(key).await;
        };
        let Known { id, state, .. } = &known;
        if *state == SubscriberState::Confirmed || self.new.hold.is_some() {
            return Ok((known.id, Subscribed::Unchanged));
        }
        if *state == SubscriberState::Pending && !known.held {
            match &known.open {
                // Nothing has arrived: neither the pause between two mails nor
                // that between two attempts keeps the visitor from getting one.
                Some(open) if open.failed && self.by_mail => {
                    let done = self.start_over(id, &open.delivery_id).await?;
                    return Ok((known.id, done));
                }
                None if known.next_invitation <= self.now => {}
                _ => return Ok((known.id, Subscribed::Unchanged)),
            }
        }
        if *state == SubscriberState::Unsubscribed {
            self.keep_past_consent(id).await?;
        }
        self.renew(id).await?;
        // Who has just left and comes back is invited too, only a little later.
        let due = known.next_invitation.max(self.now);
        let done = self.invite(id, due).await?;
        Ok((known.id, done))
    }

    /// Somebody new.
    async fn welcome(&mut self, key: &str) -> Result<(String, Subscribed)> {
        let id = self.insert(key).await?;
        let done = match self.new.hold {
            Some(_) => Subscribed::Unchanged,
            None => self.invite(&id, self.now).await?,
        };
        Ok((id, done))
    }

    /// A known address must not answer faster than a new one, so every request
    /// changes the same number of rows, in the same tables as far as can be,
    /// and wakes whoever delivers.
    async fn even_out(&mut self, id: &str, done: Subscribed) -> Result<()> {
        if done != Subscribed::Invited {
            let stand_in = self.call_for_mail(id, self.now).await?;
            let remove = "DELETE FROM deliveries WHERE id = $1";
            self.change(remove, &[text(&stand_in)]).await?;
        }
        let now = Some(self.now);
        let touch = "UPDATE subscribers SET last_asked_at = $2 WHERE id = $1";
        while self.changes < CHANGES_OF_A_REQUEST {
            self.change(touch, &[text(&id), time(&now)]).await?;
        }
        let wake = format!("SELECT {WAKE}");
        self.db.execute_typed(&wake, &[]).await?;
        Ok(())
    }

    async fn change(&mut self, sql: &str, values: &[Value<'_>]) -> Result<u64> {
        let changed = self.db.execute_typed(sql, values).await?;
        self.changes += changed;
        Ok(changed)
    }

    /// Holds the row; the mail that is open is asked for in any case, so that
    /// whoever is known costs as many questions as whoever is not.
    async fn find(&self, key: &str) -> Result<Option<Known>> {
        let sql = "SELECT id, state, hold_reason IS NOT NULL AS held, invited_at, invitations
            FROM subscribers WHERE email_key = $1 FOR NO KEY UPDATE";
        let found = self.db.query_typed_opt(sql, &[text(&key)]).await?;
        let open = self.open_invitation(key).await?;
        let known = found.map(|row| self.known(&row, open));
        known.transpose()
    }

    fn known(&self, found: &Row, open: Option<OpenInvitation>) -> Result<Known> {
        let invited_at: Option<Timestamp> = found.try_get("invited_at")?;
        let invitations: i32 = found.try_get("invitations")?;
        let pause = invitation_pause(invitations.unsigned_abs());
        // Later than now: the clock was set back. It must not make the
        // pause longer than it is.
        let next = invited_at.and_then(|time| time.min(self.now).saturating_add(pause).ok());
        let stepped_back = invited_at.is_some_and(|time| time > self.now);
        let state = parsed(found, "state")?;
        let at_once = stepped_back && state == SubscriberState::Pending;
        Ok(Known {
            id: found.try_get("id")?,
            state,
            held: found.try_get("held")?,
            next_invitation: next.filter(|_| !at_once).unwrap_or(self.now),
            open,
        })
    }

    async fn open_invitation(&self, key: &str) -> Result<Option<OpenInvitation>> {
        let sql = format!(
            "{} SELECT deliveries.id, {} AS failed
            FROM deliveries JOIN subscribers ON subscribers.id = deliveries.subscriber_id
            WHERE subscribers.email_key = $2 AND kind = $3
                AND deliveries.state IN ('pending', 'given_up')
            ORDER BY deliveries.state = 'pending' DESC, deliveries.id DESC LIMIT 1",
            with_present(),
            not_taken()
        );
        let (now, kind) = (Some(self.now), DeliveryKind::Confirm.as_str());
        let values = [time(&now), text(&key), text(&kind)];
        let Some(found) = self.db.query_typed_opt(&sql, &values).await? else {
            return Ok(None);
        };
        Ok(Some(OpenInvitation {
            delivery_id: found.try_get("id")?,
            failed: found.try_get("failed")?,
        }))
    }

    /// Unless a worker has taken it meanwhile: then it is on its way.
    async fn start_over(&mut self, id: &str, delivery_id: &str) -> Result<Subscribed> {
        let sql = format!(
            "{} UPDATE deliveries SET state = 'pending', attempts = 0,
                next_attempt_at = {NOW}, planned_at = {NOW}, finished_at = NULL,
                lease_token = NULL, lease_until = NULL
            WHERE id = $2 AND state IN ('pending', 'given_up') AND {}",
            with_present(),
            not_taken()
        );
        let now = Some(self.now);
        let values = [time(&now), text(&delivery_id)];
        if self.change(&sql, &values).await? == 0 {
            return Ok(Subscribed::Unchanged);
        }
        self.renew(id).await?;
        Ok(Subscribed::Invited)
    }

    async fn insert(&mut self, key: &str) -> Result<String> {
        let sql = "INSERT INTO subscribers (id, email, state, created_at, page,
                consent_version, consent_text, hold_reason, email_key)
            VALUES ($1, $2, 'pending', $3, $4, $5::bigint, $6, $7, $8)";
        let id = Uuid::now_v7().to_string();
        // As it was written but for capitals: the key may spell it in a way
        // that no mail server knows.
        let email = self.new.email.as_str().to_lowercase();
        let (now, version) = (Some(self.now), i64::from(self.new.consent.version));
        let hold = self.new.hold.map(|reason| reason.as_str());
        let asked = [time(&now), text(&self.new.page), number(&version)];
        let rest = [text(&self.new.consent.wording), text(&hold), text(&key)];
        let values = [&[text(&id), text(&email)], asked.as_slice(), &rest].concat();
        self.change(sql, &values).await?;
        Ok(id)
    }

    /// The consent given now is the one that counts.
    async fn renew(&mut self, id: &str) -> Result<()> {
        let sql = "UPDATE subscribers SET state = 'pending', created_at = $2, page = $3,
                consent_version = $4::bigint, consent_text = $5, confirmed_at = NULL,
                unsubscribed_at = NULL, hold_reason = NULL
            WHERE id = $1";
        let (now, version) = (Some(self.now), i64::from(self.new.consent.version));
        let consent = [number(&version), text(&self.new.consent.wording)];
        let asked = [text(&id), time(&now), text(&self.new.page)];
        let values = [asked.as_slice(), &consent].concat();
        self.change(sql, &values).await.map(|_| ())
    }

    async fn keep_past_consent(&mut self, id: &str) -> Result<()> {
        let consent = CONSENT.join(", ");
        let sql = format!(
            "INSERT INTO past_consents (subscriber_id, {consent})
            SELECT id, {consent} FROM subscribers WHERE id = $1"
        );
        self.change(&sql, &[text(&id)]).await.map(|_| ())
    }

    async fn invite(&mut self, id: &str, due: Timestamp) -> Result<Subscribed> {
        if !self.by_mail {
            return Ok(Subscribed::Unconfirmed);
        }
        self.call_for_mail(id, due).await?;
        let note = "UPDATE subscribers SET invited_at = $2, invitations = invitations + 1
            WHERE id = $1";
        self.change(note, &[text(&id), time(&Some(due))]).await?;
        Ok(Subscribed::Invited)
    }

    async fn call_for_mail(&mut self, subscriber_id: &str, due: Timestamp) -> Result<String> {
        let sql = "INSERT INTO deliveries (id, subscriber_id, kind, state, next_attempt_at,
                created_at)
            VALUES ($1, $2, $3, 'pending', $4, $5)";
        let (id, kind) = (Uuid::now_v7().to_string(), DeliveryKind::Confirm.as_str());
        let (due, now) = (Some(due), Some(self.now));
        let what = [text(&id), text(&subscriber_id), text(&kind)];
        let values = [what.as_slice(), &[time(&due), time(&now)]].concat();
        self.change(sql, &values).await?;
        Ok(id)
    }
}
