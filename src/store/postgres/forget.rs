//! Removing a person from every table. What the server's own files still hold
//! of removed rows is the server's to overwrite (`VACUUM`).

use tokio_postgres::Transaction;

use super::addresses::are_of;
use super::ask::{counted, text};
use super::{Postgres, lessons, subscribe};
use crate::domain::fold_address;
use crate::store::{Forgotten, Remains, Result};

impl Postgres {
    pub async fn remove_leads(&self, email: String) -> Result<()> {
        self.forget(email).await.map(|_| ())
    }

    pub async fn forget(&self, email: String) -> Result<Forgotten> {
        self.in_time(async {
            let mut db = self.pool.get().await?;
            let transaction = db.transaction().await?;
            lessons::forget(&transaction, self.ids, &fold_address(&email)).await?;
            let removed = remove_leads(&transaction, &email).await?;
            let subscribers = subscribe::remove(&transaction, &email).await?;
            transaction.commit().await?;
            Ok(Forgotten {
                subscribers,
                ..removed
            })
        })
        .await
    }
}

/// Holds the leads first, as whoever releases one does, so that neither waits
/// for the other in a circle.
async fn remove_leads(db: &Transaction<'_>, email: &str) -> Result<Forgotten> {
    let theirs = are_of("$1");
    let sql = format!(
        "WITH theirs AS MATERIALIZED (
            SELECT id FROM contacts WHERE {theirs} ORDER BY id FOR UPDATE),
        sent AS (
            DELETE FROM deliveries WHERE contact_id IN (SELECT id::text FROM theirs)
            RETURNING id),
        written AS (
            DELETE FROM contacts WHERE id IN (SELECT id FROM theirs) RETURNING id)
        SELECT (SELECT count(*) FROM written) AS contacts,
            (SELECT count(*) FROM sent) AS deliveries"
    );
    let key = fold_address(email);
    let removed = db.query_typed_one(&sql, &[text(&key)]).await?;
    Ok(Forgotten {
        contacts: counted(&removed, "contacts")?,
        deliveries: counted(&removed, "deliveries")?,
        subscribers: 0,
        remains: Remains::UntilVacuum,
    })
}
