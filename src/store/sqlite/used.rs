//! How much of the journal is in use, which its file's length does not tell.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::Connection;
use rusqlite::hooks::Wal;

/// A page and its header, in the journal.
const FRAME: u64 = 4096 + 24;

#[derive(Debug, Clone, Default)]
pub struct Used(Arc<AtomicU64>);

impl Used {
    /// As of the next commit of this connection.
    pub fn follow(db: &mut Connection) -> rusqlite::Result<Self> {
        let used = Self::default();
        let noted = used.clone();
        db.wal_hook(Some(move |_: &mut Wal, frames: i32| {
            noted.set(u64::try_from(frames).unwrap_or(0));
            Ok(())
        }))?;
        Ok(used)
    }

    pub fn set(&self, frames: u64) {
        self.0.store(frames, Ordering::Relaxed);
    }

    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed) * FRAME
    }
}
