//! Findings about the site and their remedies, for `frontdoor check` and the desk. A check changes
//! nothing and leaves nothing behind.

mod dns;
mod live;
mod machine;
mod web;

use std::fmt;
use std::path::Path;

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use tokio::task::spawn_blocking;

pub use self::live::{LiveArgs, live, test_call, test_mail};
use crate::config::{ExternalSettings, Settings};
use crate::content::{mails, site};
use crate::domain::{count, printable_line, span};
use crate::http::{self, HeadInjection, PageTable, Release};
use crate::store::{Backlog, DatabaseUrl, IssueSummary, ScheduleState, Store, StoreError};
use crate::upkeep::Backups;

/// The age at which a daily backup is overdue; the extra hours allow for one failure.
const OVERDUE: SignedDuration = SignedDuration::from_hours(36);
/// How many unreadable rows are named.
const MAX_NAMED: usize = 20;
/// How many of the latest newsletter issues are checked.
const ISSUES: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(rename = "FindingState"))]
#[serde(rename_all = "lowercase")]
pub enum State {
    Good,
    /// Worth a look, or can't be known from here.
    Unsure,
    /// Needs fixing.
    Bad,
}

/// What was found about one thing, and what to do about it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Finding {
    /// The thing.
    pub check: &'static str,
    pub state: State,
    pub what: String,
    /// May be empty.
    pub remedy: String,
}

macro_rules! good {
    ($check:expr, $($what:tt)+) => { $crate::check::Finding::new($crate::check::State::Good, $check, format_args!($($what)+)) };
}
macro_rules! unsure {
    ($check:expr, $($what:tt)+) => { $crate::check::Finding::new($crate::check::State::Unsure, $check, format_args!($($what)+)) };
}
macro_rules! bad {
    ($check:expr, $($what:tt)+) => { $crate::check::Finding::new($crate::check::State::Bad, $check, format_args!($($what)+)) };
}
pub(crate) use {bad, good, unsure};

impl Finding {
    pub fn new(state: State, check: &'static str, what: fmt::Arguments<'_>) -> Self {
        Self {
            check,
            state,
            // One line, even if a server's response has several.
            what: printable_line(&what.to_string()),
            remedy: String::new(),
        }
    }

    pub fn fix(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }
}

fn settings_file() -> Finding {
    let file = ExternalSettings::kept().and_then(|given| given.file.as_deref());
    match file.map(Path::display) {
        Some(file) => good!("settings", "all values are valid; the file is {file}"),
        None => good!("settings", "all values are valid; no file is used"),
    }
}

/// Whether the whole database can be read, according to the store's own check.
pub fn database(url: &DatabaseUrl, checked: Result<(), StoreError>) -> Finding {
    match checked {
        Ok(()) => good!("database", "{url:?} is intact"),
        Err(error) => bad!("database", "{url:?}: {error}"),
    }
}

pub async fn write(store: &Store) -> Finding {
    match store.probe().await {
        Ok(()) => good!("write", "a lead can be stored"),
        Err(error) => unwritten(&error),
    }
}

fn unwritten(error: &StoreError) -> Finding {
    bad!("write", "{error}").fix("until this is fixed, every form fails")
}

/// The settings, the room on the disks, and the last backup.
pub fn settings(settings: &Settings, backups: Option<&Backups>) -> Vec<Finding> {
    let mut findings = vec![settings_file()];
    findings.extend(machine::disks(settings));
    findings.extend(backups.map(last_backup));
    // Compared with the policy of the site that is shown.
    findings.extend(settings.retention.beyond_the_policy().map(|kind| {
        let what = kind.name();
        unsure!("privacy policy", "{what} are kept longer than it says")
    }));
    findings.extend(other_promise(settings));
    findings.extend(settings.off().map(|[name, meaning, setting]| {
        unsure!(name, "is off: {meaning}").fix(format!("set {setting}"))
    }));
    findings
}

/// Compares the setting with the promise in the mail to visitors: every release has that text, and
/// usually its pages say the same.
fn other_promise(settings: &Settings) -> Option<Finding> {
    let hours = settings.promise.promise.as_hours();
    let text = &mails().auto_reply.promise;
    let (before, _) = text.split_once(" hours")?;
    let promised: i64 = before.rsplit(' ').next()?.parse().ok()?;
    let finding = unsure!(
        "promise",
        "the texts promise “{text}”, but FRONTDOOR_PROMISE_HOURS is {hours}"
    );
    (promised != hours).then(|| {
        finding.fix("change the setting, or `promise` in content/mails.toml and the pages")
    })
}

/// Before the first start, there is no backup.
fn last_backup(backups: &Backups) -> Finding {
    let now = Timestamp::now();
    let remedy = "the server's log says why: journalctl -u frontdoor";
    if let Some(why) = backups.failure() {
        return bad!("backup", "the last try failed: {why}").fix(remedy);
    }
    match backups.last_good(now) {
        Err(error) => bad!("backup", "the folder of the backups can't be read: {error}")
            .fix("fix FRONTDOOR_BACKUP_DIR"),
        Ok(None) => unsure!("backup", "none yet; the server makes one when it runs"),
        Ok(Some(last)) => {
            let age = span(last, now);
            if now.duration_since(last) > OVERDUE {
                bad!("backup", "the last one is {age} old").fix(remedy)
            } else {
                good!("backup", "the last one is {age} old")
            }
        }
    }
}

