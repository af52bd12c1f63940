//! The queue between the server and its connections.
//!
//! Each connection belongs to a thread. A closure in a queue is all that passes
//! between them, so there is no half-cancelled query and no connection to give
//! back. Syncing a commit costs the same for one lead as for sixty, so a thread
//! runs the jobs that wait in one transaction and answers after the commit. When
//! one of them fails, all are undone and each runs alone: a bad job spoils no
//! other, and good ones pay nothing for the precaution. Where there are several
//! writers, only new leads share a transaction: jobs of different kinds would take
//! their locks in different orders, and writers would end in deadlocks.

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

/// How long a caller waits before it is told to come again, whatever its thread
/// is doing.
pub const TIME_LIMIT: Duration = Duration::from_secs(4);
/// For work that may take long: publishing, moving, migrating, looking for old
/// records.
pub const LONG_LIMIT: Duration = Duration::from_secs(15 * 60);
/// How many jobs may wait; more are refused at once.
const LONGEST_QUEUE: usize = 1024;
/// A group takes no more jobs after this: where the database is far away, each
/// statement takes long.
const LONGEST_GROUP: Duration = Duration::from_millis(50);
/// How often a thread looks after its connection while nothing waits.
const TICK: Duration = Duration::from_secs(1);
/// How long closing waits for the last commit.
const CLOSE_LIMIT: Duration = Duration::from_secs(10);

/// A connection as its thread sees it.
pub trait Connection {
    /// False: it only reads.
    fn writes(&self) -> bool;
    fn begin(&mut self) -> Result<()>;
    fn session(&mut self) -> &mut dyn Session;
    /// `wakes`: tells every replica that something may be due.
    fn commit(&mut self, wakes: bool) -> Result<()>;
    fn rollback(&mut self);
    /// After a failure that has left nothing behind: whether it may work now.
    fn recovers(&mut self, _failure: &StoreError, _in_commit: bool) -> bool {
        false
    }
    /// After each group, and once a second while nothing waits (`idle`).
    fn look_after(&mut self, _idle: bool) -> Result<()> {
        Ok(())
    }
    fn close(&mut self) {}
}

/// The threads that serve one queue.
pub struct Workers {
    queue: Arc<Queue>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// What all threads of a store share.
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

enum Next {
    Job(Box<dyn Job>),
    Nothing,
    Closed,
}

impl Workers {
    /// One thread for each connection.
    pub fn start<C: Connection + Send + 'static>(
        name: &str,
        connections: Vec<C>,
        shared: &Shared,
    ) -> Result<Self> {
        let queue = Arc::<Queue>::default();
        let threads = connections.into_iter().map(|connection| {
            let worker = Worker {
                queue: queue.clone(),
                connection,
                shared: shared.clone(),
            };
            let thread = std::thread::Builder::new().name(name.to_owned());
            thread.spawn(move || worker.serve())
        });
        let threads = threads.collect::<std::io::Result<Vec<_>>>();
        let threads = threads.map_err(|error| StoreError::Unavailable(error.to_string()))?;
        Ok(Self {
            queue,
            threads: Mutex::new(threads),
        })
    }

    pub fn waiting(&self) -> usize {
        self.queue.state().jobs.len()
    }

    /// Returns after the commit. `work` may be undone and run again, so it
    /// changes nothing but the database. `shares`: it may be in one transaction
    /// with others.
    pub async fn run<T: Send + 'static>(
        &self,
        shares: bool,
        limit: Duration,
        work: impl Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
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
                Err(StoreError::Busy("it takes too long".into()))
            }
        }
    }

    /// Finishes what waits; what comes later is refused.
    pub async fn close(&self) -> Result<()> {
        self.queue.close();
        let threads = std::mem::take(&mut *lock(&self.threads));
        let joining = tokio::task::spawn_blocking(move || {
            threads.into_iter().for_each(|thread| drop(thread.join()));
        });
        let closed = tokio::time::timeout(CLOSE_LIMIT, joining).await;
        closed
            .map(|_| ())
            .map_err(|_| StoreError::Unavailable("closing takes too long".into()))
    }
}

impl Drop for Workers {
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
        if state.jobs.len() >= LONGEST_QUEUE {
            return Err(StoreError::Busy("too much waits already".into()));
        }
        state.jobs.push_back(job);
        drop(state);
        self.ready.notify_one();
        Ok(())
    }

    fn next(&self) -> Next {
        let mut state = self.state();
        if state.jobs.is_empty() && !state.closed {
            let waited = self.ready.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        match state.jobs.pop_front() {
            Some(job) => Next::Job(job),
            None if state.closed => Next::Closed,
            None => Next::Nothing,
        }
    }

    fn next_that_shares(&self) -> Option<Box<dyn Job>> {
        self.state().jobs.pop_front_if(|job| job.shares())
    }

    fn close(&self) {
        self.state().closed = true;
        self.ready.notify_all();
    }
}

struct Worker<C> {
    queue: Arc<Queue>,
    connection: C,
    shared: Shared,
}

/// Jobs that share a transaction, and what they did in it.
struct Group {
    jobs: Vec<Box<dyn Job>>,
    changed: bool,
    wakes: bool,
    in_commit: bool,
}

