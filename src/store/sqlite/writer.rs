//! One thread writes, and everything that waits is committed together.
//!
//! Syncing a commit to disk costs the same for one lead as for a hundred, so
//! the thread takes all jobs that wait, runs them in one transaction, and only
//! then answers every caller. When a job fails, the whole is undone and each
//! job gets a transaction of its own: a bad one does not spoil the others, and
//! good ones pay nothing for the precaution, as they would with savepoints.
//! When the transaction itself fails nothing of it is stored and all its
//! callers are told; the store recovers by itself (`keeper`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::committed::Committed;
use super::job::{Job, Pending};
use super::keeper::Keeper;
use super::park::{Received, receive};
use crate::store::{OpenMode, Result, StoreError};

const QUEUE_LENGTH: usize = 1024;
/// How many jobs may share a transaction.
pub const MOST_TOGETHER: usize = 256;
/// How long a caller waits for its commit before it is told to come again.
const PATIENCE: Duration = Duration::from_secs(4);
/// How long a stop waits for the last commit and the journal.
const CLOSE_PATIENCE: Duration = Duration::from_secs(10);
/// How often a server looks after its files while nobody writes.
const TICK: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct Writer {
    queue: mpsc::Sender<Message>,
}

pub enum Message {
    Job(Box<dyn Job>),
    Close(oneshot::Sender<()>),
}

impl Writer {
    pub fn start(keeper: Keeper, most_together: usize) -> std::io::Result<Self> {
        let (queue, messages) = mpsc::channel(QUEUE_LENGTH);
        std::thread::Builder::new()
            .name("store-writer".into())
            .spawn(move || serve(messages, keeper, most_together))?;
        Ok(Self { queue })
    }

    /// How many jobs wait.
    pub fn waiting(&self) -> usize {
        self.queue.max_capacity() - self.queue.capacity()
    }

    /// Runs `work` inside a shared transaction; returns after the commit. It
    /// may be undone and run again, so it changes nothing but the database.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let refused = Arc::new(AtomicBool::new(false));
        let job = Box::new(Pending::new(work, reply, refused.clone()));
        let committed = async {
            let gone = |_| StoreError::Unavailable("the store is closed".into());
            let sent = self.queue.send(Message::Job(job)).await;
            sent.map_err(|_| gone(()))?;
            answer.await.map_err(|_| gone(()))?
        };
        tokio::time::timeout(PATIENCE, committed)
            .await
            .unwrap_or_else(|_| {
                refused.store(true, Ordering::Relaxed);
                Err(StoreError::Busy("writing takes too long".into()))
            })
    }

    /// After all that waits. Whatever comes later is refused.
    pub async fn close(&self) -> Result<()> {
        let (done, closed) = oneshot::channel();
        let closing = async {
            if self.queue.send(Message::Close(done)).await.is_ok() {
                let _ = closed.await;
            }
        };
        tokio::time::timeout(CLOSE_PATIENCE, closing)
            .await
            .map_err(|_| StoreError::Unavailable("closing takes too long".into()))
    }
}

fn serve(mut queue: mpsc::Receiver<Message>, mut keeper: Keeper, most_together: usize) {
    let tick = (keeper.mode == OpenMode::Create).then_some(TICK);
    let mut messages = Vec::with_capacity(most_together);
    let mut done = None;
    while done.is_none() {
        match receive(&mut queue, &mut messages, most_together, tick) {
            Received::Messages => {
                done = commit(&mut keeper, &mut messages);
                keeper.bound_journal();
            }
            Received::Nothing => keeper.tick(),
            Received::End => break,
        }
    }
    keeper.close();
    if let Some(done) = done {
        let _ = done.send(());
    }
}

/// Commits what waits; returns whom to tell when the store is to be closed.
fn commit(keeper: &mut Keeper, messages: &mut Vec<Message>) -> Option<oneshot::Sender<()>> {
    let mut close = None;
    let mut jobs = Vec::with_capacity(messages.len());
    for message in messages.drain(..) {
        match message {
            // Unheard: its caller learns that the writer has stopped.
            Message::Job(_) if close.is_some() => {}
            Message::Job(job) if job.is_refused() => {}
            Message::Job(job) => jobs.push(job),
            Message::Close(done) => close = Some(done),
        }
    }
    match keeper.commit(&mut jobs) {
        Ok(Committed::Nothing) if jobs.len() > 1 => {
            for mut job in jobs {
                let outcome = keeper.commit(std::slice::from_mut(&mut job));
                job.answer(&outcome);
            }
        }
        outcome => jobs.into_iter().for_each(|job| job.answer(&outcome)),
    }
    close
}
