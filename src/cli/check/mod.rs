//! `frontdoor check`: would a server start, and what needs the owner's attention? With
//! `--live` also: does a lead reach the owner from the public address? Changes nothing and
//! leaves nothing behind.

mod dns;
mod live;
mod machine;
mod web;

use anyhow::{Result, bail};
use clap::Args;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::output::{count, harmless_line, minute, print, print_json, span};
use super::{block_on, owner, releases};
use crate::config::{Given, ServeArgs, Settings};
use crate::http::{self, HeadInjection, PageTable, Release};
use crate::store::{DatabaseUrl, IssueSummary, OpenMode, ScheduleState, Store, StoreError};
use crate::upkeep::Backups;

/// A backup is made each day; some hours are for what goes wrong once.
const OVERDUE: SignedDuration = SignedDuration::from_hours(36);
/// Rows that can't be read are named by their ids, the first of them.
const MAX_NAMED: usize = 20;
/// How many of the latest issues are looked at.
const ISSUES: usize = 50;

pub const AFTER_HELP: &str = "\
Each line begins with ✓ (good), ! (worth a look, or can't be known from here) or
✗ (needs fixing), and says what to do. With --live it sends a mail to
FRONTDOOR_NOTIFY_EMAIL, a call with `frontdoor-event: test` to the webhook, and a
lead to the site which is never passed on and is removed again. Exit code 1: a
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

/// The result of a look at one thing, and what to do about it.
#[derive(Debug, Clone, Serialize)]
struct Finding {
    /// The thing.
    check: &'static str,
    state: State,
    what: String,
    /// May be empty.
    remedy: String,
}

fn finding(state: State, check: &'static str, what: impl AsRef<str>) -> Finding {
    Finding {
        check,
        state,
        // One line, whatever a server put into its answer.
        what: harmless_line(what.as_ref()),
        remedy: String::new(),
    }
}

fn good(check: &'static str, what: impl AsRef<str>) -> Finding {
    finding(State::Good, check, what)
}

fn unsure(check: &'static str, what: impl AsRef<str>) -> Finding {
    finding(State::Unsure, check, what)
}

fn bad(check: &'static str, what: impl AsRef<str>) -> Finding {
    finding(State::Bad, check, what)
}

