//! Waiting for something to be so: a condition, not a pause.

use std::time::{Duration, Instant};

/// Long enough for a slow machine; only what is broken needs it whole.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Asks until the answer is as wanted.
pub async fn until(what: &str, condition: impl AsyncFnMut() -> bool) {
    until_within(PATIENCE, what, condition).await;
}

/// The same of what is known to take longer.
pub async fn until_within(
    patience: Duration,
    what: &str,
    mut condition: impl AsyncFnMut() -> bool,
) {
    let begin = Instant::now();
    while !condition().await {
        assert!(begin.elapsed() < patience, "never: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