/// Whether the published release can be shown. `None` if the settings name a release instead.
pub async fn published_site(
    store: &Store,
    settings: &Settings,
    built_in: &'static [u8],
) -> Result<Option<Finding>, StoreError> {
    if settings.site.release.is_some() {
        return Ok(None);
    }
    let Some((shown, read)) = http::published_release(store).await? else {
        return Ok(Some(good!("site", "the built-in release")));
    };
    let (id, settings) = (shown.id, settings.clone());
    // With some settings, every page is compressed again.
    let served =
        spawn_blocking(move || read.and_then(|release| can_be_served(&release, &settings)));
    if let Err(error) = served.await.map_err(anyhow::Error::from).flatten() {
        return Ok(Some(
            unsure!("site", "release {id} can't be shown ({error:#})")
                .fix("frontdoor releases rollback"),
        ));
    }
    let ours = Release::built_in(built_in).map(|release| release.checksum);
    // It isn't known which of them is newer.
    let is_another = ours.is_ok_and(|ours| ours != shown.built_in && ours != shown.checksum);
    Ok(Some(if is_another {
        unsure!(
            "site",
            "release {id} is shown; the built-in pages are different"
        )
        .fix("to show those: frontdoor releases rollback built-in")
    } else {
        good!("site", "release {id}")
    }))
}

pub fn can_be_served(release: &Release, settings: &Settings) -> Result<()> {
    let head = HeadInjection::new(settings.chat.as_ref(), settings.visits.count);
    let (edition, _) = release.at(Timestamp::now());
    PageTable::build(edition, &head, &http::template_placeholders()).map(drop)
}

/// What needs the owner's attention. None of it keeps a server from starting.
pub async fn attention(store: &Store, settings: &Settings) -> Result<Vec<Finding>, StoreError> {
    let found = store
        .attention(settings.promise.promise, store.now())
        .await?;
    let mut findings = Vec::new();
    if let Some(since) = store.paused_at().await? {
        let since = site().minute(since);
        findings.push(
            unsure!("sending", "paused since the restore at {since}")
                .fix("frontdoor deliveries resume"),
        );
    }
    let given_up = store.given_up_to_retry().await?;
    if given_up > 0 {
        let deliveries = count(given_up, "delivery was", "deliveries were");
        findings.push(unsure!("deliveries", "{deliveries} given up").fix(
            "frontdoor deliveries list --state given_up, then frontdoor deliveries retry --all",
        ));
    }
    if found.overdue > 0 {
        let leads = count(found.overdue, "lead is", "leads are");
        findings.push(unsure!("leads", "{leads} overdue").fix("frontdoor leads due"));
    }
    let backlog = store.backlog(store.now()).await?;
    for health in store.channels().await? {
        let (name, number) = (
            health.channel.as_str(),
            Backlog::failing(&backlog, health.channel),
        );
        if number > 0 {
            let waiting = count(number, "delivery is", "deliveries are");
            let reason = health.last_error.as_deref();
            let reason = reason.unwrap_or("some attempts succeed");
            findings.push(
                unsure!(
                    "deliveries",
                    "{name}: {waiting} waiting for another try: {reason}"
                )
                .fix("fix it, then frontdoor deliveries retry --all"),
            );
        }
    }
    for service in settings.bookings.services() {
        let health = store.booking_health(service).await?;
        let (is_well, what, remedy) = health.in_words(service, store.now());
        let state = if is_well { State::Good } else { State::Unsure };
        findings.push(Finding::new(state, "bookings", format_args!("{what}")).fix(remedy));
    }
    let issues = store.issues(None, ISSUES, store.now()).await?;
    findings.extend(issues.iter().filter_map(unsent));
    Ok(findings)
}

/// Finds rows that can't be read. Reads all rows, which takes a while with many leads.
pub async fn rows(store: &Store) -> Result<Vec<Finding>, StoreError> {
    let mut findings = Vec::new();
    for row in store.unreadable().await?.iter().take(MAX_NAMED) {
        let remedy = match row.table {
            "deliveries" => {
                "run `frontdoor deliveries retry ID`; if that doesn't help, upgrade: a newer \
                version wrote the row"
            }
            _ => {
                "upgrade if a newer version wrote it; if it was edited by hand, correct that \
                column with sqlite3 or psql"
            }
        };
        findings.push(unsure!("rows", "{row} can't be read").fix(remedy));
    }
    Ok(findings)
}

/// The finding for an issue that the server could not send to everybody so far.
fn unsent(issue: &IssueSummary) -> Option<Finding> {
    let is_open = matches!(
        issue.schedule,
        Some(ScheduleState::Scheduled | ScheduleState::GivenUp)
    );
    let reason = issue.last_error.as_ref();
    let reason = reason.filter(|_| is_open && issue.left > 0)?;
    let subject = &issue.issue.subject;
    let left = count(issue.left, "subscriber", "subscribers");
    Some(unsure!(
        "newsletter",
        "“{subject}” wasn't sent to {left}: {reason}"
    ))
}
