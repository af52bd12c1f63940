//! First what holds for every setting, then what is special.

use clap::{Command, FromArgMatches as _};

use super::*;
use crate::content::{retention, site};
use crate::store::OldRecords;

/// Loads settings from names and values, as the owner writes them.
fn load(given: &[(&str, &str)]) -> Result<Settings, ConfigError> {
    let flags = given.iter().map(|(name, value)| {
        let flag = name.trim_start_matches("FRONTDOOR_").to_lowercase();
        format!("--{}={value}", flag.replace('_', "-"))
    });
    let command = ServeArgs::augment_args(Command::new("serve").no_binary_name(true));
    let matches = command.try_get_matches_from(flags).unwrap();
    Settings::load(&ServeArgs::from_arg_matches(&matches).unwrap())
}

fn complaint(name: &str, value: &str) -> String {
    load(&[(name, value)]).expect_err(value).to_string()
}

#[test]
fn an_empty_value_is_not_set_and_a_wrong_one_is_a_line_that_names_it_without_repeating_it() {
    for DeclaredSetting { name, .. } in ServeArgs::default().rows() {
        let shown = |given: &[_]| format!("{:?}", load(given).unwrap());
        assert_eq!(shown(&[(name, "  ")]), shown(&[]), "{name}");
        let line = complaint(name, "\u{7}[hush=");
        assert!(line.starts_with(&format!("{name}: must ")), "{line}");
        assert!(!line.contains("hush") && !line.contains('\n'), "{line}");
    }
}

#[test]
fn nearly_right_values_are_refused_too() {
    for (name, values) in [
        ("FRONTDOOR_LISTEN", &["8080", "127.0.0.1:99999"][..]),
        ("FRONTDOOR_OPS_LISTEN", &["on"]),
        (
            "FRONTDOOR_DESK_URL",
            &["https://hush@desk.example", "https://desk.example/hush"],
        ),
        ("DATABASE_URL", &["mysql://hush"]),
        ("FRONTDOOR_WEBHOOK_URL", &["ftp://hush"]),
        ("FRONTDOOR_WEBHOOK_SECRET", &["whsec_hush"]),
        ("FRONTDOOR_WEBHOOK_HEADER", &["X-Hush:", "Host: hush"]),
        (
            "FRONTDOOR_WEBHOOK_HEADER",
            &["Content-Length: 3", "webhook-id: hush"],
        ),
        (
            "FRONTDOOR_LOG",
            &["warning", "info,frontdoor=hush", "frontdoor::http"],
        ),
        ("FRONTDOOR_SMTP_URL", &["smtp://", "smtp://hush@a.example"]),
        ("FRONTDOOR_SMTP_URL", &["smtp://hush?tls=maybe"]),
        ("FRONTDOOR_SMTP_URL", &["smtps://hush?tls=required"]),
        ("FRONTDOOR_NOTIFY_EMAIL", &["a@b@c", "a@x.example, nobody"]),
        ("FRONTDOOR_DIGEST_HOUR", &["24", "8:00", "-1"]),
        ("FRONTDOOR_CHAT_PROJECT_ID", &["a'b"]),
        ("FRONTDOOR_CHAT_SCRIPT_URL", &["javascript:1"]),
        ("FRONTDOOR_CHAT_LOAD", &["LOAD"]),
        ("FRONTDOOR_RATE_LIMIT", &["-1"]),
        ("FRONTDOOR_PROMISE_HOURS", &["0", "1.5", "745"]),
        ("FRONTDOOR_TRUSTED_PROXIES", &["10.0.0.0/99"]),
        ("FRONTDOOR_BACKUP_KEEP", &["0"]),
        ("FRONTDOOR_KEEP_SPAM_DAYS", &["-1", "36501"]),
        ("FRONTDOOR_KEEP_UNCONFIRMED_DAYS", &["6"]),
    ] {
        for value in values {
            let line = complaint(name, value);
            assert!(line.starts_with(name) && !line.contains("hush"), "{line}");
        }
    }
    let line = complaint("FRONTDOOR_LOG_FORMAT", "LOAD");
    assert_eq!(line, "FRONTDOOR_LOG_FORMAT: must be auto, human or json");
}

#[test]
fn a_daily_backup_is_for_a_file_and_a_server_has_its_own_tool() {
    let folder = ("FRONTDOOR_BACKUP_DIR", "/backups");
    let backup = load(&[folder]).unwrap().backup.unwrap();
    assert_eq!((backup.folder, backup.keep), ("/backups".into(), 14));
    let refused = load(&[folder, ("DATABASE_URL", "postgres://db.example/x")]);
    let line = refused.unwrap_err().to_string();
    assert!(line.starts_with("FRONTDOOR_BACKUP_DIR: must ") && line.contains("`pg_dump`"));
}

#[test]
fn records_are_kept_as_long_as_the_policy_says_unless_set_otherwise() {
    let days = |period: Period| period.map(|period| period.as_hours() / 24);
    let kept = load(&[]).unwrap().retention;
    let promised = |kind| days(kept.period(kind));
    assert_eq!(promised(OldRecords::Leads), Some(retention().leads.into()));
    assert_eq!(kept.beyond_the_policy().count(), 0);
    let kept = load(&[
        ("FRONTDOOR_KEEP_LEADS_DAYS", "0"),
        ("FRONTDOOR_KEEP_SPAM_DAYS", "1"),
        ("FRONTDOOR_KEEP_UNCONFIRMED_DAYS", "7"),
        ("FRONTDOOR_KEEP_DELIVERIES_DAYS", "36500"),
    ]);
    let kept = kept.unwrap().retention;
    let set = [OldRecords::Leads, OldRecords::Spam].map(|kind| days(kept.period(kind)));
    assert_eq!(set, [None, Some(1)]);
    let beyond: Vec<_> = kept.beyond_the_policy().map(OldRecords::key).collect();
    assert_eq!(beyond, ["leads", "deliveries", "bookings"]);
}

