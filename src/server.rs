//! The running server: assembles, starts and stops its parts in order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::alive::Readiness;
use crate::config::Settings;
use crate::desk::{DeskApp, DeskParts};
use crate::http::ops::{Ops, OpsState};
use crate::http::{
    self, App, AppState, HeadInjection, Metrics, RateLimit, Release, ReleaseWatcher,
};
use crate::listener::{self, Connections, Inherited, Limits};
use crate::logging::Log;
use crate::newsletter::ScheduledIssues;
use crate::notices::{NoticeSettings, OwnerNotifier};
use crate::outbox::{self, Outbox};
use crate::store::{OpenMode, SpamWeights, Store, VisitCounter};
use crate::upkeep::{Backups, DailyMaintenance};

/// How long a stop waits for work in progress in the background.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// How many requests for links in mails may query the store at once.
const LINKS_AT_ONCE: usize = 2;

/// A server with its ports bound, its store open and its deliveries running.
pub struct Server {
    public: TcpListener,
    ops: Option<TcpListener>,
    desk: Option<(TcpListener, DeskApp)>,
    app: App,
    ops_app: Ops,
    readiness: Readiness,
    limits: Limits,
    connections: Arc<Connections>,
    outbox: Outbox,
    /// Everything else that works until the server stops: new releases, notices to the owner,
    /// scheduled issues, counts of visits, and, once it runs, maintenance.
    background: JoinSet<()>,
    stop_background: watch::Sender<bool>,
    maintenance: DailyMaintenance,
    store: Store,
}

