//! `frontdoor serve`: serves the site until a signal stops it.

use std::net::SocketAddr;

use anyhow::{Context as _, Result, bail};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::DatabaseLost;
use crate::alive::{self, Alive};
use crate::config::{ExternalSettings, ServeArgs, Settings};
use crate::listener::{Inherited, Limits};
use crate::logging::Log;
use crate::server::Server;

pub fn run(args: &ServeArgs, site: &'static [u8]) -> Result<()> {
    let settings = Settings::load(args)?;
    let inherited = Inherited::from_environment().context("can't use the sockets of systemd")?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("can't start the program's runtime")?;
    let log = Log::start(&settings.log);
    let result = runtime.block_on(serve(site, &settings, inherited, &log));
    log.finish();
    result
}

async fn serve(
    site: &'static [u8],
    settings: &Settings,
    inherited: Inherited,
    log: &Log,
) -> Result<()> {
    let mut signal = stop_signal(|| {
        tracing::info!("stopping: requests in flight are finished first");
        alive::stopping();
    })?;
    let limits = Limits::default().within_open_files();
    let log = Some(log.clone());
    let server = Server::start(inherited, site, settings, limits, log).await?;
    // Compared with the policy of the pages that are shown now.
    for kind in settings.retention.beyond_the_policy() {
        let what = kind.name();
        tracing::warn!(what, "records kept longer than the privacy policy says");
    }
    tracing::info!(address = %server.address(), version = env!("CARGO_PKG_VERSION"), "listening");
    if let Some(address) = server.ops_address() {
        tracing::info!(%address, "health and metrics");
    }
    tracing::info!("The site is at {}", link(server.address()));
    for [name, meaning, setting] in settings.off() {
        tracing::info!("{name} is off: {meaning}; set {setting}");
    }
    if let Some(desk) = server.desk_url() {
        let program = std::env::args().next().unwrap_or_default();
        let file = ExternalSettings::kept().and_then(|kept| kept.file.as_ref());
        let flag = file.map(|file| format!(" --settings {}", file.display()));
        tracing::info!(
            "The desk is at {desk}; this prints the link that opens it: {program} desk open{}",
            flag.unwrap_or_default()
        );
    }
    let _alive = Alive::start(&server.readiness(), settings.alive.as_ref())?;
    let (store, (stopping, stop)) = (server.store(), watch::channel(false));
    let ending = async {
        let lost = tokio::select! {
            _ = signal.wait_for(|stop| *stop) => None,
            // A service manager starts the program again, which checks the files. Without one,
            // the program goes on, so that the pages stay up.
            why = store.lost(), if alive::is_service() => Some(why),
        };
        stopping.send_replace(true);
        lost
    };
    let (lost, ()) = tokio::join!(ending, server.run(stop));
    tracing::info!("stopped");
    match lost {
        Some(why) => bail!(DatabaseLost(why.to_string())),
        None => Ok(()),
    }
}

/// Turns true on SIGTERM or SIGINT, after `notice`.
pub fn stop_signal(notice: impl FnOnce() + Send + 'static) -> Result<watch::Receiver<bool>> {
    let mut terminate = signal(SignalKind::terminate()).context("can't listen for signals")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("can't listen for signals")?;
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        notice();
        let _ = stop.send(true);
        // The channel must stay open until every receiver has seen the signal.
        stop.closed().await;
    });
    Ok(stopped)
}

fn link(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        format!("http://localhost:{}", address.port())
    } else {
        format!("http://{address}")
    }
}
