//! Ending in good order when told to.

use anyhow::Context as _;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Turns true on SIGTERM or SIGINT, after `notice`.
pub fn stop_signal(
    notice: impl FnOnce() + Send + 'static,
) -> anyhow::Result<watch::Receiver<bool>> {
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for signals")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for signals")?;
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        notice();
        let _ = stop.send(true);
        // Whoever waits for the signal must not see the channel close first.
        stop.closed().await;
    });
    Ok(stopped)
}
