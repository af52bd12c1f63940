//! A caller's work, apart from the type of its result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::committed::Committed;
use crate::store::{Result, StoreError};

pub trait Job: Send {
    /// Its caller was told that it failed. A caller that merely went away was
    /// told nothing: a visitor who closes the page has still sent a message.
    fn is_refused(&self) -> bool;
    /// After an error nothing may be committed with it.
    fn run(&mut self, db: &Connection) -> rusqlite::Result<()>;
    fn panicked(&mut self);
    fn answer(self: Box<Self>, outcome: &Result<Committed>);
}

pub struct Pending<T, W> {
    work: W,
    done: Option<Result<T>>,
    reply: oneshot::Sender<Result<T>>,
    refused: Arc<AtomicBool>,
}

impl<T, W> Pending<T, W> {
    pub fn new(work: W, reply: oneshot::Sender<Result<T>>, refused: Arc<AtomicBool>) -> Self {
        Self {
            work,
            done: None,
            reply,
            refused,
        }
    }
}

impl<T, W> Job for Pending<T, W>
where
    T: Send,
    W: Fn(&Connection) -> rusqlite::Result<T> + Send,
{
    fn is_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    fn run(&mut self, db: &Connection) -> rusqlite::Result<()> {
        // Asked again: the wait for the database's lock may have taken longer
        // than the caller's patience.
        self.done = None;
        if self.is_refused() {
            return Ok(());
        }
        match (self.work)(db) {
            Ok(done) => {
                self.done = Some(Ok(done));
                Ok(())
            }
            Err(error) => {
                self.done = Some(Err(StoreError::Unavailable(error.to_string())));
                Err(error)
            }
        }
    }

    fn panicked(&mut self) {
        let why = "the work ended in a panic".to_owned();
        self.done = Some(Err(StoreError::Unavailable(why)));
    }

    fn answer(self: Box<Self>, outcome: &Result<Committed>) {
        let answer = match (outcome, self.done) {
            (Err(error), _) => Err(error.clone()),
            (Ok(_), Some(done)) => done,
            (Ok(_), None) => Err(StoreError::Unavailable("the work was not run".into())),
        };
        // Who went away, or ran out of patience while this was being written,
        // does not hear it; a retry finds the lead by its idempotency key.
        let _ = self.reply.send(answer);
    }
}
