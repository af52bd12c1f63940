//! The running server: its parts put together, started and stopped in order.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context as _;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::config::Settings;
use crate::http::ops::Ops;
use crate::http::{App, AppParts, Metrics, Pages, Shell};
use crate::listener::{self, Limits};
use crate::logging::Log;
use crate::store::{OpenMode, Store};

/// Ready to serve: ports taken, store open.
pub struct Server {
    public: TcpListener,
    ops: Option<TcpListener>,
    app: App,
    ops_app: Ops,
    limits: Limits,
    /// For tests and tools that want to look behind the scenes.
    pub store: Store,
}

impl Server {
    /// Everything that can fail at start fails here, with one clear line.
    pub async fn bind(
        settings: &Settings,
        limits: Limits,
        log: Option<Log>,
    ) -> anyhow::Result<Self> {
        let public = bind(settings.listen).await?;
        let ops = match settings.ops_listen {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        let store = Store::open(&settings.database, OpenMode::Create).await?;
        let metrics = Arc::new(Metrics::default());
        let parts = AppParts {
            pages: Pages::new(&Shell::default()),
            metrics: metrics.clone(),
        };
        Ok(Self {
            public,
            ops,
            app: App::new(parts, settings.trusted_proxies.clone(), log),
            ops_app: Ops::new(store.clone(), metrics),
            limits,
            store,
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.public
            .local_addr()
            .expect("a bound socket has an address")
    }

    pub fn ops_address(&self) -> Option<SocketAddr> {
        self.ops
            .as_ref()
            .and_then(|listener| listener.local_addr().ok())
    }

    /// Serves until `stop` turns true and what is in flight is done.
    pub async fn run(self, stop: watch::Receiver<bool>) {
        let public = listener::serve(self.public, self.app, self.limits, stop.clone());
        match self.ops {
            // Health is answered as long as visitors are.
            Some(ops) => {
                let ops = tokio::spawn(listener::serve(ops, self.ops_app, self.limits, stop));
                public.await;
                ops.abort();
            }
            None => public.await,
        }
    }
}

async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}"))
}
