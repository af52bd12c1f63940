//! The open connections, with limits on their duration and number, per client and in total. When
//! the limit is reached, the oldest idle connection is closed to make room.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use ipnet::IpNet;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// File descriptors that the program needs besides connections: database, log, outgoing calls, the
/// ops listener.
const RESERVED_FILES: u64 = 128;
/// The divisor for one client's share of all connections.
const SHARE: usize = 16;
/// How soon to look again for an idle connection while all are busy.
const EVICTION_RETRY: Duration = Duration::from_millis(50);

/// With these limits, every wait for a client ends within 30 seconds.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// From a new connection, or the last response on it, to the end of the next request's headers.
    pub header: Duration,
    /// From the end of the headers to the end of the body.
    pub body: Duration,
    /// How long a client may read no byte of its response.
    pub write_stall: Duration,
    /// How long requests in flight may take after the signal to stop.
    pub drain: Duration,
    /// How long after the signal to stop a proxy's connection may bring one more request.
    pub proxy_grace: Duration,
    pub connections: usize,
    /// Connections of one client: an IPv4 address or an IPv6 /64.
    pub per_address: usize,
    /// Exempts loopback and private networks from the limit per client, because a proxy on this
    /// machine or in the next container carries all visitors, even if the settings don't list it.
    pub exempt_private_networks: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            header: Duration::from_secs(15),
            body: Duration::from_secs(15),
            write_stall: Duration::from_secs(20),
            drain: Duration::from_secs(10),
            proxy_grace: Duration::from_secs(3),
            connections: 8192,
            per_address: 8192 / SHARE,
            exempt_private_networks: true,
        }
    }
}

impl Limits {
    /// Raises the soft limit on open files to the hard limit, and reduces the number of connections
    /// to fit.
    pub fn within_open_files(mut self) -> Self {
        let maximum = getrlimit(Resource::Nofile).maximum;
        let raised = Rlimit {
            current: maximum,
            maximum,
        };
        let _ = setrlimit(Resource::Nofile, raised);
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let room = usize::try_from(files.saturating_sub(RESERVED_FILES)).unwrap_or(usize::MAX);
        self.connections = self.connections.min(room).max(16);
        self.per_address = self.per_address.min(self.connections / SHARE).max(8);
        self
    }
}

pub struct Connections {
    pub(super) limits: Limits,
    trusted: Vec<IpNet>,
    slots: Arc<Semaphore>,
    open: Mutex<Open>,
    warning: Once,
}

#[derive(Default)]
struct Open {
    next_id: u64,
    /// Oldest first.
    by_id: BTreeMap<u64, Arc<State>>,
    per_network: HashMap<IpAddr, usize>,
}

struct State {
    network: IpAddr,
    /// A handler is running, or the connection is being evicted.
    is_busy: AtomicBool,
    evicted: Notify,
}

/// Keeps a connection counted until dropped.
pub struct ConnectionGuard {
    pub(super) connections: Arc<Connections>,
    id: u64,
    state: Arc<State>,
    _slot: OwnedSemaphorePermit,
}

impl Connections {
    /// Addresses in `trusted` are proxies.
    pub fn new(limits: Limits, trusted: Vec<IpNet>) -> Arc<Self> {
        Arc::new(Self {
            limits,
            trusted,
            slots: Arc::new(Semaphore::new(limits.connections)),
            open: Mutex::default(),
            warning: Once::new(),
        })
    }

    pub fn count(&self) -> usize {
        self.locked().by_id.len()
    }

    /// Whether this address may open another connection. If the address is at its limit, its oldest
    /// idle connection is closed to make room.
    fn has_share(&self, address: IpAddr) -> bool {
        let (limits, network) = (&self.limits, network(address));
        let is_exempt =
            limits.exempt_private_networks && is_nearby(address) || self.is_proxy(address);
        let open = self.locked();
        let held = open.per_network.get(&network).copied().unwrap_or_default();
        if is_exempt || held < limits.per_address {
            return true;
        }
        self.warning.call_once(|| {
            tracing::warn!(
                limit = limits.per_address,
                "an address has reached its connection limit: new connections are closed unless \
                 one of its own is idle. If it is your proxy, add it to FRONTDOOR_TRUSTED_PROXIES"
            );
        });
        open.evict(|state| state.network == network)
    }

    /// Counts a connection; `None` if its address holds too many. When all slots are taken, the
    /// oldest idle connection is closed; when all are busy, this waits.
    pub async fn admit(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionGuard> {
        if !self.has_share(address) {
            return None;
        }
        let slot = loop {
            if self.slots.available_permits() == 0 {
                self.locked().evict(|_| true);
            }
            let slot = self.slots.clone().acquire_owned();
            if let Ok(slot) = timeout(EVICTION_RETRY, slot).await {
                break slot.expect("the semaphore is never closed");
            }
        };
        let state = Arc::new(State {
            network: network(address),
            is_busy: AtomicBool::new(false),
            evicted: Notify::new(),
        });
        let mut open = self.locked();
        let id = open.next_id;
        open.next_id += 1;
        open.by_id.insert(id, state.clone());
        *open.per_network.entry(state.network).or_default() += 1;
        Some(ConnectionGuard {
            connections: self.clone(),
            id,
            state,
            _slot: slot,
        })
    }

    /// How long after the signal to stop a connection from this address may bring one more request.
    ///
    /// A proxy keeps connections open for later visitors. If one were closed while the proxy sends
    /// a form on it, the proxy couldn't know whether the form was stored and wouldn't retry it
    /// elsewhere. So the next response carries `Connection: close` instead.
    pub fn grace(&self, address: IpAddr) -> Duration {
        if self.is_proxy(address) {
            self.limits.proxy_grace
        } else {
            Duration::ZERO
        }
    }

    pub async fn all_closed(&self) {
        let all = u32::try_from(self.limits.connections).unwrap_or(u32::MAX);
        let _ = self.slots.acquire_many(all).await;
    }

    fn locked(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_proxy(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.trusted.iter().any(|known| known.contains(&address))
    }
}

impl Open {
    /// Closes the oldest idle candidate; returns false if all are busy.
    fn evict(&self, is_candidate: impl Fn(&State) -> bool) -> bool {
        let mut candidates = self.by_id.values().filter(|state| is_candidate(state));
        let evicted = candidates.find(|state| !state.is_busy.swap(true, Ordering::Relaxed));
        evicted
            .inspect(|state| state.evicted.notify_one())
            .is_some()
    }
}

impl ConnectionGuard {
    /// Returns false if the connection is being evicted.
    pub fn begin_request(&self) -> bool {
        !self.state.is_busy.swap(true, Ordering::Relaxed)
    }

    pub fn end_request(&self) {
        self.state.is_busy.store(false, Ordering::Relaxed);
    }

    pub async fn evicted(&self) {
        self.state.evicted.notified().await;
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        let mut open = self.connections.locked();
        open.by_id.remove(&self.id);
        let network = self.state.network;
        if let Some(held) = open.per_network.get_mut(&network) {
            *held -= 1;
            if *held == 0 {
                open.per_network.remove(&network);
            }
        }
    }
}

/// What counts as one client: an IPv4 address, or an IPv6 /64, which one household or server gets.
pub fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    }
}

pub fn is_nearby(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            address.is_loopback() || address.is_private() || address.is_link_local()
        }
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}
