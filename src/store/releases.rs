//! The releases of the site that were published, and which of them is shown.
//!
//! Each time one is published or gone back to it gets the next turn: the one
//! with the highest is shown. The content is kept as text, so that a release is
//! moved to another database like any other row.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use jiff::Timestamp;
use serde::Serialize;

use super::{Result, Store, StoreError, on_engine};

/// The id of the release that the program carries: its row has no content, and
/// is there only if somebody has gone back to it.
pub const BUILT_IN: i64 = 0;

/// Of these, by their turns, the others are removed when one is published.
pub const KEPT_RELEASES: i64 = 5;

/// A release that is about to be published.
pub struct NewRelease {
    pub checksum: String,
    pub pages: u64,
    /// What the server itself says, as JSON.
    pub facts: String,
    pub content: Vec<u8>,
    /// The checksum of what the program carries that publishes it.
    pub carried: String,
}

/// What a database needs of it.
#[derive(Clone)]
pub(super) struct EncodedRelease {
    pub checksum: String,
    pub carried: String,
    pub pages: i64,
    pub bytes: i64,
    pub facts: String,
    pub content: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoredRelease {
    pub id: i64,
    pub checksum: String,
    pub carried: String,
    pub pages: u64,
    pub bytes: u64,
    pub published_at: Timestamp,
    pub turn: i64,
}

/// So many bytes of a release are read at once.
const PART: usize = 3 * 1024 * 1024;

pub(super) const SHOWN_FACTS: &str = "SELECT facts FROM releases ORDER BY turn DESC LIMIT 1";

pub(super) const COLUMNS: &str = "id, checksum, carried, pages, bytes, published_at, turn";

impl Store {
    /// Stores it and shows it, and removes the oldest beyond [`KEPT_RELEASES`].
    /// Returns its id.
    pub async fn publish_release(&self, new: NewRelease, now: Timestamp) -> Result<i64> {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let encoded = EncodedRelease {
            checksum: new.checksum,
            carried: new.carried,
            pages: number(new.pages),
            bytes: number(new.content.len() as u64),
            facts: new.facts,
            content: STANDARD.encode(&new.content),
        };
        let id = on_engine!(self, db => db.publish_release(encoded, now).await)?;
        self.wakeups.wake();
        Ok(id)
    }

    /// Shows one that was published before, or the one that the program carries.
    /// False when it is not there.
    pub async fn show_release(&self, id: i64, now: Timestamp) -> Result<bool> {
        let shown = on_engine!(self, db => db.show_release(id, now).await)?;
        self.wakeups.wake();
        Ok(shown)
    }

    /// Changes whenever another one is to be shown; 0 as long as none was published.
    pub async fn release_turn(&self) -> Result<i64> {
        on_engine!(self, db => db.release_turn().await)
    }

    /// All, without their contents; the one that is shown first, then those that
    /// were before it.
    pub async fn releases(&self) -> Result<Vec<StoredRelease>> {
        on_engine!(self, db => db.releases().await)
    }

    /// The facts of the one that is shown; nothing: those of the program.
    pub async fn release_facts(&self) -> Result<Option<String>> {
        let facts = on_engine!(self, db => db.release_facts().await)?;
        Ok(facts.filter(|facts| !facts.is_empty()))
    }

    /// Its file, or what is wrong with its row. Read in parts: a driver holds on to
    /// as much memory as the longest row has taken.
    pub async fn release_content(&self, stored: &StoredRelease) -> Result<Result<Bytes, String>> {
        let end = usize::try_from(stored.bytes).unwrap_or(usize::MAX);
        let mut content = Vec::with_capacity(end);
        while content.len() < end {
            let part = content.len()..end.min(content.len() + PART);
            match self.release_part(stored.id, part).await? {
                Ok(part) => content.extend(part),
                Err(reason) => return Ok(Err(reason)),
            }
        }
        Ok(Ok(content.into()))
    }

    /// Some bytes of its file, all of them, or what is wrong with its row.
    pub async fn release_part(
        &self,
        id: i64,
        part: Range<usize>,
    ) -> Result<Result<Vec<u8>, String>> {
        // Four characters are three bytes.
        let first = part.start / 3;
        let places = first * 4..part.end.div_ceil(3) * 4;
        let encoded = on_engine!(self, db => db.release_part(id, places).await)?;
        let Some(encoded) = encoded else {
            return Ok(Err("it is not in the database any more".into()));
        };
        let decoding = tokio::task::spawn_blocking(move || STANDARD.decode(encoded));
        let decoded = decoding.await;
        let decoded = decoded.map_err(|error| StoreError::Unavailable(error.to_string()))?;
        let mut decoded = decoded.unwrap_or_default();
        decoded.drain(..decoded.len().min(part.start - first * 3));
        decoded.truncate(part.len());
        Ok(match decoded.len() == part.len() {
            true => Ok(decoded),
            false => Err("its content in the database is damaged".into()),
        })
    }
}
