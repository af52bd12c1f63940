//! Says in the log that sending is paused, as long as it is.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use crate::store::Store;

const EVERY: Duration = Duration::from_secs(60 * 60);

pub async fn tell(store: Store, mut stop: watch::Receiver<bool>) {
    loop {
        match store.paused_at().await {
            Ok(Some(since)) => tracing::warn!(
                %since,
                "sending is paused after a restore, leads are only stored: frontdoor deliveries resume"
            ),
            Ok(None) => {}
            Err(error) => tracing::debug!(%error, "cannot look whether sending is paused"),
        }
        if timeout(EVERY, stop.changed()).await.is_ok() {
            return;
        }
    }
}
