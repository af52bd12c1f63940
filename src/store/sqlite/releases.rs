//! The releases of the site.

use std::ops::Range;

use jiff::Timestamp;
use rusqlite::{Connection, MAIN_DB, OptionalExtension as _, Row, params};

use super::Sqlite;
use super::row::{parsed, stamp};
use crate::store::releases::{BUILT_IN, COLUMNS, EncodedRelease, KEPT_RELEASES, SHOWN_FACTS};
use crate::store::{Result, StoredRelease};

const NEXT_TURN: &str = "(SELECT coalesce(max(turn), 0) + 1 FROM releases)";

impl Sqlite {
    pub async fn publish_release(&self, new: EncodedRelease, now: Timestamp) -> Result<i64> {
        self.writer.run(move |db| publish(db, &new, now)).await
    }

    pub async fn show_release(&self, id: i64, now: Timestamp) -> Result<bool> {
        let work = move |db: &Connection| {
            if id == BUILT_IN {
                let sql = "INSERT INTO releases (id, checksum, carried, pages, bytes, published_at, facts, turn)
                    VALUES (?1, '', '', 0, 0, ?2, '', 0) ON CONFLICT DO NOTHING";
                db.execute(sql, params![id, stamp(now)])?;
            }
            let sql = format!("UPDATE releases SET turn = {NEXT_TURN} WHERE id = ?1");
            Ok(db.execute(&sql, [id])? > 0)
        };
        self.writer.run(work).await
    }

    pub async fn release_turn(&self) -> Result<i64> {
        let work = |db: &Connection| {
            let mut query = db.prepare_cached("SELECT coalesce(max(turn), 0) FROM releases")?;
            query.query_row([], |row| row.get(0))
        };
        self.readers.run(work).await
    }

    pub async fn releases(&self) -> Result<Vec<StoredRelease>> {
        let work = |db: &Connection| {
            let sql = format!("SELECT {COLUMNS} FROM releases ORDER BY turn DESC");
            let mut query = db.prepare_cached(&sql)?;
            query.query_map([], release)?.collect()
        };
        self.readers.run(work).await
    }

    pub async fn release_facts(&self) -> Result<Option<String>> {
        let work = |db: &Connection| {
            let mut query = db.prepare_cached(SHOWN_FACTS)?;
            query.query_row([], |row| row.get(0)).optional()
        };
        self.readers.run(work).await
    }

    /// The characters at these places, without reading those before them.
    pub async fn release_part(&self, id: i64, places: Range<usize>) -> Result<Option<Vec<u8>>> {
        let work = move |db: &Connection| {
            let sql = "SELECT content IS NOT NULL FROM releases WHERE id = ?1";
            let found = db.query_row(sql, [id], |row| row.get(0)).optional()?;
            if found != Some(true) {
                return Ok(None);
            }
            let content = db.blob_open(MAIN_DB, "releases", "content", id, true)?;
            let length = places.len().min(content.len().saturating_sub(places.start));
            let mut part = vec![0; length];
            content.read_at_exact(&mut part, places.start)?;
            Ok(Some(part))
        };
        self.readers.run(work).await
    }
}

fn publish(db: &Connection, new: &EncodedRelease, now: Timestamp) -> rusqlite::Result<i64> {
    let sql = format!(
        "INSERT INTO releases (id, checksum, carried, pages, bytes, published_at, turn, facts, content)
        VALUES ((SELECT coalesce(max(id), 0) + 1 FROM releases), ?1, ?2, ?3, ?4, ?5, {NEXT_TURN}, ?6, ?7)
        RETURNING id"
    );
    let values = params![
        new.checksum,
        new.carried,
        new.pages,
        new.bytes,
        stamp(now),
        new.facts,
        new.content
    ];
    let id = db.query_row(&sql, values, |row| row.get(0))?;
    let sql = "DELETE FROM releases WHERE id <> ?1 AND id NOT IN
        (SELECT id FROM releases WHERE id <> ?1 ORDER BY turn DESC LIMIT ?2)";
    db.execute(sql, [BUILT_IN, KEPT_RELEASES])?;
    Ok(id)
}

fn release(row: &Row<'_>) -> rusqlite::Result<StoredRelease> {
    Ok(StoredRelease {
        id: row.get("id")?,
        checksum: row.get("checksum")?,
        carried: row.get("carried")?,
        pages: row.get::<_, i64>("pages")?.unsigned_abs(),
        bytes: row.get::<_, i64>("bytes")?.unsigned_abs(),
        published_at: parsed(row, "published_at")?,
        turn: row.get("turn")?,
    })
}
