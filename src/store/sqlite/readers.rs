//! A few connections that only read. In WAL mode they neither wait for the
//! writer nor hold it up.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connection;
use super::gate::Gate;
use crate::store::{Result, StoreError};

const MOST_AT_ONCE: u32 = 4;
const PATIENCE: Duration = Duration::from_secs(4);

pub struct Readers {
    path: PathBuf,
    gate: Arc<Gate>,
    turns: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    pub fn new(path: PathBuf, gate: Arc<Gate>) -> Self {
        Self {
            path,
            gate,
            turns: Arc::new(Semaphore::new(MOST_AT_ONCE as usize)),
            idle: Arc::default(),
        }
    }

    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let too_long = |_| StoreError::Busy("reading takes too long".into());
        let turn = tokio::time::timeout(PATIENCE, self.turns.clone().acquire_owned())
            .await
            .map_err(too_long)?
            .map_err(|_| StoreError::Unavailable("the store is closed".into()))?;
        let (path, idle, gate) = (self.path.clone(), self.idle.clone(), self.gate.clone());
        let reading = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            gate.pass()?;
            let waiting = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let db = waiting.map_or_else(|| connection::open_reader(&path), Ok)?;
            // After an error the connection is dropped: it may be the cause.
            let found = work(&db)?;
            gate.pass()?;
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(db);
            Ok(found)
        });
        tokio::time::timeout(PATIENCE, reading)
            .await
            .map_err(too_long)?
            .map_err(|error| StoreError::Unavailable(error.to_string()))?
    }

    /// For good: nobody reads any more.
    pub fn close(&self) {
        self.pause();
        self.turns.close();
    }

    /// Closes what waits and lets nobody read until the permit is dropped.
    /// Who reads right now is waited for, within bounds.
    pub fn pause(&self) -> Option<OwnedSemaphorePermit> {
        let give_up_at = Instant::now() + PATIENCE;
        let paused = loop {
            match self.turns.clone().try_acquire_many_owned(MOST_AT_ONCE) {
                Ok(permit) => break Some(permit),
                Err(_) if Instant::now() >= give_up_at => break None,
                Err(_) => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.clear();
        paused
    }
}
