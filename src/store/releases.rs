//! Published releases of the site, and which of them is shown.
//!
//! A release gets the next turn whenever it is published or rolled back to, and the one with the
//! highest turn is shown.

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::tx::{Row, args, record};
use super::{Result, Store};

/// The id of the built-in release: its row has no content and exists only after a rollback to it.
pub const BUILT_IN: i64 = 0;

/// How many releases are kept, by turn, when one is published.
const KEPT_RELEASES: i64 = 5;

/// The number of bytes read at once.
const PART: usize = 3 * 1024 * 1024;

const NEXT_TURN: &str = "(SELECT coalesce(max(turn), 0) + 1 FROM releases)";

/// A release to be published.
pub struct NewRelease {
    pub checksum: String,
    pub pages: u64,
    /// The facts for the server, as JSON.
    pub facts: String,
    pub content: Vec<u8>,
    /// The checksum of the release built into the program that publishes it.
    pub built_in: String,
    pub changes: ReleaseChanges,
    /// The system user who publishes it.
    pub who: Option<String>,
}

/// The paths of the pages that differ from the release before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReleaseChanges {
    pub added: Vec<String>,
    pub removed: Vec<String>,
    pub changed: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRelease {
    pub id: i64,
    pub checksum: String,
    pub built_in: String,
    pub pages: u64,
    pub bytes: u64,
    pub published_at: Timestamp,
    pub turn: i64,
    pub changes: Option<ReleaseChanges>,
    pub who: Option<String>,
}

/// The id of the shown release; `stored` is the list from [`Store::releases`].
pub fn shown_release(stored: &[StoredRelease]) -> i64 {
    stored.first().map_or(BUILT_IN, |shown| shown.id)
}

impl Store {
    /// Stores and shows the release, and deletes the oldest beyond [`KEPT_RELEASES`]. Returns its
    /// id.
    pub async fn publish_release(&self, new: NewRelease, now: Timestamp) -> Result<i64> {
        self.write_long(move |tx| {
            tx.lock("releases")?;
            tx.wake();
            let sql = format!(
                "INSERT INTO releases (id, checksum, carried, pages, bytes, published_at, turn,
                    facts, content, changes, who)
                VALUES ((SELECT coalesce(max(id), 0) + 1 FROM releases), $1, $2, $3, $4, $5,
                    {NEXT_TURN}, $6, $7, $8, $9)
                RETURNING id"
            );
            let content = new.content.as_slice();
            let changes = serde_json::to_string(&new.changes).expect("paths only");
            let mut values = args![&new.checksum, &new.built_in, new.pages, content.len()].to_vec();
            values.extend_from_slice(args![now, &new.facts, content, changes, &new.who]);
            let id = tx.value(&sql, &values)?;
            tx.execute(
                "DELETE FROM releases WHERE id <> $1 AND id NOT IN
                    (SELECT id FROM releases WHERE id <> $1 ORDER BY turn DESC LIMIT $2)",
                args![BUILT_IN, KEPT_RELEASES],
            )?;
            Ok(id)
        })
        .await
    }

    /// Shows an earlier release or the built-in one. Returns false if it doesn't exist.
    pub async fn show_release(&self, id: i64, now: Timestamp) -> Result<bool> {
        self.write_at(now, move |tx| {
            tx.lock("releases")?;
            tx.wake();
            if id == BUILT_IN {
                tx.execute(
                    "INSERT INTO releases (id, checksum, carried, pages, bytes, published_at,
                        facts, turn)
                    VALUES ($1, '', '', 0, 0, $2, '', 0) ON CONFLICT DO NOTHING",
                    args![id, now],
                )?;
            }
            let sql = format!("UPDATE releases SET turn = {NEXT_TURN} WHERE id = $1");
            Ok(tx.execute(&sql, args![id])? > 0)
        })
        .await
    }

    /// Changes whenever another release is shown; 0 while none is published.
    pub async fn release_turn(&self) -> Result<i64> {
        self.value("SELECT coalesce(max(turn), 0) FROM releases", &[])
            .await
    }

    /// All releases without their content, in the order in which they were shown, the current one
    /// first.
    pub async fn releases(&self) -> Result<Vec<StoredRelease>> {
        let sql = "SELECT id, checksum, carried AS built_in, pages, bytes, published_at, turn, changes, who
            FROM releases ORDER BY turn DESC";
        let release = |row: &Row| {
            let changes: Option<String> = row.get("changes")?;
            let changes = changes.and_then(|json| serde_json::from_str(&json).ok());
            record!(row => StoredRelease: id, checksum, built_in, pages, bytes, published_at, turn, who;
                changes: changes)
        };
        self.query(sql, &[], release).await
    }

    /// The facts of the current release; `None` means the built-in ones.
    pub async fn release_facts(&self) -> Result<Option<String>> {
        let sql = "SELECT facts FROM releases ORDER BY turn DESC LIMIT 1";
        let facts: Vec<String> = self.query(sql, &[], |row| row.at(0)).await?;
        Ok(facts.into_iter().next().filter(|facts| !facts.is_empty()))
    }

    /// A release's file, or what is wrong with its row. The file is read in parts, on separate
    /// connections: a connection keeps as much memory as its longest row needed.
    pub async fn release_content(&self, stored: &StoredRelease) -> Result<Result<Bytes, String>> {
        let end = usize::try_from(stored.bytes).unwrap_or(usize::MAX);
        let mut content = Vec::with_capacity(end);
        while content.len() < end {
            let (first, length) = (content.len() + 1, PART.min(end - content.len()));
            let (id, sql) = (
                stored.id,
                "SELECT substr(content, $2, $3) FROM releases WHERE id = $1",
            );
            let found = self.read_long(move |tx| {
                let found: Vec<Option<Vec<u8>>> = tx.column(sql, args![id, first, length])?;
                Ok(found.into_iter().next().flatten())
            });
            match found.await? {
                None => return Ok(Err("it isn't in the database any more".into())),
                Some(part) if part.len() == length => content.extend(part),
                Some(_) => return Ok(Err("its content in the database is damaged".into())),
            }
        }
        Ok(Ok(content.into()))
    }
}
