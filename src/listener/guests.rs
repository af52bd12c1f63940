//! Who is connected: no address may hold too many places, and when all are
//! taken those who need theirs least give way to a newcomer.
//!
//! All of it happens when a connection opens or closes, nothing of it for a
//! request.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ipnet::IpNet;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout};

use super::Limits;
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
    by_network: HashMap<IpAddr, usize>,
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

    /// Whether this address may have one more connection.
    pub fn may_enter(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let held = self.open().by_network.get(&network(address)).copied();
        if held.unwrap_or(0) < self.limits.per_address || self.is_spared(address) {
            return true;
        }
        if !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                limit = self.limits.per_address,
                "one address holds as many connections as it may, more are closed at once; \
                 if it is your proxy, name it in FRONTDOOR_TRUSTED_PROXIES"
            );
        }
        false
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
        *open.by_network.entry(network).or_default() += 1;
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
        let is_neighbour = self.limits.spare_loopback && address.is_loopback();
        is_neighbour || self.trusted.iter().any(|known| known.contains(&address))
    }

    /// Lets go of those who have been idle longest; false if nobody is.
    fn make_room(&self) -> bool {
        let open = self.open();
        let idle = |(id, guest): (&u64, &Guest)| Some((guest.phase.worth()?, *id));
        let mut idle: Vec<(Worth, u64)> = open.all.iter().filter_map(idle).collect();
        let count = open.all.len().div_ceil(AT_A_TIME).min(idle.len());
        if count == 0 {
            return false;
        }
        idle.select_nth_unstable(count - 1);
        let chosen = idle[..count]
            .iter()
            .map(|(worth, id)| (worth, &open.all[id]));
        let gone = chosen.filter(|(worth, guest)| guest.phase.let_go(**worth));
        gone.filter_map(|(_, guest)| guest.task.as_ref())
            .map(AbortHandle::abort)
            .count()
            > 0
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut open = self.guests.open();
        open.all.remove(&self.id);
        if let Some(held) = open.by_network.get_mut(&self.network) {
            *held -= 1;
            if *held == 0 {
                open.by_network.remove(&self.network);
            }
        }
    }
}

/// What counts as one client: an IPv4 address, or an IPv6 network of the size
/// that one household or server has to choose from.
pub fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    }
}
