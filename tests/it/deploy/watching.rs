//! Alarms and dashboard ask for what the program tells, and for all of it.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{file, passes, text};
use crate::support::client::metrics;
use crate::support::database::Database;
use crate::support::process::Process;
use crate::support::wait::until;

const RULES: &str = "prometheus-rules.yml";
const DASHBOARD: &str = "grafana-dashboard.json";

/// What the program tells with everything switched on.
async fn told() -> String {
    let (file, server) = (Database::sqlite(), Database::postgres());
    let backups = file.path("backups");
    let ops = ("FRONTDOOR_OPS_LISTEN", "127.0.0.1:0");
    let backed_up = ("FRONTDOOR_BACKUP_DIR", backups.to_str().unwrap());
    let on_file = Process::start(&file.url(), &[ops, backed_up]);
    let on_server = Process::start(&server.url(), &[ops]);
    let age = "frontdoor_backup_age_seconds";
    until("a backup", async || {
        metrics(on_file.ops).await.contains(age)
    })
    .await;
    [metrics(on_file.ops).await, metrics(on_server.ops).await].concat()
}

/// The families, by the lines that tell their type.
fn families(told: &str) -> BTreeSet<String> {
    let types = told.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let names = types.filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

/// The families that an expression asks for.
fn asked(text: &str) -> BTreeSet<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split(|c| !is_word(c));
    let ours = words.filter(|word| word.starts_with("frontdoor_"));
    let family = |word: &str| word.strip_suffix("_bucket").unwrap_or(word).to_owned();
    ours.map(family).collect()
}

fn dashboard() -> Value {
    serde_json::from_str(&text(DASHBOARD)).unwrap()
}

fn expressions(panel: &Value) -> Vec<&str> {
    let targets = panel["targets"].as_array().unwrap().iter();
    targets
        .map(|target| target["expr"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn alarms_and_dashboard_ask_for_what_there_is_and_leave_nothing_out() {
    let told = families(&told().await);
    let dashboard = dashboard();
    let panels = dashboard["panels"].as_array().unwrap();
    let shown: BTreeSet<_> = panels
        .iter()
        .flat_map(expressions)
        .flat_map(asked)
        .collect();
    assert_eq!(shown, told);
    let alarmed = asked(&text(RULES));
    assert!(alarmed.len() > 8 && alarmed.is_subset(&told), "{alarmed:?}");
}

#[test]
fn prometheus_takes_the_alarms() {
    passes(
        Command::new("promtool")
            .args(["check", "rules"])
            .arg(file(RULES)),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn prometheus_finds_nothing_wrong_with_what_is_told() {
    let database = Database::sqlite();
    let server = Process::start(&database.url(), &[("FRONTDOOR_OPS_LISTEN", "127.0.0.1:0")]);
    let told = metrics(server.ops).await;
    let mut command = Command::new("promtool");
    command.args(["check", "metrics"]).stdin(Stdio::piped());
    command.stderr(Stdio::piped()).stdout(Stdio::piped());
    let mut tool = command.spawn().expect("installed by `make test-tools`");
    let mut input = tool.stdin.take().unwrap();
    input.write_all(told.as_bytes()).unwrap();
    drop(input);
    let output = tool.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
}
