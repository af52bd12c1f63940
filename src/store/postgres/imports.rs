//! Subscribers who gave their consent elsewhere. Each takes their turn with
//! whoever asks for the same address on any replica (`subscribe.rs`).

use jiff::Timestamp;
use tokio_postgres::Transaction;
use uuid::Uuid;

use super::Postgres;
use super::ask::{milliseconds, number, parsed, present, text, time};
use super::links::close_confirmation;
use super::subscribe::turn;
use super::turns::{self, WAKE};
use crate::domain::fold_address;
use crate::store::{DeliveryKind, Import, Imported, Result, SubscriberState, Welcome};

impl Postgres {
    pub async fn import(&self, people: Vec<Import>, now: Timestamp) -> Result<Vec<Imported>> {
        let now = self.time(now);
        let mut fates = Vec::with_capacity(people.len());
        for each in &people {
            let imported = self.in_time(async {
                let mut db = self.pool.get().await?;
                let step = db.transaction().await?;
                let fate = import(&step, each, now).await?;
                step.commit().await?;
                Ok(fate)
            });
            fates.push(imported.await?);
        }
        Ok(fates)
    }
}

async fn import(db: &Transaction<'_>, new: &Import, now: Option<Timestamp>) -> Result<Imported> {
    let key = fold_address(new.email.as_str());
    turns::lock(db.client(), &[&turn(&key)]).await?;
    let who = "SELECT id, state, suspended_at IS NOT NULL AS suspended FROM subscribers
        WHERE email_key = $1 FOR NO KEY UPDATE";
    let found = db.query_typed_opt(who, &[text(&key)]).await?;
    let known = match &found {
        Some(row) => Some((parsed(row, "state")?, row.try_get("suspended")?)),
        None => None,
    };
    let fate = Imported::of(known, &new.welcome);
    let id: Option<String> = found.map(|row| row.try_get("id")).transpose()?;
    match (fate, &new.welcome) {
        (Imported::Invited, Welcome::ByMail(pause)) => {
            let id = store(db, id, &key, new, SubscriberState::Pending, now).await?;
            let pause = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
            invite(db, &id, pause, now).await?;
        }
        (Imported::Confirmed, Welcome::ConfirmedElsewhere(_)) => {
            let id = store(db, id, &key, new, SubscriberState::Confirmed, now).await?;
            close_confirmation(db, &id, now).await?;
        }
        _ => {}
    }
    Ok(fate)
}

/// A new row, or in place of a consent that was never confirmed.
async fn store(
    db: &Transaction<'_>,
    id: Option<String>,
    key: &str,
    new: &Import,
    state: SubscriberState,
    now: Option<Timestamp>,
) -> Result<String> {
    let id = id.unwrap_or_else(|| Uuid::now_v7().to_string());
    let present = present("$4");
    let sql = format!(
        "INSERT INTO subscribers (id, email, state, created_at, consent_version, consent_text,
            confirmed_at, email_key, import_file, import_source)
        VALUES ($1, $2, $3, {present}, 0, $5,
            CASE WHEN $3 = 'confirmed' THEN coalesce($6, {present}) END, $7, $8, $9)
        ON CONFLICT (id) DO UPDATE SET state = excluded.state, page = NULL,
            created_at = excluded.created_at, consent_version = excluded.consent_version,
            consent_text = excluded.consent_text, confirmed_at = excluded.confirmed_at,
            import_file = excluded.import_file, import_source = excluded.import_source,
            hold_reason = NULL, invitations = 0"
    );
    let confirmed_at = match &new.welcome {
        Welcome::ConfirmedElsewhere(time) => time.map(milliseconds),
        Welcome::ByMail(_) => None,
    };
    let (email, word) = (new.email.as_str().to_lowercase(), state.as_str());
    let who = [text(&id), text(&email), text(&word), time(&now)];
    let proof = [
        text(&new.consent),
        time(&confirmed_at),
        text(&key),
        text(&new.file_name),
        text(&new.source),
    ];
    db.execute_typed(&sql, &[&who[..], &proof].concat()).await?;
    Ok(id)
}

async fn invite(
    db: &Transaction<'_>,
    subscriber_id: &str,
    pause: i64,
    now: Option<Timestamp>,
) -> Result<()> {
    let sql = format!(
        "WITH mail AS (
            INSERT INTO deliveries (id, subscriber_id, kind, state, next_attempt_at, created_at)
            SELECT $1, $2, $3, 'pending', now + $5 * interval '1 millisecond', now
            FROM (SELECT {} AS now) AS present
            RETURNING next_attempt_at), woken AS (SELECT {WAKE})
        UPDATE subscribers SET invited_at = next_attempt_at, invitations = 1
        FROM mail, woken WHERE id = $2",
        present("$4")
    );
    let (id, kind) = (Uuid::now_v7().to_string(), DeliveryKind::Confirm.as_str());
    let what = [text(&id), text(&subscriber_id), text(&kind)];
    let values = [&what[..], &[time(&now), number(&pause)]].concat();
    db.execute_typed(&sql, &values).await?;
    Ok(())
}
