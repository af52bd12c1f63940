//! The program's start, stop and complaints, as its owner sees them.

use std::net::TcpListener;
use std::os::unix::fs::MetadataExt as _;

use serde_json::Value;

use crate::support::{
    Answer, CommandOutput, Database, Process, Receiver, frontdoor, get, post_lead, refusal, run,
    sqlite_url,
};

/// A failure is one line on standard error that begins with our name.
fn complaint(output: &CommandOutput) -> &str {
    let text = &output.stderr;
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(
        text.starts_with("frontdoor: ") && !text.contains("panicked"),
        "{text}"
    );
    text
}

#[test]
fn version_help_completions_and_manual_tell_every_command_and_no_value_of_this_machine() {
    let version = concat!("frontdoor ", env!("CARGO_PKG_VERSION"), "\n");
    let known = ["frontdoor", "newsletter", "dry-run", "keep-leads-days"];
    let pages = ["leads-export", "restore", "newsletter-send"];
    let pages = pages.map(|page| format!(".TH frontdoor-{page} 1"));
    for (arguments, words) in [
        (&["--version"][..], &[version][..]),
        (
            &["leads", "list", "--version"],
            &[env!("CARGO_PKG_VERSION")],
        ),
        (
            &["serve", "--help"],
            &["FRONTDOOR_SMTP_URL", "--rate-limit"],
        ),
        (&["leads", "--help"], &["forget"]),
        (&["man"], &pages.each_ref().map(String::as_str)),
        (&["completions", "bash"], &known),
        (&["completions", "elvish"], &known),
        (&["completions", "fish"], &known),
        (&["completions", "powershell"], &known),
        (&["completions", "zsh"], &known),
    ] {
        let mut command = frontdoor(arguments);
        for setting in [
            "FRONTDOOR_WEBHOOK_SECRET",
            "FRONTDOOR_LISTEN",
            "DATABASE_URL",
        ] {
            command.env(setting, "hush");
        }
        let output = run(&mut command).succeeds();
        for word in words {
            output.stdout_contains(word);
        }
        assert!(!output.stdout.contains("hush"), "{arguments:?}");
    }
}

#[test]
fn a_start_that_fails_is_one_line_and_exit_code_1() {
    let folder = Database::sqlite();
    folder.run(&["migrate"]).succeeds();
    let start = |command: &str, listen: &str, database: &str| {
        let flags = ["--ops-listen", "off", "--listen", listen];
        refusal(
            frontdoor(&[command])
                .args(flags)
                .env("DATABASE_URL", database),
        )
    };
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = start("serve", &address, &folder.url());
    output.fails_with(1, &format!("can't listen on {address}"));
    complaint(&output);

    std::fs::write(folder.path("file"), "not a folder").unwrap();
    let in_file = sqlite_url(&folder.path("file/data/a.db"));
    let mut bytes = std::fs::read(folder.file()).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].fill(0x5a);
    std::fs::write(folder.path("damaged.db"), &bytes).unwrap();
    let damaged = sqlite_url(&folder.path("damaged.db"));
    for command in ["serve", "check"] {
        let output = start(command, "127.0.0.1:0", &in_file);
        output.fails_with(1, "can't open the database");
        complaint(&output);
        let output = start(command, "127.0.0.1:0", &damaged);
        output.fails_with(1, "is damaged");
        assert!(complaint(&output).contains("backup"), "{}", output.stderr);
    }
}