impl Server {
    /// Starts all parts, on the inherited listeners where there are any. Everything that can fail
    /// at start fails here, with a one-line message. `built_in` is the release packed by the web
    /// build.
    pub async fn start(
        inherited: Inherited,
        built_in: &'static [u8],
        settings: &Settings,
        limits: Limits,
        log: Option<Log>,
    ) -> anyhow::Result<Self> {
        // Bind first: visitors who connect while the pages load wait instead of being refused.
        let public = listener::listen(inherited.public, settings.network.listen)
            .context("FRONTDOOR_LISTEN")?;
        let ops = settings.network.ops_listen;
        let ops = ops
            .map(|address| listener::listen(inherited.ops, address))
            .transpose()
            .context("FRONTDOOR_OPS_LISTEN")?;
        let head = HeadInjection::new(settings.chat.as_ref(), settings.visits.count);
        let given = settings.site.release.as_deref();
        let release = given.map_or_else(|| Release::built_in(built_in), Release::open)?;
        let store = Store::open(&settings.database, OpenMode::Create).await?;
        let templates = http::template_placeholders();
        let releases =
            ReleaseWatcher::start(store.clone(), given.is_some(), release, head, &templates)
                .await?;
        let (stop_background, stop) = watch::channel(false);
        let mut background = JoinSet::new();
        background.spawn(until(stop.clone(), releases.clone().run()));
        let (webhook, mail) = (settings.webhook.as_ref(), settings.mail.as_ref());
        let backups = Backups::new(settings.backup.as_ref(), &settings.database);
        let desk = desk(settings, &store, backups.clone(), built_in);
        let promise = settings.promise.promise;
        let desk_url = settings.desk.url.clone();
        let outbox = Outbox::start(&store, webhook, mail, promise, backups.clone(), desk_url)?;
        let notifier = OwnerNotifier::new(
            store.clone(),
            NoticeSettings::from_settings(settings),
            backups.clone(),
        );
        background.spawn(until(stop.clone(), notifier.start().await));
        if let Some(settings) = mail.cloned() {
            let store = store.clone();
            background.spawn(ScheduledIssues { store, settings }.run(stop.clone()));
        }
        let retention = settings.retention.clone();
        let maintenance = DailyMaintenance::new(store.clone(), backups.clone(), retention);
        let metrics = Arc::new(Metrics::default());
        let proxies = settings.network.trusted_proxies.clone();
        let connections = Connections::new(limits, proxies.clone());
        let visits = settings
            .visits
            .count
            .then(|| VisitCounter::new(store.clone()));
        if let Some(visits) = &visits {
            background.spawn(visits.clone().run(stop));
        }
        let readiness = Readiness::new(store.clone());
        let state = AppState {
            releases,
            metrics: metrics.clone(),
            store: store.clone(),
            visits,
            spam_weights: SpamWeights::new(store.clone()),
            deliveries: outbox::deliveries_for_new_leads(webhook, mail),
            bookings: settings.bookings.clone(),
            confirm_by_mail: mail.is_some(),
            rate_limit: RateLimit::new(settings.network.rate_limit),
            link_limit: RateLimit::new(settings.network.link_limit()),
            link_permits: Semaphore::new(LINKS_AT_ONCE),
            body_timeout: limits.body,
        };
        Ok(Self {
            public,
            ops,
            desk,
            app: App::new(state, proxies, settings.network.hsts_subdomains, log),
            ops_app: Ops::new(OpsState {
                store: store.clone(),
                readiness: readiness.clone(),
                metrics,
                connections: connections.clone(),
                attempt_counts: outbox.attempt_counts(),
                promise,
                backups,
            }),
            readiness,
            limits,
            connections,
            outbox,
            background,
            stop_background,
            maintenance,
            store,
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

    pub fn desk_address(&self) -> Option<SocketAddr> {
        let (listener, _) = self.desk.as_ref()?;
        listener.local_addr().ok()
    }

    /// Where the owner's browser reaches the desk.
    pub fn desk_url(&self) -> Option<String> {
        let (_, app) = self.desk.as_ref()?;
        Some(app.url().to_string())
    }

    /// The application itself, for calls without a network.
    pub fn app(&self) -> App {
        self.app.clone()
    }

    pub fn store(&self) -> Store {
        self.store.clone()
    }

    pub fn readiness(&self) -> Readiness {
        self.readiness.clone()
    }

    /// Serves until `stop` turns true and requests in flight are done. The rest stops after the
    /// public listener, because requests in flight may add deliveries and visits; then the store is
    /// closed, which leaves a single complete file. Health checks are answered until the very end.
    pub async fn run(mut self, stop: watch::Receiver<bool>) {
        let (_never, end_of_ops) = watch::channel(false);
        let connections = Connections::new(self.limits, vec![]);
        let serve_ops = |ops| listener::serve(ops, self.ops_app, connections, end_of_ops);
        let ops = self.ops.map(|ops| tokio::spawn(serve_ops(ops)));
        let stop_background = self.stop_background.subscribe();
        self.background.spawn(self.maintenance.run(stop_background));
        let desk = self.desk.map(|(desk, app)| {
            let connections = Connections::new(self.limits, vec![]);
            tokio::spawn(listener::serve(desk, app, connections, stop.clone()))
        });
        listener::serve(self.public, self.app, self.connections, stop).await;
        if let Some(desk) = desk {
            let _ = desk.await;
        }
        let _ = self.stop_background.send(true);
        let finished = async { while self.background.join_next().await.is_some() {} };
        let (_, finished) = tokio::join!(self.outbox.stop(), timeout(STOP_TIMEOUT, finished));
        if finished.is_err() {
            tracing::warn!("the stop cut off an issue or maintenance; the next start goes on");
        }
        self.background.shutdown().await;
        if let Err(error) = self.store.close().await {
            tracing::warn!(%error, "stopped without closing the database; nothing stored is lost");
        }
        if let Some(ops) = ops {
            ops.abort();
        }
    }
}

/// Runs until it is stopped, wherever it is then.
async fn until(mut stop: watch::Receiver<bool>, work: impl Future<Output = ()>) {
    tokio::select! {
        () = work => {}
        _ = stop.wait_for(|stop| *stop) => {}
    }
}

/// Starts the desk, unless it is off. If its port is taken, only the desk is off: the site must
/// start for visitors.
fn desk(
    settings: &Settings,
    store: &Store,
    backups: Option<Backups>,
    built_in: &'static [u8],
) -> Option<(TcpListener, DeskApp)> {
    let address = settings.desk.listen?;
    let listener = match listener::listen(None, address) {
        Ok(listener) => listener,
        Err(error) => {
            tracing::error!(
                "the desk is off: {error:#}; set FRONTDOOR_DESK_LISTEN to another port"
            );
            return None;
        }
    };
    let url = settings.desk.address_of(listener.local_addr().ok()?)?;
    let app = DeskApp::new(DeskParts {
        store: store.clone(),
        url,
        settings: settings.clone(),
        backups,
        built_in,
    });
    Some((listener, app))
}
