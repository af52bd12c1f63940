//! A database for one test, removed when the test ends: a file, or a database on the PostgreSQL
//! server of the run (`FRONTDOOR_TEST_DATABASE=postgres`, which `scripts/rust-tests` sets for its
//! second round). [`Sql`] is the test's own connection to it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::channel;
use std::sync::{Arc, LazyLock};

use frontdoor::store::{Delivery, DeliveryFilter, Lead, LeadFilter, OpenMode, Store};
use rusqlite::types::Value;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};
use uuid::Uuid;

use super::{CommandOutput, frontdoor, run};

pub struct Database {
    /// For the test's files, among them a SQLite database.
    folder: TempDir,
    /// The database's name on the server.
    name: Option<String>,
}

/// Whether this is the round of the tests on PostgreSQL.
pub fn on_postgres() -> bool {
    match std::env::var("FRONTDOOR_TEST_DATABASE").as_deref() {
        Err(_) | Ok("sqlite") => false,
        Ok("postgres") => true,
        Ok(other) => panic!("FRONTDOOR_TEST_DATABASE is sqlite or postgres, not {other}"),
    }
}

impl Database {
    /// Without any table yet.
    pub fn new() -> Self {
        if on_postgres() {
            Self::postgres()
        } else {
            Self::sqlite()
        }
    }

    /// With its tables, as every start but the first finds it.
    pub async fn with_tables() -> Self {
        if !on_postgres() {
            return Self::sqlite();
        }
        let session = Session::new(&server());
        // Made by the first test of the run that comes here.
        session.run("SELECT pg_advisory_lock(1)");
        let is_there = "SELECT 1 FROM pg_database WHERE datname = 'with_tables'";
        if session.rows(is_there).is_empty() {
            let first = Self::postgres();
            first.create().await.close().await.unwrap();
            session.run(&format!(
                "ALTER DATABASE {} RENAME TO with_tables",
                first.name()
            ));
        }
        session.run("SELECT pg_advisory_unlock(1)");
        Self::on_server("TEMPLATE with_tables")
    }

    /// For tests about files, in either round.
    pub fn sqlite() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            name: None,
        }
    }

    /// For tests of what only PostgreSQL has, in either round.
    pub fn postgres() -> Self {
        Self::on_server("")
    }

    fn on_server(template: &str) -> Self {
        let name = format!("test_{}", Uuid::new_v4().simple());
        Session::new(&server()).run(&format!("CREATE DATABASE {name} {template}"));
        Self {
            folder: tempfile::tempdir().unwrap(),
            name: Some(name),
        }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The path of a file beside the database.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    #[track_caller]
    pub fn file(&self) -> PathBuf {
        assert!(self.name.is_none(), "no file: see Database::sqlite");
        self.path("leads.db")
    }

    pub fn url(&self) -> String {
        match &self.name {
            Some(name) => {
                let server = server();
                let (server, _) = server.rsplit_once('/').unwrap();
                format!("{server}/{name}")
            }
            None => sqlite_url(&self.file()),
        }
    }

    /// The program with this database in its settings.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = frontdoor(arguments);
        command.env("DATABASE_URL", self.url());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> CommandOutput {
        run(&mut self.command(arguments))
    }

    /// Its file or its name on the server.
    pub fn name(&self) -> String {
        let file = || self.file().display().to_string();
        self.name.clone().unwrap_or_else(file)
    }

    pub async fn create(&self) -> Store {
        self.open(OpenMode::Create).await
    }

    pub async fn open(&self, mode: OpenMode) -> Store {
        let url = self.url().parse().unwrap();
        Store::open(&url, mode).await.unwrap()
    }

    pub fn sql(&self) -> Sql {
        if self.name.is_some() {
            return Sql::Server(Session::new(&self.url()));
        }
        let connection = rusqlite::Connection::open(self.file()).unwrap();
        // The store closes if another program runs a checkpoint.
        connection
            .pragma_update(None, "wal_autocheckpoint", 0)
            .unwrap();
        Sql::File(connection)
    }

    /// The database's files and those beside it.
    pub fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder()).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // A failing test may have left connections.
            let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
            Session::new(&server()).run(&drop);
        }
    }
}

