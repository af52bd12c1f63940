//! `frontdoor newsletter`: issues, from their file to their readers.

mod send;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use serde::Serialize;

use super::lists::{Columns, Shown, none};
use super::output::{count, minute, print_line, printable_line};
use super::{bail_usage, releases};
use crate::config::SiteArgs;
use crate::store::{IssueState, IssueSummary, ScheduleState, Store};

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
    /// Cancel an issue that is scheduled or being sent
    Cancel {
        /// The issue's id, or the beginning of it; needed when several are scheduled
        #[arg(value_name = "ID")]
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

/// `built_in` is the release inside the program.
pub async fn run(
    command: &NewsletterCommand,
    built_in: &'static [u8],
    store: &Store,
) -> Result<()> {
    match command {
        NewsletterCommand::Send(args) => send::run(args, built_in, store).await,
        NewsletterCommand::List(shown) => list(shown, store).await,
        NewsletterCommand::Cancel { id } => cancel(id.as_deref(), store).await,
        NewsletterCommand::Preview(args) => preview(args, built_in, store).await,
    }
}

/// Writes the mail as a subscriber gets it, except for the link to unsubscribe, with the facts
/// of the site that is shown.
async fn preview(args: &PreviewIssue, built_in: &'static [u8], store: &Store) -> Result<()> {
    let site = args.site.load()?;
    releases::require_facts(&site)?;
    let release = releases::shown_release(&site, built_in, store).await?;
    let issue = send::read(&args.file, |path| {
        // A post need not be on the site yet.
        let page = send::page(&release, path, store.now());
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
    let found = store.issues(None, shown.limit_and_one(), store.now());
    let row = |issue: IssueSummary| Row {
        state: state(&issue),
        issue,
    };
    let rows = found.await?.into_iter().map(row).collect();
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
        .issues(Some(ScheduleState::Scheduled), MAX_SCHEDULED, store.now())
        .await?;
    if found.is_empty() {
        bail!("no issue is scheduled: there is nothing to cancel");
    }
    if let Some(id) = id {
        found.retain(|each| !id.is_empty() && each.issue.id.starts_with(id));
    }
    let issue = match &found[..] {
        [issue] => issue,
        [] => bail!(
            "no scheduled issue has the id {}; `frontdoor newsletter list` shows them",
            printable_line(id.unwrap_or_default())
        ),
        several => {
            let ids: Vec<_> = several.iter().map(|each| short(&each.issue.id)).collect();
            bail_usage!("several are scheduled: name {}", ids.join(" or "))
        }
    };
    if !store.cancel_issue(&issue.issue.id, store.now()).await? {
        bail!("the issue is no longer scheduled: it was sent or cancelled");
    }
    let subject = printable_line(&issue.issue.subject);
    let people = count(issue.sent, "subscriber", "subscribers");
    match issue.sent {
        0 => print_line!("Cancelled “{subject}”: nobody got it."),
        _ => print_line!("Cancelled “{subject}”: {people} had already got it."),
    }
}
