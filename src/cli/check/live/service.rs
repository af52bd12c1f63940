//! The service, as systemd sees it: it runs, and with the settings as they are now.

use std::fs;
use std::path::Path;
use std::process::Command;

use jiff::Timestamp;

use super::verdict::{Verdict, bad, good, unsure};
use crate::cli::output::span;

const UNIT: &str = "frontdoor.service";
const FACTS: &str = "--property=LoadState,ActiveState,SubState,ActiveEnterTimestamp";

/// systemctl keeps to it.
const PATIENCE: &str = "5s";

/// Nothing to say where systemd does not have it.
pub async fn look(settings_file: Option<&Path>) -> Vec<Verdict> {
    let asked = tokio::task::spawn_blocking(facts).await;
    let Some(facts) = asked.ok().flatten() else {
        return Vec::new();
    };
    let changed = settings_file.and_then(|file| fs::metadata(file).ok()?.modified().ok());
    let changed = changed.and_then(|time| Timestamp::try_from(time).ok());
    judge(&facts, changed).into_iter().collect()
}

fn facts() -> Option<String> {
    let mut command = Command::new("systemctl");
    command.args(["show", "--timestamp=unix", FACTS, UNIT]);
    let output = command.env("SYSTEMD_BUS_TIMEOUT", PATIENCE).output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(said)
}

/// `changed`: the file with the settings.
fn judge(facts: &str, changed: Option<Timestamp>) -> Option<Verdict> {
    let fact = |name: &str| {
        let mut facts = facts.lines().filter_map(|line| line.split_once('='));
        facts.find_map(|(found, value)| (found == name).then_some(value))
    };
    if fact("LoadState")? != "loaded" {
        return None;
    }
    let (state, more) = (fact("ActiveState")?, fact("SubState")?);
    if state != "active" {
        return Some(bad(
            "service",
            format!("does not run: {state} ({more})"),
            "journalctl -u frontdoor -n 20 says why; then systemctl restart frontdoor",
        ));
    }
    let started = fact("ActiveEnterTimestamp")?.strip_prefix('@')?.parse();
    let started = Timestamp::from_second(started.ok()?).ok()?;
    let since = format!("it was started {} ago", span(started, Timestamp::now()));
    // A whole second is all that is known of the start.
    let is_newer = changed.is_some_and(|changed| changed.as_second() > started.as_second());
    Some(match is_newer {
        true => unsure(
            "service",
            format!("the settings file was changed since {since}"),
            "systemctl restart frontdoor",
        ),
        false => good("service", format!("runs; {since}")),
    })
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::super::verdict::State;
    use super::judge;

    fn facts(load: &str, active: &str, sub: &str, started: Timestamp) -> String {
        let started = started.as_second();
        format!(
            "LoadState={load}\nActiveState={active}\nSubState={sub}\n\
            ActiveEnterTimestamp=@{started}\n"
        )
    }

    #[test]
    fn a_service_runs_with_its_settings_or_the_remedy_is_named() {
        let now = Timestamp::now();
        let (before, after) = (now - SignedDuration::from_hours(1), now);
        let running = facts("loaded", "active", "running", before);
        let verdict = judge(&running, Some(before)).unwrap();
        assert_eq!(verdict.state, State::Good, "{}", verdict.what);
        let verdict = judge(&running, Some(after)).unwrap();
        assert_eq!(verdict.state, State::Unsure, "{}", verdict.what);
        assert!(verdict.remedy.unwrap().contains("systemctl restart"));
        for (active, sub) in [("inactive", "dead"), ("activating", "auto-restart")] {
            let verdict = judge(&facts("loaded", active, sub, before), None).unwrap();
            assert_eq!(verdict.state, State::Bad, "{}", verdict.what);
            assert!(verdict.what.contains(sub), "{}", verdict.what);
        }
        let absent = facts("not-found", "inactive", "dead", before);
        assert_eq!(judge(&absent, None), None);
        assert_eq!(judge("", None), None);
    }
}