pub fn sqlite_url(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

pub async fn open(file: &Path, mode: OpenMode) -> Store {
    let url = sqlite_url(file).parse().unwrap();
    Store::open(&url, mode).await.unwrap()
}

pub fn all() -> LeadFilter {
    LeadFilter {
        limit: 1_000_000,
        ..LeadFilter::default()
    }
}

pub async fn leads(store: &Store) -> Vec<Lead> {
    store.leads(all()).await.unwrap()
}

pub async fn deliveries(store: &Store) -> Vec<Delivery> {
    let filter = DeliveryFilter {
        limit: 1_000_000,
        ..DeliveryFilter::default()
    };
    store.deliveries(filter).await.unwrap()
}

/// The ids of the leads in a database file, which must be intact.
pub fn stored(file: &Path) -> HashSet<String> {
    let sql = Sql::File(rusqlite::Connection::open(file).unwrap());
    let verdict = sql.rows("PRAGMA integrity_check");
    assert_eq!(verdict, [["ok"]], "{}", file.display());
    sql.rows("SELECT id FROM contacts")
        .concat()
        .into_iter()
        .collect()
}

/// A connection beside those of the program.
pub enum Sql {
    File(rusqlite::Connection),
    Server(Session),
}

impl Sql {
    /// Runs a statement; returns the number of rows it changed.
    pub fn run(&self, sql: &str) -> u64 {
        match self {
            Self::File(db) => db.execute(sql, []).unwrap() as u64,
            Self::Server(db) => db.run(sql),
        }
    }

    /// The single number that the query returns.
    pub fn number(&self, sql: &str) -> i64 {
        self.rows(sql)[0][0].parse().unwrap()
    }

    /// All cells as text; NULL is empty text.
    pub fn rows(&self, sql: &str) -> Vec<Vec<String>> {
        let db = match self {
            Self::File(db) => db,
            Self::Server(db) => return db.rows(sql),
        };
        let mut query = db.prepare(sql).unwrap();
        let columns = query.column_count();
        let cell = |value: Value| match value {
            Value::Null => String::new(),
            Value::Integer(number) => number.to_string(),
            Value::Text(text) => text,
            other => format!("{other:?}"),
        };
        let rows = query.query_map([], |row| {
            let cells = (0..columns).map(|place| row.get(place).map(cell));
            cells.collect()
        });
        rows.unwrap().map(Result::unwrap).collect()
    }

    /// Blocks all writes until [`Sql::unlock`].
    pub fn lock(&self) {
        match self {
            Self::File(db) => db.execute_batch("BEGIN IMMEDIATE").unwrap(),
            Self::Server(db) => {
                let tables = "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables
                    WHERE schemaname = 'public'";
                let tables = &db.rows(tables)[0][0];
                db.run("BEGIN");
                db.run(&format!("LOCK TABLE {tables} IN SHARE MODE"));
            }
        }
    }

    pub fn unlock(&self) {
        self.run("ROLLBACK");
    }

    /// Makes the database refuse an operation, for example `INSERT ON contacts`, if the condition is
    /// true.
    pub fn refuse(&self, what: &str, condition: &str) {
        self.run(&match self {
            Self::File(_) => format!(
                "CREATE TRIGGER refuse BEFORE {what} WHEN {condition}
                BEGIN SELECT RAISE(ABORT, 'refused'); END"
            ),
            Self::Server(_) => format!(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN RAISE 'refused'; END $$;
                CREATE TRIGGER refuse BEFORE {what} FOR EACH ROW
                WHEN ({condition}) EXECUTE FUNCTION refuse()"
            ),
        });
    }

    pub fn refuse_no_more(&self, table: &str) {
        self.run(&match self {
            Self::File(_) => "DROP TRIGGER refuse".to_owned(),
            Self::Server(_) => format!("DROP TRIGGER refuse ON {table}"),
        });
    }
}

/// The server's default database, from which the tests create theirs.
pub fn server() -> String {
    std::env::var("FRONTDOOR_TEST_POSTGRES").expect(
        "this test needs a PostgreSQL server: run it by scripts/rust-tests or scripts/with-postgres",
    )
}

/// A connection to a server, closed when dropped. Its calls block, also inside a test's runtime.
pub struct Session(Arc<Client>);

static SESSIONS: LazyLock<Runtime> = LazyLock::new(|| {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(1).enable_all().build().unwrap()
});

impl Session {
    pub fn new(url: &str) -> Self {
        let url = url.to_owned();
        let client = wait(async move {
            let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
            tokio::spawn(connection);
            client
        });
        Self(client.into())
    }

    pub fn rows(&self, sql: &str) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        for message in self.messages(sql) {
            if let SimpleQueryMessage::Row(row) = message {
                let cell = |place| row.get(place).unwrap_or_default().to_owned();
                rows.push((0..row.len()).map(cell).collect());
            }
        }
        rows
    }

    /// Runs statements; returns the number of rows that the last one changed.
    pub fn run(&self, sql: &str) -> u64 {
        let messages = self.messages(sql).into_iter();
        messages.fold(0, |rows, message| match message {
            SimpleQueryMessage::CommandComplete(number) => number,
            _ => rows,
        })
    }

    fn messages(&self, sql: &str) -> Vec<SimpleQueryMessage> {
        let (client, query) = (self.0.clone(), sql.to_owned());
        wait(async move { client.simple_query(&query).await })
            .unwrap_or_else(|error| panic!("{sql}: {error:?}"))
    }
}

fn wait<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    let (tell, told) = channel();
    SESSIONS.spawn(async move { tell.send(work.await) });
    told.recv().expect("PostgreSQL answers")
}
