//! The program's start, stop and complaints, as its owner sees them.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Output;

use crate::support::process::{Process, frontdoor, output, refusal};

/// A failure is one line on standard error that begins with our name.
fn complaint(output: &Output) -> String {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(
        text.starts_with("frontdoor: ") && !text.contains("panicked"),
        "{text}"
    );
    text
}

#[test]
fn the_version_and_help_are_there_everywhere() {
    let version = output(&mut frontdoor(&["--version"]));
    assert!(version.status.success());
    assert_eq!(
        String::from_utf8(version.stdout).unwrap().trim(),
        concat!("frontdoor ", env!("CARGO_PKG_VERSION"))
    );
    for command in ["serve", "migrate", "check", "leads", "deliveries", "backup"] {
        let help = output(&mut frontdoor(&[command, "--help"]));
        assert!(
            help.status.success() && !help.stdout.is_empty(),
            "{command}"
        );
    }
}

#[test]
fn the_help_of_serve_documents_every_setting() {
    let help = output(&mut frontdoor(&["serve", "--help"]));
    let text = String::from_utf8(help.stdout).unwrap();
    for setting in [
        "FRONTDOOR_LISTEN",
        "FRONTDOOR_OPS_LISTEN",
        "DATABASE_URL",
        "FRONTDOOR_WEBHOOK_URL",
        "FRONTDOOR_WEBHOOK_SECRET",
        "FRONTDOOR_WEBHOOK_HEADER",
        "FRONTDOOR_SMTP_URL",
        "FRONTDOOR_MAIL_FROM",
        "FRONTDOOR_NOTIFY_EMAIL",
        "FRONTDOOR_AUTO_REPLY",
        "FRONTDOOR_CHAT_PROJECT_ID",
        "FRONTDOOR_CHAT_SCRIPT_URL",
        "FRONTDOOR_CHAT_RUNTIME_URL",
        "FRONTDOOR_RATE_LIMIT",
        "FRONTDOOR_TRUSTED_PROXIES",
        "FRONTDOOR_LOG",
        "FRONTDOOR_LOG_FORMAT",
    ] {
        assert!(text.contains(&format!("[env: {setting}")), "{setting}");
    }
}

#[test]
fn help_never_shows_a_secret_of_the_environment() {
    let mut command = frontdoor(&["serve", "--help"]);
    command
        .env("FRONTDOOR_WEBHOOK_URL", "https://x.example/hush")
        .env("FRONTDOOR_WEBHOOK_SECRET", "hush")
        .env("FRONTDOOR_WEBHOOK_HEADER", "hush")
        .env("FRONTDOOR_SMTP_URL", "hush")
        .env("DATABASE_URL", "hush");
    let text = String::from_utf8(output(&mut command).stdout).unwrap();
    assert!(!text.contains("hush"), "{text}");
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
            ("FRONTDOOR_TRUSTED_PROXIES", "everyone"),
            ("FRONTDOOR_LOG_FORMAT", "xml"),
        ] {
            let result = output(frontdoor(&[command]).env(setting, value));
            assert_eq!(result.status.code(), Some(2), "{setting}");
            let line = complaint(&result);
            assert!(line.contains(setting), "{line}");
            assert!(!line.contains("not-a-secret"), "{line}");
        }
    }
    let flag = output(&mut frontdoor(&["serve", "--rate-limit", "many"]));
    assert_eq!(flag.status.code(), Some(2));
    assert!(complaint(&flag).contains("FRONTDOOR_RATE_LIMIT"));
    let unknown = output(&mut frontdoor(&["serve", "--colour"]));
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn a_port_in_use_is_one_line_and_exit_code_1() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}", folder.path().join("a.db").display());
    let mut command = frontdoor(&["serve", "--listen", &address, "--ops-listen", "off"]);
    let result = output(command.env("DATABASE_URL", database));
    assert_eq!(result.status.code(), Some(1));
    assert!(complaint(&result).contains(&format!("cannot listen on {address}")));
}

#[test]
fn a_data_folder_that_cannot_be_made_is_one_line_and_exit_code_1() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "not a folder").unwrap();
    let database = format!("sqlite://{}/data/a.db", file.display());
    for command in ["serve", "check"] {
        let mut command = frontdoor(&[command, "--listen", "127.0.0.1:0", "--ops-listen", "off"]);
        let result = output(command.env("DATABASE_URL", &database));
        assert_eq!(result.status.code(), Some(1));
        assert!(complaint(&result).contains("cannot open the database"));
    }
}

