//! Units, alarms, dashboard and the list of parts, judged by systemd, Prometheus and the program.

use std::collections::BTreeSet;
use std::fs::File;
use std::process::Command;

use serde_json::Value;

use super::{file, passes, text};
use crate::support::{Database, NGINX_EXAMPLE, Process, assert_nginx_accepts, metrics, until};

const UNITS: [&str; 2] = ["frontdoor.service", "frontdoor.socket"];
/// In tenths; 10.0 is a service that may do everything.
const MAX_EXPOSURE: &str = "--threshold=20";
const RULES: &str = "prometheus-rules.yml";

#[test]
fn systemd_finds_nothing_wrong_with_the_units_and_the_service_may_do_little() {
    let folder = Database::sqlite();
    for unit in UNITS {
        let program = env!("CARGO_BIN_EXE_frontdoor");
        let unit_text = text(unit).replace("/usr/bin/frontdoor", program);
        std::fs::write(folder.path(unit), unit_text).unwrap();
    }
    let analyze = |arguments: &[&str]| {
        let mut command = Command::new("systemd-analyze");
        command.args(arguments).current_dir(folder.folder());
        command
    };
    let mut verify = analyze(&[&["verify", "--man=no"], &UNITS[..]].concat());
    let output = verify.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    // It warns about other units of the machine, too.
    assert!(!said.contains("frontdoor"), "{said}");
    let security = ["security", "--offline=true", MAX_EXPOSURE, UNITS[0]];
    passes(&mut analyze(&security));
}

/// The metrics of the program with everything switched on: on a file, and on a server.
async fn all_metrics() -> [String; 2] {
    let (file, server) = (Database::sqlite(), Database::postgres());
    let backups = file.path("backups");
    let backed_up = ("FRONTDOOR_BACKUP_DIR", backups.to_str().unwrap());
    let on_file = Process::start(&file.url(), &[backed_up]);
    let on_server = Process::start(&server.url(), &[]);
    let age = "frontdoor_backup_age_seconds";
    let has_backup = async || metrics(on_file.ops).await.contains(age);
    until("a backup", has_backup).await;
    [metrics(on_file.ops).await, metrics(on_server.ops).await]
}

/// The metrics in an expression.
fn metrics_in(text: &str) -> BTreeSet<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split(|c| !is_word(c));
    let ours = words.filter(|word| word.starts_with("frontdoor_"));
    let family = |word: &str| word.strip_suffix("_bucket").unwrap_or(word).to_owned();
    ours.map(family).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn alarms_and_dashboard_ask_for_the_metrics_there_are_and_leave_none_out() {
    let metrics = all_metrics().await;
    let folder = Database::sqlite();
    std::fs::write(folder.path("metrics"), &metrics[0]).unwrap();
    let mut promtool = Command::new("promtool");
    let input = File::open(folder.path("metrics")).unwrap();
    passes(promtool.args(["check", "metrics"]).stdin(input));
    let mut promtool = Command::new("promtool");
    passes(promtool.args(["check", "rules"]).arg(file(RULES)));

    let metrics = metrics.concat();
    let types = metrics
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "));
    let names = types.filter_map(|line| line.split(' ').next());
    let known: BTreeSet<_> = names.map(str::to_owned).collect();
    let dashboard: Value = serde_json::from_str(&text("grafana-dashboard.json")).unwrap();
    let mut shown = BTreeSet::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            shown.extend(metrics_in(target["expr"].as_str().unwrap()));
        }
    }
    assert_eq!(shown, known);
    let alarmed = metrics_in(&text(RULES));
    assert!(
        alarmed.len() > 8 && alarmed.is_subset(&known),
        "{alarmed:?}"
    );
}

#[test]
fn nginx_takes_the_example_as_it_is() {
    let [certificate, key] = ["crt", "key"].map(|kind| format!("/etc/nginx/frontdoor.{kind}"));
    assert_nginx_accepts(NGINX_EXAMPLE, &certificate, &key);
}

fn third_party(what: &str) -> String {
    let mut command = Command::new("node");
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    passes(command.args(["scripts/third-party.mjs", what]))
}

#[test]
fn the_bill_of_materials_lists_every_component_once_with_its_dependencies_and_licences() {
    let bom: Value = serde_json::from_str(&third_party("bom")).unwrap();
    assert_eq!(bom["bomFormat"], "CycloneDX");
    assert_eq!(bom["specVersion"], "1.5");
    let own = bom["metadata"]["component"]["bom-ref"].as_str().unwrap();
    let mut known = BTreeSet::from([own]);
    for component in bom["components"].as_array().unwrap() {
        let purl = component["purl"].as_str().unwrap();
        assert_eq!(component["bom-ref"], purl);
        assert!(component["licenses"][0]["expression"].is_string(), "{purl}");
        assert!(known.insert(purl), "{purl} twice");
    }
    for (name, ships) in [
        ("tokio", true),
        ("sqlite", true),
        ("react-dom", true),
        ("%40fontsource-variable/geist", true),
        // A tool of the tests.
        ("proptest", false),
    ] {
        let is_meant = |purl: &&str| purl.contains(&format!("/{name}@"));
        assert_eq!(known.iter().any(is_meant), ships, "{name}");
    }
    for each in bom["dependencies"].as_array().unwrap() {
        let uses = each["dependsOn"].as_array().unwrap();
        for purl in uses.iter().chain([&each["ref"]]) {
            assert!(known.contains(purl.as_str().unwrap()), "{each}");
        }
    }
    let texts = third_party("texts").to_lowercase();
    assert!(texts.contains("sil open font license"));
    assert!(texts.contains("meta platforms"), "React's");
}
