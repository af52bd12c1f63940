//! A PostgreSQL server shared by any number of replicas.
//!
//! A few threads write and a few read, each with its own connection. Each connection is driven by
//! its own thread and every reply has a timeout, so a server that stalls blocks one thread's work
//! only. Each thread runs the asynchronous driver on its own runtime: the synchronous driver
//! connects without a timeout.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use jiff::{SignedDuration, Timestamp};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::TlsStream;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Config, Error, SimpleQueryMessage, Socket, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::health::lock;
use super::queue::{Connection, JobThreads, LONG_JOB_TIMEOUT, Shared, Work, on_thread};
use super::tx::{Engine, Row, Session, Tx, Value, fill};
use super::{
    Database, Inner, Migrated, OpenMode, PostgresUrl, Result, StoreError, migrate, postgres_tls,
};
use crate::calls;

const MAX_WRITERS: usize = 4;
const MAX_READERS: usize = 4;
/// The timeout for one host, and for all hosts together.
const CONNECT_LIMIT: Duration = Duration::from_secs(2);
const CONNECT_ALL_LIMIT: Duration = Duration::from_secs(3);
/// The timeout for one reply; the server's own timeout is a second shorter.
const ANSWER_LIMIT: Duration = Duration::from_secs(6);
/// The timeout of a write before its commit: it leaves time to retry on another connection.
const WRITE_LIMIT: Duration = Duration::from_millis(2_500);
/// The TCP timeout after which a silently dropped connection is noticed.
const TCP_TIMEOUT: Duration = Duration::from_secs(5);
/// After connecting took longer than this and failed, callers get that error at once for as long,
/// without a new attempt.
const RETRY_PAUSE: Duration = Duration::from_millis(300);
/// How often the offset of the server's clock is measured.
const CLOCK_CHECK: Duration = Duration::from_secs(60);

/// Sent with the startup packet, to save a round trip. Within `JOB_TIMEOUT`, a job can
/// wait for a lock twice.
const OPTIONS: &str = "-c statement_timeout=5s -c lock_timeout=1500ms \
    -c idle_in_transaction_session_timeout=10s";
/// The first number separates our locks from those of other programs.
const LOCK: &str = "SELECT pg_advisory_xact_lock(1953853038, hashtext($1))";
const READ_ONLY: &str = "the database server is read-only: it may be a standby";

pub struct Postgres {
    connector: Arc<Connector>,
}

/// Blocks until the database is open.
pub fn open(url: &PostgresUrl, mode: OpenMode, shared: Shared) -> Result<Inner> {
    let connector = Arc::new(Connector::new(url)?);
    let mut first = PgConnection::new(connector.clone(), true)?;
    let migrated = first.prepare(mode).map_err(|error| match error {
        // Now the owner has to fix it.
        StoreError::Unavailable(reason) | StoreError::Busy(reason) => StoreError::CannotOpen {
            location: url.location.clone(),
            reason,
        },
        other => other,
    })?;
    let connections = |count, writes| {
        let connection = |_| PgConnection::new(connector.clone(), writes);
        (0..count).map(connection).collect::<Result<Vec<_>>>()
    };
    let count = (url.connections / 2).clamp(1, MAX_WRITERS);
    let mut writers = connections(count - 1, true)?;
    writers.push(first);
    let count = url.connections.saturating_sub(count).clamp(1, MAX_READERS);
    let readers = connections(count, false)?;
    Ok(Inner {
        writers: JobThreads::start("store-writer", writers, &shared)?,
        readers: JobThreads::start("store-reader", readers, &shared)?,
        shared,
        location: url.location.clone(),
        database: Database::Postgres(Postgres { connector }),
        migrated,
    })
}

impl Postgres {
    /// Runs work on its own connection, without the usual timeout.
    pub async fn run_long<T: Send + 'static>(&self, work: impl Work<T>) -> Result<T> {
        let connector = self.connector.clone();
        on_thread(move || {
            let mut connection = PgConnection::new(connector, true)?;
            connection.limit = LONG_JOB_TIMEOUT;
            connection.simple("SET statement_timeout = 0")?;
            connection.transaction(work)
        })
        .await
    }

    /// How far the server's clock is ahead of ours.
    pub fn clock_offset(&self) -> SignedDuration {
        SignedDuration::from_millis(self.connector.clock_offset.load(Relaxed))
    }
}

