//! Subscribers as the owner sees them.

use rusqlite::{Connection, OptionalExtension, ToSql};

use super::Sqlite;
use super::row::{self, PAST_CONSENT_COLUMNS, SUBSCRIBER_COLUMNS, stamp};
use crate::domain::fold_address;
use crate::store::{ConsentRecord, Cursor, Result, Subscriber, SubscriberFilter, SubscriberState};

impl Sqlite {
    pub async fn subscriber(&self, email: String) -> Result<Option<Subscriber>> {
        let work = move |db: &Connection| {
            let sql = format!("SELECT {SUBSCRIBER_COLUMNS} FROM subscribers WHERE email_key = ?1");
            let mut query = db.prepare_cached(&sql)?;
            query
                .query_row([fold_address(&email)], row::subscriber)
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
                "SELECT {PAST_CONSENT_COLUMNS} FROM past_consents
                WHERE subscriber_id = ?1 ORDER BY created_at"
            );
            let mut query = db.prepare_cached(&sql)?;
            query
                .query_map([subscriber_id], row::past_consent)?
                .collect()
        };
        self.readers.run(work).await
    }
}

fn list(db: &Connection, filter: &SubscriberFilter) -> rusqlite::Result<Vec<Subscriber>> {
    let mut sql =
        format!("SELECT {SUBSCRIBER_COLUMNS} FROM subscribers WHERE created_at >= :since");
    let since = filter.since.map_or(String::new(), stamp);
    let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
    let state = filter.state.map(SubscriberState::as_str);
    let after = filter.after.as_ref().map(place);
    let mut values: Vec<(&str, &dyn ToSql)> = vec![(":since", &since), (":limit", &limit)];
    if let Some(state) = &state {
        sql.push_str(" AND state = :state");
        values.push((":state", state));
    }
    if filter.suspended {
        sql.push_str(" AND suspended_at IS NOT NULL");
    }
    if let Some((time, id)) = &after {
        sql.push_str(" AND (created_at, id) < (:after_time, :after_id)");
        values.extend([(":after_time", time as &dyn ToSql), (":after_id", id)]);
    }
    sql.push_str(" ORDER BY created_at DESC, id DESC LIMIT :limit");
    let mut query = db.prepare_cached(&sql)?;
    query
        .query_map(values.as_slice(), row::subscriber)?
        .collect()
}

fn place(cursor: &Cursor) -> (String, &str) {
    (stamp(cursor.created_at), &cursor.id)
}
