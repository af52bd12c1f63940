//! A few connections that only read. In WAL mode they neither wait for the
//! writer nor hold it up.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::connection;
use crate::store::{Result, StoreError};

const MOST_AT_ONCE: usize = 4;
const PATIENCE: Duration = Duration::from_secs(4);

pub struct Readers {
    path: PathBuf,
    turns: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            turns: Arc::new(Semaphore::new(MOST_AT_ONCE)),
            idle: Arc::default(),
        }
    }

    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let too_long = |_| StoreError::Unavailable("reading takes too long".into());
        let turn = tokio::time::timeout(PATIENCE, self.turns.clone().acquire_owned())
            .await
            .map_err(too_long)?;
        let (path, idle) = (self.path.clone(), self.idle.clone());
        let reading = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let waiting = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let db = waiting.map_or_else(|| connection::open_reader(&path), Ok)?;
            // After an error the connection is dropped: it may be the cause.
            let found = work(&db)?;
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(db);
            Ok(found)
        });
        let read: rusqlite::Result<T> = tokio::time::timeout(PATIENCE, reading)
            .await
            .map_err(too_long)?
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        Ok(read?)
    }
}