/// Connects to the first host that accepts writes.
struct Connector {
    hosts: Vec<Config>,
    tls: MakeRustlsConnect,
    location: String,
    /// The last host that answered, which is tried first.
    last_host: AtomicUsize,
    last_failure: Mutex<Option<(Instant, StoreError)>>,
    clock_offset: AtomicI64,
}

/// A connection and its driver task, which ends with it.
struct OpenConnection {
    client: Client,
    driver: JoinHandle<()>,
    statements: HashMap<String, Statement>,
}

impl OpenConnection {
    async fn prepare(&mut self, sql: &str) -> std::result::Result<Statement, Error> {
        if let Some(prepared) = self.statements.get(sql) {
            return Ok(prepared.clone());
        }
        let prepared = self.client.prepare(&fill(sql, Engine::Postgres)).await?;
        self.statements.insert(sql.to_owned(), prepared.clone());
        Ok(prepared)
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Connector {
    fn new(url: &PostgresUrl) -> Result<Self> {
        let tls = postgres_tls::connector(url.accepted, url.root_file.as_deref());
        let tls = tls.map_err(|reason| StoreError::CannotOpen {
            location: url.location.clone(),
            reason,
        })?;
        let mut hosts = url.hosts.clone();
        let count = u32::try_from(hosts.len()).unwrap_or(1);
        for host in &mut hosts {
            if host.get_application_name().is_none() {
                host.application_name("frontdoor");
            }
            let options = host.get_options().unwrap_or_default().to_owned();
            host.connect_timeout(CONNECT_LIMIT.min(CONNECT_ALL_LIMIT / count))
                .tcp_user_timeout(TCP_TIMEOUT)
                .keepalives_idle(TCP_TIMEOUT)
                .keepalives_interval(Duration::from_secs(1))
                .keepalives_retries(3)
                .options(format!("{OPTIONS} {options}").trim());
        }
        Ok(Self {
            hosts,
            tls,
            location: url.location.clone(),
            last_host: AtomicUsize::new(0),
            last_failure: Mutex::default(),
            clock_offset: AtomicI64::new(0),
        })
    }

    /// Connects to the first host that answers and accepts writes.
    async fn connect(&self) -> Result<OpenConnection> {
        if let Some((at, error)) = &*lock(&self.last_failure)
            && at.elapsed() < RETRY_PAUSE
        {
            return Err(error.clone());
        }
        let (first, began) = (self.last_host.load(Relaxed), Instant::now());
        let mut failures: Vec<String> = Vec::new();
        for nth in 0..self.hosts.len() {
            let nth = (first + nth) % self.hosts.len();
            match self.connect_to(&self.hosts[nth]).await {
                Ok(connection) => {
                    self.last_host.store(nth, Relaxed);
                    *lock(&self.last_failure) = None;
                    return Ok(connection);
                }
                Err(why) if !failures.contains(&why) => failures.push(why),
                Err(_) => {}
            }
        }
        let error = StoreError::Unavailable(failures.join("; "));
        if began.elapsed() > RETRY_PAUSE {
            *lock(&self.last_failure) = Some((Instant::now(), error.clone()));
        }
        Err(error)
    }

    async fn connect_to(&self, host: &Config) -> Result<OpenConnection, String> {
        let connecting = async {
            let connected = host.connect(self.tls.clone()).await;
            let (client, connection) = connected.map_err(|error| describe(&error))?;
            let connection = OpenConnection {
                client,
                driver: tokio::spawn(drive(connection)),
                statements: HashMap::new(),
            };
            self.check_session(&connection).await?;
            Ok(connection)
        };
        let limit = host.get_connect_timeout().copied();
        let timed_out = |_| Err("it doesn't answer in time".to_owned());
        timeout(limit.unwrap_or(CONNECT_LIMIT), connecting)
            .await
            .unwrap_or_else(timed_out)
    }

    /// Checks that the server accepts writes and that commits are synchronous: on disk, and on the
    /// synchronous standby if there is one. Also measures the clock offset.
    async fn check_session(&self, connection: &OpenConnection) -> Result<(), String> {
        let sql = "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean,
            current_setting('synchronous_commit') IN ('on', 'remote_apply'),
            (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
        let began = Timestamp::now();
        let answer = connection.client.simple_query(sql).await;
        let messages = answer.map_err(|error| describe(&error))?;
        let row = messages.into_iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        let row = row.ok_or("it gives no answer")?;
        if row.get(0) != Some("f") {
            return Err(READ_ONLY.to_owned());
        }
        if row.get(1) != Some("t") {
            let set = connection
                .client
                .batch_execute("SET synchronous_commit = on");
            set.await.map_err(|error| describe(&error))?;
        }
        if let Some(server) = row.get(2).and_then(|time| time.parse::<i64>().ok()) {
            let ours = (began.as_millisecond() + Timestamp::now().as_millisecond()) / 2;
            self.clock_offset.store(server - ours, Relaxed);
        }
        Ok(())
    }
}

/// Drives the connection until either side closes it. The server's notices are dropped: they may
/// quote a visitor's text.
async fn drive<T>(mut connection: tokio_postgres::Connection<Socket, T>)
where
    T: TlsStream + Unpin,
{
    while let Some(Ok(_)) = std::future::poll_fn(|context| connection.poll_message(context)).await {
    }
}

fn runtime() -> Result<Runtime> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| StoreError::Unavailable(error.to_string()))
}

/// A connection, opened on first use and reopened after a failure.
struct PgConnection {
    connector: Arc<Connector>,
    /// Declared before the runtime, so that it is dropped first.
    connection: Option<OpenConnection>,
    runtime: Runtime,
    writes: bool,
    in_transaction: bool,
    /// When the server's clock was last compared with ours.
    checked_at: Instant,
    limit: Duration,
    /// A lock to be acquired together with the next statement.
    lock: Option<String>,
}

impl PgConnection {
    fn new(connector: Arc<Connector>, writes: bool) -> Result<Self> {
        Ok(Self {
            connector,
            connection: None,
            runtime: runtime()?,
            writes,
            in_transaction: false,
            checked_at: Instant::now(),
            lock: None,
            limit: if writes { WRITE_LIMIT } else { ANSWER_LIMIT },
        })
    }

