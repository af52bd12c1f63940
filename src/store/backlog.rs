//! What waits to be delivered, by kind: numbers for whoever watches.

use jiff::Timestamp;

use super::digests::limited_to;
use super::{DeliveryKind, Result, Store, on_engine};

/// Among so many of the oldest the oldest of each kind is looked for.
const OLDEST_LOOKED_AT: u32 = 1_000;

/// No more of a kind are counted: of ten thousand it takes too long.
const MOST_COUNTED: u32 = 2_000;

/// The deliveries of one kind; no number is above [`MOST_COUNTED`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    pub kind: DeliveryKind,
    /// To be sent now or at their next attempt.
    pub pending: u64,
    /// Those of them that have failed before.
    pub retrying: u64,
    /// When the oldest of them was stored.
    pub oldest: Option<Timestamp>,
}

/// Of the connections to a database server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connections {
    pub busy: usize,
    pub idle: usize,
    /// There may be so many.
    pub most: usize,
}

impl Store {
    /// One for each kind there is.
    pub async fn backlog(&self) -> Result<Vec<Backlog>> {
        on_engine!(self, db => db.backlog().await)
    }

    /// A file has none.
    pub fn connections(&self) -> Option<Connections> {
        on_engine!(self, db => db.connections())
    }
}

pub(super) fn backlog_sql() -> String {
    let kinds = DeliveryKind::ALL.iter().map(|kind| {
        let kind = kind.as_str();
        let some = format!("deliveries WHERE state = 'pending' AND kind = '{kind}'");
        let pending = limited_to(MOST_COUNTED, &some);
        let retrying = limited_to(MOST_COUNTED, &format!("{some} AND attempts > 0"));
        format!("SELECT '{kind}' AS kind, {pending} AS pending, {retrying} AS retrying")
    });
    let kinds = kinds.collect::<Vec<_>>().join(" UNION ALL ");
    format!(
        "SELECT kinds.kind, pending, retrying, oldest.created_at AS oldest
        FROM ({kinds}) AS kinds LEFT JOIN (
            SELECT kind, min(created_at) AS created_at FROM (
                SELECT kind, created_at FROM deliveries WHERE state = 'pending'
                ORDER BY created_at, id LIMIT {OLDEST_LOOKED_AT}) AS first
            GROUP BY kind) AS oldest ON oldest.kind = kinds.kind"
    )
}
