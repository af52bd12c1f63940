//! Nobody reads the log: the server goes on, and ends when it is told to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::process::{address_in, frontdoor};

/// A pipe holds 64 KiB; a request's line has about 200 bytes.
const REQUESTS: usize = 600;
/// Far longer than it takes when it works, shorter than any service manager.
const PATIENCE: Duration = Duration::from_secs(20);

fn request(address: SocketAddr) {
    let mut stream = TcpStream::connect(address).unwrap();
    let head = "GET /robots.txt HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

fn ends_in_time(child: &mut Child) -> bool {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn a_reader_that_stopped_reading_does_not_keep_the_server_from_ending() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("leads.db");
    let mut child = frontdoor(&["serve"])
        .env("FRONTDOOR_LISTEN", "127.0.0.1:0")
        .env("FRONTDOOR_OPS_LISTEN", "off")
        .env("DATABASE_URL", format!("sqlite://{}", database.display()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Reads up to the line with the address, and never again.
    let mut log = BufReader::with_capacity(1, child.stdout.take().unwrap());
    let address = loop {
        let mut line = String::new();
        log.read_line(&mut line).unwrap();
        if let Some(address) = address_in(&line, "listening") {
            break address;
        }
    };
    (0..REQUESTS).for_each(|_| request(address));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let ended = ends_in_time(&mut child);
    child.kill().ok();
    child.wait().unwrap();
    assert!(ended, "it waits for a reader that does not read");
    drop(log);
}
