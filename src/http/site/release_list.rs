//! The owner's list of releases, for the desk and the command line.

use std::cmp::Reverse;

use jiff::Timestamp;
use serde::Serialize;

use super::release::Release;
use crate::store::{BUILT_IN, ReleaseChanges, StoredRelease, shown_release};

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReleaseRow {
    pub id: i64,
    /// `None` for the built-in release.
    pub published_at: Option<Timestamp>,
    pub who: Option<String>,
    pub shown: bool,
    pub pages: u64,
    pub bytes: u64,
    /// Against the release before.
    pub changes: Option<ReleaseChanges>,
    #[serde(skip)]
    pub checksum: String,
}

/// The published releases, the newest first, and the built-in one.
pub fn list_releases(
    mut stored: Vec<StoredRelease>,
    built_in: &'static [u8],
) -> anyhow::Result<Vec<ReleaseRow>> {
    let shown = shown_release(&stored);
    stored.retain(|each| each.id != BUILT_IN);
    stored.sort_by_key(|each| Reverse(each.id));
    let row = |each: StoredRelease| ReleaseRow {
        shown: each.id == shown,
        id: each.id,
        published_at: Some(each.published_at),
        who: each.who,
        pages: each.pages,
        bytes: each.bytes,
        changes: each.changes,
        checksum: each.checksum,
    };
    let mut rows: Vec<_> = stored.into_iter().map(row).collect();
    let release = Release::built_in(built_in)?;
    rows.push(ReleaseRow {
        id: BUILT_IN,
        published_at: None,
        who: None,
        shown: shown == BUILT_IN,
        pages: release.pages() as u64,
        bytes: built_in.len() as u64,
        changes: None,
        checksum: release.checksum,
    });
    Ok(rows)
}
