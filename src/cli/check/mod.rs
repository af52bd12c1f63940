//! `frontdoor check`: would a server start, and what waits for the owner? With `--live`
//! also: does a lead reach the owner from the public address? Changes nothing and leaves
//! nothing behind.

mod dns;
mod live;
mod machine;
mod web;

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::output::{count, harmless_line, minute, print, print_json, span};
use super::{Failure, block_on, owner, releases};
use crate::config::{Given, ServeArgs, Settings};
use crate::http::{self, HeadInjection, PageTable, Release};
use crate::store::{DatabaseUrl, IssueSummary, OpenMode, ScheduleState, Store, StoreError};
use crate::upkeep::Backups;

/// A backup is made each day; some hours are for what goes wrong once.
const OVERDUE: SignedDuration = SignedDuration::from_hours(36);
/// Rows that cannot be read are named by their ids, the first of them.
const MOST_NAMED: usize = 20;
/// So many of the latest issues are looked at.
const ISSUES: usize = 50;

pub const AFTER_HELP: &str = "\
With --live each line begins with ✓ (good), ! (worth a look, or not to be known
from here) or ✗ (to be fixed), and says what to do. It sends a mail to
FRONTDOOR_NOTIFY_EMAIL, a call with `frontdoor-event: test` to the webhook, and a
lead to the site which is never passed on and removed again. Exit code 1: a line
begins with ✗.";

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Good,
    /// A choice of the owner's, or not to be known from here.
    Unsure,
    /// For the owner to look at.
    Waiting,
    /// To be fixed; a server starts all the same.
    Bad,
    /// No server would start.
    Fatal,
}

/// The result of a look at one thing, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    kind: Kind,
    /// The thing.
    check: &'static str,
    what: String,
    /// May be empty.
    remedy: String,
}

fn finding(
    kind: Kind,
    check: &'static str,
    what: impl Into<String>,
    remedy: impl Into<String>,
) -> Finding {
    Finding {
        kind,
        check,
        what: what.into(),
        remedy: remedy.into(),
    }
}

fn good(check: &'static str, what: impl Into<String>) -> Finding {
    finding(Kind::Good, check, what, "")
}

fn unsure(check: &'static str, what: impl Into<String>, remedy: impl Into<String>) -> Finding {
    finding(Kind::Unsure, check, what, remedy)
}

fn bad(check: &'static str, what: impl Into<String>, remedy: impl Into<String>) -> Finding {
    finding(Kind::Bad, check, what, remedy)
}

impl Finding {
    fn is_bad(&self) -> bool {
        matches!(self.kind, Kind::Bad | Kind::Fatal)
    }

    /// In one line, whatever a server put into its answer.
    fn words(&self) -> String {
        let what = harmless_line(&self.what);
        match self.remedy.is_empty() {
            true => what,
            false => format!("{what}: {}", self.remedy),
        }
    }

    /// Without the name of the thing at its start, which `--live` shows in any case.
    fn live_what(&self) -> &str {
        let rest = self.what.strip_prefix(self.check);
        rest.unwrap_or(&self.what).trim_start_matches([':', ' '])
    }

    fn line(&self) -> String {
        let sign = match self.kind {
            Kind::Good => "OK",
            Kind::Unsure => "--",
            Kind::Waiting | Kind::Bad => "!!",
            Kind::Fatal => "NO",
        };
        format!("{sign}  {}\n", self.words())
    }

    fn json(&self) -> Value {
        let ok = match self.kind {
            Kind::Good => Some(true),
            Kind::Unsure => None,
            _ => Some(false),
        };
        json!({"ok": ok, "what": self.words()})
    }

    fn live_line(&self) -> String {
        let sign = match self.kind {
            Kind::Good => '✓',
            Kind::Unsure | Kind::Waiting => '!',
            Kind::Bad | Kind::Fatal => '✗',
        };
        let (check, what) = (self.check, harmless_line(self.live_what()));
        match self.remedy.is_empty() {
            true => format!("{sign} {check}: {what}\n"),
            false => format!("{sign} {check}: {what} → {}\n", self.remedy),
        }
    }