#[test]
fn check_says_what_is_set_up_and_what_is_missing_and_creates_nothing() {
    let folder = Database::sqlite();
    let database = sqlite_url(&folder.path("data/a.db"));
    let run = |command| run(frontdoor(&[command]).env("DATABASE_URL", &database));
    let missing = run("check");
    assert_eq!(missing.code, 1);
    assert!(missing.stdout.contains("\n✗ database: sqlite://"));
    let line = complaint(&missing);
    assert!(line.contains("there is no database") && line.contains("`frontdoor migrate`"));
    assert!(!folder.path("data").exists(), "check creates nothing");

    let made = run("migrate");
    assert!(made.code == 0 && made.stdout.starts_with("Created sqlite://"));
    assert!(run("migrate").stdout.contains("is up to date"));
    let there = run("check").succeeds();
    there.stdout_has(&[
        "✓ settings: all values are valid",
        "✓ database: sqlite://",
        "! webhook: is off: no automation gets the leads → set FRONTDOOR_WEBHOOK_URL",
    ]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_starts_in_an_empty_folder_logs_what_it_does_but_no_person_and_stops_on_sigterm()
{
    let database = Database::sqlite();
    let receiver = Receiver::start(|_| Answer::Status(500)).await;
    let alarm = Receiver::accepting().await;
    let settings = [
        ("FRONTDOOR_WEBHOOK_URL", receiver.url.as_str()),
        // Which is called as soon as the server is ready.
        ("FRONTDOOR_ALIVE_URL", alarm.url.as_str()),
    ];
    let url = sqlite_url(&database.path("new/data/site.db"));
    let process = Process::start(&url, &settings);
    alarm.wait_for_calls(1).await;
    let answer = get(process.address, "/blog/secret-path?email=ada@example.org");
    assert!(answer.starts_with("HTTP/1.1 404 "));
    let mut lines = answer.lines();
    let id = lines.find_map(|line| line.strip_prefix("x-request-id: "));
    post_lead(process.address, &[("elapsed_ms", "1")]);
    post_lead(process.address, &[("message", "Another")]);
    receiver.wait_for_calls(1).await;
    let (log, status) = process.terminate();
    assert!(status.success(), "{status}");
    let mut held = log.iter().filter(|line| line.contains("leads list --held"));
    assert!(held.next().unwrap().contains("WARN"));
    let left = std::fs::read_dir(database.path("new/data")).unwrap();
    assert_eq!(left.count(), 1, "the database and no journal");
    let file = std::fs::metadata(database.path("new/data/site.db")).unwrap();
    assert_eq!(file.mode() & 0o777, 0o600);
    let events = |message: &str| -> Vec<Value> {
        let events = log.iter().map(|line| serde_json::from_str(line).unwrap());
        let told = events.filter(|event: &Value| event["message"] == message);
        told.collect()
    };
    let [request, .., of_lead] = &events("request")[..] else {
        panic!("{log:?}");
    };
    assert_eq!(request["method"], "GET");
    assert_eq!(request["status"], 404);
    assert_eq!(request["request_id"].as_str(), id);
    assert!(request["us"].is_u64() && request["bytes"].is_u64());
    let failed = &events("delivery failed")[0];
    assert_eq!(failed["request_id"], of_lead["request_id"], "{log:?}");
    // All but our own address.
    let log = log.iter().filter(|line| !line.contains("The site is at"));
    let log: String = log.map(String::as_str).collect();
    for private in ["secret-path", "ada@", "Ada", "127.0.0.1", "/hook"] {
        assert!(!log.contains(private), "{private} in {log}");
    }
}

#[test]
fn a_start_logs_where_the_site_is_and_what_is_off_as_json_or_for_people() {
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
    assert_eq!(
        told(&[]),
        [
            "mail is off: nobody is notified of new leads; set FRONTDOOR_SMTP_URL",
            "webhook is off: no automation gets the leads; set FRONTDOOR_WEBHOOK_URL",
            "chat is off: no page has an assistant; set FRONTDOOR_CHAT_PROJECT_ID",
            "backup is off: if the disk fails, all leads are lost; set FRONTDOOR_BACKUP_DIR",
        ]
    );
    let folder = database.path("backups");
    let others = [
        ("FRONTDOOR_WEBHOOK_URL", "http://127.0.0.1:9/hook"),
        ("FRONTDOOR_CHAT_PROJECT_ID", "0123456789abcdef01234567"),
        ("FRONTDOOR_BACKUP_DIR", folder.to_str().unwrap()),
    ];
    let only_mail = "mail is off: only the webhook gets new leads; set FRONTDOOR_SMTP_URL";
    assert_eq!(told(&others), [only_mail]);

    let human = [("FRONTDOOR_LOG_FORMAT", "human")];
    let server = Process::start(&database.url(), &human);
    assert!(get(server.address, "/about?x=1").starts_with("HTTP/1.1 200 "));
    let (log, _) = server.terminate();
    let request = log.iter().find(|line| line.contains("GET")).unwrap();
    assert!(request.contains(" 200 GET /about ") && !request.contains("x=1"));
    assert!(!log.concat().contains('{'), "{log:?}");
}