#[test]
fn secrets_are_masked_and_in_no_debug_output_and_the_rest_is_shown_as_it_is() {
    let rows = ServeArgs::default().rows();
    let webhook = "FRONTDOOR_WEBHOOK_URL";
    for case in "FRONTDOOR_LISTEN [::]:80 [::]:80
        DATABASE_URL sqlite:///a/b.db sqlite:///a/b.db
        DATABASE_URL postgres://me:hush@a,b/x postgres://a,b/x
        DATABASE_URL mysql://me:hush@a/x mysql://me:***@a/x
        FRONTDOOR_SMTP_URL smtps://me:hush@a:1 smtps://me:***@a:1
        FRONTDOOR_SMTP_URL smtps://hush@a smtps://***@a
        FRONTDOOR_SMTP_URL smtp://a smtp://a
        FRONTDOOR_SMTP_URL hush ***
        FRONTDOOR_WEBHOOK_URL https://a/hush?b=hush https://a/***
        FRONTDOOR_WEBHOOK_SECRET whsec_hushhushhushhushhushhushhushhush ***
        FRONTDOOR_WEBHOOK_HEADER X-Token:hush ***
        FRONTDOOR_ALIVE_URL https://a/hush https://a/***"
        .lines()
    {
        let words: Vec<_> = case.split_whitespace().collect();
        let [name, value, expected] = words[..] else {
            panic!("{case}");
        };
        let row = rows.iter().find(|row| row.name == name).expect(name);
        assert_eq!(row.shown(value), expected, "{name}");
        let with_webhook = [(webhook, "https://a"), (name, value)];
        let given = &with_webhook[usize::from(name == webhook)..];
        let read = format!("{:?}", load(given));
        assert!(!read.contains("hush"), "{read}");
    }
}

#[test]
fn mail_goes_from_and_to_the_sites_address_unless_set_otherwise() {
    let smtp = ("FRONTDOOR_SMTP_URL", "smtps://mail.example");
    let mail = load(&[smtp]).unwrap().mail.unwrap();
    let (from, notify) = (mail.from().unwrap(), mail.notify().unwrap());
    assert_eq!(from.email.to_string(), site().email);
    assert_eq!(from.name.as_ref(), Some(&site().name));
    assert_eq!(notify.len(), 1);
    assert_eq!(notify[0].email.to_string(), site().email);
    assert_eq!((mail.digest_hour, mail.auto_reply), (Some(8), false));

    let two = "a@x.example, \"Doe, Jo\" <jo@x.example>";
    let notify = ("FRONTDOOR_NOTIFY_EMAIL", two);
    let mail = load(&[smtp, notify, ("FRONTDOOR_DIGEST_HOUR", "off")]);
    let mail = mail.unwrap().mail.unwrap();
    assert_eq!(mail.notify().unwrap()[1].email.to_string(), "jo@x.example");
    assert_eq!(mail.digest_hour, None);
}

#[test]
fn the_chat_is_the_providers_the_ops_listener_can_be_off_and_proxies_are_a_list() {
    let settings = load(&[
        ("FRONTDOOR_CHAT_PROJECT_ID", "p1"),
        ("FRONTDOOR_OPS_LISTEN", "off"),
        ("FRONTDOOR_TRUSTED_PROXIES", "10.0.0.1, fd00::/8,"),
        ("FRONTDOOR_LISTEN", "localhost:0"),
    ]);
    let Settings { chat, network, .. } = settings.unwrap();
    let chat = chat.unwrap();
    let urls = [chat.script_url.as_str(), chat.runtime_url.as_str()];
    let script = "https://cdn.voiceflow.com/widget-next/bundle.mjs";
    assert_eq!(urls, [script, "https://general-runtime.voiceflow.com/"]);
    assert_eq!(chat.load, ChatLoad::Load);
    assert_eq!(network.ops_listen, None);
    assert_eq!(network.trusted_proxies.len(), 2);
    assert!(network.listen.ip().is_loopback());
}

/// `UPDATE_DOCS=1` writes the table.
#[test]
fn the_table_in_the_documentation_is_what_the_rows_say() {
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/operations.md");
    const BEGIN: &str = "<!-- settings -->\n";
    const END: &str = "<!-- end of settings -->\n";
    let text = std::fs::read_to_string(FILE).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (table, after) = rest.split_once(END).unwrap();
    let file = "| `FRONTDOOR_SETTINGS` | /etc/frontdoor/frontdoor.env where it exists | Settings \
        file, with a line of `NAME=value` for each setting. The environment and flags take precedence |\n";
    let documented =
        |row: DeclaredSetting| format!("| `{}` | {} | {} |\n", row.name, row.default, row.help);
    let rows = ServeArgs::default().rows().into_iter();
    let rows: String = rows.map(documented).collect();
    let current = format!("| variable | default | meaning |\n|---|---|---|\n{file}{rows}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let text = [before, BEGIN, &current, END, after].concat();
        return std::fs::write(FILE, text).unwrap();
    }
    assert_eq!(table, current, "run this test with UPDATE_DOCS=1");
}
