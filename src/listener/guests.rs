//! Who is connected: no address may hold too many places, and when all are
//! taken those who need theirs least give way to a newcomer.
//!
//! All of it happens when a connection opens or closes, nothing of it for a
//! request.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ipnet::IpNet;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout};

use super::Limits;
use super::networks::{is_nearby, network};
use super::phase::{Phase, Worth};

/// One in so many goes at a time: looking through all of them costs as much
/// for one as for many.
const AT_A_TIME: usize = 64;
/// While all are busy: how soon to look again who has become idle.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

pub struct Guests {
    limits: Limits,
    /// Proxies, through which everybody comes.
    trusted: Vec<IpNet>,
    pub places: Arc<Semaphore>,
    pub epoch: Instant,
    open: Mutex<Open>,
    warned: AtomicBool,
}

#[derive(Default)]
struct Open {
    next: u64,
    all: HashMap<u64, Guest>,
    by_network: HashMap<IpAddr, HashSet<u64>>,
}

struct Guest {
    phase: Phase,
    /// Known as soon as it runs.
    task: Option<AbortHandle>,
}

/// A connection's entry in the list; gone from it when dropped.
pub struct Seat {
    guests: Arc<Guests>,
    pub id: u64,
    network: IpAddr,
}

impl Guests {
    pub fn new(limits: Limits, trusted: Vec<IpNet>) -> Arc<Self> {
        Arc::new(Self {
            limits,
            trusted,
            places: Arc::new(Semaphore::new(limits.connections)),
            epoch: Instant::now(),
            open: Mutex::default(),
            warned: AtomicBool::new(false),
        })
    }

    /// Whether this address may have one more connection, at its share in
    /// exchange for the one it left idle longest.
    pub fn may_enter(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let open = self.open();
        let held = open.by_network.get(&network(address));
        let Some(held) = held.filter(|held| held.len() >= self.limits.per_address) else {
            return true;
        };
        if self.is_spared(address) {
            return true;
        }
        self.warn_once();
        let_go(held.iter().filter_map(|id| open.all.get(id)), 1)
    }

    fn warn_once(&self) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                limit = self.limits.per_address,
                "one address holds as many connections as it may: for more its idle ones are let \
                 go, and without any more are closed at once; if it is your proxy, name it in \
                 FRONTDOOR_TRUSTED_PROXIES"
            );
        }
    }

    /// A place for a newcomer, if need be at the expense of the idle.
    pub async fn place(&self) -> OwnedSemaphorePermit {
        loop {
            let place = self.places.clone().acquire_owned();
            let wait = match self.places.available_permits() {
                0 if !self.make_room() => LOOK_AGAIN,
                _ => Duration::from_secs(1),
            };
            if let Ok(place) = timeout(wait, place).await {
                return place.expect("the semaphore is never closed");
            }
        }
    }

    /// Writes a connection into the list, where it stays until the seat is
    /// dropped.
    pub fn seat(self: &Arc<Self>, address: IpAddr, phase: Phase) -> Seat {
        let network = network(address);
        let mut open = self.open();
        let id = open.next;
        open.next += 1;
        open.all.insert(id, Guest { phase, task: None });
        open.by_network.entry(network).or_default().insert(id);
        Seat {
            guests: self.clone(),
            id,
            network,
        }
    }

    /// How to let a connection go, unless it is over already.
    pub fn started(&self, id: u64, task: AbortHandle) {
        if let Some(guest) = self.open().all.get_mut(&id) {
            guest.task = Some(task);
        }
    }

    fn is_spared(&self, address: IpAddr) -> bool {
        let is_neighbour = self.limits.spare_nearby && is_nearby(address);
        is_neighbour || self.is_proxy(address)
    }

    fn is_proxy(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|known| known.contains(&address))
    }

    /// How long after the signal to stop its connections are still heard.
    pub fn farewell(&self, address: IpAddr) -> Duration {
        match self.is_proxy(address.to_canonical()) {
            true => self.limits.farewell,
            false => Duration::ZERO,
        }
    }

    /// Lets go of those who have been idle longest; false if nobody is.
    fn make_room(&self) -> bool {
        let open = self.open();
        let_go(open.all.values(), open.all.len().div_ceil(AT_A_TIME))
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets so many of these go, the longest idle first; false if nobody is idle.
fn let_go<'a>(guests: impl Iterator<Item = &'a Guest>, count: usize) -> bool {
    let idle = |guest: &'a Guest| Some((guest.phase.worth()?, guest));
    let mut idle: Vec<(Worth, &Guest)> = guests.filter_map(idle).collect();
    let count = count.min(idle.len());
    if count == 0 {
        return false;
    }
    idle.select_nth_unstable_by_key(count - 1, |(worth, _)| *worth);
    let chosen = idle[..count].iter();
    let gone = chosen.filter(|(worth, guest)| guest.phase.let_go(*worth));
    gone.filter_map(|(_, guest)| guest.task.as_ref())
        .map(AbortHandle::abort)
        .count()
        > 0
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut open = self.guests.open();
        open.all.remove(&self.id);
        if let Some(held) = open.by_network.get_mut(&self.network) {
            held.remove(&self.id);
            if held.is_empty() {
                open.by_network.remove(&self.network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guests() -> Arc<Guests> {
        let limits = Limits {
            per_address: 2,
            ..Limits::default()
        };
        Guests::new(limits, Vec::new())
    }

    /// Two connections, both with a request in hand, and whether there may be a third.
    fn is_welcome_for_a_third_time(address: &str) -> bool {
        let (guests, address) = (guests(), address.parse().unwrap());
        let phase = Phase::new(guests.epoch);
        phase.handling();
        let held = [(); 2].map(|()| guests.seat(address, phase.clone()));
        let welcome = guests.may_enter(address);
        drop(held);
        welcome
    }

    #[test]
    fn a_proxy_on_this_machine_or_in_the_next_container_has_no_share() {
        for near in [
            "127.0.0.1",
            "172.18.0.3",
            "::ffff:10.1.2.3",
            "fd00::7",
            "fe80::1",
        ] {
            assert!(is_welcome_for_a_third_time(near), "{near}");
        }
        for far in ["198.51.100.7", "172.32.0.1", "2001:db8::1"] {
            assert!(!is_welcome_for_a_third_time(far), "{far}");
        }
    }
}
