//! Tests the queue with a connection that records statements in memory.

use std::pin::Pin;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::timeout;

use super::queue::{Connection, JOB_TIMEOUT, JobThreads, Shared};
use super::tx::{Engine, Row, Session, Tx, Value};
use super::{Health, Result, StoreError, Wakeups};

type Caller<'a> = Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

#[derive(Clone, Default)]
struct InMemory {
    begun: Vec<String>,
    /// The statements of each transaction.
    committed: Arc<Mutex<Vec<Vec<String>>>>,
}

impl Connection for InMemory {
    fn writes(&self) -> bool {
        true
    }

    fn begin(&mut self) -> Result<()> {
        Ok(())
    }

    fn session(&mut self) -> &mut dyn Session {
        self
    }

    fn commit(&mut self) -> Result<()> {
        self.committed
            .lock()
            .unwrap()
            .push(std::mem::take(&mut self.begun));
        Ok(())
    }

    fn rollback(&mut self) {
        self.begun.clear();
    }
}

impl Session for InMemory {
    fn engine(&self) -> Engine {
        Engine::Sqlite
    }

    fn run(&mut self, sql: &str, _args: &[Value]) -> Result<(Vec<Row>, u64)> {
        self.begun.push(sql.to_owned());
        Ok((Vec::new(), 1))
    }

    fn batch(&mut self, _sql: &str) -> Result<()> {
        Ok(())
    }
}

fn start(database: &InMemory, threads: usize) -> JobThreads {
    let shared = Shared {
        health: Arc::new(Health::default()),
        wakeups: Wakeups::default(),
        largest_group: 64,
    };
    let connections = vec![database.clone(); threads];
    JobThreads::start("test", connections, &shared).unwrap()
}

fn run(
    workers: &JobThreads,
    work: impl Fn(&mut Tx<'_>) -> Result<()> + Send + 'static,
) -> Caller<'_> {
    Box::pin(workers.run(true, JOB_TIMEOUT, work))
}

/// Queues this work. `Err` means that it was answered at once.
async fn ask(
    workers: &JobThreads,
    work: impl Fn(&mut Tx<'_>) -> Result<()> + Send + 'static,
) -> std::result::Result<Caller<'_>, Result<()>> {
    let mut caller = run(workers, work);
    match timeout(Duration::ZERO, &mut caller).await {
        Ok(answer) => Err(answer),
        Err(_) => Ok(caller),
    }
}

/// Keeps a thread busy until the sender is dropped.
async fn hold(workers: &JobThreads) -> (Sender<()>, Caller<'_>) {
    let (gate, opened) = channel::<()>();
    let opened = Mutex::new(opened);
    let wait = move |_: &mut Tx<'_>| {
        let _ = opened.lock().unwrap().recv();
        Ok(())
    };
    let caller = ask(workers, wait).await.ok().unwrap();
    while workers.queued() > 0 {
        tokio::task::yield_now().await;
    }
    (gate, caller)
}

fn good(tx: &mut Tx<'_>) -> Result<()> {
    tx.execute("good", &[]).map(|_| ())
}

#[tokio::test]
async fn jobs_that_wait_share_commits_and_a_bad_one_or_a_panic_is_undone_alone() {
    let database = InMemory::default();
    let workers = start(&database, 1);
    let (gate, _caller) = hold(&workers).await;
    let mut callers = Vec::new();
    for number in 0..140 {
        let asked = ask(&workers, move |tx| match (good(tx), number) {
            (_, 7) => Err(StoreError::SendRecordGone),
            (_, 20) => panic!("a bug"),
            (done, _) => done,
        });
        callers.push(asked.await.ok().unwrap());
    }
    drop(gate);
    for (number, caller) in callers.into_iter().enumerate() {
        assert_eq!(caller.await.is_err(), [7, 20].contains(&number), "{number}");
    }
    let committed = database.committed.lock().unwrap().clone();
    assert_eq!(committed.concat().len(), 138);
    assert!(committed.len() < 100, "{} commits", committed.len());
}

#[tokio::test]
async fn a_full_queue_refuses_at_once_and_closing_finishes_what_waits() {
    let database = InMemory::default();
    let workers = start(&database, 1);
    let (gate, _caller) = hold(&workers).await;
    let mut waiting = 0;
    let refused = loop {
        match ask(&workers, good).await {
            // The job of a caller that disconnects still counts.
            Ok(_caller) => waiting += 1,
            Err(answer) => break answer,
        }
    };
    assert!(matches!(refused, Err(StoreError::Busy(_))), "{refused:?}");
    drop(gate);
    workers.close().await.unwrap();
    assert_eq!(database.committed.lock().unwrap().concat().len(), waiting);
    assert!(run(&workers, good).await.is_err());
}

#[tokio::test]
async fn a_caller_is_told_in_time_while_its_thread_is_stuck_and_others_go_on() {
    let workers = start(&InMemory::default(), 2);
    let (_gate, caller) = hold(&workers).await;
    for _ in 0..20 {
        assert_eq!(run(&workers, good).await, Ok(()));
    }
    let result = caller.await;
    assert!(matches!(result, Err(StoreError::Busy(_))), "{result:?}");
}
