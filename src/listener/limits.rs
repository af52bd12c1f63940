//! How long a client may take and how many there may be.

use std::time::Duration;

use rustix::process::{Resource, getrlimit, setrlimit};

/// Files the program needs beside its connections: database, log, outgoing
/// calls, the ops listener.
const RESERVED_FILES: u64 = 128;

/// Every wait for a client ends. Together they keep a silent, stalling or
/// trickling client well under 30 seconds.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// From the accepted connection to its first byte.
    pub first_byte: Duration,
    /// From the first byte of a request to the end of its header.
    pub header: Duration,
    /// From the end of the header to the end of the body.
    pub body: Duration,
    /// From an answer to the first byte of the next request.
    pub idle: Duration,
    /// Longest time in which a client takes not one byte of its answer.
    pub write_stall: Duration,
    /// How long requests in flight may take after the signal to stop.
    pub drain: Duration,
    /// How long after that signal a proxy's connection may bring one more
    /// request.
    pub farewell: Duration,
    pub connections: usize,
    /// Connections of one client: an IPv4 address, or an IPv6 /64. Room for
    /// a large office behind one address, and far from all.
    pub per_address: usize,
    /// This machine and private networks have no share: a proxy beside us or
    /// in the next container that nobody told us of brings everybody.
    pub spare_nearby: bool,
}

/// One client gets this part of all connections.
const SHARE: usize = 16;

impl Default for Limits {
    fn default() -> Self {
        Self {
            first_byte: Duration::from_secs(15),
            header: Duration::from_secs(10),
            body: Duration::from_secs(15),
            idle: Duration::from_secs(20),
            write_stall: Duration::from_secs(20),
            drain: Duration::from_secs(10),
            farewell: Duration::from_secs(3),
            connections: 8192,
            per_address: 8192 / SHARE,
            spare_nearby: true,
        }
    }
}

impl Limits {
    /// Never more connections than the system lets us have open files; the
    /// soft limit is raised first, as it is meant to be.
    pub fn within_open_files(mut self) -> Self {
        let mut limit = getrlimit(Resource::Nofile);
        if limit.current != limit.maximum {
            let raised = rustix::process::Rlimit {
                current: limit.maximum,
                maximum: limit.maximum,
            };
            if setrlimit(Resource::Nofile, raised).is_ok() {
                limit = raised;
            }
        }
        let files = limit.current.unwrap_or(u64::MAX);
        let room = files.saturating_sub(RESERVED_FILES).max(16);
        self.connections = self
            .connections
            .min(usize::try_from(room).unwrap_or(usize::MAX));
        let share = (self.connections / SHARE).max(8);
        self.per_address = self.per_address.min(share);
        self
    }
}
