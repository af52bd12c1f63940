//! Subscribers as the owner sees them.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, ToSql};

use super::Sqlite;
use super::row::{self, stamp};
use crate::domain::fold_address;
use crate::store::{ConsentRecord, Cursor, Result, Subscriber, SubscriberFilter, SubscriberState};

const COLUMNS: &str = "created_at, page, consent_version, consent_text, confirmed_at, \
    unsubscribed_at, id, email, state, hold_reason, invited_at";

const CONSENT_COLUMNS: &str = "created_at, page, consent_version, consent_text, confirmed_at, \
    unsubscribed_at";

impl Sqlite {
    pub async fn subscriber(&self, email: String) -> Result<Option<Subscriber>> {
        let work = move |db: &Connection| {
            let sql = format!("SELECT {COLUMNS} FROM subscribers WHERE email_key = ?1");
            let mut query = db.prepare_cached(&sql)?;
            query
                .query_row([fold_address(&email)], subscriber)
                .optional()
        };
        self.readers.run(work).await
    }

    pub async fn subscribers(&self, filter: SubscriberFilter) -> Result<Vec<Subscriber>> {
        self.readers.run(move |db| list(db, &filter)).await
    }

    pub async fn past_consents(&self, subscriber_id: String) -> Result<Vec<ConsentRecord>> {
        let work = move |db: &Connection| {
            let sql = format!(
                "SELECT {CONSENT_COLUMNS} FROM past_consents
                WHERE subscriber_id = ?1 ORDER BY created_at"
            );
            let mut query = db.prepare_cached(&sql)?;
            query.query_map([subscriber_id], consent)?.collect()
        };
        self.readers.run(work).await
    }
}

fn list(db: &Connection, filter: &SubscriberFilter) -> rusqlite::Result<Vec<Subscriber>> {
    let mut sql = format!("SELECT {COLUMNS} FROM subscribers WHERE created_at >= :since");
    let since = filter.since.map_or(String::new(), stamp);
    let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
    let state = filter.state.map(SubscriberState::as_str);
    let after = filter.after.as_ref().map(place);
    let mut values: Vec<(&str, &dyn ToSql)> = vec![(":since", &since), (":limit", &limit)];
    if let Some(state) = &state {
        sql.push_str(" AND state = :state");
        values.push((":state", state));
    }
    if let Some((time, id)) = &after {
        sql.push_str(" AND (created_at, id) < (:after_time, :after_id)");
        values.extend([(":after_time", time as &dyn ToSql), (":after_id", id)]);
    }
    sql.push_str(" ORDER BY created_at DESC, id DESC LIMIT :limit");
    let mut query = db.prepare_cached(&sql)?;
    query.query_map(values.as_slice(), subscriber)?.collect()
}

fn place(cursor: &Cursor) -> (String, &str) {
    (stamp(cursor.created_at), &cursor.id)
}

fn subscriber(found: &Row<'_>) -> rusqlite::Result<Subscriber> {
    Ok(Subscriber {
        consent: consent(found)?,
        id: found.get(6)?,
        email: found.get(7)?,
        state: row::parsed(found, 8)?,
        hold_reason: found.get(9)?,
        invited_at: row::parsed_if_set::<Timestamp>(found, 10)?,
    })
}

fn consent(found: &Row<'_>) -> rusqlite::Result<ConsentRecord> {
    Ok(ConsentRecord {
        created_at: row::parsed(found, 0)?,
        page: found.get(1)?,
        consent_version: found.get(2)?,
        consent_text: found.get(3)?,
        confirmed_at: row::parsed_if_set(found, 4)?,
        unsubscribed_at: row::parsed_if_set(found, 5)?,
    })
}
