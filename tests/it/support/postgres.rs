//! A database of the test's own on the PostgreSQL server that the script
//! beside us has started, and a way into it past the program.
//!
//! Its calls wait like those of a file, also inside a test's own runtime.

use std::sync::LazyLock;
use std::sync::mpsc::channel;

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};
use uuid::Uuid;

static ASIDE: LazyLock<Runtime> = LazyLock::new(|| {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(1).enable_all().build().unwrap()
});

/// An empty database, which goes away with the test.
pub struct OnServer {
    server: String,
    name: String,
}

impl OnServer {
    pub fn new() -> Self {
        let server = server();
        let name = format!("test_{}", Uuid::new_v4().simple());
        Session::new(&server).run(&format!("CREATE DATABASE {name}"));
        Self { server, name }
    }

    pub fn url(&self) -> String {
        let (server, _) = self.server.rsplit_once('/').unwrap();
        format!("{server}/{}", self.name)
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for OnServer {
    fn drop(&mut self) {
        // A failing test may have left connections.
        let drop = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        Session::new(&self.server).run(&drop);
    }
}

/// The server's own database, where others are made.
pub fn server() -> String {
    std::env::var("FRONTDOOR_TEST_POSTGRES").expect(
        "this test needs a PostgreSQL server: run it by scripts/rust-tests or scripts/postgres",
    )
}

/// A connection, closed when dropped.
pub struct Session(std::sync::Arc<Client>);

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

    /// The cells of all rows that come back.
    pub fn rows(&self, sql: &str) -> Vec<Vec<String>> {
        let rows = self
            .messages(sql)
            .into_iter()
            .filter_map(|said| match said {
                SimpleQueryMessage::Row(row) => {
                    let cells = 0..row.len();
                    Some(cells.map(move |cell| row.get(cell).unwrap_or_default().to_owned()))
                }
                _ => None,
            });
        rows.map(Iterator::collect).collect()
    }

    /// How many rows the last statement was about.
    pub fn run(&self, sql: &str) -> u64 {
        let said = self.messages(sql).into_iter();
        said.fold(0, |rows, message| match message {
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
    ASIDE.spawn(async move { tell.send(work.await) });
    told.recv().expect("PostgreSQL answers")
}
