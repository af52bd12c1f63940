//! Would `serve` start with these settings, on what is there? Changes nothing, and
//! creates nothing.

use jiff::Timestamp;

use super::finding::{Finding, bad, good, note, waiting};
use super::{MOST_NAMED, OVERDUE, release, remedy};
use crate::cli::output::{count, minute, print, print_json, span};
use crate::cli::table::harmless_line;
use crate::cli::{Failure, block_on, facts, owner};
use crate::config::Settings;
use crate::store::{DatabaseUrl, IssueSummary, OpenMode, ScheduleState, Store, StoreError};
use crate::upkeep::Backups;

/// The latest are looked at.
const ISSUES: usize = 50;

/// `carried` is the release that the program carries.
pub fn run(settings: &Settings, carried: &'static [u8], as_json: bool) -> Result<(), Failure> {
    owner::become_owner(&settings.database)?;
    block_on(facts::shown(settings))?;
    let database = block_on(Store::check(&settings.database))?;
    let url = &settings.database;
    let mut findings = vec![good("settings")];
    findings.push(match &database {
        Ok(true) => good(format!("database {url:?}")),
        Ok(false) => good(format!("database {url:?}, too large to be read whole")),
        Err(_) => bad(format!("database {url:?}")),
    });
    findings.extend([
        optional(
            "webhook",
            settings.webhook.is_some(),
            "leads are only stored",
        ),
        optional("mail", settings.mail.is_some(), "no mail is sent"),
        optional("chat", settings.chat.is_some(), "no chat widget"),
    ]);
    findings.extend(settings.retention.beyond_the_policy().map(|of| {
        let what = of.name();
        note(format!(
            "{what} are kept for longer than the privacy policy says"
        ))
    }));
    let backups = backups(settings);
    let failure = backups.as_ref().err().cloned();
    findings.push(backups.unwrap_or_else(bad));
    let given = release::given(settings);
    let failure = failure.or_else(|| given.as_ref()?.as_ref().err().cloned());
    let is_given = given.is_some();
    findings.extend(given.map(|given| given.unwrap_or_else(bad)));
    if database.is_ok() {
        if !is_given {
            findings.push(block_on(release::published(settings, carried))??);
        }
        findings.extend(block_on(attention(settings))??);
    }
    show(&findings, as_json)?;
    database?;
    failure.map_or(Ok(()), |why| Err(Failure::Failed(why)))
}

/// What waits for the owner. None of it keeps a server from starting.
async fn attention(settings: &Settings) -> Result<Vec<Finding>, StoreError> {
    let store = Store::open(&settings.database, OpenMode::Existing).await?;
    let found = store.attention(settings.promise.promise, store.now());
    let (found, channels) = (found.await?, store.channels().await?);
    let issues = store.issues(ISSUES).await?;
    let (unreadable, paused_at) = (store.unreadable().await?, store.paused_at().await?);
    store.close().await?;
    let overdue = (found.overdue > 0).then(|| {
        let leads = count(found.overdue, "lead is", "leads are");
        waiting(format!("{leads} overdue: frontdoor leads due"))
    });
    let failing = channels.iter().filter_map(|health| {
        let (name, number) = (health.channel.as_str(), found.failing(health.channel));
        let deliveries = count(number, "delivery waits", "deliveries wait");
        let reason = health
            .last_error
            .as_deref()
            .unwrap_or("not every try fails");
        (number > 0).then(|| waiting(format!("{name}: {deliveries} for another try: {reason}")))
    });
    let unreadable = unreadable.iter().take(MOST_NAMED).map(|row| {
        let remedy = remedy(row.table);
        let row = harmless_line(&row.to_string());
        waiting(format!("{row} cannot be read: {remedy}"))
    });
    let paused = paused_at.map(|since| {
        let since = minute(since);
        waiting(format!(
            "sending is paused since the restore at {since}: frontdoor deliveries resume"
        ))
    });
    let findings = paused
        .into_iter()
        .chain(overdue)
        .chain(failing)
        .chain(issues.iter().filter_map(unsent))
        .chain(unreadable);
    Ok(findings.collect())
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
    Some(waiting(format!(
        "newsletter: “{subject}” was not sent to {left}: {reason}"
    )))
}

fn show(findings: &[Finding], as_json: bool) -> anyhow::Result<()> {
    match as_json {
        true => print_json(&findings),
        false => print(&findings.iter().map(Finding::line).collect::<String>()),
    }
}

/// Whether there is one that is as new as it should be. Before the first start
/// there is nothing to be backed up.
fn backups(settings: &Settings) -> Result<Finding, String> {
    let Some(backups) = Backups::new(settings.backup.as_ref(), &settings.database) else {
        return Ok(match settings.database {
            DatabaseUrl::Sqlite(_) => optional("backup", false, "no daily copies"),
            DatabaseUrl::Postgres(_) => optional("backup", false, "that is `pg_dump`'s"),
        });
    };
    let now = Timestamp::now();
    let cannot = |error| format!("backup: cannot look into the folder: {error}");
    match backups.last_good(now).map_err(cannot)? {
        None => Ok(note("backup: none yet, the server makes one when it runs")),
        Some(last) if now.duration_since(last) > OVERDUE => Err(format!(
            "backup: the last one is {} old; the server's log says why",
            span(last, now)
        )),
        Some(last) => Ok(good(format!("backup {} old", span(last, now)))),
    }
}

fn optional(name: &str, is_set: bool, otherwise: &str) -> Finding {
    match is_set {
        true => good(format!("{name} is set up")),
        false => note(format!("{name} is off: {otherwise}")),
    }
}
