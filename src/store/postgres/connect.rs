//! From an address to a session that may be written in: each host in turn,
//! none for long.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use tokio_postgres::config::{Host, SslMode as Encrypted};
use tokio_postgres::error::SqlState;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, Error, Socket, tls::TlsStream};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::session;
use super::{failure, tls};
use crate::store::postgres_url::SslMode;
use crate::store::{PostgresUrl, Result, StoreError, Wakeups};

/// For one host, and for all of them: whoever waits must hear of the last one.
const AT_MOST: Duration = Duration::from_secs(2);
const ALTOGETHER: Duration = Duration::from_secs(3);
/// A line that was cut in silence is noticed after as much.
const SILENCE: Duration = Duration::from_secs(5);

/// Given with the first packet, so that they cost no trip. The last is there
/// to be looked for: a pooler may drop what it does not know.
const OPTIONS: &str = "-c statement_timeout=10s -c lock_timeout=2s \
    -c idle_in_transaction_session_timeout=10s -c frontdoor.session=on";

/// Makes connections.
pub struct Connector {
    hosts: Vec<Config>,
    tls: MakeRustlsConnect,
    ssl_mode: SslMode,
    /// The owner's own, from the URL.
    options: String,
    /// The last that answered is asked first.
    good: AtomicUsize,
    /// A pooler between us and the server may refuse them.
    gives_options: AtomicBool,
    place: String,
}

/// One that works; closed when it is dropped.
pub struct Link {
    pub client: Client,
    pub since: Instant,
    /// No pooler stands between.
    pub is_direct: bool,
    driver: JoinHandle<()>,
}

impl Link {
    /// Returns once the connection has ended.
    pub async fn ended(&mut self) {
        let _ = (&mut self.driver).await;
    }
}

impl Drop for Link {
    // Even in the middle of an answer that never comes.
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Connector {
    pub fn new(url: &PostgresUrl) -> Result<Self> {
        let cannot = |reason| StoreError::CannotOpen {
            place: url.place(),
            reason,
        };
        let tls = tls::connector(url.ssl_mode, url.root_file.as_deref()).map_err(cannot)?;
        let mut hosts = url.hosts();
        let each = AT_MOST.min(ALTOGETHER / u32::try_from(hosts.len().max(1)).unwrap_or(1));
        for host in &mut hosts {
            host.application_name(url.config.get_application_name().unwrap_or("frontdoor"))
                .connect_timeout(each)
                .tcp_user_timeout(SILENCE)
                .keepalives_idle(SILENCE)
                .keepalives_interval(Duration::from_secs(1))
                .keepalives_retries(3);
        }
        Ok(Self {
            hosts,
            tls,
            ssl_mode: url.ssl_mode,
            options: url.config.get_options().unwrap_or_default().into(),
            good: AtomicUsize::new(0),
            gives_options: AtomicBool::new(true),
            place: url.place(),
        })
    }

    pub fn place(&self) -> &str {
        &self.place
    }

    /// The first host that answers and may be written in.
    pub async fn connect(&self, wakeups: Option<&Wakeups>) -> Result<Link> {
        let first = self.good.load(Relaxed);
        let mut failures: Vec<String> = Vec::new();
        let mut busy = false;
        for nth in 0..self.hosts.len() {
            let nth = (first + nth) % self.hosts.len();
            match self.one_host(&self.hosts[nth], wakeups).await {
                Ok(link) => {
                    self.good.store(nth, Relaxed);
                    return Ok(link);
                }
                Err(error) => {
                    busy |= matches!(error, StoreError::Busy(_));
                    let why = reason(error);
                    if !failures.contains(&why) {
                        failures.push(why);
                    }
                }
            }
        }
        let why = failures.join("; ");
        Err(match busy {
            true => StoreError::Busy(why),
            false => StoreError::Unavailable(why),
        })
    }

    async fn one_host(&self, host: &Config, wakeups: Option<&Wakeups>) -> Result<Link> {
        let limit = *host.get_connect_timeout().unwrap_or(&AT_MOST);
        let link = async {
            let mut link = self.open(host, wakeups).await?;
            link.is_direct = session::settle(&link.client).await?;
            Ok(link)
        };
        let late = |_| Err(StoreError::Unavailable("it does not answer in time".into()));
        tokio::time::timeout(limit, link).await.unwrap_or_else(late)
    }

    /// Tells once if a pooler takes no options, and does without.
    async fn open(&self, host: &Config, wakeups: Option<&Wakeups>) -> Result<Link> {
        let opened = self.open_by_mode(host, wakeups).await;
        let refused = |error: &Error| {
            let codes = [
                &SqlState::PROTOCOL_VIOLATION,
                &SqlState::FEATURE_NOT_SUPPORTED,
            ];
            error.code().is_some_and(|code| codes.contains(&code))
        };
        match opened {
            Err(error) if refused(&error) && self.gives_options.swap(false, Relaxed) => {
                tracing::info!("a pooler before the database takes no options: no time-outs there");
                Ok(self.open_by_mode(host, wakeups).await?)
            }
            opened => Ok(opened?),
        }
    }

    async fn open_by_mode(&self, host: &Config, wakeups: Option<&Wakeups>) -> Result<Link, Error> {
        let modes = match self.ssl_mode {
            _ if matches!(host.get_hosts(), [Host::Unix(_)]) => [Encrypted::Disable].as_slice(),
            SslMode::Disable => &[Encrypted::Disable],
            SslMode::Allow => &[Encrypted::Disable, Encrypted::Require],
            SslMode::Prefer => &[Encrypted::Prefer, Encrypted::Disable],
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => &[Encrypted::Require],
        };
        let mut opened = self.open_as(host, modes[0], wakeups).await;
        for mode in &modes[1..] {
            match opened {
                Err(error) if another_way_may_do(&error) => {
                    opened = self.open_as(host, *mode, wakeups).await;
                }
                _ => break,
            }
        }
        opened
    }

    async fn open_as(
        &self,
        host: &Config,
        mode: Encrypted,
        wakeups: Option<&Wakeups>,
    ) -> Result<Link, Error> {
        let mut host = host.clone();
        host.ssl_mode(mode);
        let ours = match self.gives_options.load(Relaxed) {
            true => OPTIONS,
            false => "",
        };
        let options = format!("{ours} {}", self.options);
        if !options.trim().is_empty() {
            host.options(options.trim());
        }
        let since = Instant::now();
        let (client, connection) = host.connect(self.tls.clone()).await?;
        Ok(Link {
            client,
            since,
            is_direct: false,
            driver: tokio::spawn(drive(connection, wakeups.cloned())),
        })
    }
}

/// Whether the other way of the two that `sslmode` leaves open may do.
fn another_way_may_do(error: &Error) -> bool {
    let by_rule = error.code() == Some(&SqlState::INVALID_AUTHORIZATION_SPECIFICATION);
    by_rule || failure::is_of_tls(error)
}

fn reason(error: StoreError) -> String {
    match error {
        StoreError::Unavailable(why) | StoreError::Busy(why) => why,
        other => other.to_string(),
    }
}

/// Reads and writes until either side ends it. The server's remarks are
/// dropped: they may quote what a visitor wrote.
async fn drive<T>(mut connection: Connection<Socket, T>, wakeups: Option<Wakeups>)
where
    T: TlsStream + Unpin,
    Connection<Socket, T>: Unpin,
{
    while let Some(Ok(message)) =
        std::future::poll_fn(|context| connection.poll_message(context)).await
    {
        if let (AsyncMessage::Notification(_), Some(wakeups)) = (message, &wakeups) {
            wakeups.wake();
        }
    }
}
