//! The program's start, stop and complaints, as its owner sees them.

use std::net::TcpListener;

use serde_json::Value;

use crate::support::database::{Database, sqlite_url};
use crate::support::process::{Process, Said, frontdoor, get, refusal, run};

/// A failure is one line on standard error that begins with our name.
fn complaint(said: &Said) -> &str {
    let text = &said.err;
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(
        text.starts_with("frontdoor: ") && !text.contains("panicked"),
        "{text}"
    );
    text
}

#[test]
fn the_version_and_help_are_there_everywhere() {
    let version = run(&mut frontdoor(&["--version"]));
    let deeper = run(&mut frontdoor(&["leads", "list", "--version"]));
    assert_eq!((deeper.code, deeper.err.as_str()), (0, ""));
    let known = concat!("frontdoor ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!((version.code, version.out.as_str()), (0, known));
    for command in ["serve", "migrate", "check", "leads", "deliveries", "backup"] {
        let help = run(&mut frontdoor(&[command, "--help"]));
        assert!(help.code == 0 && !help.out.is_empty(), "{command}");
    }
}

#[test]
fn a_wrong_value_is_one_line_that_names_the_setting_and_exit_code_2() {
    for command in ["serve", "check"] {
        for (setting, value) in [
            ("FRONTDOOR_LISTEN", "nowhere"),
            ("FRONTDOOR_OPS_LISTEN", "x"),
            ("DATABASE_URL", "mysql://x"),
            ("FRONTDOOR_WEBHOOK_SECRET", "not-a-secret"),
            ("FRONTDOOR_SMTP_URL", "smtp://h?tls=maybe"),
            ("FRONTDOOR_RATE_LIMIT", "many"),
            ("FRONTDOOR_PROMISE_HOURS", "745"),
            ("FRONTDOOR_TRUSTED_PROXIES", "everyone"),
            ("FRONTDOOR_LOG_FORMAT", "xml"),
        ] {
            let result = run(frontdoor(&[command]).env(setting, value));
            assert_eq!(result.code, 2, "{setting}");
            let line = complaint(&result);
            assert!(line.contains(setting), "{line}");
            assert!(!line.contains("not-a-secret"), "{line}");
        }
    }
    let flag = run(&mut frontdoor(&["serve", "--rate-limit", "many"]));
    assert_eq!(flag.code, 2);
    assert!(complaint(&flag).contains("FRONTDOOR_RATE_LIMIT"));
    let unknown = run(&mut frontdoor(&["serve", "--colour"]));
    assert_eq!(unknown.code, 2);
}

#[test]
fn a_port_in_use_is_one_line_and_exit_code_1() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let database = Database::sqlite();
    let mut command = frontdoor(&["serve", "--listen", &address, "--ops-listen", "off"]);
    let result = run(command.env("DATABASE_URL", database.url()));
    assert_eq!(result.code, 1);
    assert!(complaint(&result).contains(&format!("cannot listen on {address}")));
}

#[test]
fn a_data_folder_that_cannot_be_made_is_one_line_and_exit_code_1() {
    let folder = Database::sqlite();
    std::fs::write(folder.path("file"), "not a folder").unwrap();
    let database = sqlite_url(&folder.path("file/data/a.db"));
    for command in ["serve", "check"] {
        let mut command = frontdoor(&[command, "--listen", "127.0.0.1:0", "--ops-listen", "off"]);
        let result = run(command.env("DATABASE_URL", &database));
        assert_eq!(result.code, 1);
        assert!(complaint(&result).contains("cannot open the database"));
    }
}

#[test]
fn check_says_what_is_set_up_and_what_is_missing_and_creates_nothing() {
    let folder = Database::sqlite();
    let database = sqlite_url(&folder.path("data/a.db"));
    let run = |command| run(frontdoor(&[command]).env("DATABASE_URL", &database));
    let missing = run("check");
    assert_eq!(missing.code, 1);
    assert!(missing.out.contains("\n✗ database: sqlite://"));
    let line = complaint(&missing);
    assert!(line.contains("there is no database") && line.contains("`frontdoor migrate`"));
    assert!(!folder.path("data").exists(), "check creates nothing");

    let made = run("migrate");
    assert!(made.code == 0 && made.out.starts_with("Created sqlite://"));
    assert!(run("migrate").out.contains("is up to date"));
    let there = run("check");
    assert_eq!(there.code, 0);
    for line in [
        "✓ settings: are right",
        "✓ database: sqlite://",
        "! webhook: is off: leads are only stored",
    ] {
        there.shows(line);
    }
}

