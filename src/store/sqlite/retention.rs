//! Removing what is old enough, a little at a time: others write in between.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::Sqlite;
use super::cells::Parsed;
use super::row::stamp;
use crate::store::retention::{Key, Rule};
use crate::store::{LastPruning, OldRecords, Result};

impl Sqlite {
    pub async fn last_pruning(&self, now: Timestamp) -> Result<LastPruning> {
        let work = |db: &Connection| {
            let sql = "SELECT pruned_at FROM store_state WHERE pruned_at IS NOT NULL";
            db.query_row(sql, [], |row| row.get(0)).optional()
        };
        let at = self.readers.run(work).await?;
        let at = at.map(|Parsed(at)| at);
        Ok(LastPruning { at, now })
    }

    pub async fn claim_pruning(
        &self,
        last: Option<Timestamp>,
        lease: SignedDuration,
        now: Timestamp,
    ) -> Result<bool> {
        let until = stamp(now.saturating_add(lease).unwrap_or(Timestamp::MAX));
        let work = move |db: &Connection| {
            // Later than a lease could end: the clock was set back.
            let sql = "UPDATE store_state SET pruning_ends_at = ?3
                WHERE pruned_at IS ?1 AND (pruning_ends_at IS NULL
                    OR pruning_ends_at <= ?2 OR pruning_ends_at > ?3)";
            Ok(db.execute(sql, params![last.map(stamp), stamp(now), until])? > 0)
        };
        self.writer.run(work).await
    }

    pub async fn finish_pruning(&self, now: Timestamp) -> Result<()> {
        let work = move |db: &Connection| {
            let sql = "UPDATE store_state SET pruned_at = ?1, pruning_ends_at = NULL";
            db.execute(sql, [stamp(now)]).map(|_| ())
        };
        self.writer.run(work).await
    }

    pub async fn prune(
        &self,
        of: OldRecords,
        age: SignedDuration,
        most: u32,
        now: Timestamp,
    ) -> Result<u64> {
        let before = stamp(now.saturating_sub(age).unwrap_or(Timestamp::MIN));
        let work = move |db: &Connection| match of {
            OldRecords::Leads | OldRecords::Spam => {
                with_the_index_of_words(db, || remove(db, &of.rule(), &before, most))
            }
            _ => remove(db, &of.rule(), &before, most),
        };
        self.writer.run(work).await
    }

    pub async fn count_old(
        &self,
        of: OldRecords,
        age: SignedDuration,
        now: Timestamp,
    ) -> Result<u64> {
        let before = stamp(now.saturating_sub(age).unwrap_or(Timestamp::MIN));
        let work = move |db: &Connection| {
            let Rule { table, .. } = of.rule();
            let sql = format!("SELECT count(*) FROM {table} WHERE {}", old(&of.rule()));
            db.query_row(&sql, [before], |row| row.get::<_, i64>(0))
        };
        Ok(self.readers.run(work).await?.unsigned_abs())
    }
}

fn old(rule: &Rule) -> String {
    rule.old.replace("{id}", "")
}

fn remove(db: &Connection, rule: &Rule, before: &str, most: u32) -> rusqlite::Result<u64> {
    let key = match rule.key {
        Key::Column(key) => key,
        Key::Row => "rowid",
    };
    let (table, old) = (rule.table, old(rule));
    let change = match rule.set {
        "" => format!("DELETE FROM {table}"),
        set => format!("UPDATE {table} SET {set}"),
    };
    let sql =
        format!("{change} WHERE {key} IN (SELECT {table}.{key} FROM {table} WHERE {old} LIMIT $2)");
    let changed = db.prepare_cached(&sql)?.execute(params![before, most])?;
    Ok(changed as u64)
}

/// Each lead that goes makes the index of words begin anew from its row on, in
/// case another gets that row. Only the last rows of all can be given again, so
/// when the oldest go, the index is still right.
fn with_the_index_of_words(
    db: &Connection,
    remove: impl FnOnce() -> rusqlite::Result<u64>,
) -> rusqlite::Result<u64> {
    let searched_to: i64 =
        db.query_row("SELECT searched_to FROM search_state", [], |row| row.get(0))?;
    let removed = remove()?;
    if removed > 0 {
        db.execute(
            "UPDATE search_state SET searched_to =
                min(?1, (SELECT coalesce(max(rowid), 0) FROM contacts))",
            [searched_to],
        )?;
    }
    Ok(removed)
}
