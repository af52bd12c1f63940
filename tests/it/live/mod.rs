//! `frontdoor check --live` on a complete site: the program behind nginx with TLS and a domain name,
//! with a mail server and a webhook. First everything works, then one thing at a time is wrong.

mod good_site;
mod machine;
mod outside;

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::Command;

use frontdoor::content::site;
use jiff::Timestamp;
use serde_json::Value;
use simple_dns::rdata::{A, RData};
use simple_dns::{CLASS, Packet, RCODE, ResourceRecord};

use crate::support::{Authority, Database, Nginx, Process, findings, frontdoor, own_host, run};

/// The proxy before the program.
struct Proxy {
    /// The start of the certificate's validity.
    begin: Option<Timestamp>,
    /// The end of its validity.
    end: Option<Timestamp>,
    /// The visitor's address that it forwards.
    visitor: &'static str,
    /// Additional lines of its configuration.
    more: &'static str,
    /// What it does without TLS.
    plain: &'static str,
}

impl Default for Proxy {
    fn default() -> Self {
        Self {
            begin: None,
            end: None,
            visitor: "203.0.113.9",
            more: "",
            plain: "return 301 https://$host$request_uri;",
        }
    }
}

/// The program, which may stand behind several proxies in turn.
struct Server {
    database: Database,
    process: Process,
    authority: Authority,
}

/// A running site with all its parts.
struct Site<'a> {
    server: &'a Server,
    ip: Ipv4Addr,
    names: SocketAddr,
    _nginx: Nginx,
}

fn host() -> &'static str {
    site().url.strip_prefix("https://").unwrap()
}

/// Of a name and what a name server says of it.
type Known = (&'static str, RData<'static>);

fn text(name: &'static str, text: &'static str) -> Known {
    (name, RData::TXT(text.try_into().unwrap()))
}

fn address(name: &'static str, ip: impl Into<Ipv4Addr>) -> Known {
    let address = ip.into().to_bits();
    (name, RData::A(A { address }))
}

fn records() -> Vec<Known> {
    vec![
        text("maplewire.example", "v=spf1 -all"),
        text("_dmarc.maplewire.example", "v=DMARC1; p=reject"),
        text("one._domainkey.maplewire.example", "v=DKIM1; p=abc"),
    ]
}

impl Server {
    fn start() -> Self {
        Self::trusting("127.0.0.1")
    }

    fn trusting(proxies: &str) -> Self {
        let database = Database::new();
        let settings = [("FRONTDOOR_TRUSTED_PROXIES", proxies)];
        Self {
            process: Process::start(&database.url(), &settings),
            authority: Authority::new(database.folder()),
            database,
        }
    }

    async fn behind(&self, change: impl FnOnce(&mut Proxy)) -> Site<'_> {
        let mut proxy = Proxy::default();
        change(&mut proxy);
        let (certificate, key) = self.authority.sign(host(), proxy.begin, proxy.end);
        let Proxy {
            visitor,
            more,
            plain,
            ..
        } = proxy;
        let file = |name: &str, text: String| {
            let path = self.database.path(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let certificate = file("site.pem", certificate.pem());
        let key = file("site.key", key.serialize_pem());
        let (ip, upstream) = (own_host(), self.process.address);
        let config = format!(
            "server {{
                listen {ip}:443 ssl; ssl_certificate {certificate}; ssl_certificate_key {key};
                location / {{
                    proxy_pass http://{upstream};
                    proxy_set_header Host $host;
                    proxy_set_header X-Forwarded-For {visitor};
                    proxy_set_header X-Forwarded-Proto $scheme;
                    {more}
                }}
            }}
            server {{ listen {ip}:80; {plain} }}"
        );
        let nginx = Nginx::with(&config, (ip, 443).into()).await;
        let site = Site {
            server: self,
            ip,
            names: ([127, 0, 0, 1], 0).into(),
            _nginx: nginx,
        };
        site.with_records(records())
    }
}

impl Site<'_> {
    fn with_records(self, mut records: Vec<Known>) -> Self {
        for name in [host(), "alias.example"] {
            records.push(address(name, self.ip));
        }
        Self {
            names: start_name_server(records),
            ..self
        }
    }

    /// As the owner runs it on the server's machine.
    fn check(&self) -> Command {
        let mut command = frontdoor(&["check", "--live", "--json"]);
        command
            .args(["--resolver", &self.names.to_string()])
            .args(["--dkim-selector", "one"])
            .env("SSL_CERT_FILE", &self.server.authority.root)
            .env("DATABASE_URL", self.server.database.url());
        command
    }
}

/// The findings.
struct Report {
    code: i32,
    verdicts: Value,
}

fn report(command: &mut Command) -> Report {
    let output = run(command);
    let verdicts = serde_json::from_str(&output.stdout);
    Report {
        code: output.code,
        verdicts: verdicts.unwrap_or_else(|_| panic!("{}{}", output.stdout, output.stderr)),
    }
}

impl Report {
    /// The findings of one check, a line each: state, what, remedy.
    fn of(&self, check: &str) -> String {
        findings(&self.verdicts, check).join("\n")
    }

    #[track_caller]
    fn says(&self, check: &str, state: &str, words: &[&str]) {
        let said = self.of(check);
        let mut lines = said.lines();
        let fits = |line: &str| {
            line.starts_with(&format!("{state} | ")) && words.iter().all(|word| line.contains(word))
        };
        let is_said = lines.any(fits);
        assert!(is_said, "{check} isn't {state} with {words:?}: {said}");
        if state == "bad" {
            assert_eq!(self.code, 1);
        }
    }
}

/// Starts a name server with these records, which runs until the test's process ends. Returns its
/// address.
fn start_name_server(records: Vec<Known>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let (mut connection, mut length) = (connection.unwrap(), [0; 2]);
            connection.read_exact(&mut length).unwrap();
            let mut question = vec![0; u16::from_be_bytes(length).into()];
            connection.read_exact(&mut question).unwrap();
            let answer = answer(Packet::parse(&question).unwrap(), &records);
            let length = (answer.len() as u16).to_be_bytes();
            connection
                .write_all(&[&length, &answer[..]].concat())
                .unwrap();
        }
    });
    address
}

/// The answer to a question.
fn answer(question: Packet<'_>, records: &[Known]) -> Vec<u8> {
    let mut answer = question.into_reply();
    *answer.rcode_mut() = RCODE::NameError;
    let asked = answer.questions[0].clone();
    for (name, data) in records {
        if asked.qname.to_string().eq_ignore_ascii_case(name) {
            *answer.rcode_mut() = RCODE::NoError;
            if asked.qtype == data.type_code().into() {
                let record = ResourceRecord::new(asked.qname.clone(), CLASS::IN, 60, data.clone());
                answer.answers.push(record);
            }
        }
    }
    answer.build_bytes_vec().unwrap()
}