    fn live_json(&self) -> Value {
        let state = match self.kind {
            Kind::Good => "good",
            Kind::Unsure | Kind::Waiting => "unsure",
            Kind::Bad | Kind::Fatal => "bad",
        };
        let remedy = (!self.remedy.is_empty()).then_some(&self.remedy);
        json!({"check": self.check, "state": state, "what": self.live_what(), "remedy": remedy})
    }
}

/// `carried` is the release that the program carries.
pub fn run(args: &CheckArgs, given: &Given, carried: &'static [u8]) -> Result<(), Failure> {
    let settings = Settings::load(&args.settings)?;
    // Before we become somebody else.
    let files = machine::files(&settings);
    owner::become_owner(&settings.database)?;
    let findings = block_on(async {
        releases::hold_shown_facts(&settings).await;
        match args.live.live {
            true => live::look(&args.live, &settings, given, carried).await,
            false => look(&settings, carried).await,
        }
    })??;
    if args.live.live {
        return live::show(&[files, findings].concat(), args.json);
    }
    match args.json {
        true => print_json(&findings.iter().map(Finding::json).collect::<Vec<_>>())?,
        false => print(&findings.iter().map(Finding::line).collect::<String>())?,
    }
    let fatal = findings.iter().find(|each| each.kind == Kind::Fatal);
    fatal.map_or(Ok(()), |each| Err(Failure::Failed(each.words())))
}

async fn look(settings: &Settings, carried: &'static [u8]) -> Result<Vec<Finding>, Failure> {
    let optional = |name, is_set: bool, otherwise| match is_set {
        true => good(name, format!("{name} is set up")),
        false => unsure(name, format!("{name} is off: {otherwise}"), ""),
    };
    let mut findings = vec![good("settings", "settings")];
    let mut stored = stored(settings, carried).await?;
    findings.push(stored.remove(0));
    findings.extend([
        optional(
            "webhook",
            settings.webhook.is_some(),
            "leads are only stored",
        ),
        optional("mail", settings.mail.is_some(), "no mail is sent"),
        optional("chat", settings.chat.is_some(), "no chat widget"),
    ]);
    findings.extend(stored);
    Ok(findings)
}

