//! Limits how many forms one client may post per minute.
//!
//! A client's window starts with its first post. IPv6 clients are grouped by /64, the size that one
//! household or server gets.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::listener::network;

const WINDOW: Duration = Duration::from_secs(60);
/// Bounds the memory. When more clients have posted, all windows start anew: a limit per address
/// can't stop a flood from so many addresses anyway.
const MAX_CLIENTS: usize = 40_000;

pub struct RateLimit {
    /// Posts per window; 0 means no limit.
    posts: u32,
    clients: Mutex<HashMap<IpAddr, Window>>,
}

struct Window {
    start: Instant,
    posts: u32,
}

impl RateLimit {
    pub fn new(posts: u32) -> Self {
        Self {
            posts,
            clients: Mutex::default(),
        }
    }

    /// Counts a post, or returns the time until the client's next window.
    pub fn admit(&self, client: IpAddr) -> Result<(), Duration> {
        self.count(client, Instant::now())
    }

    fn count(&self, client: IpAddr, now: Instant) -> Result<(), Duration> {
        if self.posts == 0 {
            return Ok(());
        }
        let client = network(client);
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MAX_CLIENTS && !clients.contains_key(&client) {
            clients.clear();
        }
        let window = clients.entry(client).or_insert(Window {
            start: now,
            posts: 0,
        });
        let age = now.duration_since(window.start);
        if age >= WINDOW {
            *window = Window {
                start: now,
                posts: 0,
            };
        } else if window.posts >= self.posts {
            return Err(WINDOW - age);
        }
        window.posts += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_client_has_its_posts_a_minute_and_a_household_counts_as_one() {
        let (limit, start) = (RateLimit::new(3), Instant::now());
        let after = |seconds| start + Duration::from_secs(seconds);
        for second in 0..3 {
            assert_eq!(limit.count(ip("192.0.2.1"), after(second)), Ok(()));
        }
        let pause = limit.count(ip("192.0.2.1"), after(10));
        assert_eq!(pause, Err(Duration::from_secs(50)));
        assert_eq!(limit.count(ip("192.0.2.2"), after(10)), Ok(()));
        assert_eq!(limit.count(ip("192.0.2.1"), after(60)), Ok(()));
        for last in 1..=3 {
            let address = ip(&format!("2001:db8:0:1::{last}"));
            assert!(limit.count(address, start).is_ok());
        }
        assert!(limit.count(ip("2001:db8:0:1:ffff::2"), start).is_err());
        assert!(limit.count(ip("2001:db8:0:2::1"), start).is_ok());
    }

    #[test]
    fn memory_is_bounded() {
        let (limit, now) = (RateLimit::new(1), Instant::now());
        for n in 0..=(MAX_CLIENTS as u32) {
            assert!(limit.count(IpAddr::V4(n.into()), now).is_ok());
        }
        assert_eq!(limit.clients.lock().unwrap().len(), 1);
    }
}