    /// Prepares the database for the first use after a start.
    fn prepare(&mut self, mode: OpenMode) -> Result<Migrated> {
        let migrated = match mode {
            OpenMode::Existing => Migrated::Nothing,
            OpenMode::Create | OpenMode::MoveTarget => self.migrate()?,
        };
        let connector = self.connector.clone();
        self.transaction(|tx| migrate::require_known(tx, &connector.location))?;
        Ok(migrated)
    }

    /// After a failure, the connection must not be used again.
    fn transaction<T>(&mut self, work: impl FnOnce(&mut Tx<'_>) -> Result<T>) -> Result<T> {
        self.begin()?;
        let mut tx = Tx::new(self);
        let done = work(&mut tx)?;
        self.commit()?;
        Ok(done)
    }

    /// Holds a lock until the end of the transaction, so that replicas starting at once migrate one
    /// at a time and each step runs once.
    fn migrate(&mut self) -> Result<Migrated> {
        self.limit = LONG_JOB_TIMEOUT;
        self.simple(
            "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '60s';
            SELECT pg_advisory_xact_lock(28829054164395119)",
        )?;
        self.in_transaction = true;
        let migrated = migrate::run(&mut Tx::new(self), None)?;
        self.end("COMMIT")?;
        self.limit = WRITE_LIMIT;
        Ok(migrated)
    }

    /// Makes one call on the connection. After a timeout, or an error that may be the connection's
    /// own fault, the next call opens a new connection.
    fn call<T>(
        &mut self,
        work: impl AsyncFn(&mut OpenConnection) -> std::result::Result<T, Error>,
    ) -> Result<T> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            // The transaction was lost with its connection.
            None if self.in_transaction => {
                return Err(StoreError::Unavailable("the connection was lost".into()));
            }
            None => self.runtime.block_on(self.connector.connect())?,
        };
        let limit = self.limit;
        let called = async { timeout(limit, work(&mut connection)).await };
        match self.runtime.block_on(called) {
            Ok(called) => {
                let is_fault = called.as_ref().is_err_and(is_connection_fault);
                if !is_fault && !connection.client.is_closed() {
                    self.connection = Some(connection);
                }
                called.map_err(StoreError::from)
            }
            Err(_) => Err(StoreError::Unavailable("it doesn't answer in time".into())),
        }
    }

    /// Runs statements without values.
    fn simple(&mut self, sql: &str) -> Result<()> {
        self.call(async |connection| connection.client.batch_execute(sql).await)
    }

    fn end(&mut self, sql: &str) -> Result<()> {
        let limit = std::mem::replace(&mut self.limit, ANSWER_LIMIT);
        let ended = self.simple(sql);
        (self.limit, self.in_transaction) = (limit, false);
        ended
    }
}