/// The database first, then what else is on this machine, then what waits for the owner.
async fn stored(settings: &Settings, carried: &'static [u8]) -> Result<Vec<Finding>, Failure> {
    let url = &settings.database;
    let database = match Store::check(url).await {
        Ok(true) => good("database", format!("database {url:?} is whole")),
        Ok(false) => good(
            "database",
            format!("database {url:?}, too large to be read whole"),
        ),
        Err(error) => finding(
            Kind::Fatal,
            "database",
            format!("database {url:?}: {error}"),
            "",
        ),
    };
    let is_open = database.kind == Kind::Good;
    let mut findings = vec![database];
    findings.extend(settings.retention.beyond_the_policy().map(|of| {
        let what = of.name();
        let what = format!("{what} are kept for longer than the privacy policy says");
        unsure("privacy policy", what, "")
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
            DatabaseUrl::Sqlite(_) => unsure(
                "backup",
                "backup is off: no daily copies",
                "set FRONTDOOR_BACKUP_DIR to a folder, best on another disk",
            ),
            DatabaseUrl::Postgres(_) => unsure(
                "backup",
                "backup is off: copies are `pg_dump`'s or your provider's",
                "",
            ),
        };
    };
    let now = Timestamp::now();
    match backups.last_good(now) {
        Err(error) => {
            let what = format!("backup: cannot look into the folder: {error}");
            finding(Kind::Fatal, "backup", what, "fix FRONTDOOR_BACKUP_DIR")
        }
        Ok(None) => unsure(
            "backup",
            "backup: none yet, the server makes one when it runs",
            "",
        ),
        Ok(Some(last)) if now.duration_since(last) > OVERDUE => {
            let what = format!("backup: the last one is {} old", span(last, now));
            let remedy = "the server's log says why: journalctl -u frontdoor";
            finding(Kind::Fatal, "backup", what, remedy)
        }
        Ok(Some(last)) => good("backup", format!("backup {} old", span(last, now))),
    }
}

/// The release that the settings name. A server would not start without it.
fn site_of_settings(settings: &Settings) -> Option<Finding> {
    let place = settings.site.release.as_ref()?;
    let opened = Release::open(place).and_then(|release| can_be_served(&release, settings));
    Some(match opened {
        Ok(()) => good("site", format!("site {}", place.display())),
        Err(error) => finding(Kind::Fatal, "site", format!("site: {error:#}"), ""),
    })
}

async fn published_site(
    store: &Store,
    settings: &Settings,
    carried: &'static [u8],
) -> Result<Finding, StoreError> {
    let Some((shown, read)) = releases::published(store).await? else {
        return Ok(good("site", "site: the release that the program carries"));
    };
    let id = shown.id;
    if let Err(error) = read.and_then(|release| can_be_served(&release, settings)) {
        let what = format!("site: release {id} cannot be shown ({error:#})");
        return Ok(finding(
            Kind::Waiting,
            "site",
            what,
            "frontdoor releases rollback",
        ));
    }
    let own = Release::carried(carried).map(|own| own.checksum);
    // Which of them is newer nobody can tell.
    let is_another = own.is_ok_and(|own| own != shown.carried && own != shown.checksum);
    Ok(match is_another {
        true => unsure(
            "site",
            format!(
                "site: release {id} is shown; the program carries other pages than the one that \
                published it (to show them: frontdoor releases rollback built-in)"
            ),
            "",
        ),
        false => good("site", format!("site: release {id}")),
    })
}

fn can_be_served(release: &Release, settings: &Settings) -> anyhow::Result<()> {
    let head = HeadInjection::new(settings.chat.as_ref());
    let (edition, _) = release.at(Timestamp::now());
    PageTable::build(edition, &head, &http::template_words()).map(drop)
}

/// Matters that wait for the owner. None of them keeps a server from starting.
async fn attention(store: &Store, settings: &Settings) -> Result<Vec<Finding>, StoreError> {
    let found = store
        .attention(settings.promise.promise, store.now())
        .await?;
    let mut findings = Vec::new();
    if let Some(since) = store.paused_at().await? {
        let what = format!("sending is paused since the restore at {}", minute(since));
        findings.push(bad("sending", what, "frontdoor deliveries resume"));
    }
    if found.overdue > 0 {
        let what = format!("{} overdue", count(found.overdue, "lead is", "leads are"));
        findings.push(finding(Kind::Waiting, "leads", what, "frontdoor leads due"));
    }
    for health in store.channels().await? {
        let (name, number) = (health.channel.as_str(), found.failing(health.channel));
        if number > 0 {
            let waits = count(number, "delivery waits", "deliveries wait");
            let reason = health.last_error.as_deref();
            let reason = reason.unwrap_or("not every try fails");
            let what = format!("{name}: {waits} for another try: {reason}");
            let remedy = "fix it, then frontdoor deliveries retry --all";
            findings.push(finding(Kind::Waiting, "deliveries", what, remedy));
        }
    }
    findings.extend(store.issues(ISSUES).await?.iter().filter_map(unsent));
    for row in store.unreadable().await?.iter().take(MOST_NAMED) {
        let remedy = match row.table {
            "deliveries" => {
                "`frontdoor deliveries retry ID` starts it over; if it stays so, a later version \
                has written it: upgrade"
            }
            _ => {
                "a later version has written it: upgrade; or somebody has changed it: correct \
                that column with sqlite3 or psql"
            }
        };
        findings.push(bad("rows", format!("{row} cannot be read"), remedy));
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
    let subject = harmless_line(&issue.issue.subject);
    let left = count(issue.left, "subscriber", "subscribers");
    let what = format!("newsletter: “{subject}” was not sent to {left}: {reason}");
    Some(finding(Kind::Waiting, "newsletter", what, ""))
}
