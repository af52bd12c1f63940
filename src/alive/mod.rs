//! Who is told that the server works: the service manager that started it, and
//! an address of the owner's that raises the alarm when it is asked no more.

mod beacon;
mod readiness;
mod service_manager;

use tokio::task::JoinSet;

pub use beacon::Beacon;
pub use readiness::{NotReady, Readiness};
pub use service_manager::ServiceManager;

use crate::config::AliveSettings;

/// Tells until it is dropped.
pub struct Alive {
    _tellers: JoinSet<()>,
}

impl Alive {
    /// The server is about to take requests.
    pub fn start(
        readiness: &Readiness,
        manager: &ServiceManager,
        settings: Option<&AliveSettings>,
    ) -> anyhow::Result<Self> {
        let mut tellers = JoinSet::new();
        if let Some(settings) = settings {
            let beacon = Beacon::new(settings, readiness.clone())?;
            tellers.spawn(beacon.run());
        }
        tellers.spawn(manager.clone().feed(readiness.clone()));
        manager.ready();
        Ok(Self { _tellers: tellers })
    }
}
