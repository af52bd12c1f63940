//! `frontdoor check`: would a server start, and what needs the owner's attention? With
//! `--live` also: does a lead reach the owner from the public address? Changes nothing and
//! leaves nothing behind.

mod dns;
mod live;
mod machine;
mod web;

use std::fmt;
use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::output::{count, harmless_line, minute, print, print_json, span};
use super::{block_on, owner, releases, site_facts};
use crate::config::{Given, ServeArgs, Settings};
use crate::http::{self, HeadInjection, PageTable, Release};
use crate::store::{IssueSummary, OpenMode, ScheduleState, Store, StoreError};
use crate::upkeep::Backups;

/// A backup is made each day; some hours are for what goes wrong once.
const OVERDUE: SignedDuration = SignedDuration::from_hours(36);
/// Rows that can't be read are named by their ids, the first of them.
const MAX_NAMED: usize = 20;
/// How many of the latest issues are looked at.
const ISSUES: usize = 50;

pub const AFTER_HELP: &str = "\
Each line begins with ✓ (good), ! (worth a look, or can't be known from here) or
✗ (needs fixing) and says what to do. With --live it sends a mail to
FRONTDOOR_NOTIFY_EMAIL, a call with `frontdoor-event: test` to the webhook, and a
lead to the site, which is never passed on and is removed again. Exit code 1: a
line begins with ✗.";

#[derive(Args, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    live: live::LiveArgs,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    settings: ServeArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Good,
    /// Worth a look, or can't be known from here.
    Unsure,
    /// Needs fixing.
    Bad,
}

/// What was found about one thing, and what to do about it.
#[derive(Debug, Clone, Serialize)]
struct Finding {
    /// The thing.
    check: &'static str,
    state: State,
    what: String,
    /// May be empty.
    remedy: String,
}

macro_rules! good {
    ($check:expr, $($what:tt)+) => { Finding::new(State::Good, $check, format_args!($($what)+)) };
}
macro_rules! unsure {
    ($check:expr, $($what:tt)+) => { Finding::new(State::Unsure, $check, format_args!($($what)+)) };
}
macro_rules! bad {
    ($check:expr, $($what:tt)+) => { Finding::new(State::Bad, $check, format_args!($($what)+)) };
}
use {bad, good, unsure};

impl Finding {
    fn new(state: State, check: &'static str, what: fmt::Arguments<'_>) -> Self {
        Self {
            check,
            state,
            // One line, whatever a server put into its answer.
            what: harmless_line(&what.to_string()),
            remedy: String::new(),
        }
    }

    fn fix(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }

    fn line(&self) -> String {
        let sign = match self.state {
            State::Good => '✓',
            State::Unsure => '!',
            State::Bad => '✗',
        };
        format!("{sign} {}\n", self.text())
    }

    fn text(&self) -> String {
        let Self {
            check,
            what,
            remedy,
            ..
        } = self;
        match remedy.is_empty() {
            true => format!("{check}: {what}"),
            false => format!("{check}: {what} → {remedy}"),
        }
    }
}

pub fn run(args: &CheckArgs, built_in: &'static [u8]) -> Result<()> {
    let settings = Settings::load(&args.settings)?;
    owner::become_owner(&settings.database)?;
    let findings = block_on(async {
        let mut findings = [vec![settings_file()], machine::disks(&settings)].concat();
        findings.extend(stored(&settings, built_in).await?);
        findings.extend(settings.off().map(|[name, meaning, setting]| {
            unsure!(name, "is off: {meaning}").fix(format!("set {setting}"))
        }));
        if args.live.live {
            findings.extend(live::findings(&args.live, &settings).await?);
        }
        Ok(findings)
    })?;
    match args.json {
        true => print_json(&findings)?,
        false => print(&findings.iter().map(Finding::line).collect::<String>())?,
    }
    let mut bad = findings.iter().filter(|each| each.state == State::Bad);
    let Some(first) = bad.next().map(Finding::text) else {
        return Ok(());
    };
    match bad.count() {
        0 => bail!(first),
        others => bail!("{first}; and {others} more"),
    }
}

fn settings_file() -> Finding {
    let file = Given::kept().and_then(|given| given.file.as_deref());
    match file.map(Path::display) {
        Some(file) => good!("settings", "all values are valid; the file is {file}"),
        None => good!("settings", "all values are valid; no file is used"),
    }
}

/// The database and what is in it, the backups, and the site.
async fn stored(settings: &Settings, built_in: &'static [u8]) -> Result<Vec<Finding>> {
    let url = &settings.database;
    let database = match Store::check(url).await {
        Ok(()) => good!("database", "{url:?} is intact"),
        Err(error) => bad!("database", "{url:?}: {error}"),
    };
    let is_open = database.state == State::Good;
    let mut findings = vec![database];
    findings.extend(backups(settings));
    findings.extend(site_of_settings(settings));
    if is_open {
        let store = Store::open(url, OpenMode::Existing).await?;
        if settings.site.release.is_none() {
            site_facts::use_published(&store).await?;
            findings.push(published_site(&store, settings, built_in).await?);
        }
        findings.extend(attention(&store, settings).await?);
        store.close().await?;
    }
    // By the policy of the site that is shown.
    findings.extend(settings.retention.beyond_the_policy().map(|of| {
        let what = of.name();
        unsure!("privacy policy", "{what} are kept for longer than it says")
    }));
    Ok(findings)
}

