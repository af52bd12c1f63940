//! The embedded database: one thread writes, a few connections read.
//!
//! `synchronous=FULL` in WAL mode: a committed transaction survives a power
//! cut, which is what lets the site say "Thank you" and mean it.

mod backup;
mod claims;
mod connection;
mod deliveries;
mod forget;
mod issues;
mod leads;
mod links;
mod migrate;
mod readers;
mod row;
mod sends;
mod subscribe;
mod subscribers;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;

use super::{OpenMode, Result, StoreError};
use readers::Readers;
use writer::Writer;

#[derive(Clone)]
pub struct Sqlite {
    path: PathBuf,
    writer: Writer,
    readers: Arc<Readers>,
}

impl Sqlite {
    pub async fn open(path: PathBuf, mode: OpenMode) -> Result<Self> {
        Self::open_with(path, mode, writer::MOST_TOGETHER).await
    }

    /// With a limit on how many writes share a transaction.
    pub async fn open_with(path: PathBuf, mode: OpenMode, most_together: usize) -> Result<Self> {
        let open = move || Self::open_blocking(path, mode, most_together);
        let opened = tokio::task::spawn_blocking(open).await;
        opened.map_err(|error| StoreError::Unavailable(error.to_string()))?
    }

    fn open_blocking(path: PathBuf, mode: OpenMode, most_together: usize) -> Result<Self> {
        let fail = |reason: String| StoreError::CannotOpen {
            place: path.display().to_string(),
            reason,
        };
        connection::prepare_file(&path, mode).map_err(fail)?;
        let mut first = connection::open_writer(&path).map_err(|error| fail(error.to_string()))?;
        migrate::run(&mut first)?;
        let reopen = path.clone();
        let writer = Writer::start(first, most_together, move || {
            connection::open_writer(&reopen)
        })
        .map_err(|error| fail(error.to_string()))?;
        Ok(Self {
            writer,
            readers: Arc::new(Readers::new(path.clone())),
            path,
        })
    }

    pub async fn ping(&self) -> Result<()> {
        let work = |db: &rusqlite::Connection| {
            db.query_row("SELECT count(*) FROM schema_migrations", [], |_| Ok(()))
        };
        self.readers.run(work).await
    }
}

impl From<rusqlite::Error> for StoreError {
    // Driver messages name tables and columns, never the values bound to them.
    fn from(error: rusqlite::Error) -> Self {
        Self::Unavailable(error.to_string())
    }
}

#[cfg(test)]
mod tests;