impl<C: Connection> Worker<C> {
    fn serve(mut self) {
        loop {
            match self.queue.next() {
                Next::Job(job) => {
                    self.run(job, self.shared.largest_group, true);
                    let looked = self.connection.look_after(false);
                    self.note_failure(looked.err());
                }
                Next::Nothing => self.idle(),
                Next::Closed => break,
            }
        }
        self.connection.close();
    }

    /// Runs a job and up to `most` others that wait and may share its transaction.
    fn run(&mut self, first: Box<dyn Job>, most: usize, may_run_again: bool) {
        let mut group = Group {
            jobs: vec![first],
            changed: false,
            wakes: false,
            in_commit: false,
        };
        let ended = self.run_group(&mut group, most);
        if let Err(error) = &ended {
            let may_be_another_jobs_fault = group.jobs.len() > 1 && !group.in_commit;
            let again = may_be_another_jobs_fault
                || may_run_again && self.connection.recovers(error, group.in_commit);
            if again {
                return group
                    .jobs
                    .into_iter()
                    .for_each(|job| self.run(job, 1, false));
            }
            self.note_failure(Some(error.clone()));
        }
        let answer = |job: Box<dyn Job>| job.answer(ended.clone());
        group.jobs.into_iter().for_each(answer);
    }

    fn run_group(&mut self, group: &mut Group, most: usize) -> Result<()> {
        let began = Instant::now();
        self.connection.begin()?;
        loop {
            if let Err(error) = self.run_last_of(group) {
                self.connection.rollback();
                return Err(error);
            }
            let more = group.jobs[0].shares()
                && group.jobs.len() < most
                && began.elapsed() < LONGEST_GROUP;
            match more.then(|| self.queue.next_that_shares()).flatten() {
                Some(job) => group.jobs.push(job),
                None => break,
            }
        }
        if group.jobs.iter().any(|job| job.must_be_undone()) {
            self.connection.rollback();
            return Err(StoreError::Busy("it took too long".into()));
        }
        group.in_commit = true;
        self.connection.commit(group.wakes)?;
        // A group that changed nothing doesn't tell whether a lead could be stored.
        if group.changed {
            self.shared.health.note(None);
            self.shared.health.committed(began.elapsed());
        }
        if group.wakes {
            self.shared.wakeups.send_replace(());
        }
        Ok(())
    }

    fn run_last_of(&mut self, group: &mut Group) -> Result<()> {
        let Some(job) = group.jobs.last_mut() else {
            return Ok(());
        };
        let mut tx = Tx::new(self.connection.session());
        // A bug in one job must not end the thread that stores all others.
        let ran = catch_unwind(AssertUnwindSafe(|| job.run(&mut tx)));
        group.changed |= tx.has_changed();
        group.wakes |= tx.wakes();
        let unreadable = tx.take_unreadable();
        if !unreadable.is_empty() {
            self.shared.health.note_unreadable(unreadable);
        }
        ran.unwrap_or_else(|_| Err(panicked()))
    }

    /// Once something has failed, asks again until a write commits.
    fn idle(&mut self) {
        let looked = self.connection.look_after(true);
        let is_well = looked.is_ok();
        self.note_failure(looked.err());
        if is_well && self.connection.writes() && self.shared.health.is_failing() {
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

    /// Nothing could be written. A failed read says nothing about that, and
    /// neither does work that was refused for its own sake.
    fn note_failure(&self, error: Option<StoreError>) {
        if let Some(error) = error
            && error.is_about_database()
            && self.connection.writes()
        {
            self.shared.health.note(Some(&error));
        }
    }
}

/// A caller's work, apart from the type of its result.
trait Job: Send {
    fn shares(&self) -> bool;
    /// Its caller was told that it failed while it was running.
    fn must_be_undone(&self) -> bool;
    /// An error: it must be undone.
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<()>;
    /// `ended`: what became of the transaction.
    fn answer(self: Box<Self>, ended: Result<()>);
}

struct Pending<T, W> {
    shares: bool,
    work: W,
    done: Option<T>,
    reply: oneshot::Sender<Result<T>>,
    /// Its caller was told that it failed. A caller that merely went away was
    /// told nothing: a visitor who closes the page has still sent a message.
    refused: Arc<AtomicBool>,
}

impl<T, W> Job for Pending<T, W>
where
    T: Send,
    W: Fn(&mut Tx<'_>) -> Result<T> + Send,
{
    fn shares(&self) -> bool {
        self.shares
    }

    fn must_be_undone(&self) -> bool {
        self.done.is_some() && self.refused.load(Ordering::Relaxed)
    }

    fn run(&mut self, tx: &mut Tx<'_>) -> Result<()> {
        self.done = None;
        if !self.refused.load(Ordering::Relaxed) {
            self.done = Some((self.work)(tx)?);
        }
        Ok(())
    }

    fn answer(self: Box<Self>, ended: Result<()>) {
        let Self { done, reply, .. } = *self;
        let not_run = || StoreError::Unavailable("the work was not run".into());
        let answer = ended.and_then(|()| done.ok_or_else(not_run));
        // A caller that went away, or ran out of time while this was being
        // written, doesn't hear it; a retry finds the lead by its key.
        let _ = reply.send(answer);
    }
}

/// Work that may take long, or opens a connection of its own: on a thread that
/// holds up nobody and that nobody waits for when the program ends.
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
