//! Releases of the site: publishing, refusing and rolling back, with the real program.

mod facts;
mod publishing;
mod refusals;

use std::net::SocketAddr;

use serde_json::Value;

use crate::support::{CommandOutput, Database, Draft, Process, get, name_of, until};

/// A database and a server on it.
struct Site {
    database: Database,
    server: Process,
}

impl Site {
    fn open() -> Self {
        let database = Database::new();
        let server = Process::start(&database.url(), &[]);
        Self { database, server }
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.database.run(arguments)
    }

    /// Publishes pages of this name.
    #[track_caller]
    fn publish(&self, name: &str) {
        Draft::named(name).offer(&self.database).succeeds();
    }

    async fn until_shown(&self, name: &str) {
        until_shown(self.server.address, name).await;
    }

    /// The ids, and which of them is shown.
    fn list(&self) -> (Vec<String>, String) {
        let rows = self.run(&["releases", "list", "--json"]).json();
        let rows = rows.as_array().unwrap();
        let id = |row: &Value| row["id"].as_str().unwrap().to_owned();
        let shown: Vec<_> = rows.iter().filter(|row| row["shown"] == true).collect();
        assert_eq!(shown.len(), 1, "{rows:?}");
        (rows.iter().map(id).collect(), id(shown[0]))
    }
}

fn shown(server: SocketAddr) -> String {
    name_of(&get(server, "/about")).to_owned()
}

async fn until_shown(server: SocketAddr, name: &str) {
    until(&format!("{name} is shown"), async || shown(server) == name).await;
}

/// The name of the release inside the program.
fn own_name() -> String {
    name_of(&Draft::built().text(0, "/about")).to_owned()
}

fn status(server: SocketAddr, path: &str) -> u16 {
    let answer = get(server, path);
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}
