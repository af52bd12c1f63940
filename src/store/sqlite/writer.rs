//! One thread writes, and everything that waits is committed together.
//!
//! Syncing a commit to disk costs the same for one lead as for a hundred, so
//! the thread takes all jobs that wait, runs them in one transaction, and only
//! then answers every caller. When a job fails, the whole is undone and each
//! job gets a transaction of its own: a bad one does not spoil the others, and
//! good ones pay nothing for the precaution, as they would with savepoints.
//! When the transaction itself fails nothing of it is stored, all its callers
//! are told, and the next batch starts on a new connection: the store recovers
//! by itself once there is room on the disk again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::store::{Result, StoreError};

const QUEUE_LENGTH: usize = 1024;
/// How many jobs may share a transaction.
pub const MOST_TOGETHER: usize = 256;
/// How long a caller waits for its commit before it is told to come again.
const PATIENCE: Duration = Duration::from_secs(4);

#[derive(Clone)]
pub struct Writer {
    queue: mpsc::Sender<Box<dyn Job>>,
}

impl Writer {
    /// `reopen` makes a fresh connection after a failure.
    pub fn start(
        first: Connection,
        most_together: usize,
        reopen: impl Fn() -> rusqlite::Result<Connection> + Send + 'static,
    ) -> std::io::Result<Self> {
        let (queue, jobs) = mpsc::channel(QUEUE_LENGTH);
        std::thread::Builder::new()
            .name("store-writer".into())
            .spawn(move || serve(jobs, Some(first), most_together, reopen))?;
        Ok(Self { queue })
    }

    /// Runs `work` inside a shared transaction; returns after the commit. It
    /// may be undone and run again, so it changes nothing but the database.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let refused = Arc::new(AtomicBool::new(false));
        let job = Box::new(Pending {
            work,
            done: None,
            reply,
            refused: refused.clone(),
        });
        let committed = async {
            let gone = |_| StoreError::Unavailable("the writer has stopped".into());
            self.queue.send(job).await.map_err(|_| gone(()))?;
            answer.await.map_err(|_| gone(()))?
        };
        tokio::time::timeout(PATIENCE, committed)
            .await
            .unwrap_or_else(|_| {
                refused.store(true, Ordering::Relaxed);
                Err(StoreError::Unavailable("writing takes too long".into()))
            })
    }
}

/// A caller's work, apart from the type of its result.
trait Job: Send {
    /// Its caller was told that it failed. A caller that merely went away was
    /// told nothing: a visitor who closes the page has still sent a message.
    fn is_refused(&self) -> bool;
    /// False when it failed, and nothing may be committed with it.
    fn run(&mut self, db: &Connection) -> bool;
    fn answer(self: Box<Self>, outcome: &Result<Outcome>);
}

struct Pending<T, W> {
    work: W,
    done: Option<rusqlite::Result<T>>,
    reply: oneshot::Sender<Result<T>>,
    refused: Arc<AtomicBool>,
}

impl<T, W> Job for Pending<T, W>
where
    T: Send,
    W: Fn(&Connection) -> rusqlite::Result<T> + Send,
{
    fn is_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    fn run(&mut self, db: &Connection) -> bool {
        // Asked again: the wait for the database's lock may have taken longer
        // than the caller's patience.
        if self.is_refused() {
            self.done = None;
            return true;
        }
        let done = (self.work)(db);
        let succeeded = done.is_ok();
        self.done = Some(done);
        succeeded
    }

    fn answer(self: Box<Self>, outcome: &Result<Outcome>) {
        let answer = match (outcome, self.done) {
            (Err(error), _) => Err(error.clone()),
            (Ok(_), Some(done)) => done.map_err(StoreError::from),
            (Ok(_), None) => Err(StoreError::Unavailable("the work was not run".into())),
        };
        // Who went away, or ran out of patience while this was being written,
        // does not hear it; a retry finds the lead by its idempotency key.
        let _ = self.reply.send(answer);
    }
}

fn serve(
    mut queue: mpsc::Receiver<Box<dyn Job>>,
    mut connection: Option<Connection>,
    most_together: usize,
    reopen: impl Fn() -> rusqlite::Result<Connection>,
) {
    let mut commit = |jobs: &mut [Box<dyn Job>]| -> Result<Outcome> {
        let db = connection.take().map_or_else(&reopen, Ok)?;
        let outcome = commit_together(&db, jobs)?;
        connection = Some(db);
        Ok(outcome)
    };
    let mut batch = Vec::with_capacity(most_together);
    while queue.blocking_recv_many(&mut batch, most_together) > 0 {
        batch.retain(|job| !job.is_refused());
        match commit(&mut batch) {
            Ok(Outcome::Undone) if batch.len() > 1 => {
                for mut job in batch.drain(..) {
                    let outcome = commit(std::slice::from_mut(&mut job));
                    job.answer(&outcome);
                }
            }
            outcome => batch.drain(..).for_each(|job| job.answer(&outcome)),
        }
    }
}

enum Outcome {
    Committed,
    /// A job failed; it knows why. Nothing is stored.
    Undone,
}

fn commit_together(db: &Connection, batch: &mut [Box<dyn Job>]) -> rusqlite::Result<Outcome> {
    if batch.is_empty() {
        return Ok(Outcome::Committed);
    }
    execute(db, "BEGIN IMMEDIATE")?;
    if batch.iter_mut().all(|job| job.run(db)) {
        execute(db, "COMMIT")?;
        return Ok(Outcome::Committed);
    }
    // Fails when SQLite has already undone the whole transaction.
    execute(db, "ROLLBACK")?;
    Ok(Outcome::Undone)
}

fn execute(db: &Connection, sql: &str) -> rusqlite::Result<()> {
    db.prepare_cached(sql)?.execute([]).map(|_| ())
}