impl Finding {
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
        format!("{sign} {}\n", self.words())
    }

    fn words(&self) -> String {
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

/// `carried` is the release that the program carries.
pub fn run(args: &CheckArgs, carried: &'static [u8]) -> Result<()> {
    let settings = Settings::load(&args.settings)?;
    // Before we become somebody else.
    let files = machine::files(&settings);
    owner::become_owner(&settings.database)?;
    let findings = block_on(async {
        releases::hold_shown_facts(&settings).await;
        let found = match args.live.live {
            true => [files, live::look(&args.live, &settings, carried).await?].concat(),
            false => look(&settings, carried).await?,
        };
        Ok([vec![settings_file()], found].concat())
    })?;
    match args.json {
        true => print_json(&findings)?,
        false => print(&findings.iter().map(Finding::line).collect::<String>())?,
    }
    let bad: Vec<_> = findings
        .iter()
        .filter(|each| each.state == State::Bad)
        .collect();
    match bad[..] {
        [] => Ok(()),
        [only] => bail!(only.words()),
        [first, ref others @ ..] => bail!("{}; and {} more", first.words(), others.len()),
    }
}

fn settings_file() -> Finding {
    let file = Given::kept().and_then(|given| given.file.as_ref());
    match file {
        Some(file) => good(
            "settings",
            format!("are right; they come from {}", file.display()),
        ),
        None => good("settings", "are right; there is no settings file"),
    }
}

async fn look(settings: &Settings, carried: &'static [u8]) -> Result<Vec<Finding>> {
    let optional = |name, is_set: bool, otherwise| match is_set {
        true => good(name, "is set up"),
        false => unsure(name, format!("is off: {otherwise}")),
    };
    let mut findings = stored(settings, carried).await?;
    findings.extend([
        optional(
            "webhook",
            settings.webhook.is_some(),
            "leads are only stored",
        ),
        optional("mail", settings.mail.is_some(), "no mail is sent"),
        optional("chat", settings.chat.is_some(), "no chat widget"),
    ]);
    Ok(findings)
}

/// The database first, then what else is on this machine, then what needs attention.
async fn stored(settings: &Settings, carried: &'static [u8]) -> Result<Vec<Finding>> {
    let url = &settings.database;
    let database = match Store::check(url).await {
        Ok(()) => good("database", format!("{url:?} is whole")),
        Err(error) => bad("database", format!("{url:?}: {error}")),
    };
    let is_open = database.state == State::Good;
    let mut findings = vec![database];
    findings.extend(settings.retention.beyond_the_policy().map(|of| {
        let what = format!("{} are kept for longer than it says", of.name());
        unsure("privacy policy", what)
    }));
    findings.push(backups(settings));
    findings.extend(site_of_settings(settings));
    if is_open {
        let store = Store::open(url, OpenMode::Existing).await?;
        if settings.site.release.is_none() {
            findings.push(published_site(&store, settings, carried).await?);
        }
        findings.extend(attention(&store, settings).await?);
        store.close().await?;
    }
    Ok(findings)
}

/// Whether there is one that is as new as it should be. Before the first start
/// there is nothing to be backed up.
fn backups(settings: &Settings) -> Finding {
    let Some(backups) = Backups::new(settings.backup.as_ref(), &settings.database) else {
        return match settings.database {
            DatabaseUrl::Sqlite(_) => unsure("backup", "is off: no daily copies")
                .fix("set FRONTDOOR_BACKUP_DIR to a folder, best on another disk"),
            DatabaseUrl::Postgres(_) => unsure(
                "backup",
                "is off: copies are `pg_dump`'s or your provider's",
            ),
        };
    };
    let now = Timestamp::now();
    match backups.last_good(now) {
        Err(error) => {
            let what = format!("can't look into the folder: {error}");
            bad("backup", what).fix("fix FRONTDOOR_BACKUP_DIR")
        }
        Ok(None) => unsure("backup", "none yet, the server makes one when it runs"),
        Ok(Some(last)) if now.duration_since(last) > OVERDUE => {
            bad("backup", format!("the last one is {} old", span(last, now)))
                .fix("the server's log says why: journalctl -u frontdoor")
        }
        Ok(Some(last)) => good("backup", format!("{} old", span(last, now))),
    }
}

/// The release that the settings name. A server would not start without it.
fn site_of_settings(settings: &Settings) -> Option<Finding> {
    let place = settings.site.release.as_ref()?;
    let opened = Release::open(place).and_then(|release| can_be_served(&release, settings));
    Some(match opened {
        Ok(()) => good("site", place.display().to_string()),
        Err(error) => bad("site", format!("{error:#}")),
    })
}

async fn published_site(
    store: &Store,
    settings: &Settings,
    carried: &'static [u8],
) -> Result<Finding, StoreError> {
    let Some((shown, read)) = releases::published(store).await? else {
        return Ok(good("site", "the release that the program carries"));
    };
    let id = shown.id;
    if let Err(error) = read.and_then(|release| can_be_served(&release, settings)) {
        let what = format!("release {id} can't be shown ({error:#})");
        return Ok(unsure("site", what).fix("frontdoor releases rollback"));
    }
    let own = Release::carried(carried).map(|own| own.checksum);
    // Which of them is newer nobody can tell.
    let is_another = own.is_ok_and(|own| own != shown.carried && own != shown.checksum);
    Ok(match is_another {
        true => unsure(
            "site",
            format!("release {id} is shown; the program carries other pages"),
        )
        .fix("to show them: frontdoor releases rollback built-in"),
        false => good("site", format!("release {id}")),
    })
}

fn can_be_served(release: &Release, settings: &Settings) -> Result<()> {
    let head = HeadInjection::new(settings.chat.as_ref());
    let (edition, _) = release.at(Timestamp::now());
    PageTable::build(edition, &head, &http::template_words()).map(drop)
}

/// Matters for the owner. None of them keeps a server from starting.
async fn attention(store: &Store, settings: &Settings) -> Result<Vec<Finding>, StoreError> {
    let found = store
        .attention(settings.promise.promise, store.now())
        .await?;
    let mut findings = Vec::new();
    if let Some(since) = store.paused_at().await? {
        let what = format!("paused since the restore at {}", minute(since));
        findings.push(unsure("sending", what).fix("frontdoor deliveries resume"));
    }
    if found.overdue > 0 {
        let what = format!("{} overdue", count(found.overdue, "lead is", "leads are"));
        findings.push(unsure("leads", what).fix("frontdoor leads due"));
    }
    for health in store.channels().await? {
        let (name, number) = (health.channel.as_str(), found.failing(health.channel));
        if number > 0 {
            let waiting = count(number, "delivery is", "deliveries are");
            let reason = health.last_error.as_deref();
            let reason = reason.unwrap_or("not every try fails");
            let what = format!("{name}: {waiting} waiting for another try: {reason}");
            let remedy = "fix it, then frontdoor deliveries retry --all";
            findings.push(unsure("deliveries", what).fix(remedy));
        }
    }
    findings.extend(store.issues(ISSUES).await?.iter().filter_map(unsent));
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
        findings.push(unsure("rows", format!("{row} can't be read")).fix(remedy));
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
    let what = format!("“{subject}” was not sent to {left}: {reason}");
    Some(unsure("newsletter", what))
}
