//! The running server: its parts put together, started and stopped in order.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context as _;
use ipnet::IpNet;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use crate::alive::Readiness;
use crate::config::Settings;
use crate::http::ops::{Ops, OpsParts};
use crate::http::{
    self, App, AppParts, Changeover, Metrics, Press, RateLimit, Release, ReportLimit, Shell,
};
use crate::listener::{self, Inherited, Limits};
use crate::logging::Log;
use crate::newsletter::Later;
use crate::notices::{Notices, Plan, Teller};
use crate::outbox::{self, Outbox};
use crate::store::{LiveWeights, OpenMode, Store};
use crate::trace::{self, Tracer};
use crate::upkeep::{Backups, Keeper, Upkeep};

/// How many visits of the links in mails ask the store at once.
const LINKS_AT_ONCE: usize = 2;

/// Ready to serve: ports taken, store open, deliveries on their way.
pub struct Server {
    public: TcpListener,
    ops: Option<TcpListener>,
    app: App,
    ops_app: Ops,
    readiness: Readiness,
    limits: Limits,
    proxies: Vec<IpNet>,
    outbox: Outbox,
    /// Issues whose time comes.
    later: Option<Later>,
    /// What the owner is told unasked.
    notices: Notices,
    keeper: Keeper,
    store: Store,
    /// Shows what is published.
    changeover: Changeover,
    /// Sends traces.
    exporter: Option<trace::Exporter>,
}

impl Server {
    /// Everything that can fail at start fails here, with one clear line.
    /// `site` is what the web build has packed.
    pub async fn bind(
        site: &'static [u8],
        settings: &Settings,
        limits: Limits,
        log: Option<Log>,
    ) -> anyhow::Result<Self> {
        Self::bind_to(Inherited::default(), site, settings, limits, log).await
    }

    /// The same on listeners that are open already, where there are some.
    pub async fn bind_to(
        mut inherited: Inherited,
        site: &'static [u8],
        settings: &Settings,
        limits: Limits,
        log: Option<Log>,
    ) -> anyhow::Result<Self> {
        // First: who comes while the pages are made waits instead of being turned away.
        let public = listen(inherited.public(), settings.network.listen)?;
        let ops = match settings.network.ops_listen {
            Some(address) => Some(listen(inherited.ops(), address)?),
            None => {
                turn_away(inherited.ops().context(INHERITED)?);
                None
            }
        };
        let shell = Shell::new(settings.chat.as_ref());
        let press = Press::new(shell, &http::template_words());
        let given = settings.site.release.as_deref();
        let release = given.map_or_else(|| Release::carried(site), Release::open)?;
        let store = Store::open(&settings.database, OpenMode::Create).await?;
        let published = given.is_none().then(|| store.clone());
        let changeover = Changeover::start(published, release, press).await?;
        let (webhook, mail) = (settings.webhook.as_ref(), settings.mail.as_ref());
        let backups = Backups::new(settings.backup.as_ref(), &settings.database);
        let promise = settings.promise.promise;
        let traced = settings.trace.as_ref().map(Tracer::start).transpose()?;
        let (tracer, exporter) = traced.unzip();
        let tracer = tracer.unwrap_or_default();
        let (backed_up, told) = (backups.clone(), tracer.clone());
        let outbox = Outbox::start(&store, webhook, mail, promise, backed_up, told)?;
        let teller = Teller::new(store.clone(), Plan::of(settings), backups.clone());
        let notices = Notices::start(teller).await;
        let later = mail.map(|mail| Later::start(store.clone(), mail.clone()));
        let (retention, clocked) = (settings.retention.clone(), store.clone());
        let clock = Arc::new(move || clocked.now());
        let keeper = Keeper::new(store.clone(), backups.clone(), retention, clock);
        let metrics = Arc::new(Metrics::default());
        let readiness = Readiness::new(store.clone());
        let parts = AppParts {
            pages: changeover.pages.clone(),
            newest: changeover.newest.clone(),
            metrics: metrics.clone(),
            tracer: tracer.clone(),
            store: store.clone(),
            lessons: LiveWeights::read(&store).await,
            deliveries: outbox::kinds(webhook, mail),
            confirm_by_mail: mail.is_some(),
            rate_limit: RateLimit::new(settings.network.rate_limit),
            link_limit: RateLimit::new(settings.network.link_limit()),
            link_turns: Semaphore::new(LINKS_AT_ONCE),
            report_limit: ReportLimit::default(),
            body_patience: limits.body,
        };
        Ok(Self {
            public,
            ops,
            app: App::new(
                parts,
                settings.network.trusted_proxies.clone(),
                settings.network.hsts_subdomains,
                log,
            ),
            ops_app: Ops::new(OpsParts {
                store: store.clone(),
                readiness: readiness.clone(),
                metrics,
                tracer,
                tally: outbox.tally(),
                promise,
                backups,
            }),
            readiness,
            limits,
            proxies: settings.network.trusted_proxies.clone(),
            outbox,
            later,
            notices,
            keeper,
            store,
            changeover,
            exporter,
        })
    }

