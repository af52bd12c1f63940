//! Work that waits for the disk, where it holds up nobody.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::Connection;

use crate::store::{Result, StoreError};

/// Between two looks whether somebody still waits.
const STEPS_AT_ONCE: i32 = 100_000;

pub async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| StoreError::Unavailable(error.to_string()))?
}

/// Whether somebody still waits: who stops the server does not wait for what
/// takes long.
#[derive(Debug, Clone, Default)]
pub struct Patience(Arc<AtomicBool>);

/// Ends it when dropped.
pub struct Ending(Patience);

impl Patience {
    /// With whoever holds this.
    pub fn ends_here(&self) -> Ending {
        Ending(self.clone())
    }

    pub fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// What this connection does is cut off then.
    pub fn bound(&self, db: &mut Connection) -> rusqlite::Result<()> {
        let patience = self.clone();
        db.progress_handler(STEPS_AT_ONCE, Some(move || patience.is_over()))
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}