/// Whether a new connection may help: after a failover, a restart, or a change of the tables.
fn is_connection_fault(error: &Error) -> bool {
    let codes = [
        &SqlState::READ_ONLY_SQL_TRANSACTION,
        &SqlState::FEATURE_NOT_SUPPORTED,
        &SqlState::ADMIN_SHUTDOWN,
        &SqlState::CRASH_SHUTDOWN,
        &SqlState::IDLE_SESSION_TIMEOUT,
        &SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
    ];
    error.code().is_none_or(|code| codes.contains(&code))
}

impl Connection for PgConnection {
    fn writes(&self) -> bool {
        self.writes
    }

    fn begin(&mut self) -> Result<()> {
        (self.lock, self.in_transaction) = (None, false);
        if self.writes {
            self.simple("BEGIN")?;
            self.in_transaction = true;
        }
        Ok(())
    }

    fn session(&mut self) -> &mut dyn Session {
        self
    }

    fn commit(&mut self) -> Result<()> {
        if self.writes {
            self.end("COMMIT")?;
        }
        Ok(())
    }

    /// A retry may succeed on a new connection, or when a lock is released. A failed commit isn't
    /// retried, because its outcome is unknown.
    fn recovers(&mut self, failure: &StoreError, in_commit: bool) -> bool {
        let is_temporary = matches!(failure, StoreError::Busy(_) | StoreError::Locked(_));
        (self.connection.is_none() || is_temporary) && !in_commit
    }

    fn rollback(&mut self) {
        if self.writes && self.end("ROLLBACK").is_err() {
            self.connection = None;
        }
    }

    /// Measures the server's clock again. A connection that doesn't answer isn't used any more.
    fn maintain(&mut self, _idle: bool) -> Result<()> {
        if self.writes
            && self.checked_at.elapsed() > CLOCK_CHECK
            && let Some(connection) = &self.connection
        {
            self.checked_at = Instant::now();
            let check =
                async { timeout(WRITE_LIMIT, self.connector.check_session(connection)).await };
            if !matches!(self.runtime.block_on(check), Ok(Ok(()))) {
                self.connection = None;
            }
        }
        Ok(())
    }
}

impl Session for PgConnection {
    fn engine(&self) -> Engine {
        Engine::Postgres
    }

    /// Acquires a pending lock in the same round trip.
    fn run(&mut self, sql: &str, args: &[Value]) -> Result<(Vec<Row>, u64)> {
        let args: Vec<_> = args
            .iter()
            .map(|value| value as &(dyn ToSql + Sync))
            .collect();
        let key = self.lock.take();
        let (rows, changed) = self.call(async |connection| {
            let statement = connection.prepare(sql).await?;
            let Some(key) = &key else {
                return run(&connection.client, &statement, &args).await;
            };
            let lock = connection.prepare(LOCK).await?;
            let (client, key): (_, &[&(dyn ToSql + Sync)]) = (&connection.client, &[key]);
            let running = run(client, &statement, &args);
            let (_, done) = tokio::try_join!(biased; client.execute(&lock, key), running)?;
            Ok(done)
        })?;
        let columns: Arc<[String]> = match rows.first() {
            Some(first) => first
                .columns()
                .iter()
                .map(|each| each.name().into())
                .collect(),
            None => Arc::default(),
        };
        let cells = |row: &tokio_postgres::Row| {
            let cells = (0..row.len()).map(|index| value_of(row, index)).collect();
            let columns = columns.clone();
            Row { columns, cells }
        };
        Ok((rows.iter().map(cells).collect(), changed))
    }

    fn batch(&mut self, sql: &str) -> Result<()> {
        self.simple(&fill(sql, Engine::Postgres))
    }

    /// Deferred to the next statement, to save a round trip.
    fn lock(&mut self, key: &str) -> Result<()> {
        if self.lock.is_some() {
            self.run("SELECT 1", &[])?;
        }
        self.lock = Some(key.to_owned());
        Ok(())
    }
}

async fn run(
    client: &Client,
    statement: &Statement,
    args: &[&(dyn ToSql + Sync)],
) -> std::result::Result<(Vec<tokio_postgres::Row>, u64), Error> {
    if statement.columns().is_empty() {
        return Ok((Vec::new(), client.execute(statement, args).await?));
    }
    let rows = client.query(statement, args).await?;
    let number = rows.len() as u64;
    Ok((rows, number))
}

