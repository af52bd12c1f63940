//! This machine: the disk space for the database and its backups, and the systemd service.

use std::fs;
use std::path::Path;
use std::process::Command;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::{Finding, bad, good, unsure};
use crate::config::{ExternalSettings, Settings};
use crate::domain::span;
use crate::store::DatabaseUrl;

/// With less free space, soon no lead can be stored.
const MIN_ROOM: u64 = 100 << 20;
/// With less free space, an upgrade or a restore may fail: both need a copy.
const ENOUGH_ROOM: u64 = 1 << 30;

const SERVICE: [&str; 3] = [
    "show",
    "--property=LoadState,ActiveState,SubState,ActiveEnterTimestamp",
    "frontdoor.service",
];
/// How systemctl prints a time in UTC. Versions before 251 have no other format.
const TIME: &str = "%a %Y-%m-%d %H:%M:%S UTC";

/// Checks the free space for a SQLite database and its backups.
pub fn disks(settings: &Settings) -> Vec<Finding> {
    let DatabaseUrl::Sqlite(file) = &settings.database else {
        return Vec::new();
    };
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    let backups = settings.backup.as_ref().map(|backup| &*backup.folder);
    let folders = [Some(folder.unwrap_or(Path::new("."))), backups];
    folders.into_iter().flatten().filter_map(room).collect()
}

fn room(folder: &Path) -> Option<Finding> {
    let system = rustix::fs::statvfs(folder).ok()?;
    let free = system.f_bavail.saturating_mul(system.f_frsize);
    let (shown, megabytes) = (folder.display(), free >> 20);
    Some(match free {
        0..MIN_ROOM => bad!("disk", "{megabytes} MiB are left in {shown}")
            .fix("make room: soon nothing can be stored"),
        MIN_ROOM..ENOUGH_ROOM => unsure!("disk", "{megabytes} MiB are left in {shown}")
            .fix("make room: upgrades and restores need space for a copy of the database"),
        _ => good!("disk", "{megabytes} MiB are left in {shown}"),
    })
}

/// Whether the service runs with the present settings. `None` without systemd or the service.
pub async fn service() -> Option<Finding> {
    let asked = tokio::task::spawn_blocking(|| {
        let mut command = Command::new("systemctl");
        command.args(SERVICE).env("SYSTEMD_BUS_TIMEOUT", "5s");
        command.env("TZ", "UTC").env("LC_ALL", "C").output().ok()
    });
    let output = asked.await.ok()??;
    let facts = String::from_utf8_lossy(&output.stdout);
    judge(&facts, settings_changed_at())
}

fn settings_changed_at() -> Option<Timestamp> {
    let file = ExternalSettings::kept()?.file.as_ref()?;
    let time = fs::metadata(file).ok()?.modified().ok()?;
    Timestamp::try_from(time).ok()
}

/// `changed` is the time of the settings file's last change.
fn judge(facts: &str, changed: Option<Timestamp>) -> Option<Finding> {
    let fact = |name| {
        let mut facts = facts.lines().filter_map(|line| line.split_once('='));
        facts.find_map(|(found, value)| (found == name).then_some(value))
    };
    if fact("LoadState")? != "loaded" {
        return None;
    }
    let (state, more) = (fact("ActiveState")?, fact("SubState")?);
    if state != "active" {
        return Some(
            bad!("service", "isn't running: {state} ({more})")
                .fix("journalctl -u frontdoor -n 20 says why; then systemctl restart frontdoor"),
        );
    }
    let started = DateTime::strptime(TIME, fact("ActiveEnterTimestamp")?).ok()?;
    let started = started.to_zoned(TimeZone::UTC).ok()?.timestamp();
    let age = span(started, Timestamp::now());
    // systemd reports the start only in whole seconds.
    let is_newer = changed.is_some_and(|changed| changed.as_second() > started.as_second());
    Some(if is_newer {
        unsure!(
            "service",
            "the settings file was changed since it was started {age} ago"
        )
        .fix("systemctl restart frontdoor")
    } else {
        good!("service", "is running; it was started {age} ago")
    })
}
