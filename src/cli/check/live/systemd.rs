//! What systemd knows: whether the service runs, with the settings as they are now,
//! and whether anybody keeps the clock right. Nothing to say where there is none.

use std::fs;
use std::path::Path;
use std::process::Command;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::verdict::{Verdict, bad, good, unsure};
use crate::cli::output::{minute, span};

const SERVICE: [&str; 3] = [
    "show",
    "--property=LoadState,ActiveState,SubState,ActiveEnterTimestamp",
    "frontdoor.service",
];
const CLOCK: [&str; 2] = ["show", "--property=NTPSynchronized"];

/// Its tools keep to it.
const PATIENCE: &str = "5s";
/// What its tools print of a time in UTC; only those since 251 can be asked for another form.
const TIME: &str = "%a %Y-%m-%d %H:%M:%S UTC";

pub async fn look(settings_file: Option<&Path>) -> Vec<Verdict> {
    let asked = tokio::task::spawn_blocking(|| {
        let service = ask("systemctl", &SERVICE);
        (service, ask("timedatectl", &CLOCK))
    });
    let (facts, clock) = asked.await.unwrap_or_default();
    let changed = settings_file.and_then(|file| fs::metadata(file).ok()?.modified().ok());
    let changed = changed.and_then(|time| Timestamp::try_from(time).ok());
    let service = facts.and_then(|facts| service(&facts, changed));
    let clock = clock.and_then(|facts| timekeeper(&facts));
    service.into_iter().chain(clock).collect()
}

fn ask(tool: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(tool);
    command.args(arguments).env("SYSTEMD_BUS_TIMEOUT", PATIENCE);
    command.env("TZ", "UTC").env("LC_ALL", "C");
    let output = command.output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(said)
}

fn fact<'a>(facts: &'a str, name: &str) -> Option<&'a str> {
    let mut facts = facts.lines().filter_map(|line| line.split_once('='));
    facts.find_map(|(found, value)| (found == name).then_some(value))
}

/// A clock that is wrong is wrong for the server, its certificate and this check
/// alike: comparing them finds nothing.
fn timekeeper(facts: &str) -> Option<Verdict> {
    Some(match fact(facts, "NTPSynchronized")? {
        "yes" => good("clock", "is kept right by a time server"),
        _ => unsure(
            "clock",
            format!(
                "no time server keeps it right; here it is {}",
                minute(Timestamp::now())
            ),
            "apt-get install systemd-timesyncd, unless the provider's own machine sets it",
        ),
    })
}

/// `changed`: the file with the settings.
fn service(facts: &str, changed: Option<Timestamp>) -> Option<Verdict> {
    let fact = |name| fact(facts, name);
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
    let started = DateTime::strptime(TIME, fact("ActiveEnterTimestamp")?).ok()?;
    let started = started.to_zoned(TimeZone::UTC).ok()?.timestamp();
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
    use super::{service, timekeeper};

    fn facts(load: &str, active: &str, sub: &str, started: Timestamp) -> String {
        let started = started.strftime("%a %Y-%m-%d %H:%M:%S UTC");
        format!(
            "LoadState={load}\nActiveState={active}\nSubState={sub}\n\
            ActiveEnterTimestamp={started}\n"
        )
    }

    #[test]
    fn a_service_runs_with_its_settings_or_the_remedy_is_named() {
        let now = Timestamp::now();
        let (before, after) = (now - SignedDuration::from_hours(1), now);
        let running = facts("loaded", "active", "running", before);
        let verdict = service(&running, Some(before)).unwrap();
        assert_eq!(verdict.state, State::Good, "{}", verdict.what);
        let verdict = service(&running, Some(after)).unwrap();
        assert_eq!(verdict.state, State::Unsure, "{}", verdict.what);
        assert!(verdict.remedy.unwrap().contains("systemctl restart"));
        for (active, sub) in [("inactive", "dead"), ("activating", "auto-restart")] {
            let verdict = service(&facts("loaded", active, sub, before), None).unwrap();
            assert_eq!(verdict.state, State::Bad, "{}", verdict.what);
            assert!(verdict.what.contains(sub), "{}", verdict.what);
        }
        let absent = facts("not-found", "inactive", "dead", before);
        assert_eq!(service(&absent, None), None);
        assert_eq!(service("", None), None);
    }

    #[test]
    fn a_clock_that_nobody_keeps_right_is_told() {
        let state = |facts| timekeeper(facts).map(|verdict| verdict.state);
        assert_eq!(state("NTPSynchronized=yes\n"), Some(State::Good));
        assert_eq!(state("NTPSynchronized=no\n"), Some(State::Unsure));
        assert_eq!(state(""), None);
    }
}
