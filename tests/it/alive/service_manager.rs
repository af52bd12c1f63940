//! What systemd hears: a socket of the test's in place of its own.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::PathBuf;
use std::time::Duration;

use crate::support::client::ready;
use crate::support::database::Database;
use crate::support::process::Process;
use crate::support::wait::PATIENCE;

/// A third of it is the pause between two signs of life.
const WATCHDOG: Duration = Duration::from_millis(600);

struct Ear(UnixDatagram);

impl Ear {
    fn open(database: &Database) -> (Self, PathBuf) {
        let path = database.path("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        (Self(socket), path)
    }

    /// The next words; empty when there are none in time.
    fn hear(&self) -> String {
        let mut words = [0; 256];
        let length = self.0.recv(&mut words).unwrap_or_default();
        String::from_utf8_lossy(&words[..length]).into_owned()
    }

    fn forget(&self) {
        self.0.set_nonblocking(true).unwrap();
        while !self.hear().is_empty() {}
        self.0.set_nonblocking(false).unwrap();
    }
}

fn start(database: &Database, socket: &str) -> Process {
    let usec = WATCHDOG.as_micros().to_string();
    Process::start(
        &database.url(),
        &[
            ("FRONTDOOR_OPS_LISTEN", "127.0.0.1:0"),
            ("NOTIFY_SOCKET", socket),
            ("WATCHDOG_USEC", &usec),
        ],
    )
}

#[test]
fn it_hears_of_the_start_of_signs_of_life_and_of_the_stop() {
    let database = Database::sqlite();
    let (ear, path) = Ear::open(&database);
    let server = start(&database, path.to_str().unwrap());
    let mut heard: Vec<_> = std::iter::repeat_with(|| ear.hear()).take(5).collect();
    heard.sort_unstable();
    let alive = "WATCHDOG=1";
    assert_eq!(heard, ["READY=1", alive, alive, alive, alive]);
    let (_, status) = server.terminate();
    assert!(status.success());
    loop {
        match &*ear.hear() {
            "STOPPING=1" => break,
            words => assert_eq!(words, alive, "before the word of the stop"),
        }
    }
}

/// As in some containers; and whoever started the program owes the signs itself.
#[test]
fn it_hears_under_a_name_without_a_file_and_no_signs_of_life_that_another_owes() {
    let database = Database::sqlite();
    let name = format!("frontdoor-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let ear = Ear(UnixDatagram::bind_addr(&address).unwrap());
    ear.0.set_read_timeout(Some(PATIENCE)).unwrap();
    let usec = WATCHDOG.as_micros().to_string();
    let settings = [
        ("NOTIFY_SOCKET", &*format!("@{name}")),
        ("WATCHDOG_USEC", &usec),
        ("WATCHDOG_PID", "1"),
    ];
    let _server = Process::start(&database.url(), &settings);
    assert_eq!(ear.hear(), "READY=1");
    ear.0.set_read_timeout(Some(2 * WATCHDOG)).unwrap();
    assert_eq!(ear.hear(), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_cannot_store_but_says_so_is_left_to_serve_its_pages() {
    let database = Database::sqlite();
    let (ear, path) = Ear::open(&database);
    let server = start(&database, path.to_str().unwrap());
    std::fs::rename(database.file(), database.path("away.db")).unwrap();
    while ready(server.ops).await.0 == 200 {}
    ear.forget();
    assert_eq!(ear.hear(), "WATCHDOG=1");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_hangs_is_silent() {
    let database = Database::sqlite();
    let (ear, path) = Ear::open(&database);
    let server = start(&database, path.to_str().unwrap());
    let past = database.past();
    past.hold();
    while ready(server.ops).await.0 == 200 {}
    ear.forget();
    // Several times what the watchdog waits for.
    ear.0.set_read_timeout(Some(4 * WATCHDOG)).unwrap();
    assert_eq!(ear.hear(), "", "fed while nothing commits");
    past.let_go();
    ear.0.set_read_timeout(Some(PATIENCE)).unwrap();
    assert_eq!(ear.hear(), "WATCHDOG=1");
}