#[test]
fn a_damaged_database_is_refused_with_the_remedy() {
    let database = Database::sqlite();
    let made = run(frontdoor(&["migrate"]).env("DATABASE_URL", database.url()));
    assert_eq!(made.code, 0);
    let mut bytes = std::fs::read(database.file()).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].fill(0x5a);
    std::fs::write(database.file(), &bytes).unwrap();
    for command in ["serve", "check"] {
        let mut command = frontdoor(&[command, "--listen", "127.0.0.1:0", "--ops-listen", "off"]);
        let result = refusal(command.env("DATABASE_URL", database.url()));
        assert_eq!(result.code, 1);
        let line = complaint(&result);
        assert!(
            line.contains("is damaged") && line.contains("backup"),
            "{line}"
        );
    }
}

#[test]
fn the_server_starts_in_an_empty_folder_logs_each_request_and_stops_on_sigterm() {
    let database = Database::sqlite();
    let process = Process::start(&sqlite_url(&database.path("new/data/site.db")), &[]);
    let answer = get(process.address, "/blog/secret-path?email=ada@example.org");
    assert!(answer.starts_with("HTTP/1.1 404 "));
    let id = answer
        .lines()
        .find_map(|line| line.strip_prefix("x-request-id: "));
    let (log, status) = process.terminate();
    assert!(status.success(), "{status}");
    let left = std::fs::read_dir(database.path("new/data")).unwrap();
    assert_eq!(left.count(), 1, "the database and no journal");
    let events: Vec<serde_json::Value> = log
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let request = events
        .iter()
        .find(|event| event["message"] == "request")
        .unwrap();
    assert_eq!(request["method"], "GET");
    assert_eq!(request["status"], 404);
    assert_eq!(request["request_id"].as_str(), id);
    assert!(request["us"].is_u64() && request["bytes"].is_u64());
    // All but our own address.
    let log = log.iter().filter(|line| !line.contains("The site is at"));
    let log: String = log.map(String::as_str).collect();
    for private in ["secret-path", "ada@", "127.0.0.1"] {
        assert!(!log.contains(private), "{private} in {log}");
    }
}

#[test]
fn the_log_can_be_for_people() {
    let database = Database::sqlite();
    let settings = [("FRONTDOOR_LOG_FORMAT", "human")];
    let process = Process::start(&database.url(), &settings);
    assert!(get(process.address, "/about?x=1").starts_with("HTTP/1.1 200 "));
    let (log, _) = process.terminate();
    let request = log.iter().find(|line| line.contains("GET")).unwrap();
    assert!(
        request.contains(" 200 GET /about ") && !request.contains("x=1"),
        "{request}"
    );
    assert!(!log.concat().contains('{'), "{log:?}");
}

#[test]
fn a_start_tells_where_the_site_is_and_what_is_off() {
    let database = Database::sqlite();
    let told = |settings: &[(&str, &str)]| {
        let server = Process::start(&database.url(), settings);
        let link = format!("The site is at http://{}", server.address);
        let (log, _) = server.terminate();
        assert!(log.iter().any(|line| line.contains(&link)), "{log:#?}");
        let off = log.iter().filter(|line| line.contains(" off: "));
        let message = |line: &String| {
            let event: Value = serde_json::from_str(line).unwrap();
            event["message"].as_str().unwrap().to_owned()
        };
        off.map(message).collect::<Vec<_>>()
    };
    let (webhook, smtp) = ("http://127.0.0.1:9/hook", "smtp://127.0.0.1:9");
    assert_eq!(
        told(&[]),
        [
            "Mail is off: nobody is notified of new leads. Set FRONTDOOR_SMTP_URL.",
            "The webhook is off: no automation gets the leads. Set FRONTDOOR_WEBHOOK_URL.",
            "The chat is off: no page has an assistant. Set FRONTDOOR_CHAT_PROJECT_ID.",
            "Backups are off: when the disk fails, all leads are lost. Set FRONTDOOR_BACKUP_DIR.",
        ]
    );
    let folder = database.path("backups");
    let all = [
        ("FRONTDOOR_WEBHOOK_URL", webhook),
        ("FRONTDOOR_CHAT_PROJECT_ID", "0123456789abcdef01234567"),
        ("FRONTDOOR_BACKUP_DIR", folder.to_str().unwrap()),
        ("FRONTDOOR_SMTP_URL", smtp),
    ];
    assert_eq!(
        told(&all[..3]),
        ["Mail is off: only the webhook gets new leads. Set FRONTDOOR_SMTP_URL."]
    );
    assert!(told(&all).is_empty());
}