    pub fn address(&self) -> SocketAddr {
        let address = self.public.local_addr();
        address.expect("a bound socket has an address")
    }

    pub fn ops_address(&self) -> Option<SocketAddr> {
        let listener = self.ops.as_ref();
        listener.and_then(|listener| listener.local_addr().ok())
    }

    /// The application itself, to be called without a network.
    pub fn app(&self) -> App {
        self.app.clone()
    }

    pub fn store(&self) -> Store {
        self.store.clone()
    }

    /// Whether it could store a lead.
    pub fn readiness(&self) -> Readiness {
        self.readiness.clone()
    }

    /// Serves until `stop` turns true and what is in flight is done. The
    /// deliveries stop after the visitors, because requests in flight may add
    /// some; then the store is closed, which leaves one whole file. Health is
    /// answered to the very end.
    pub async fn run(self, stop: watch::Receiver<bool>) {
        let (_never, end_of_ops) = watch::channel(false);
        let serve_ops = |ops| listener::serve(ops, self.ops_app, self.limits, vec![], end_of_ops);
        let ops = self.ops.map(|ops| tokio::spawn(serve_ops(ops)));
        let upkeep = Upkeep::start(self.keeper);
        listener::serve(self.public, self.app, self.limits, self.proxies, stop).await;
        let later = async {
            if let Some(later) = self.later {
                later.stop().await;
            }
        };
        tokio::join!(
            self.notices.stop(),
            self.outbox.stop(),
            later,
            upkeep.stop()
        );
        drop(self.changeover);
        let traces = async {
            if let Some(exporter) = self.exporter {
                exporter.stop().await;
            }
        };
        let (closed, ()) = tokio::join!(self.store.close(), traces);
        if let Err(error) = closed {
            tracing::warn!(%error, "stopped without closing the store; nothing stored is lost");
        }
        if let Some(ops) = ops {
            ops.abort();
        }
    }
}

const INHERITED: &str = "cannot use the socket that systemd has opened";

/// Systemd keeps its socket open, whatever the setting says: nobody shall wait there
/// for an answer that never comes.
fn turn_away(unused: Option<TcpListener>) {
    let Some(listener) = unused else { return };
    if let Ok(address) = listener.local_addr() {
        tracing::warn!(
            %address,
            "health and metrics are off, and the socket unit keeps their port open: who connects \
            is turned away; `systemctl edit frontdoor.socket` closes it"
        );
    }
    tokio::spawn(listener::turn_away(listener));
}

fn listen(
    inherited: io::Result<Option<TcpListener>>,
    address: SocketAddr,
) -> anyhow::Result<TcpListener> {
    let inherited = inherited.context(INHERITED)?;
    let Some(listener) = inherited else {
        let bound = listener::bind(address);
        return bound.with_context(|| format!("cannot listen on {address}"));
    };
    let actual = listener.local_addr()?;
    if actual != address {
        tracing::warn!(%actual, set = %address, "the socket unit says where to listen, not the setting");
    }
    Ok(listener)
}
