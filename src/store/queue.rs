//! The job queue between the server and its database connections.
//!
//! Each connection belongs to a thread, which receives closures through a queue, so there are no
//! half-cancelled queries and no pool to return connections to. Syncing a commit costs the same for
//! one lead as for sixty, so a thread runs all waiting jobs in one transaction and answers them
//! after the commit (group commit). If one job fails, the transaction is rolled back and each job
//! runs alone, so that a bad job affects no other. With several writers, only new leads share a
//! transaction: jobs of different kinds would take their locks in different orders and deadlock.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::health::{Health, lock};
use super::tx::{Session, Tx};
use super::{Result, StoreError, Wakeups};

/// How long a caller waits before it gets an error, whatever the thread is doing.
pub const JOB_TIMEOUT: Duration = Duration::from_secs(4);
/// For long work: publishing, moving, migrating, searching for old records.
pub const LONG_JOB_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// The capacity of the queue; further jobs are rejected at once.
const MAX_QUEUE: usize = 1024;
/// A group takes no more jobs after this time, because each statement is slow if the database is
/// remote.
const MAX_GROUP_TIME: Duration = Duration::from_millis(50);
/// How often an idle thread maintains its connection.
const TICK: Duration = Duration::from_secs(1);
/// How long closing waits for the last commit.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// Work in a transaction. It may be rolled back and run again, so it must not change anything but
/// the database.
pub trait Work<T>: Fn(&mut Tx<'_>) -> Result<T> + Send + 'static {}
impl<T, W: Fn(&mut Tx<'_>) -> Result<T> + Send + 'static> Work<T> for W {}

/// A connection as used by its thread.
pub trait Connection {
    /// False for a read-only connection.
    fn writes(&self) -> bool;
    fn begin(&mut self) -> Result<()>;
    fn session(&mut self) -> &mut dyn Session;
    fn commit(&mut self) -> Result<()>;
    fn rollback(&mut self);
    /// Whether a retry may succeed, after a failure that left no changes.
    fn recovers(&mut self, _failure: &StoreError, _in_commit: bool) -> bool {
        false
    }
    /// Called after each group, and once a second while the queue is empty (`idle`).
    fn maintain(&mut self, _idle: bool) -> Result<()> {
        Ok(())
    }
    fn close(&mut self) {}
}

/// The threads of one queue.
pub struct JobThreads {
    queue: Arc<Queue>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// State shared by all threads of a store.
#[derive(Clone)]
pub struct Shared {
    pub health: Arc<Health>,
    pub wakeups: Wakeups,
    /// How many jobs may share a transaction.
    pub largest_group: usize,
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    ready: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Box<dyn Job>>,
    closed: bool,
}

impl JobThreads {
    /// Starts one thread for each connection.
    pub fn start<C: Connection + Send + 'static>(
        name: &str,
        connections: Vec<C>,
        shared: &Shared,
    ) -> Result<Self> {
        let queue = Arc::<Queue>::default();
        let threads = connections.into_iter().map(|connection| {
            let worker = JobThread {
                queue: queue.clone(),
                connection,
                shared: shared.clone(),
            };
            let thread = std::thread::Builder::new().name(name.to_owned());
            thread.spawn(move || worker.serve())
        });
        let threads: std::io::Result<_> = threads.collect();
        let failed = |error: std::io::Error| StoreError::Unavailable(error.to_string());
        let threads = Mutex::new(threads.map_err(failed)?);
        Ok(Self { queue, threads })
    }

    pub fn queued(&self) -> usize {
        self.queue.state().jobs.len()
    }

    /// Returns after the commit. `shares` allows the work to share a transaction with other jobs.
    pub async fn run<T: Send + 'static>(
        &self,
        shares: bool,
        limit: Duration,
        work: impl Work<T>,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let refused = Arc::new(AtomicBool::new(false));
        self.queue.push(Box::new(Pending {
            shares,
            work,
            done: None,
            reply,
            refused: refused.clone(),
        }))?;
        match tokio::time::timeout(limit, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(closed()),
            Err(_) => {
                refused.store(true, Ordering::Relaxed);
                Err(StoreError::Busy(format!("no answer within {limit:?}")))
            }
        }
    }

    /// Finishes queued jobs; later ones are rejected.
    pub async fn close(&self) -> Result<()> {
        self.queue.close();
        let threads = std::mem::take(&mut *lock(&self.threads));
        let joining = tokio::task::spawn_blocking(move || {
            threads.into_iter().for_each(|thread| drop(thread.join()));
        });
        let closed = tokio::time::timeout(CLOSE_TIMEOUT, joining).await;
        closed
            .map(|_| ())
            .map_err(|_| StoreError::Unavailable("its last commit takes too long".into()))
    }
}

impl Drop for JobThreads {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn push(&self, job: Box<dyn Job>) -> Result<()> {
        let mut state = self.state();
        if state.closed {
            return Err(closed());
        }
        if state.jobs.len() >= MAX_QUEUE {
            return Err(StoreError::Busy("too many jobs are waiting".into()));
        }
        state.jobs.push_back(job);
        drop(state);
        self.ready.notify_one();
        Ok(())
    }

    /// Waits for a job, but no longer than a tick; returns `None` once the queue is closed and empty.
    fn next(&self) -> Option<Option<Box<dyn Job>>> {
        let mut state = self.state();
        if state.jobs.is_empty() && !state.closed {
            let waited = self.ready.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let job = state.jobs.pop_front();
        (job.is_some() || !state.closed).then_some(job)
    }

    fn next_shareable(&self) -> Option<Box<dyn Job>> {
        self.state().jobs.pop_front_if(|job| job.shares())
    }

    fn close(&self) {
        self.state().closed = true;
        self.ready.notify_all();
    }
}

struct JobThread<C> {
    queue: Arc<Queue>,
    connection: C,
    shared: Shared,
}

/// Jobs that share a transaction, and its state.
struct Group {
    jobs: Vec<Box<dyn Job>>,
    changed: bool,
    wakes: bool,
    in_commit: bool,
}

impl<C: Connection> JobThread<C> {
    fn serve(mut self) {
        while let Some(next) = self.queue.next() {
            let Some(job) = next else {
                self.idle();
                continue;
            };
            self.run(job, self.shared.largest_group, true);
            let checked = self.connection.maintain(false);
            self.record_failure(checked.err());
        }
        self.connection.close();
    }

    /// Runs a job, together with waiting ones that may share its transaction, up to `max_jobs`.
    fn run(&mut self, first: Box<dyn Job>, max_jobs: usize, may_run_again: bool) {
        let mut group = Group {
            jobs: vec![first],
            changed: false,
            wakes: false,
            in_commit: false,
        };
        let outcome = self.run_group(&mut group, max_jobs);
        if let Err(error) = &outcome {
            let may_be_another_jobs_fault = group.jobs.len() > 1 && !group.in_commit;
            let retry = may_be_another_jobs_fault
                || may_run_again && self.connection.recovers(error, group.in_commit);
            if retry {
                for job in group.jobs {
                    self.run(job, 1, false);
                }
                return;
            }
            self.record_failure(Some(error.clone()));
        }
        for job in group.jobs {
            job.answer(outcome.clone());
        }
    }

    fn run_group(&mut self, group: &mut Group, max_jobs: usize) -> Result<()> {
        let began = Instant::now();
        self.connection.begin()?;
        loop {
            if let Err(error) = self.run_last_job(group) {
                self.connection.rollback();
                return Err(error);
            }
            let more = group.jobs[0].shares()
                && group.jobs.len() < max_jobs
                && began.elapsed() < MAX_GROUP_TIME;
            match more.then(|| self.queue.next_shareable()).flatten() {
                Some(job) => group.jobs.push(job),
                None => break,
            }
        }
        group.in_commit = true;
        self.connection.commit()?;
        // A group without changes doesn't show whether a lead could be stored.
        if group.changed {
            self.shared.health.committed(began.elapsed());
        }
        if group.wakes {
            self.shared.wakeups.send_replace(());
        }
        Ok(())
    }

    fn run_last_job(&mut self, group: &mut Group) -> Result<()> {
        let Some(job) = group.jobs.last_mut() else {
            return Ok(());
        };
        let mut tx = Tx::new(self.connection.session());
        // A bug in one job must not end the thread that runs all others.
        let ran = catch_unwind(AssertUnwindSafe(|| job.run(&mut tx)));
        group.changed |= tx.changed;
        group.wakes |= tx.wakes;
        self.shared.health.record_unreadable(tx.unreadable);
        ran.unwrap_or_else(|_| Err(panicked()))
    }

    /// After a failure, probes until a write commits.
    fn idle(&mut self) {
        let checked = self.connection.maintain(true);
        let is_ok = checked.is_ok();
        self.record_failure(checked.err());
        if is_ok && self.connection.writes() && self.shared.health.is_failing() {
            let (reply, _) = oneshot::channel();
            let probe = Pending {
                shares: false,
                work: super::probe,
                done: None,
                reply,
                refused: Arc::default(),
            };
            self.run(Box::new(probe), 1, false);
        }
    }

    /// Records that a write failed. Failed reads and errors of the job itself don't count.
    fn record_failure(&self, error: Option<StoreError>) {
        if let Some(error) = error
            && error.is_about_database()
            && self.connection.writes()
        {
            self.shared.health.failed(&error);
        }
    }
}

/// A caller's job, independent of its result type.
trait Job: Send {
    fn shares(&self) -> bool;
    /// An error means that the transaction must be rolled back.
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<()>;
    /// Answers the caller with the job's result, or the transaction's error.
    fn answer(self: Box<Self>, outcome: Result<()>);
}

struct Pending<T, W> {
    shares: bool,
    work: W,
    done: Option<T>,
    reply: oneshot::Sender<Result<T>>,
    /// Set when the caller got a timeout error, so that work that hasn't begun isn't done. A caller
    /// that merely disconnected got none: a visitor who closes the page has still sent a message.
    refused: Arc<AtomicBool>,
}

impl<T: Send, W: Work<T>> Job for Pending<T, W> {
    fn shares(&self) -> bool {
        self.shares
    }

    fn run(&mut self, tx: &mut Tx<'_>) -> Result<()> {
        self.done = None;
        if !self.refused.load(Ordering::Relaxed) {
            self.done = Some((self.work)(tx)?);
        }
        Ok(())
    }

    fn answer(self: Box<Self>, outcome: Result<()>) {
        // The caller may be gone. If it left during the commit, its next attempt finds the lead by
        // its key.
        let _ = self.reply.send(outcome.and(self.done.ok_or_else(closed)));
    }
}

/// Runs long work, or work on its own connection, on a separate thread that blocks no other work
/// and isn't waited for when the program exits.
pub async fn on_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let (reply, answer) = oneshot::channel();
    std::thread::Builder::new()
        .name("store".into())
        .spawn(move || drop(reply.send(work())))
        .map_err(|error| StoreError::Unavailable(error.to_string()))?;
    answer.await.map_err(|_| panicked())?
}

fn panicked() -> StoreError {
    StoreError::Unavailable("the work ended in a panic".into())
}

fn closed() -> StoreError {
    StoreError::Unavailable("the store is closed".into())
}
