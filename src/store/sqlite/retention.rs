//! Removing what is old enough: found without holding up whoever writes, then
//! removed a little at a time.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::apart::{Patience, apart};
use super::cells::Parsed;
use super::row::stamp;
use super::{Sqlite, connection};
use crate::store::retention::Rule;
use crate::store::{LastPruning, OldRecords, OldRow, Result};

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

    pub async fn old(
        &self,
        of: OldRecords,
        age: SignedDuration,
        most: u32,
        now: Timestamp,
    ) -> Result<Vec<OldRow>> {
        let before = before(age, now);
        let work = move |db: &Connection| {
            let rule = of.rule();
            let (table, old) = (rule.table, is_old(&rule));
            let sql = format!("SELECT CAST(rowid AS text) FROM {table} WHERE {old} LIMIT $2");
            let mut query = db.prepare(&sql)?;
            let found = query.query_map(params![before, most], |row| row.get(0).map(OldRow))?;
            found.collect()
        };
        self.look_through(work).await
    }

    pub async fn prune(
        &self,
        of: OldRecords,
        rows: &[OldRow],
        age: SignedDuration,
        now: Timestamp,
    ) -> Result<u64> {
        let before = before(age, now);
        let rows: Vec<_> = rows.iter().map(|OldRow(row)| row.as_str()).collect();
        let rows = format!("[{}]", rows.join(","));
        let work = move |db: &Connection| match of {
            OldRecords::Leads | OldRecords::Spam => {
                with_the_index_of_words(db, || remove(db, &of.rule(), &before, &rows))
            }
            _ => remove(db, &of.rule(), &before, &rows),
        };
        self.writer.run(work).await
    }

    pub async fn count_old(
        &self,
        of: OldRecords,
        age: SignedDuration,
        now: Timestamp,
    ) -> Result<u64> {
        let before = before(age, now);
        let work = move |db: &Connection| {
            let rule = of.rule();
            let sql = format!(
                "SELECT count(*) FROM {} WHERE {}",
                rule.table,
                is_old(&rule)
            );
            db.query_row(&sql, [before], |row| row.get::<_, i64>(0))
        };
        Ok(self.look_through(work).await?.unsigned_abs())
    }

    /// On a connection of its own, for as long as somebody waits: a large table
    /// takes longer than others would wait.
    async fn look_through<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let path = self.files.database.clone();
        let patience = Patience::default();
        let _ended = patience.ends_here();
        let look = move || -> rusqlite::Result<T> {
            let mut db = connection::open_reader(&path)?;
            patience.bound(&mut db)?;
            work(&db)
        };
        apart(move || Ok(look()?)).await
    }
}

fn before(age: SignedDuration, now: Timestamp) -> String {
    stamp(now.saturating_sub(age).unwrap_or(Timestamp::MIN))
}

fn is_old(rule: &Rule) -> String {
    rule.old.replace("{id}", "")
}

/// `rows`: their numbers, as JSON.
fn remove(db: &Connection, rule: &Rule, before: &str, rows: &str) -> rusqlite::Result<u64> {
    let mut removal = db.prepare_cached(&removal(rule))?;
    Ok(removal.execute(params![before, rows])? as u64)
}

/// By the numbers of the rows: an index would lead through all that is old. SQLite
/// counts its values in the order in which it meets them.
fn removal(rule: &Rule) -> String {
    let (table, old) = (rule.table, is_old(rule));
    let change = match rule.set {
        "" => format!("DELETE FROM {table} NOT INDEXED"),
        set => format!("UPDATE {table} NOT INDEXED SET {set}"),
    };
    format!("{change} WHERE {old} AND rowid IN (SELECT value FROM json_each($2))")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::migrate;

    #[test]
    fn what_was_found_is_removed_by_its_number_alone() {
        let mut db = Connection::open_in_memory().unwrap();
        migrate::run(&mut db).unwrap();
        for of in OldRecords::ALL {
            let rule = of.rule();
            let sql = format!("EXPLAIN QUERY PLAN {}", removal(&rule));
            let mut query = db.prepare(&sql).unwrap();
            let steps = query.raw_query().mapped(|row| row.get::<_, String>(3));
            let first = steps.map(Result::unwrap).next().unwrap();
            let by_number = format!("SEARCH {} USING INTEGER PRIMARY KEY (rowid=?)", rule.table);
            assert_eq!(first, by_number, "{}", of.name());
        }
    }
}
