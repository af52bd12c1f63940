//! `frontdoor serve`: the site, until a signal ends it.

use anyhow::Context as _;

use super::stop::stop_signal;
use super::{Failure, facts};
use crate::config::{ServeArgs, Settings};
use crate::listener::Limits;
use crate::logging::{self, Log};
use crate::server::Server;

pub fn run(args: &ServeArgs, site: &'static [u8]) -> Result<(), Failure> {
    let settings = Settings::load(args)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start")?;
    runtime.block_on(facts::before_start(&settings));
    let settings = Settings::load(args)?;
    let log = logging::init(&settings.log);
    let result = runtime.block_on(serve(site, &settings, &log));
    log.finish();
    Ok(result?)
}

async fn serve(site: &'static [u8], settings: &Settings, log: &Log) -> anyhow::Result<()> {
    for of in settings.retention.beyond_the_policy() {
        let what = of.name();
        tracing::warn!(what, "kept for longer than the privacy policy says");
    }
    let stop = stop_signal(|| {
        tracing::info!("stopping: requests in flight are finished first");
    })?;
    let limits = Limits::default().within_open_files();
    let server = Server::bind(site, settings, limits, Some(log.clone())).await?;
    tracing::info!(address = %server.address(), version = env!("CARGO_PKG_VERSION"), "listening");
    if let Some(address) = server.ops_address() {
        tracing::info!(%address, "health and metrics");
    }
    server.run(stop).await;
    tracing::info!("stopped");
    Ok(())
}