#[test]
fn check_says_what_is_set_up_and_what_is_missing_and_creates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}/data/a.db", folder.path().display());
    let run = |command| output(frontdoor(&[command]).env("DATABASE_URL", &database));
    let text = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();
    let missing = run("check");
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing).starts_with("OK  settings\nNO  database sqlite://"));
    let line = complaint(&missing);
    assert!(line.contains("there is no database") && line.contains("`frontdoor migrate`"));
    assert!(
        !folder.path().join("data").exists(),
        "check creates nothing"
    );

    let made = run("migrate");
    assert!(made.status.success() && text(&made).starts_with("Created sqlite://"));
    assert!(text(&run("migrate")).contains("is up to date"));
    let there = run("check");
    assert!(there.status.success());
    let text = text(&there);
    assert!(
        text.contains("OK  settings\nOK  database sqlite://"),
        "{text}"
    );
    assert!(
        text.contains("--  webhook is off: leads are only stored"),
        "{text}"
    );
}

#[test]
fn a_damaged_database_is_refused_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let url = format!("sqlite://{}", path.display());
    assert!(
        output(frontdoor(&["migrate"]).env("DATABASE_URL", &url))
            .status
            .success()
    );
    let mut bytes = std::fs::read(&path).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].fill(0x5a);
    std::fs::write(&path, &bytes).unwrap();
    for command in ["serve", "check"] {
        let mut command = frontdoor(&[command, "--listen", "127.0.0.1:0", "--ops-listen", "off"]);
        let result = refusal(command.env("DATABASE_URL", &url));
        assert_eq!(result.status.code(), Some(1));
        let line = complaint(&result);
        assert!(
            line.contains("is damaged") && line.contains("backup"),
            "{line}"
        );
    }
}

#[test]
fn a_stopped_server_leaves_one_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("a.db");
    let process = Process::start(&database, &[]);
    let body = r#"{"name":"Ada","email":"ada@example.org","message":"Hi"}"#;
    let answer = post(&process, body);
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    assert!(process.terminate().1.success());
    let names = std::fs::read_dir(folder.path()).unwrap();
    let names: Vec<_> = names.map(|each| each.unwrap().file_name()).collect();
    assert_eq!(names, ["a.db"]);
    let url = format!("sqlite://{}", database.display());
    let list = output(frontdoor(&["leads", "list"]).env("DATABASE_URL", url));
    assert!(
        String::from_utf8(list.stdout)
            .unwrap()
            .contains("ada@example.org")
    );
}

fn post(process: &Process, body: &str) -> String {
    let mut stream = TcpStream::connect(process.address).unwrap();
    let length = body.len();
    write!(
        stream,
        "POST /api/contacts HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
        content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn get(process: &Process, path: &str) -> String {
    let mut stream = TcpStream::connect(process.address).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_server_starts_in_an_empty_folder_logs_each_request_and_stops_on_sigterm() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(&folder.path().join("new/data/site.db"), &[]);
    let answer = get(&process, "/blog/secret-path?email=ada@example.org");
    assert!(answer.starts_with("HTTP/1.1 404 "));
    let id = answer
        .lines()
        .find_map(|line| line.strip_prefix("x-request-id: "));
    let (log, status) = process.terminate();
    assert!(status.success(), "{status}");
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
    let log = log.concat();
    for private in ["secret-path", "ada@", "127.0.0.1"] {
        assert!(!log.contains(private), "{private} in {log}");
    }
}

#[test]
fn request_lines_follow_the_filter_of_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let settings = [("FRONTDOOR_LOG", "info,frontdoor::request=off")];
    let process = Process::start(&folder.path().join("a.db"), &settings);
    assert!(get(&process, "/").starts_with("HTTP/1.1 200 "));
    let (log, _) = process.terminate();
    assert!(!log.concat().contains("\"message\":\"request\""), "{log:?}");
}

#[test]
fn the_log_can_be_for_people() {
    let folder = tempfile::tempdir().unwrap();
    let settings = [("FRONTDOOR_LOG_FORMAT", "human")];
    let process = Process::start(&folder.path().join("a.db"), &settings);
    assert!(get(&process, "/about?x=1").starts_with("HTTP/1.1 200 "));
    let (log, _) = process.terminate();
    let request = log.iter().find(|line| line.contains("GET")).unwrap();
    assert!(
        request.contains(" 200 GET /about ") && !request.contains("x=1"),
        "{request}"
    );
    assert!(!log.concat().contains('{'), "{log:?}");
}
