//! Subscribers as the owner sees them.

use tokio_postgres::Row;

use super::Postgres;
use super::ask::{Value, milliseconds, number, parsed, text, time};
use crate::domain::fold_address;
use crate::store::columns::{PAST_CONSENT_COLUMNS, SUBSCRIBER_COLUMNS};
use crate::store::{
    ConsentRecord, Result, StoreError, Subscriber, SubscriberFilter, SubscriberState,
};

impl Postgres {
    pub async fn subscriber(&self, email: String) -> Result<Option<Subscriber>> {
        let sql = format!("SELECT {SUBSCRIBER_COLUMNS} FROM subscribers WHERE email_key = $1");
        let found = self.rows(&sql, &[text(&fold_address(&email))]).await?;
        found.first().map(subscriber).transpose()
    }

    pub async fn subscribers(&self, filter: SubscriberFilter) -> Result<Vec<Subscriber>> {
        let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
        let state = filter.state.map(SubscriberState::as_str);
        let since = filter.since.map(milliseconds);
        let place = filter
            .after
            .as_ref()
            .map(|after| milliseconds(after.created_at));
        let mut sql = format!("SELECT {SUBSCRIBER_COLUMNS} FROM subscribers WHERE true");
        let mut values: Vec<Value<'_>> = vec![number(&limit)];
        if since.is_some() {
            values.push(time(&since));
            sql += &format!(" AND created_at >= ${}", values.len());
        }
        if state.is_some() {
            values.push(text(&state));
            sql += &format!(" AND state = ${}", values.len());
        }
        if filter.suspended {
            sql += " AND suspended_at IS NOT NULL";
        }
        if let Some(after) = &filter.after {
            values.extend([time(&place), text(&after.id)]);
            let last = values.len();
            sql += &format!(" AND (created_at, id) < (${}, ${last})", last - 1);
        }
        sql += " ORDER BY created_at DESC, id DESC LIMIT $1";
        self.rows(&sql, &values)
            .await?
            .iter()
            .map(subscriber)
            .collect()
    }

    pub async fn past_consents(&self, subscriber_id: String) -> Result<Vec<ConsentRecord>> {
        let sql = format!(
            "SELECT {PAST_CONSENT_COLUMNS} FROM past_consents
            WHERE subscriber_id = $1 ORDER BY created_at, unsubscribed_at"
        );
        let found = self.rows(&sql, &[text(&subscriber_id)]).await?;
        found.iter().map(consent).collect()
    }
}

fn subscriber(row: &Row) -> Result<Subscriber> {
    Ok(Subscriber {
        id: row.try_get("id")?,
        email: row.try_get("email")?,
        state: parsed(row, "state")?,
        hold_reason: row.try_get("hold_reason")?,
        invited_at: row.try_get("invited_at")?,
        refused_code: row.try_get("refused_code")?,
        refused_at: row.try_get("refused_at")?,
        suspended_at: row.try_get("suspended_at")?,
        consent: consent(row)?,
    })
}

fn consent(row: &Row) -> Result<ConsentRecord> {
    let version: i32 = row.try_get("consent_version")?;
    let version = u32::try_from(version);
    Ok(ConsentRecord {
        created_at: row.try_get("created_at")?,
        page: row.try_get("page")?,
        consent_version: version.map_err(|error| StoreError::Unavailable(error.to_string()))?,
        consent_text: row.try_get("consent_text")?,
        confirmed_at: row.try_get("confirmed_at")?,
        unsubscribed_at: row.try_get("unsubscribed_at")?,
        import_file: row.try_get("import_file")?,
        import_source: row.try_get("import_source")?,
    })
}
