//! This machine: the database's files and the space left for them, the service, and the
//! clock.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::{Finding, bad, good, unsure};
use crate::cli::output::{minute, span};
use crate::cli::owner;
use crate::config::{Given, Settings};
use crate::store::DatabaseUrl;

/// With less, soon no lead can be stored.
const MIN_ROOM: u64 = 100 << 20;
/// With less, an upgrade or a restore may fail: they need a copy.
const ENOUGH_ROOM: u64 = 1 << 30;

const SERVICE: [&str; 3] = [
    "show",
    "--property=LoadState,ActiveState,SubState,ActiveEnterTimestamp",
    "frontdoor.service",
];
const CLOCK: [&str; 2] = ["show", "--property=NTPSynchronized"];
/// How systemd's tools print a time in UTC; only those since 251 can be asked for another form.
const TIME: &str = "%a %Y-%m-%d %H:%M:%S UTC";

/// The files of a SQLite database: whose they are, and how much room is left.
pub fn files(settings: &Settings) -> Vec<Finding> {
    let DatabaseUrl::Sqlite(file) = &settings.database else {
        return Vec::new();
    };
    let folder = file.parent().unwrap_or(file);
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let mut findings = owners(file, folder);
    let backups = settings.backup.as_ref().map(|backup| &*backup.folder);
    findings.extend(
        [Some(folder), backups]
            .into_iter()
            .flatten()
            .filter_map(room),
    );
    if file.is_relative() {
        let file = file.display();
        findings.push(
            unsure(
                "database path",
                format!("{file} depends on the folder a command is started in"),
            )
            .fix("write the whole path: DATABASE_URL=sqlite:///var/lib/frontdoor/frontdoor.db"),
        );
    }
    findings
}

/// All are the same user's, or the service can't write.
fn owners(file: &Path, folder: &Path) -> Vec<Finding> {
    let Some(service) = owner::of(file).filter(|_| file.exists()) else {
        // Opening it says that it is missing.
        return Vec::new();
    };
    let (user, group) = (service.uid(), service.gid());
    let journals = ["-wal", "-shm"].map(|end| PathBuf::from(format!("{}{end}", file.display())));
    let files = [folder, file]
        .into_iter()
        .chain(journals.iter().map(PathBuf::as_path));
    let others = files.filter_map(|path| {
        let other = path.metadata().ok().map(|other| other.uid())?;
        let path = path.display();
        let what = format!(
            "{path} belongs to user {other}, the rest to user {user}: the service can't write"
        );
        let remedy = format!("chown {user}:{group} {path}, then systemctl restart frontdoor");
        (other != user).then(|| bad("database owner", what).fix(remedy))
    });
    let others: Vec<_> = others.collect();
    match others.is_empty() {
        true => vec![good(
            "database owner",
            format!("its files and folder belong to user {user}"),
        )],
        false => others,
    }
}

fn room(folder: &Path) -> Option<Finding> {
    let system = rustix::fs::statvfs(folder).ok()?;
    let free = system.f_bavail.saturating_mul(system.f_frsize);
    let (shown, megabytes) = (folder.display(), free >> 20);
    let what = format!("{megabytes} MiB are left in {shown}");
    Some(match free {
        0..MIN_ROOM => bad("disk", what).fix("make room: soon nothing can be stored"),
        MIN_ROOM..ENOUGH_ROOM => unsure("disk", what)
            .fix("make room: upgrades and restores need space for a copy of the database"),
        _ => good("disk", what),
    })
}

/// Whether the service runs, with the settings as they are now, and whether a time server
/// keeps the clock right. Nothing where there is no systemd.
pub async fn systemd() -> Vec<Finding> {
    let asked = tokio::task::spawn_blocking(|| {
        let service = ask("systemctl", &SERVICE);
        (service, ask("timedatectl", &CLOCK))
    });
    let (facts, clock) = asked.await.unwrap_or_default();
    let service = facts.and_then(|facts| service(&facts, settings_changed_at()));
    let clock = clock.and_then(|facts| time_server(&facts));
    service.into_iter().chain(clock).collect()
}

fn settings_changed_at() -> Option<Timestamp> {
    let file = Given::kept()?.file.as_ref()?;
    let time = fs::metadata(file).ok()?.modified().ok()?;
    Timestamp::try_from(time).ok()
}

fn ask(tool: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(tool);
    command.args(arguments).env("SYSTEMD_BUS_TIMEOUT", "5s");
    command.env("TZ", "UTC").env("LC_ALL", "C");
    let output = command.output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(said)
}

fn fact<'a>(facts: &'a str, name: &str) -> Option<&'a str> {
    let mut facts = facts.lines().filter_map(|line| line.split_once('='));
    facts.find_map(|(found, value)| (found == name).then_some(value))
}

/// `changed`: when the settings file was.
fn service(facts: &str, changed: Option<Timestamp>) -> Option<Finding> {
    let fact = |name| fact(facts, name);
    if fact("LoadState")? != "loaded" {
        return None;
    }
    let (state, more) = (fact("ActiveState")?, fact("SubState")?);
    if state != "active" {
        return Some(
            bad("service", format!("isn't running: {state} ({more})"))
                .fix("journalctl -u frontdoor -n 20 says why; then systemctl restart frontdoor"),
        );
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
        )
        .fix("systemctl restart frontdoor"),
        false => good("service", format!("is running; {since}")),
    })
}

fn time_server(facts: &str) -> Option<Finding> {
    let now = minute(Timestamp::now());
    Some(match fact(facts, "NTPSynchronized")? {
        "yes" => good("clock", "is kept right by a time server"),
        _ => unsure(
            "clock",
            format!("no time server keeps it right; here it is {now}"),
        )
        .fix("apt-get install systemd-timesyncd, unless the provider's own machine sets it"),
    })
}
