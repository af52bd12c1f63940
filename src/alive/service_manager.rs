//! What systemd is told of a service (`Type=notify`, `WatchdogSec=`): that it is
//! ready, that it stops, and again and again that it still works.
//!
//! The watchdog is fed after a write that committed, and when the store says why
//! it cannot: a restart makes no room on a disk and brings no database server
//! back, but would take the pages away. What hangs is not fed, and is restarted.

use std::ffi::OsString;
use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

use super::readiness::{NotReady, Readiness};

/// Nobody, where the program was started by hand.
#[derive(Debug, Clone, Default)]
pub struct ServiceManager {
    socket: Option<OsString>,
    /// It restarts who is silent for so long.
    patience: Option<Duration>,
}

impl ServiceManager {
    pub fn from_environment() -> Self {
        let number = |name| std::env::var(name).ok()?.parse::<u64>().ok();
        // Meant for another process, such as a shell that started this one.
        let is_ours = number("WATCHDOG_PID").is_none_or(|id| id == u64::from(std::process::id()));
        let patience = number("WATCHDOG_USEC").filter(|usec| *usec > 0 && is_ours);
        Self {
            socket: std::env::var_os("NOTIFY_SOCKET").filter(|path| !path.is_empty()),
            patience: patience.map(Duration::from_micros),
        }
    }

    pub fn is_there(&self) -> bool {
        self.socket.is_some()
    }

    pub fn ready(&self) {
        self.tell("READY=1");
    }

    pub fn stopping(&self) {
        self.tell("STOPPING=1");
    }

    /// Feeds the watchdog, if there is one, for as long as it is polled.
    pub async fn feed(self, readiness: Readiness) {
        let Some(patience) = self.patience else {
            return;
        };
        loop {
            if readiness.ask().await != Err(NotReady::Hangs) {
                self.tell("WATCHDOG=1");
            }
            tokio::time::sleep(patience / 3).await;
        }
    }

    fn tell(&self, words: &str) {
        if let Err(error) = self.send(words) {
            tracing::warn!(%error, "cannot tell the service manager");
        }
    }

    fn send(&self, words: &str) -> io::Result<()> {
        let Some(path) = &self.socket else {
            return Ok(());
        };
        let address = match path.as_bytes().strip_prefix(b"@") {
            Some(name) => SocketAddr::from_abstract_name(name)?,
            None => SocketAddr::from_pathname(path)?,
        };
        let socket = UnixDatagram::unbound()?;
        socket.set_nonblocking(true)?;
        socket.send_to_addr(words.as_bytes(), &address).map(|_| ())
    }
}
