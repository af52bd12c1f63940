//! Nobody reads the log: the server goes on, and ends when it is told to.

use std::io::{BufRead as _, BufReader};

use crate::support::database::Database;
use crate::support::process::{address_in, ends_in_time, get, serve, terminate};

/// A pipe holds 64 KiB; a request's line has about 200 bytes.
const REQUESTS: usize = 600;

#[test]
fn a_reader_that_stopped_reading_does_not_keep_the_server_from_ending() {
    let database = Database::sqlite();
    let mut child = serve(&database.url()).spawn().unwrap();
    // Reads up to the line with the address, and never again.
    let mut log = BufReader::with_capacity(1, child.stdout.take().unwrap());
    let address = loop {
        let mut line = String::new();
        log.read_line(&mut line).unwrap();
        if let Some(address) = address_in(&line, "listening") {
            break address;
        }
    };
    for _ in 0..REQUESTS {
        let answer = get(address, "/robots.txt");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    terminate(&child);
    let ended = ends_in_time(&mut child);
    child.kill().ok();
    child.wait().unwrap();
    assert!(ended, "it waits for a reader that does not read");
    drop(log);
}
