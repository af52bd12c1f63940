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

/// What the threads of a queue do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Read,
    /// Up to `most` jobs share a transaction.
    Write {
        most: usize,
    },
    /// The same for new leads; any other job has its own.
    WriteBesideOthers {
        most: usize,
    },
}

/// The threads that serve one queue.
pub struct Workers {
    queue: Arc<Queue>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// What the threads of a queue share.
#[derive(Clone)]
pub struct Shared {
    pub health: Arc<Health>,
    pub wakeups: Wakeups,
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
        role: Role,
        shared: &Shared,
    ) -> std::io::Result<Self> {
        let queue = Arc::<Queue>::default();
        let threads = connections.into_iter().map(|connection| {
            let worker = Worker {
                queue: queue.clone(),
                connection,
                role,
                shared: shared.clone(),
            };
            let thread = std::thread::Builder::new().name(name.to_owned());
            thread.spawn(move || worker.serve())
        });
        let threads = threads.collect::<std::io::Result<Vec<_>>>()?;
        Ok(Self {
            queue,
            threads: Mutex::new(threads),
        })
    }

    pub fn waiting(&self) -> usize {
        self.queue.state().jobs.len()
    }

    /// Returns after the commit. `work` may be undone and run again, so it
    /// changes nothing but the database.
    pub async fn run<T: Send + 'static>(
        &self,
        kind: Kind,
        limit: Duration,
        work: impl Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let refused = Arc::new(AtomicBool::new(false));
        self.queue.push(Box::new(Pending {
            kind,
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

    fn next_waiting(&self, only: Option<Kind>) -> Option<Box<dyn Job>> {
        let may_join = |job: &mut Box<dyn Job>| only.is_none_or(|kind| job.kind() == kind);
        self.state().jobs.pop_front_if(may_join)
    }

    fn close(&self) {
        self.state().closed = true;
        self.ready.notify_all();
    }
}

struct Worker<C> {
    queue: Arc<Queue>,
    connection: C,
    role: Role,
    shared: Shared,
}

/// What a group of jobs did before its commit.
#[derive(Default)]
struct Group {
    jobs: Vec<Box<dyn Job>>,
    failure: Option<StoreError>,
    changed: bool,
    wakes: bool,
}

impl<C: Connection> Worker<C> {
    fn serve(mut self) {
        loop {
            match self.queue.next() {
                Next::Job(job) => {
                    self.run_group(job);
                    let looked = self.connection.look_after(false);
                    self.note_failure(looked.err());
                }
                Next::Nothing => self.idle(),
                Next::Closed => break,
            }
        }
        self.connection.close();
    }

    fn run_group(&mut self, first: Box<dyn Job>) {
        let began = Instant::now();
        if let Err(error) = self.begin() {
            self.note_failure(Some(error.clone()));
            return first.answer(Err(error));
        }
        let mut group = self.run_jobs(first, began);
        let failure = group.failure.take();
        if failure.is_some() {
            self.connection.rollback();
        }
        let ended = match &failure {
            Some(error) => Err(error.clone()),
            None => self.commit(&group, began),
        };
        let again = match &ended {
            Ok(()) => false,
            Err(_) if failure.is_some() && group.jobs.len() > 1 => true,
            Err(error) => self.connection.recovers(error, failure.is_none()),
        };
        if again {
            group.jobs.drain(..).for_each(|job| self.run_alone(job));
            return;
        }
        if let Some(error) = failure {
            self.note_failure(Some(error));
            return group.jobs.into_iter().for_each(|job| job.answer(Ok(())));
        }
        let answer = |job: Box<dyn Job>| job.answer(ended.clone());
        group.jobs.into_iter().for_each(answer);
    }

    /// A connection that was closed while nobody used it is made again.
    fn begin(&mut self) -> Result<()> {
        match self.connection.begin() {
            Err(error) if self.connection.recovers(&error, false) => self.connection.begin(),
            begun => begun,
        }
    }

    fn run_jobs(&mut self, first: Box<dyn Job>, began: Instant) -> Group {
        let (most, only) = match (self.role, first.kind()) {
            (Role::Read, _) | (Role::WriteBesideOthers { .. }, Kind::Other) => (1, None),
            (Role::WriteBesideOthers { most }, Kind::Lead) => (most, Some(Kind::Lead)),
            (Role::Write { most }, _) => (most, None),
        };
        let mut group = Group::default();
        let mut next = Some(first);
        while let Some(job) = next {
            self.run_job(job, &mut group);
            let more = group.failure.is_none()
                && group.jobs.len() < most
                && began.elapsed() < LONGEST_GROUP;
            next = more.then(|| self.queue.next_waiting(only)).flatten();
        }
        group
    }

    fn run_job(&mut self, mut job: Box<dyn Job>, group: &mut Group) {
        let mut tx = Tx::new(self.connection.session());
        // A bug in one job must not end the thread that stores all others.
        let ran = catch_unwind(AssertUnwindSafe(|| job.run(&mut tx)));
        group.failure = ran.unwrap_or_else(|_| Err(job.panicked())).err();
        group.changed |= tx.has_changed();
        group.wakes |= tx.wakes();
        let unreadable = tx.take_unreadable();
        if !unreadable.is_empty() {
            self.shared.health.note_unreadable(unreadable);
        }
        group.jobs.push(job);
    }

    fn run_alone(&mut self, job: Box<dyn Job>) {
        let began = Instant::now();
        if let Err(error) = self.begin() {
            self.note_failure(Some(error.clone()));
            return job.answer(Err(error));
        }
        let mut group = Group::default();
        self.run_job(job, &mut group);
        let committed = match &group.failure {
            None => self.commit(&group, began),
            Some(_) => {
                self.connection.rollback();
                self.note_failure(group.failure.take());
                Ok(())
            }
        };
        let answer = |job: Box<dyn Job>| job.answer(committed.clone());
        group.jobs.into_iter().for_each(answer);
    }

    fn commit(&mut self, group: &Group, began: Instant) -> Result<()> {
        let committed = self.connection.commit(group.wakes);
        match &committed {
            Ok(()) if group.changed => {
                self.shared.health.note(None);
                self.shared.health.committed(began.elapsed());
            }
            // Says nothing about whether a lead could be stored.
            Ok(()) => {}
            Err(error) => self.note_failure(Some(error.clone())),
        }
        if committed.is_ok() && group.wakes {
            self.shared.wakeups.wake();
        }
        committed
    }

    /// Once something has failed, asks again until a write commits.
    fn idle(&mut self) {
        let looked = self.connection.look_after(true);
        let is_well = looked.is_ok();
        self.note_failure(looked.err());
        if is_well && self.role != Role::Read && self.shared.health.is_failing() {
            let (reply, _) = oneshot::channel();
            self.run_alone(Box::new(Pending {
                kind: Kind::Other,
                work: super::probe,
                done: None,
                reply,
                refused: Arc::default(),
            }));
        }
    }

    /// Nothing could be written; what cannot be read says nothing of that, and
    /// neither does work that was refused for its own sake.
    fn note_failure(&self, error: Option<StoreError>) {
        if let Some(error) = error
            && error.is_about_database()
            && self.role != Role::Read
        {
            self.shared.health.note(Some(&error));
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Stores a new lead.
    Lead,
    Other,
}

/// A caller's work, apart from the type of its result.
trait Job: Send {
    fn kind(&self) -> Kind;
    /// An error: it must be undone.
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<()>;
    fn panicked(&mut self) -> StoreError;
    fn answer(self: Box<Self>, committed: Result<()>);
}

struct Pending<T, W> {
    kind: Kind,
    work: W,
    done: Option<Result<T>>,
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
    fn kind(&self) -> Kind {
        self.kind
    }

    fn run(&mut self, tx: &mut Tx<'_>) -> Result<()> {
        self.done = None;
        if self.refused.load(Ordering::Relaxed) {
            return Ok(());
        }
        let done = (self.work)(tx);
        let ran = done.as_ref().map(|_| ()).map_err(StoreError::clone);
        self.done = Some(done);
        ran
    }

    fn panicked(&mut self) -> StoreError {
        let error = StoreError::Unavailable("the work ended in a panic".into());
        self.done = Some(Err(error.clone()));
        error
    }

    fn answer(self: Box<Self>, committed: Result<()>) {
        let Self { done, reply, .. } = *self;
        let not_run = || Err(StoreError::Unavailable("the work was not run".into()));
        let answer = committed.and_then(|()| done.unwrap_or_else(not_run));
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
    let crashed = |_| StoreError::Unavailable("the work ended in a panic".into());
    answer.await.map_err(crashed)?
}

fn closed() -> StoreError {
    StoreError::Unavailable("the store is closed".into())
}
