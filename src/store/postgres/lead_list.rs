//! Which leads there are: listed, searched, waiting, by the end of their id.

use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::addresses::are_of;
use super::ask::{Value, counted, number, text, time};
use super::held_notices::IS_HELD;
use super::row::{self, LEAD};
use super::{Postgres, ask};
use crate::domain::{SearchWords, fold_address};
use crate::store::{Lead, LeadFilter, LeadState, Read, Result};

/// As the index has it, to the letter.
const WORDS: &str = "to_tsvector('simple', translate(
    coalesce(name, '') || ' ' || coalesce(email, '') || ' ' || coalesce(message, ''),
    '@.-_+/:<>&~%=', '             '))";

/// What so many of the latest have is common.
const COMMON: u64 = 3;
const LATEST: u32 = 100;

impl Postgres {
    pub async fn leads(&self, filter: LeadFilter) -> Result<Read<Lead>> {
        let (email, after) = (filter.email.as_deref().map(fold_address), &filter.after);
        let since = filter.since.map(ask::milliseconds);
        let source = filter.source.as_ref().map(|source| source.to_lowercase());
        let words = filter.search.as_ref().map(expression);
        let location = filter.location.map(|location| location.as_str());
        let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
        let mut sql = format!("SELECT {} FROM contacts WHERE true", *LEAD);
        let mut values: Vec<Value<'_>> = vec![number(&limit)];
        if let Some(words) = &words {
            values.push(text(words));
            sql = match self.is_common(words).await? {
                true => format!("{sql} AND {WORDS} @@ to_tsquery('simple', $2)"),
                // By the index of words, whatever else would be in order already.
                false => format!(
                    "WITH contacts AS MATERIALIZED (
                        SELECT * FROM contacts WHERE {WORDS} @@ to_tsquery('simple', $2))
                    {sql}"
                ),
            };
        }
        sql += &kinds(&filter);
        if since.is_some() {
            values.push(time(&since));
            sql += &format!(" AND created_at >= ${}", values.len());
        }
        if location.is_some() {
            values.push(text(&location));
            sql += &format!(" AND form_location = ${}", values.len());
        }
        if source.is_some() {
            values.push(text(&source));
            sql += &format!(
                " AND ${} IN (lower(utm_source), lower(utm_campaign), lower(referrer_host))",
                values.len()
            );
        }
        if email.is_some() {
            values.push(text(&email));
            sql += &format!(" AND {}", are_of(&format!("${}", values.len())));
        }
        let place = after.as_ref().map(|after| after.created_at);
        if let Some(after) = after {
            values.extend([time(&place), text(&after.id)]);
            let (time, id) = (values.len() - 1, self.ids.value(values.len()));
            sql += &format!(" AND (created_at, id) < (${time}, {id})");
        }
        sql += " ORDER BY created_at DESC, contacts.id DESC LIMIT $1";
        let found = self.rows(&sql, &values).await?;
        Ok(row::read_all("contacts", &found, row::lead))
    }

    /// What many leads have is found soonest among the latest; the server itself
    /// cannot tell how many that are.
    async fn is_common(&self, words: &str) -> Result<bool> {
        let sql = format!(
            "SELECT count(*) AS number FROM (SELECT name, email, message FROM contacts
                ORDER BY created_at DESC, id DESC LIMIT {LATEST}) AS latest
            WHERE {WORDS} @@ to_tsquery('simple', $1)"
        );
        let found = self.row(&sql, &[text(&words)]).await?;
        Ok(counted(&found, "number")? >= COMMON)
    }

    /// Those who were never held, and those who were released, each by an index.
    pub async fn waiting_leads(&self, limit: usize) -> Result<Read<Lead>> {
        let sql = format!(
            "SELECT {} FROM contacts WHERE id IN (
                (SELECT id FROM contacts WHERE state = 'new' AND hold_reason IS NULL
                    ORDER BY created_at, id LIMIT $1)
                UNION ALL
                (SELECT id FROM contacts WHERE state = 'new' AND released_at IS NOT NULL
                        AND hold_reason IS NOT NULL
                    ORDER BY released_at, id LIMIT $1))
            ORDER BY coalesce(released_at, created_at), contacts.id LIMIT $1",
            *LEAD
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let found = self.rows(&sql, &[number(&limit)]).await?;
        Ok(row::read_all("contacts", &found, row::lead))
    }

    pub async fn lead_ids_ending(&self, ends: Vec<String>) -> Result<Vec<String>> {
        let sql = "SELECT id::text FROM contacts WHERE right(id::text, 8) = ANY ($1) ORDER BY id";
        // A zero byte is the one thing that text cannot hold.
        let ends: Vec<_> = ends.iter().filter(|end| !end.contains('\0')).collect();
        let found = self.rows(sql, &[(&ends, Type::TEXT_ARRAY)]).await?;
        let id = |row: &Row| Ok(row.try_get("id")?);
        found.iter().map(id).collect()
    }
}

/// Words of ours stand in the text: an index of some states is only used for a
/// query that names them.
fn kinds(filter: &LeadFilter) -> String {
    let mut sql = String::new();
    if filter.held {
        sql += &format!(" AND {IS_HELD}");
    }
    if filter.genuine {
        sql += &format!(" AND state <> 'spam' AND NOT ({IS_HELD})");
    }
    sql += &match filter.state {
        Some(LeadState::New) => " AND state = 'new'".into(),
        Some(state) => format!(" AND state = '{}' AND state <> 'new'", state.as_str()),
        None => String::new(),
    };
    sql
}

/// Every word must begin one of the lead's.
fn expression(words: &SearchWords) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("'{word}':*")).collect();
    words.join(" & ")
}
