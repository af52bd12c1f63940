//! The releases of the site. Whoever changes which is shown has the turn for it
//! ([`RELEASES`]).

use std::ops::Range;
use std::time::Duration;

use jiff::Timestamp;
use tokio_postgres::{Row, Transaction};

use super::Postgres;
use super::ask::{counted, number, present, text, time};
use super::turns::{self, RELEASES, WAKE};
use super::watch::within;
use crate::store::releases::{BUILT_IN, COLUMNS, EncodedRelease, KEPT_RELEASES, SHOWN_FACTS};
use crate::store::{Result, StoredRelease};

const NEXT_TURN: &str = "(SELECT coalesce(max(turn), 0) + 1 FROM releases)";

/// For megabytes, on a slow line too.
const PATIENCE: Duration = Duration::from_secs(60);

impl Postgres {
    pub async fn publish_release(&self, new: EncodedRelease, now: Timestamp) -> Result<i64> {
        let now = self.time(now);
        let sql = format!(
            "INSERT INTO releases (id, checksum, carried, pages, bytes, published_at, turn, facts, content)
            VALUES ((SELECT coalesce(max(id), 0) + 1 FROM releases), $1, $2, $3, $4, {}, {NEXT_TURN}, $6, $7)
            RETURNING id",
            present("$5")
        );
        let remove = "DELETE FROM releases WHERE id <> $1 AND id NOT IN
            (SELECT id FROM releases WHERE id <> $1 ORDER BY turn DESC LIMIT $2)";
        let changed = self.in_turn(async |db| {
            let values = [
                text(&new.checksum),
                text(&new.carried),
                number(&new.pages),
                number(&new.bytes),
                time(&now),
                text(&new.facts),
                text(&new.content),
            ];
            let id = db.query_typed_one(&sql, &values).await?.try_get("id")?;
            db.execute_typed(remove, &[number(&BUILT_IN), number(&KEPT_RELEASES)])
                .await?;
            Ok(id)
        });
        changed.await
    }

    pub async fn show_release(&self, id: i64, now: Timestamp) -> Result<bool> {
        let now = self.time(now);
        let add = format!(
            "INSERT INTO releases (id, checksum, carried, pages, bytes, published_at, facts, turn)
            VALUES ($1, '', '', 0, 0, {}, '', 0) ON CONFLICT DO NOTHING",
            present("$2")
        );
        let show = format!("UPDATE releases SET turn = {NEXT_TURN} WHERE id = $1");
        let changed = self.in_turn(async |db| {
            if id == BUILT_IN {
                db.execute_typed(&add, &[number(&id), time(&now)]).await?;
            }
            Ok(db.execute_typed(&show, &[number(&id)]).await? > 0)
        });
        changed.await
    }

    pub async fn release_turn(&self) -> Result<i64> {
        let sql = "SELECT coalesce(max(turn), 0) AS turn FROM releases";
        Ok(self.row(sql, &[]).await?.try_get("turn")?)
    }

    pub async fn releases(&self) -> Result<Vec<StoredRelease>> {
        let sql = format!("SELECT {COLUMNS} FROM releases ORDER BY turn DESC");
        let found = self.rows(&sql, &[]).await?;
        found.iter().map(release).collect()
    }

    pub async fn release_facts(&self) -> Result<Option<String>> {
        let found = self.rows(SHOWN_FACTS, &[]).await?;
        let facts = found.first().map(|row| row.try_get("facts"));
        Ok(facts.transpose()?)
    }

    /// The characters at these places.
    pub async fn release_part(&self, id: i64, places: Range<usize>) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT substr(content, $2::int, $3::int) AS part FROM releases WHERE id = $1";
        let whole = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let (first, length) = (whole(places.start + 1), whole(places.len()));
        let values = [number(&id), number(&first), number(&length)];
        let reading = self.patiently(async |db| {
            let found = db.query_typed(sql, &values).await?;
            match found.first() {
                Some(row) => {
                    let part: Option<String> = row.try_get("part")?;
                    Ok(part.map(String::into_bytes))
                }
                None => Ok(None),
            }
        });
        within(PATIENCE, reading).await
    }

    /// All replicas hear of it once it is committed.
    async fn in_turn<T>(&self, work: impl AsyncFnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let changing = self.patiently(async |db| {
            turns::lock(db.client(), &[RELEASES]).await?;
            let done = work(db).await?;
            db.batch_execute(&format!("SELECT {WAKE}")).await?;
            Ok(done)
        });
        within(PATIENCE, changing).await
    }
}

fn release(row: &Row) -> Result<StoredRelease> {
    Ok(StoredRelease {
        id: row.try_get("id")?,
        checksum: row.try_get("checksum")?,
        carried: row.try_get("carried")?,
        pages: counted(row, "pages")?,
        bytes: counted(row, "bytes")?,
        published_at: row.try_get("published_at")?,
        turn: row.try_get("turn")?,
    })
}
