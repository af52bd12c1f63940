//! Everything that waits is committed together, by one task.
//!
//! A commit costs the same for one lead as for a hundred, and a trip to the
//! server too, so the task takes all leads that wait, stores them in one
//! transaction, and only then answers every caller. When one of them cannot be
//! stored, all is undone and each gets a transaction of its own: a bad one does
//! not spoil the others. When the server does not answer, all callers are told
//! so; nothing is sent again, for it may have been stored.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio_postgres::Error;

use super::group;
use super::ids::IdKind;
use super::job::Job;
use super::pool::Pool;
use super::watch::{self, PATIENCE};
use crate::store::health::Health;
use crate::store::{AddedLead, NewLead, Result, StoreError};

/// Some tenths of a second of them.
const QUEUE_LENGTH: usize = 4096;
/// How many leads may share a transaction.
const MOST_TOGETHER: usize = 256;
/// Nobody waits any more for what takes longer.
const LONGEST: Duration = Duration::from_secs(5);
/// How long a stop waits for the last commit.
const CLOSE_PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone)]
pub struct Adder {
    queue: mpsc::Sender<Message>,
    desk: Desk,
    shares: bool,
}

enum Message {
    Job(Box<Job>),
    Close(oneshot::Sender<()>),
}

/// What the task has.
#[derive(Clone)]
struct Desk {
    pool: Pool,
    ids: IdKind,
    health: Arc<Health>,
    doubt: Arc<Notify>,
}

/// Nothing of the group is stored, as far as is known.
enum Failure {
    /// One of its leads cannot be; the others can.
    OfOne(StoreError),
    OfAll(StoreError),
}

impl Adder {
    pub fn start(pool: Pool, ids: IdKind, health: Arc<Health>, doubt: Arc<Notify>) -> Self {
        let (queue, messages) = mpsc::channel(QUEUE_LENGTH);
        let desk = Desk {
            pool,
            ids,
            health,
            doubt,
        };
        tokio::spawn(serve(messages, desk.clone()));
        Self {
            queue,
            desk,
            shares: true,
        }
    }

    /// As many transactions at once as there are connections, none shared.
    pub fn each_alone(mut self) -> Self {
        self.shares = false;
        self
    }

    /// How many leads wait.
    pub fn waiting(&self) -> usize {
        self.queue.max_capacity() - self.queue.capacity()
    }

    /// Returns after the commit.
    pub async fn add(
        &self,
        lead: NewLead,
        once: bool,
        now: Option<Timestamp>,
    ) -> Result<AddedLead> {
        let (reply, answer) = oneshot::channel();
        let job = Job::new(lead, once, now, reply);
        let refused = job.refused.clone();
        match self.shares {
            true => self
                .queue
                .try_send(Message::Job(Box::new(job)))
                .map_err(no_place)?,
            false => self.desk.clone().add_alone(job),
        }
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(answer) => answer.map_err(|_| closed())?,
            Err(_) => {
                refused.store(true, Ordering::Relaxed);
                Err(StoreError::Unavailable("writing takes too long".into()))
            }
        }
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

fn no_place(error: mpsc::error::TrySendError<Message>) -> StoreError {
    match error {
        mpsc::error::TrySendError::Full(_) => StoreError::Busy("too many leads wait".into()),
        mpsc::error::TrySendError::Closed(_) => closed(),
    }
}

fn closed() -> StoreError {
    StoreError::Unavailable("the store is closed".into())
}

async fn serve(mut queue: mpsc::Receiver<Message>, desk: Desk) {
    let mut messages = Vec::with_capacity(MOST_TOGETHER);
    while queue.recv_many(&mut messages, MOST_TOGETHER).await > 0 {
        let mut close = None;
        let mut jobs = Vec::with_capacity(messages.len());
        for message in messages.drain(..) {
            match message {
                // Unheard: its caller learns that nobody is left.
                Message::Job(_) if close.is_some() => {}
                Message::Job(job) => jobs.push(*job),
                Message::Close(done) => close = Some(done),
            }
        }
        for group in desk.groups(jobs) {
            // In a task of its own: a bug must not end the one that stores all
            // others.
            let desk = desk.clone();
            let _ = tokio::spawn(async move { desk.add(group).await }).await;
        }
        if let Some(done) = close {
            let _ = done.send(());
            return;
        }
    }
}

impl Desk {
    /// What is stored together has one time, and ids that are known before.
    fn groups(&self, jobs: Vec<Job>) -> Vec<Vec<Job>> {
        let mut groups: Vec<Vec<Job>> = Vec::new();
        for job in jobs {
            match groups.last_mut() {
                Some(group) if self.ids != IdKind::Integer && group[0].now == job.now => {
                    group.push(job);
                }
                _ => groups.push(vec![job]),
            }
        }
        groups
    }

    fn add_alone(self, job: Job) {
        tokio::spawn(async move { self.add(vec![job]).await });
    }

    async fn add(&self, mut group: Vec<Job>) {
        let began = Instant::now();
        match self.commit(&mut group).await {
            Err(Failure::OfOne(_)) if group.len() > 1 => {
                for job in group {
                    Box::pin(self.add(vec![job])).await;
                }
            }
            Err(failure) => self.tell(group, failure),
            Ok(added) => {
                if added.iter().flatten().any(|added| added.created) {
                    self.health.note(None);
                    self.health.committed(began.elapsed());
                }
                group
                    .into_iter()
                    .zip(added)
                    .for_each(|(job, added)| job.answer(added));
            }
        }
    }

    fn tell(&self, group: Vec<Job>, failure: Failure) {
        let error = match failure {
            Failure::OfOne(error) => error,
            Failure::OfAll(error) => {
                watch::note(&self.health, &Err(error.clone()));
                self.doubt.notify_one();
                error
            }
        };
        for job in group {
            job.answer(Err(error.clone()));
        }
    }

    async fn commit(&self, group: &mut Vec<Job>) -> Result<Vec<Result<AddedLead>>, Failure> {
        let db = self.pool.get().await.map_err(Failure::OfAll)?;
        // Asked now: the wait for a connection may have taken longer than the
        // caller's patience.
        group.retain(|job| !job.is_refused());
        if group.is_empty() {
            return Ok(Vec::new());
        }
        match tokio::time::timeout(LONGEST, group::commit(&db, self.ids, group)).await {
            Ok(outcome) => outcome.map_err(judge),
            Err(_) => {
                // Never cancelled: whether it is stored is the server's to say.
                drop(db);
                let why = "writing takes too long".into();
                Err(Failure::OfAll(StoreError::Unavailable(why)))
            }
        }
    }
}

/// Values that do not fit (class 22), a rule of the table (23) or of a trigger
/// (P0) are one lead's own; everything else meets all.
fn judge(error: Error) -> Failure {
    let class = error.code().and_then(|code| code.code().get(..2));
    let of_one = matches!(class, Some("22" | "23" | "P0"));
    match of_one {
        true => Failure::OfOne(error.into()),
        false => Failure::OfAll(error.into()),
    }
}
