//! Fills in the keys of addresses that were stored before there were keys.
//!
//! Two subscribers may turn out to be one. What they did last counts: who
//! confirmed after leaving is subscribed, who left after confirming is not. No
//! proof is lost, the other consent becomes a past one; and no link to leave.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::domain::fold_address;

/// What an older server added, which still ran while its database was brought
/// up to date. Costs two look-ups when there is nothing.
pub fn fill_what_is_missing(db: &mut Connection) -> rusqlite::Result<()> {
    let missing: bool = db.query_row(
        "SELECT EXISTS (SELECT 1 FROM contacts WHERE email_key = '')
            OR EXISTS (SELECT 1 FROM subscribers WHERE email_key = '')",
        [],
        |row| row.get(0),
    )?;
    if !missing {
        return Ok(());
    }
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    fill(&transaction)?;
    transaction.commit()
}

/// Inside a transaction.
pub fn fill(db: &Connection) -> rusqlite::Result<()> {
    // Until the rows that belong together are united.
    db.execute_batch("DROP INDEX IF EXISTS subscribers_once")?;
    for table in ["contacts", "subscribers"] {
        let mut update = db.prepare(&format!("UPDATE {table} SET email_key = ?2 WHERE id = ?1"))?;
        let missing = format!("SELECT id, email FROM {table} WHERE email_key = ''");
        for (id, email) in rows(db, &missing, [])? {
            update.execute(params![id, fold_address(&email)])?;
        }
    }
    let twice = "SELECT email_key, '' FROM subscribers GROUP BY email_key HAVING count(*) > 1";
    for (key, _) in rows(db, twice, [])? {
        unite(db, &key)?;
    }
    db.execute_batch(
        "CREATE UNIQUE INDEX subscribers_once ON subscribers (email_key) WHERE email_key <> ''",
    )
}

fn rows(
    db: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
) -> rusqlite::Result<Vec<(String, String)>> {
    let mut query = db.prepare(sql)?;
    let found = query.query_map(values, |row| Ok((row.get(0)?, row.get(1)?)))?;
    found.collect()
}

/// The first one stays: answered before unanswered, the last answer before
/// earlier ones, a person's request before a robot's, the newest.
fn unite(db: &Connection, key: &str) -> rusqlite::Result<()> {
    let ranked = rows(
        db,
        "SELECT id, state FROM subscribers WHERE email_key = ?1
        ORDER BY state = 'pending',
            max(coalesce(confirmed_at, ''), coalesce(unsubscribed_at, '')) DESC,
            hold_reason IS NOT NULL, created_at DESC, id",
        [key],
    )?;
    let Some(((kept, state), others)) = ranked.split_first() else {
        return Ok(());
    };
    for (other, _) in others {
        merge(db, other, kept)?;
    }
    if state != "pending" {
        // Nobody who has answered is asked again.
        db.execute(
            "DELETE FROM deliveries
            WHERE subscriber_id = ?1 AND kind = 'confirm' AND state IN ('pending', 'given_up')",
            [kept],
        )?;
    }
    Ok(())
}

fn merge(db: &Connection, other: &str, kept: &str) -> rusqlite::Result<()> {
    for step in [
        "INSERT INTO past_consents (subscriber_id, created_at, page, consent_version,
            consent_text, confirmed_at, unsubscribed_at)
        SELECT ?2, created_at, page, consent_version, consent_text, confirmed_at, unsubscribed_at
        FROM subscribers WHERE id = ?1",
        "UPDATE past_consents SET subscriber_id = ?2 WHERE subscriber_id = ?1",
        "UPDATE mail_links SET subscriber_id = ?2 WHERE subscriber_id = ?1",
        "UPDATE deliveries SET subscriber_id = ?2 WHERE subscriber_id = ?1",
        // An issue that both were sent stays once.
        "UPDATE OR IGNORE newsletter_sends SET subscriber_id = ?2 WHERE subscriber_id = ?1",
        "UPDATE subscribers SET
            invitations = max(invitations, (SELECT invitations FROM subscribers WHERE id = ?1))
        WHERE id = ?2",
    ] {
        db.execute(step, [other, kept])?;
    }
    db.execute("DELETE FROM subscribers WHERE id = ?1", [other])
        .map(|_| ())
}
