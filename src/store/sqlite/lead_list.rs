//! Which leads there are: listed, searched, waiting, by the end of their id.

use rusqlite::{Connection, ToSql};

use super::row::{self, LEAD_COLUMNS, stamp};
use super::{Sqlite, held_notices, search};
use crate::domain::fold_address;
use crate::store::{Lead, LeadFilter, LeadState, Read, Result};

impl Sqlite {
    pub async fn leads(&self, filter: LeadFilter) -> Result<Read<Lead>> {
        if filter.search.is_some() {
            self.index_words().await?;
        }
        self.readers.run(move |db| list(db, &filter)).await
    }

    pub async fn waiting_leads(&self, limit: usize) -> Result<Read<Lead>> {
        self.readers.run(move |db| waiting(db, limit)).await
    }

    pub async fn lead_ids_ending(&self, ends: Vec<String>) -> Result<Vec<String>> {
        let work = move |db: &Connection| {
            let sql = "SELECT id FROM contacts WHERE substr(id, -8) IN
                    (SELECT value FROM json_each(?1)) ORDER BY id";
            let ends = serde_json::Value::from(ends).to_string();
            let mut query = db.prepare_cached(sql)?;
            query.query_map([ends], |row| row.get(0))?.collect()
        };
        self.readers.run(work).await
    }
}

/// A query that grows with what is asked for.
struct Question {
    sql: String,
    values: Vec<(&'static str, Box<dyn ToSql>)>,
}

impl Question {
    fn and(&mut self, condition: &str) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
    }

    fn and_with(&mut self, condition: &str, name: &'static str, value: impl ToSql + 'static) {
        self.and(condition);
        self.values.push((name, Box::new(value)));
    }
}

fn list(db: &Connection, filter: &LeadFilter) -> rusqlite::Result<Read<Lead>> {
    let (from, order) = match filter.search {
        Some(_) => (search::FROM, search::LATEST_FIRST),
        None => ("contacts", "contacts.created_at DESC, contacts.id DESC"),
    };
    let since = filter.since.map_or(String::new(), stamp);
    let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
    let mut question = Question {
        sql: format!("SELECT {LEAD_COLUMNS} FROM {from} WHERE contacts.created_at >= :since"),
        values: vec![(":since", Box::new(since)), (":limit", Box::new(limit))],
    };
    narrow(&mut question, filter);
    question.sql += &format!(" ORDER BY {order} LIMIT :limit");
    let values = question.values.iter();
    let values: Vec<_> = values.map(|(name, value)| (*name, &**value)).collect();
    let mut query = db.prepare_cached(&question.sql)?;
    let mut leads = row::read_all("contacts", query.query(values.as_slice())?, row::lead)?;
    let order =
        |one: &Lead, other: &Lead| (other.created_at, &other.id).cmp(&(one.created_at, &one.id));
    leads.rows.sort_by(order);
    Ok(leads)
}

/// Words of ours stand in the text: an index of some states is only used for a
/// query that names them.
fn narrow(question: &mut Question, filter: &LeadFilter) {
    if let Some(words) = &filter.search {
        let words = search::expression(words);
        question.and_with("lead_words MATCH :words", ":words", words);
    }
    if filter.held {
        question.and(held_notices::IS_HELD);
    }
    if filter.genuine {
        let is_held = held_notices::IS_HELD;
        question.and(&format!("contacts.state <> 'spam' AND NOT ({is_held})"));
    }
    match filter.state {
        Some(LeadState::New) => question.and("contacts.state = 'new'"),
        Some(state) => {
            let word = state.as_str();
            question.and(&format!(
                "contacts.state = '{word}' AND contacts.state <> 'new'"
            ));
        }
        None => {}
    }
    if let Some(location) = filter.location {
        let is_it = "contacts.form_location = :location";
        question.and_with(is_it, ":location", location.as_str());
    }
    if let Some(source) = &filter.source {
        let is_it = ":source IN
            (lower(utm_source), lower(utm_campaign), lower(referrer_host))";
        question.and_with(is_it, ":source", source.to_lowercase());
    }
    if let Some(email) = &filter.email {
        question.and_with("email_key = :email", ":email", fold_address(email));
    }
    if let Some(after) = &filter.after {
        let time = stamp(after.created_at);
        let is_behind = "(contacts.created_at, contacts.id) < (:after_time, :after_id)";
        question.and_with(is_behind, ":after_time", time);
        question
            .values
            .push((":after_id", Box::new(after.id.clone())));
    }
}

/// Those who were never held, and those who were released, each by an index.
fn waiting(db: &Connection, limit: usize) -> rusqlite::Result<Read<Lead>> {
    let sql = format!(
        "SELECT {LEAD_COLUMNS} FROM contacts WHERE id IN (
            SELECT id FROM (SELECT id FROM contacts WHERE state = 'new' AND hold_reason IS NULL
                ORDER BY created_at, id LIMIT ?1)
            UNION ALL
            SELECT id FROM (SELECT id FROM contacts WHERE state = 'new'
                    AND released_at IS NOT NULL AND hold_reason IS NOT NULL
                ORDER BY released_at, id LIMIT ?1))
        ORDER BY coalesce(released_at, created_at), id LIMIT ?1"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut query = db.prepare_cached(&sql)?;
    row::read_all("contacts", query.query([limit])?, row::lead)
}
