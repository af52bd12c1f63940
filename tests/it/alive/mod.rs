//! Signs of life for systemd and a monitoring service, log lines for the journal, and restarts
//! without refused connections.

mod restart;

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixDatagram;
use std::sync::Arc;
use std::time::Duration;

use frontdoor::alive::{Heartbeat, Readiness};
use frontdoor::config::{AliveSettings, Secret};

use crate::support::{
    Answer, Database, Process, Receiver, TIMEOUT, ends_in_time, serve, terminate, until,
    until_ready,
};

/// The watchdog is fed three times in this time.
const WATCHDOG: Duration = Duration::from_millis(600);

#[tokio::test]
async fn the_alive_url_is_called_while_leads_can_be_stored_and_its_failure_is_logged_once() {
    let database = Database::sqlite();
    let readiness = Readiness::new(database.create().await);
    let receiver = Receiver::start(|call| Answer::Status(if call < 3 { 500 } else { 204 })).await;
    let url = Secret::new(receiver.url.parse().unwrap());
    let mut heartbeat = Heartbeat::new(&AliveSettings { url }, readiness.clone()).unwrap();
    let log = database.path("log");
    let writer = Arc::new(File::create(&log).unwrap());
    let subscriber = tracing_subscriber::fmt().with_writer(writer).finish();
    let logging = tracing::subscriber::set_default(subscriber);
    for _ in 0..5 {
        heartbeat.send().await;
    }
    drop(logging);
    assert_eq!(receiver.calls().len(), 5);
    let log = fs::read_to_string(log).unwrap();
    let count = |words: &str| log.matches(words).count();
    assert_eq!(count("can't call FRONTDOOR_ALIVE_URL"), 1, "{log}");
    assert_eq!(count("it answered 500"), 1, "{log}");
    assert_eq!(count("answers again"), 1, "{log}");
    assert_eq!(count("/hook"), 0, "{log}");

    let other = database.sql();
    other.lock();
    until("not ready", async || readiness.check().await.is_err()).await;
    heartbeat.send().await;
    assert_eq!(receiver.calls().len(), 5, "nothing can be stored");
    other.unlock();
    until("ready", async || readiness.check().await.is_ok()).await;
    heartbeat.send().await;
    assert_eq!(receiver.calls().len(), 6);
}

/// The file stands for the journal's socket; `8:1` for that of a shell whose output was redirected.
#[tokio::test]
async fn warnings_and_the_reason_of_a_failed_start_carry_their_priority_to_the_journal() {
    let database = Database::sqlite();
    let journal = || {
        let file = File::create(database.path("journal")).unwrap();
        let facts = file.metadata().unwrap();
        (file, format!("{}:{}", facts.dev(), facts.ino()))
    };
    let read = || fs::read_to_string(database.path("journal")).unwrap();
    for (is_journal, warning) in [(true, "<4>{"), (false, "{")] {
        let (file, stream) = journal();
        let mut child = serve(&database.url())
            .env("FRONTDOOR_KEEP_LEADS_DAYS", "0")
            .env("JOURNAL_STREAM", if is_journal { &stream } else { "8:1" })
            .stdout(file)
            .spawn()
            .unwrap();
        until("it listens", async || read().contains("listening")).await;
        terminate(&child);
        assert!(ends_in_time(&mut child));
        let log = read();
        let line = |words: &str| log.lines().find(|line| line.contains(words)).unwrap();
        assert!(line("kept longer").starts_with(warning), "{log}");
        assert!(line("listening").starts_with('{'), "{log}");
    }
    let (file, stream) = journal();
    let mut refused = serve("mysql://x");
    refused.env("JOURNAL_STREAM", stream).stderr(file);
    assert!(ends_in_time(&mut refused.spawn().unwrap()));
    assert!(
        read().starts_with("<3>frontdoor: DATABASE_URL"),
        "{}",
        read()
    );
}

/// Receives the program's messages in place of systemd.
struct Manager(UnixDatagram);

impl Manager {
    fn start(database: &Database) -> (Self, Process) {
        let path = database.path("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        socket.set_read_timeout(Some(TIMEOUT)).unwrap();
        let settings = [
            ("NOTIFY_SOCKET", path.to_str().unwrap()),
            ("WATCHDOG_USEC", &WATCHDOG.as_micros().to_string()),
        ];
        (Self(socket), Process::start(&database.url(), &settings))
    }

    /// The next message; empty if none arrives in time.
    fn next(&self) -> String {
        let mut message = [0; 256];
        let length = self.0.recv(&mut message).unwrap_or_default();
        String::from_utf8_lossy(&message[..length])
            .trim()
            .to_owned()
    }

    fn forget(&self) {
        self.0.set_nonblocking(true).unwrap();
        while !self.next().is_empty() {}
        self.0.set_nonblocking(false).unwrap();
    }
}

#[test]
fn systemd_is_told_of_the_start_of_a_working_server_and_of_the_stop() {
    let database = Database::sqlite();
    let (manager, server) = Manager::start(&database);
    let mut told: Vec<_> = std::iter::repeat_with(|| manager.next()).take(5).collect();
    told.sort_unstable();
    let alive = "WATCHDOG=1";
    assert_eq!(told, ["READY=1", alive, alive, alive, alive]);
    let (_, status) = server.terminate();
    assert!(status.success());
    let last = std::iter::repeat_with(|| manager.next()).find(|told| told != alive);
    assert_eq!(last.unwrap(), "STOPPING=1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_hangs_is_silent_and_one_that_says_why_it_cannot_store_is_not() {
    let database = Database::sqlite();
    let (manager, server) = Manager::start(&database);
    let sql = database.sql();
    sql.lock();
    until_ready(server.ops, 503).await;
    manager.forget();
    // Several times what the watchdog waits for.
    manager.0.set_read_timeout(Some(4 * WATCHDOG)).unwrap();
    assert_eq!(manager.next(), "", "fed while nothing commits");
    sql.unlock();
    manager.0.set_read_timeout(Some(TIMEOUT)).unwrap();
    assert_eq!(manager.next(), "WATCHDOG=1");

    fs::rename(database.file(), database.path("away.db")).unwrap();
    until_ready(server.ops, 503).await;
    manager.forget();
    assert_eq!(manager.next(), "WATCHDOG=1", "it is left to show its pages");
    // A restart helps once the file is back, so the program exits and says why.
    fs::rename(database.path("away.db"), database.file()).unwrap();
    assert_eq!(server.wait().code(), Some(3));
}
