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
/// How many clients each of the two generations holds. When the young one is full, the old one is
/// dropped, so memory stays bounded under any flood.
const GENERATION: usize = 20_000;

pub struct RateLimit {
    /// Posts per window; 0 means no limit.
    posts: u32,
    clients: Mutex<Clients>,
}

#[derive(Default)]
struct Clients {
    young: HashMap<IpAddr, Window>,
    old: HashMap<IpAddr, Window>,
}

/// The window of one client.
#[derive(Clone, Copy)]
pub struct Window {
    start: Instant,
    posts: u32,
}

impl Window {
    pub fn starting(now: Instant) -> Self {
        Self {
            start: now,
            posts: 0,
        }
    }

    /// Counts one post of `limit`; `Err` is the time until the next window.
    pub fn count(&mut self, limit: u32, now: Instant) -> Result<(), Duration> {
        let age = now.duration_since(self.start);
        if age >= WINDOW {
            *self = Self::starting(now);
        } else if self.posts >= limit {
            return Err(WINDOW.saturating_sub(age));
        }
        self.posts += 1;
        Ok(())
    }
}

impl RateLimit {
    pub fn new(posts: u32) -> Self {
        Self {
            posts,
            clients: Mutex::default(),
        }
    }

    /// Counts a post; `Err` is the time until the next window.
    pub fn admit(&self, client: IpAddr) -> Result<(), Duration> {
        self.count(client, Instant::now())
    }

    pub fn count(&self, client: IpAddr, now: Instant) -> Result<(), Duration> {
        if self.posts == 0 {
            return Ok(());
        }
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let window = clients.window(network(client), now);
        window.count(self.posts, now)
    }
}

impl Clients {
    fn window(&mut self, client: IpAddr, now: Instant) -> &mut Window {
        if self.young.len() >= GENERATION && !self.young.contains_key(&client) {
            self.old = std::mem::take(&mut self.young);
        }
        let known = self.old.remove(&client);
        let known = known.unwrap_or_else(|| Window::starting(now));
        self.young.entry(client).or_insert(known)
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
    fn memory_is_bounded_and_a_busy_client_is_remembered_through_a_flood() {
        let (limit, now) = (RateLimit::new(1), Instant::now());
        assert!(limit.count(ip("192.0.2.1"), now).is_ok());
        for n in 0..(3 * GENERATION as u32) {
            let _ = limit.count(IpAddr::V4(n.into()), now);
            if n % 1000 == 0 {
                assert!(limit.count(ip("192.0.2.1"), now).is_err());
            }
        }
        let clients = limit.clients.lock().unwrap();
        assert!(clients.young.len() + clients.old.len() <= 2 * GENERATION);
    }
}