/// A value that can't be converted, such as a time before the year 1, becomes an unknown value, so
/// that only its own row is unreadable.
fn value_of(row: &tokio_postgres::Row, index: usize) -> Value {
    let value = match *row.columns()[index].type_() {
        Type::INT8 => row.try_get::<_, Option<i64>>(index).map(Value::from),
        Type::INT4 => {
            let number = row.try_get::<_, Option<i32>>(index);
            number.map(|number| number.map(i64::from).into())
        }
        Type::BOOL => row.try_get::<_, Option<bool>>(index).map(Value::from),
        Type::TIMESTAMPTZ => row.try_get::<_, Option<Timestamp>>(index).map(Value::from),
        Type::BYTEA => row.try_get::<_, Option<&[u8]>>(index).map(Value::from),
        _ => row.try_get::<_, Option<String>>(index).map(Value::from),
    };
    value.unwrap_or(Value::Bytes(Vec::new()))
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) if *kind == Type::BOOL => (*number != 0).to_sql(kind, out),
            Self::Int(number) if *kind == Type::INT4 => i32::try_from(*number)?.to_sql(kind, out),
            Self::Int(number) => number.to_sql(kind, out),
            Self::Text(text) => text.to_sql(kind, out),
            Self::Bytes(bytes) => bytes.to_sql(kind, out),
            Self::Time(time) => time.to_sql(kind, out),
        }
    }

    fn accepts(_kind: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A server's message may quote values; its code and the names of tables and constraints never do.
impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        let locked = [
            &SqlState::T_R_SERIALIZATION_FAILURE,
            &SqlState::T_R_DEADLOCK_DETECTED,
            &SqlState::LOCK_NOT_AVAILABLE,
        ];
        let busy = [&SqlState::QUERY_CANCELED, &SqlState::TOO_MANY_CONNECTIONS];
        match error.code() {
            Some(code) if locked.contains(&code) => Self::Locked(describe(&error)),
            Some(code) if busy.contains(&code) => Self::Busy(describe(&error)),
            _ => Self::Unavailable(describe(&error)),
        }
    }
}

fn describe(error: &Error) -> String {
    use std::error::Error as _;
    if let Some(db_error) = error.as_db_error() {
        let code = db_error.code().code();
        if let Some(remedy) = remedy(db_error.code()) {
            return format!("{remedy} ({code})");
        }
        let names = [db_error.table(), db_error.column(), db_error.constraint()];
        let names = names.into_iter().flatten().map(|name| format!(", {name}"));
        return format!(
            "{} {code}{}",
            db_error.severity(),
            names.collect::<String>()
        );
    }
    if error.is_closed() {
        return "the connection was closed".into();
    }
    let why = error.source().map(ToString::to_string).unwrap_or_default();
    match why.as_str() {
        "password missing" => "the server asks for a password".into(),
        "server does not support TLS" => "the server doesn't speak TLS: see sslmode".into(),
        _ => match calls::reason(error) {
            calls::UNKNOWN => error.to_string(),
            reason => reason.into(),
        },
    }
}

/// A fix for the owner, if there is one.
fn remedy(code: &SqlState) -> Option<&'static str> {
    Some(match *code {
        SqlState::INVALID_PASSWORD => "the password is wrong, or has expired",
        SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
            "this role may not log in from here: see pg_hba.conf and sslmode"
        }
        SqlState::INVALID_CATALOG_NAME => {
            "there is no database of that name on the server: `createdb` makes one"
        }
        SqlState::INSUFFICIENT_PRIVILEGE => {
            "the role lacks a right: it needs CONNECT on the database, USAGE and CREATE on its \
             schema, and must own the tables"
        }
        SqlState::UNDEFINED_TABLE => "a table is missing: restore a backup",
        SqlState::DUPLICATE_TABLE => {
            "a table of another program has the name of one of ours: use a database of its own, \
             or a schema (`options=-c search_path=…`)"
        }
        SqlState::TOO_MANY_CONNECTIONS => {
            "the server has no connection left: lower FRONTDOOR_DATABASE_CONNECTIONS"
        }
        SqlState::DISK_FULL => "the disk of the database server is full: make room",
        SqlState::READ_ONLY_SQL_TRANSACTION => READ_ONLY,
        SqlState::ADMIN_SHUTDOWN | SqlState::CRASH_SHUTDOWN | SqlState::CANNOT_CONNECT_NOW => {
            "the database server is starting or stopping"
        }
        SqlState::LOCK_NOT_AVAILABLE => "another transaction holds a lock for too long",
        SqlState::QUERY_CANCELED => "a statement took longer than it may",
        SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => {
            "the server says that its data is damaged: see its log"
        }
        _ => return None,
    })
}
