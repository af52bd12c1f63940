//! How many errors of browsers are listened to. A page that fails for everyone
//! must not fill the log, and nobody can fill it on purpose.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::rate_limit::{RateLimit, Window};

/// Of one client in a minute; more are ignored.
const OF_A_CLIENT: u32 = 10;
/// Of all clients in a minute; more are only counted.
const IN_THE_LOG: u32 = 60;

/// What is done with a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heed {
    Log,
    Count,
    Ignore,
}

pub struct ReportLimit {
    clients: RateLimit,
    log: Mutex<Option<Window>>,
}

impl Default for ReportLimit {
    fn default() -> Self {
        Self {
            clients: RateLimit::new(OF_A_CLIENT),
            log: Mutex::default(),
        }
    }
}

impl ReportLimit {
    pub fn heed(&self, client: IpAddr, now: Instant) -> Heed {
        if self.clients.count(client, now).is_err() {
            return Heed::Ignore;
        }
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let window = log.get_or_insert_with(|| Window::starting(now));
        match window.count(IN_THE_LOG, now) {
            Ok(()) => Heed::Log,
            Err(_) => Heed::Count,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn client(number: u32) -> IpAddr {
        IpAddr::V4(number.into())
    }

    #[test]
    fn one_client_is_heard_so_often_a_minute() {
        let (limit, now) = (ReportLimit::default(), Instant::now());
        assert!((0..OF_A_CLIENT).all(|_| limit.heed(client(1), now) == Heed::Log));
        assert_eq!(limit.heed(client(1), now), Heed::Ignore);
        assert_eq!(limit.heed(client(2), now), Heed::Log);
        let later = now + Duration::from_secs(60);
        assert_eq!(limit.heed(client(1), later), Heed::Log);
    }

    #[test]
    fn of_many_clients_the_first_of_a_minute_are_logged_and_all_are_counted() {
        let (limit, now) = (ReportLimit::default(), Instant::now());
        assert!((0..IN_THE_LOG).all(|n| limit.heed(client(n), now) == Heed::Log));
        assert_eq!(limit.heed(client(1000), now), Heed::Count);
        let later = now + Duration::from_secs(60);
        assert_eq!(limit.heed(client(1001), later), Heed::Log);
    }
}
