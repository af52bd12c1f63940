//! `frontdoor check --live` against a whole site: the program behind nginx with
//! TLS, under a name, with a mail server and a webhook. Then with one thing wrong.

mod database;
mod machine;
mod outside;

use std::net::SocketAddr;
use std::os::unix::fs::chown;
use std::process::Command;

use frontdoor::content::SITE;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::support::authority::Authority;
use crate::support::database::Database;
use crate::support::name_server::{self, Known};
use crate::support::network::Network;
use crate::support::nginx::Nginx;
use crate::support::process::{Process, frontdoor, run};
use crate::support::root::is_root;

/// What a test has otherwise than it should be.
struct House {
    /// From when on the certificate is valid.
    begin: Option<Timestamp>,
    /// Until when.
    end: Option<Timestamp>,
    /// Whom nginx names as the visitor.
    visitor: &'static str,
    /// More lines for nginx.
    proxy: &'static str,
    /// What nginx does with those who come without TLS.
    plain: &'static str,
    trusted: &'static str,
    records: Vec<(&'static str, Known)>,
}

impl Default for House {
    fn default() -> Self {
        Self {
            begin: None,
            end: None,
            visitor: "203.0.113.9",
            proxy: "",
            plain: "return 301 https://$host$request_uri;",
            trusted: "127.0.0.1",
            records: vec![
                ("maplewire.example", Known::Text("v=spf1 -all")),
                (
                    "_dmarc.maplewire.example",
                    Known::Text("v=DMARC1; p=reject"),
                ),
                (
                    "one._domainkey.maplewire.example",
                    Known::Text("v=DKIM1; p=abc"),
                ),
            ],
        }
    }
}

/// All of it, running.
struct Site {
    database: Database,
    server: Process,
    authority: Authority,
    names: SocketAddr,
    _proxy: Nginx,
    _network: Network,
}

fn host() -> &'static str {
    SITE.url.strip_prefix("https://").unwrap()
}

fn in_hours(hours: i64) -> Timestamp {
    Timestamp::now() + SignedDuration::from_hours(hours)
}

impl House {
    async fn start(self) -> Site {
        let database = Database::new();
        let settings = [
            ("FRONTDOOR_TRUSTED_PROXIES", self.trusted),
            ("FRONTDOOR_OPS_LISTEN", "127.0.0.1:0"),
        ];
        let server = Process::start(&database.url(), &settings);
        let authority = Authority::new(database.folder());
        let (certificate, key) = authority.sign(host(), self.begin, self.end);
        let file = |name: &str, text: String| {
            let path = database.path(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let certificate = file("site.pem", certificate.pem());
        let key = file("site.key", key.serialize_pem());
        let network = Network::new();
        let (ip, upstream) = (network.host(), server.address);
        let (proxy, visitor, plain) = (self.proxy, self.visitor, self.plain);
        let site = format!(
            "server {{
                listen {ip}:443 ssl; ssl_certificate {certificate}; ssl_certificate_key {key};
                location / {{
                    proxy_pass http://{upstream};
                    proxy_set_header Host $host;
                    proxy_set_header X-Forwarded-For {visitor};
                    proxy_set_header X-Forwarded-Proto $scheme;
                    {proxy}
                }}
            }}
            server {{ listen {ip}:80; {plain} }}"
        );
        let proxy = Nginx::with(&site, (ip, 443).into()).await;
        let mut records = self.records;
        for name in [host(), "alias.example"] {
            records.push((name, Known::Address(ip)));
        }
        Site {
            names: name_server::start(&records),
            database,
            server,
            authority,
            _proxy: proxy,
            _network: network,
        }
    }
}

impl Site {
    /// As the owner runs it on the server's machine.
    fn check(&self) -> Command {
        let mut command = frontdoor(&["check", "--live", "--json"]);
        command
            .args(["--resolver", &self.names.to_string()])
            .args(["--dkim-selector", "one"])
            .env("SSL_CERT_FILE", &self.authority.root)
            .env("DATABASE_URL", self.database.url());
        command
    }
}

/// Whoever the service is.
const SERVICE: u32 = 65534;

/// A database that was just made, in a folder of the service's; `None` where nobody
/// can be root.
fn database_of_the_service() -> Option<Database> {
    if !is_root("give files to somebody else") {
        return None;
    }
    let database = Database::sqlite();
    chown(database.folder(), Some(SERVICE), Some(SERVICE)).unwrap();
    migrate(&database.url());
    Some(database)
}

fn migrate(database: &str) {
    let said = run(frontdoor(&["migrate"]).env("DATABASE_URL", database));
    assert_eq!(said.code, 0, "{}", said.err);
}

/// Nothing is served; only what is here is asked about.
const NOWHERE: &str = "http://127.0.0.1:1";

fn check(database: &str, settings: &[(&str, &str)]) -> Report {
    let mut command = frontdoor(&["check", "--live", "--json", "--url", NOWHERE]);
    command
        .env("DATABASE_URL", database)
        .envs(settings.iter().copied());
    report(&mut command)
}

/// What was found.
struct Report {
    code: i32,
    verdicts: Vec<Value>,
}

fn report(command: &mut Command) -> Report {
    let said = run(command);
    let verdicts = serde_json::from_str(&said.out);
    Report {
        code: said.code,
        verdicts: verdicts.unwrap_or_else(|_| panic!("{}{}", said.out, said.err)),
    }
}

impl Report {
    /// What is said of one thing, each in a line: state, what, remedy.
    fn of(&self, check: &str) -> String {
        let found = self
            .verdicts
            .iter()
            .filter(|verdict| verdict["check"] == check);
        let line = |verdict: &Value| {
            let text = |key: &str| verdict[key].as_str().unwrap_or_default().to_owned();
            [text("state"), text("what"), text("remedy")].join(" | ")
        };
        found.map(line).collect::<Vec<_>>().join("\n")
    }

    #[track_caller]
    fn says(&self, check: &str, state: &str, words: &[&str]) {
        let said = self.of(check);
        let mut lines = said.lines();
        let fits = |line: &str| {
            line.starts_with(&format!("{state} | ")) && words.iter().all(|word| line.contains(word))
        };
        assert!(
            lines.any(fits),
            "{check} is not {state} with {words:?}: {said}"
        );
        if state == "bad" {
            assert_eq!(self.code, 1);
        }
    }
}
