//! The running server: assembles, starts and stops its parts in order.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::alive::Readiness;
use crate::config::Settings;
use crate::desk::{DeskApp, DeskParts};
use crate::http::ops::{Ops, OpsParts};
use crate::http::{
    self, App, AppParts, HeadInjection, Metrics, RateLimit, Release, ReleaseWatcher,
};
use crate::listener::{self, Connections, Inherited, Limits};
use crate::logging::Log;
use crate::newsletter::ScheduledIssues;
use crate::notices::{OwnerNotifier, Plan};
use crate::outbox::{self, Outbox};
use crate::store::{OpenMode, SpamWeights, Store, VisitCounter};
use crate::upkeep::{Backups, DailyMaintenance, LAST_STEP};

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
    /// `None` if visits aren't counted.
    visits: Option<Arc<VisitCounter>>,
    /// Sends scheduled issues; `None` without a mail server.
    scheduled: Option<ScheduledIssues>,
    maintenance: DailyMaintenance,
    store: Store,
    /// Switches to newly published releases.
    release_watch: JoinHandle<()>,
    /// Reminders, the digest and fault reports.
    notices: JoinHandle<()>,
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
        let public = listener::listen(inherited.public, settings.network.listen)?;
        let ops = settings.network.ops_listen;
        let ops = ops
            .map(|address| listener::listen(inherited.ops, address))
            .transpose()?;
        let head = HeadInjection::new(settings.chat.as_ref(), settings.visits.count);
        let given = settings.site.release.as_deref();
        let release = given.map_or_else(|| Release::built_in(built_in), Release::open)?;
        let store = Store::open(&settings.database, OpenMode::Create).await?;
        let templates = http::template_placeholders();
        let site = ReleaseWatcher::start(store.clone(), given.is_some(), release, head, &templates)
            .await?;
        let release_watch = tokio::spawn(site.clone().run());
        let (webhook, mail) = (settings.webhook.as_ref(), settings.mail.as_ref());
        let backups = Backups::new(settings.backup.as_ref(), &settings.database);
        let desk = desk(settings, &store, backups.clone(), built_in);
        let promise = settings.promise.promise;
        let desk_url = settings.desk.url.clone();
        let outbox = Outbox::start(&store, webhook, mail, promise, backups.clone(), desk_url)?;
        let notifier = OwnerNotifier::new(
            store.clone(),
            Plan::from_settings(settings),
            backups.clone(),
        );
        let notices = notifier.start().await;
        let scheduled = mail.map(|mail| ScheduledIssues::start(store.clone(), mail.clone()));
        let retention = settings.retention.clone();
        let maintenance = DailyMaintenance::new(store.clone(), backups.clone(), retention);
        let metrics = Arc::new(Metrics::default());
        let proxies = settings.network.trusted_proxies.clone();
        let connections = Connections::new(limits, proxies.clone());
        let visits = settings
            .visits
            .count
            .then(|| VisitCounter::new(store.clone()));
        let readiness = Readiness::new(store.clone());
        let parts = AppParts {
            site,
            metrics: metrics.clone(),
            store: store.clone(),
            visits: visits.clone(),
            spam_weights: SpamWeights::read(&store).await,
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
            app: App::new(parts, proxies, settings.network.hsts_subdomains, log),
            ops_app: Ops::new(OpsParts {
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
            visits,
            scheduled,
            maintenance,
            store,
            release_watch,
            notices,
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

    /// Serves until `stop` turns true and requests in flight are done. Deliveries stop after the
    /// public listener, because requests in flight may add some; then the store is closed, which
    /// leaves a single complete file. Health checks are answered until the very end.
    pub async fn run(self, stop: watch::Receiver<bool>) {
        let (_never, end_of_ops) = watch::channel(false);
        let connections = Connections::new(self.limits, vec![]);
        let serve_ops = |ops| listener::serve(ops, self.ops_app, connections, end_of_ops);
        let ops = self.ops.map(|ops| tokio::spawn(serve_ops(ops)));
        let (stop_maintenance, stopped) = oneshot::channel();
        let mut maintenance = tokio::spawn(self.maintenance.run(stopped));
        let (stop_counting, stopped) = oneshot::channel();
        let counting = self.visits.map(|visits| tokio::spawn(visits.run(stopped)));
        let desk = self.desk.map(|(desk, app)| {
            let connections = Connections::new(self.limits, vec![]);
            tokio::spawn(listener::serve(desk, app, connections, stop.clone()))
        });
        listener::serve(self.public, self.app, self.connections, stop).await;
        drop(stop_counting);
        for last in [desk, counting].into_iter().flatten() {
            let _ = last.await;
        }
        let scheduled = async {
            if let Some(scheduled) = self.scheduled {
                scheduled.stop().await;
            }
        };
        self.notices.abort();
        drop(stop_maintenance);
        let last_step = timeout(LAST_STEP, &mut maintenance);
        let _ = tokio::join!(self.outbox.stop(), scheduled, last_step);
        maintenance.abort();
        self.release_watch.abort();
        if let Err(error) = self.store.close().await {
            tracing::warn!(%error, "stopped without closing the database; nothing stored is lost");
        }
        if let Some(ops) = ops {
            ops.abort();
        }
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