/// Whether the last backup is as new as it should be. Before the first start there is none.
fn backups(settings: &Settings) -> Option<Finding> {
    let backups = Backups::new(settings.backup.as_ref(), &settings.database)?;
    let now = Timestamp::now();
    Some(match backups.last_good(now) {
        Err(error) => bad!("backup", "the folder of the backups can't be read: {error}")
            .fix("fix FRONTDOOR_BACKUP_DIR"),
        Ok(None) => unsure!("backup", "none yet; the server makes one when it runs"),
        Ok(Some(last)) => {
            let age = span(last, now);
            match now.duration_since(last) > OVERDUE {
                true => bad!("backup", "the last one is {age} old")
                    .fix("the server's log says why: journalctl -u frontdoor"),
                false => good!("backup", "{age} old"),
            }
        }
    })
}

/// The release that the settings name. A server would not start without it.
fn site_of_settings(settings: &Settings) -> Option<Finding> {
    let place = settings.site.release.as_ref()?;
    let opened = Release::open(place).and_then(|release| {
        release.facts.make_current();
        can_be_served(&release, settings)
    });
    Some(match opened {
        Ok(()) => good!("site", "{}", place.display()),
        Err(error) => bad!("site", "{error:#}"),
    })
}

async fn published_site(
    store: &Store,
    settings: &Settings,
    built_in: &'static [u8],
) -> Result<Finding, StoreError> {
    let Some((shown, read)) = releases::published(store).await? else {
        return Ok(good!("site", "the built-in release"));
    };
    let id = shown.id;
    if let Err(error) = read.and_then(|release| can_be_served(&release, settings)) {
        return Ok(unsure!("site", "release {id} can't be shown ({error:#})")
            .fix("frontdoor releases rollback"));
    }
    let ours = Release::built_in(built_in).map(|release| release.checksum);
    // Nothing says which of them is newer.
    let is_another = ours.is_ok_and(|ours| ours != shown.built_in && ours != shown.checksum);
    Ok(match is_another {
        true => unsure!(
            "site",
            "release {id} is shown; the built-in pages are different"
        )
        .fix("to show those: frontdoor releases rollback built-in"),
        false => good!("site", "release {id}"),
    })
}

fn can_be_served(release: &Release, settings: &Settings) -> Result<()> {
    let head = HeadInjection::new(settings.chat.as_ref(), settings.visits.count);
    let (edition, _) = release.at(Timestamp::now());
    PageTable::build(edition, &head, &http::template_placeholders()).map(drop)
}

/// What the owner should see to. None of it keeps a server from starting.
async fn attention(store: &Store, settings: &Settings) -> Result<Vec<Finding>, StoreError> {
    let found = store
        .attention(settings.promise.promise, store.now())
        .await?;
    let mut findings = Vec::new();
    if let Some(since) = store.paused_at().await? {
        let since = minute(since);
        findings.push(
            unsure!("sending", "paused since the restore at {since}")
                .fix("frontdoor deliveries resume"),
        );
    }
    let given_up = store.undelivered_counts().await?.given_up;
    if given_up > 0 {
        let deliveries = count(given_up, "delivery was", "deliveries were");
        findings.push(
            unsure!("deliveries", "{deliveries} given up")
                .fix("frontdoor deliveries list --state given_up, then retry"),
        );
    }
    if found.overdue > 0 {
        let leads = count(found.overdue, "lead is", "leads are");
        findings.push(unsure!("leads", "{leads} overdue").fix("frontdoor leads due"));
    }
    for health in store.channels().await? {
        let (name, number) = (health.channel.as_str(), found.failing(health.channel));
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
        let state = [State::Unsure, State::Good][usize::from(is_well)];
        findings.push(Finding::new(state, "bookings", format_args!("{what}")).fix(remedy));
    }
    findings.extend(store.issues(None, ISSUES).await?.iter().filter_map(unsent));
    for row in store.unreadable().await?.iter().take(MAX_NAMED) {
        let remedy = match row.table {
            "deliveries" => {
                "`frontdoor deliveries retry ID` starts it over; if that doesn't help, a later \
                version has written it: upgrade"
            }
            _ => {
                "a later version has written it: upgrade; or somebody has changed it: correct \
                that column with sqlite3 or psql"
            }
        };
        findings.push(unsure!("rows", "{row} can't be read").fix(remedy));
    }
    Ok(findings)
}

/// An issue that the server could not send to everybody so far.
fn unsent(issue: &IssueSummary) -> Option<Finding> {
    let is_open = matches!(
        issue.schedule,
        Some(ScheduleState::Scheduled | ScheduleState::GivenUp)
    );
    let reason = issue.last_error.as_ref().filter(|_| is_open)?;
    let subject = &issue.issue.subject;
    let left = count(issue.left, "subscriber", "subscribers");
    Some(unsure!(
        "newsletter",
        "“{subject}” was not sent to {left}: {reason}"
    ))
}
