//! `frontdoor newsletter`: issues, from their file to their readers.

mod send;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde::Serialize;

use super::lists::{Columns, Shown, none};
use super::output::{count, harmless_line, minute, print_line};
use super::{UsageError, block_on, owner, releases, site_facts, with_store};
use crate::config::{DatabaseArgs, SiteArgs};
use crate::store::{
    DatabaseUrl, IssueState, IssueSummary, OpenMode, ScheduleState, Store, StoreError,
};

/// More issues than are ever scheduled at once.
const MAX_SCHEDULED: usize = 1000;

#[derive(Subcommand, Debug)]
pub enum NewsletterCommand {
    /// Send a Markdown file to every confirmed subscriber. Run it again after
    /// an interruption: nobody gets the same file twice
    Send(Box<send::SendIssue>),
    /// Write the mail to an HTML file beside the Markdown file, to view it in a browser
    Preview(PreviewIssue),
    /// List issues, sent and scheduled, the latest first
    List(Shown),
    /// Cancel a scheduled issue
    Cancel {
        /// The issue's id, or the beginning of it; needed when several are scheduled
        #[arg(value_name = "ID", allow_hyphen_values = true, value_parser = id)]
        id: Option<String>,
    },
}

#[derive(Args, Debug)]
pub struct PreviewIssue {
    /// The issue: Markdown with the subject as its first heading, or a post of the blog
    #[arg(value_name = "FILE.md")]
    file: PathBuf,

    #[command(flatten)]
    site: SiteArgs,
}

/// Parses an id. An id may begin with one hyphen, which looks like a flag.
fn id(text: &str) -> Result<String, String> {
    if text.starts_with("--") {
        Err("this command has no such flag".into())
    } else {
        Ok(text.to_owned())
    }
}

/// `built_in` is the release inside the program.
pub fn run(
    command: &NewsletterCommand,
    database: &DatabaseArgs,
    built_in: &'static [u8],
) -> Result<()> {
    match command {
        NewsletterCommand::Send(args) => with_store(database, async |store| {
            send::run(args, built_in, store).await
        }),
        NewsletterCommand::List(shown) => {
            with_store(database, async |store| list(shown, store).await)
        }
        NewsletterCommand::Cancel { id } => {
            with_store(database, async |store| cancel(id.as_deref(), store).await)
        }
        NewsletterCommand::Preview(args) => {
            let url = owner::database(database)?;
            block_on(preview(args, built_in, &url))
        }
    }
}

/// Writes the mail as a subscriber gets it, except for the link to unsubscribe, with the facts
/// of the site that is shown. Without a database, that is the built-in one.
async fn preview(
    args: &PreviewIssue,
    built_in: &'static [u8],
    database: &DatabaseUrl,
) -> Result<()> {
    let site = args.site.load()?;
    let store = match Store::open(database, OpenMode::Existing).await {
        Ok(store) => Some(store),
        Err(StoreError::Missing { .. }) => None,
        Err(_) if site.release.is_some() => None,
        Err(error) => return Err(error.into()),
    };
    if let Some(store) = &store {
        site_facts::use_published(store).await?;
    }
    site_facts::require(&site)?;
    let release = releases::shown_release(&site, built_in, store.as_ref()).await?;
    if let Some(store) = store {
        store.close().await?;
    }
    let issue = send::read(&args.file, |path| {
        // A post need not be on the site yet.
        let page = send::page(&release, path, Timestamp::now());
        Some(page.unwrap_or_default())
    })?;
    let file = args.file.with_extension("preview.html");
    let shown = file.display();
    std::fs::write(&file, issue.preview()).with_context(|| format!("can't write {shown}"))?;
    print_line!("{shown}")
}

/// The beginning of an id, which people can type.
fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}

/// An issue as lists and JSON show it.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    issue: IssueSummary,
    state: &'static str,
}

const COLUMNS: Columns<Row> = (
    "ID, STATE, TIME, SENT, REFUSED, LEFT, SUBJECT, UNSURE, FILE, LAST ERROR",
    |Row { issue, state }| {
        // The time at which sending begins or began.
        let time = issue.send_at.or(issue.first_sent_at);
        vec![
            short(&issue.issue.id).to_owned(),
            (*state).to_owned(),
            time.map_or(String::new(), minute),
            issue.sent.to_string(),
            issue.refused.to_string(),
            issue.left.to_string(),
            issue.issue.subject.clone(),
            issue.unsure.to_string(),
            issue.issue.file_name.clone(),
            issue.last_error.clone().unwrap_or_default(),
        ]
    },
);

async fn list(shown: &Shown, store: &Store) -> Result<()> {
    let found = store.issues(None, shown.limit_and_one()).await?;
    let row = |issue: IssueSummary| Row {
        state: state(&issue),
        issue,
    };
    let rows = found.into_iter().map(row).collect();
    shown.show(rows, &COLUMNS, &none("issues", store))
}

fn state(issue: &IssueSummary) -> &'static str {
    match issue.state() {
        IssueState::Scheduled => "scheduled",
        IssueState::Sending => "sending",
        IssueState::Paused => "paused",
        IssueState::Done => "sent",
        IssueState::Unfinished => "unfinished",
        IssueState::Cancelled => "cancelled",
        IssueState::GivenUp => "given up",
    }
}

async fn cancel(id: Option<&str>, store: &Store) -> Result<()> {
    let mut found = store
        .issues(Some(ScheduleState::Scheduled), MAX_SCHEDULED)
        .await?;
    if found.is_empty() {
        bail!("no issue is scheduled: there is nothing to cancel");
    }
    if let Some(id) = id {
        found.retain(|each| !id.is_empty() && each.issue.id.starts_with(id));
    }
    let issue = match &found[..] {
        [issue] => issue,
        [] => bail!("no scheduled issue has this id; `frontdoor newsletter list` shows them"),
        several => {
            let ids: Vec<_> = several.iter().map(|each| short(&each.issue.id)).collect();
            bail!(UsageError(format!(
                "several are scheduled: name {}",
                ids.join(" or ")
            )))
        }
    };
    if !store.cancel_issue(&issue.issue.id, store.now()).await? {
        bail!("the issue is no longer scheduled: it was sent or cancelled");
    }
    let subject = harmless_line(&issue.issue.subject);
    let people = count(issue.sent, "subscriber", "subscribers");
    match issue.sent {
        0 => print_line!("Cancelled “{subject}”: nobody has got it."),
        _ => print_line!("Cancelled “{subject}”: {people} got it before."),
    }
}
