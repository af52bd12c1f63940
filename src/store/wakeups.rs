//! Tells those who deliver that something may be due.
//!
//! Whoever stores it says so, in this process or, where the database can carry
//! the word, in any other. A wake-up may be lost: who waits also looks by itself
//! now and then.

use tokio::sync::watch;

#[derive(Clone, Default)]
pub struct Wakeups(watch::Sender<()>);

/// One who waits for them.
pub struct Sleeper(watch::Receiver<()>);

impl Wakeups {
    pub fn wake(&self) {
        self.0.send_replace(());
    }

    pub fn sleeper(&self) -> Sleeper {
        Sleeper(self.0.subscribe())
    }
}

impl Sleeper {
    /// At once if there was a call since the last time.
    pub async fn woken(&mut self) {
        if self.0.changed().await.is_err() {
            // Nobody is left to call.
            std::future::pending().await
        }
    }
}
