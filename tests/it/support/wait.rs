//! Waiting for something to be so: a condition, not a pause.

use std::time::{Duration, Instant};

/// Long enough for a slow machine; only what is broken needs it whole.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Asks until the answer is as wanted.
pub async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let begin = Instant::now();
    while !condition().await {
        assert!(begin.elapsed() < PATIENCE, "never: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
