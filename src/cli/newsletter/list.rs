//! `frontdoor newsletter list`

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;

use crate::cli::Failure;
use crate::cli::filter::{Listed, table_of};
use crate::cli::output::{minute, print, print_json};
use crate::cli::table::Column;
use crate::store::{IssueSummary, ScheduleState, Store};

/// As much of an id as people type.
pub fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}

#[derive(Args, Debug)]
pub struct ListIssues {
    /// At most so many, the latest first
    #[arg(long, value_name = "NUMBER", default_value_t = 50,
        value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct IssueJson<'a> {
    id: &'a str,
    subject: &'a str,
    file_name: &'a str,
    state: &'static str,
    send_at: Option<Timestamp>,
    first_sent_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
    sent: u64,
    refused: u64,
    left: u64,
    unsure: u64,
    last_error: Option<&'a str>,
}

pub async fn run(args: &ListIssues, store: &Store) -> Result<(), Failure> {
    let found = store.issues(args.limit as usize).await?;
    if args.json {
        let found: Vec<_> = found.iter().map(Listed::json).collect();
        return Ok(print_json(&found)?);
    }
    if found.is_empty() {
        return Ok(print(&format!("No issues in {}.\n", store.place()))?);
    }
    Ok(print(&table_of(&found))?)
}

/// One word for where an issue is.
fn state(issue: &IssueSummary) -> &'static str {
    let begun = issue.first_sent_at.is_some();
    match issue.schedule {
        Some(ScheduleState::Scheduled) if begun => "sending",
        Some(ScheduleState::Scheduled) => "scheduled",
        Some(ScheduleState::Cancelled) => "cancelled",
        Some(ScheduleState::GivenUp) => "unfinished",
        Some(ScheduleState::Done) => "sent",
        None if issue.finished_at.is_some() => "sent",
        None => "unfinished",
    }
}

/// When it goes out or began to, in the site's zone.
fn when(issue: &IssueSummary) -> String {
    let time = issue.send_at.or(issue.first_sent_at);
    time.map_or(String::new(), minute)
}

impl Listed for IssueSummary {
    const NAME: &'static str = "issues";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::whole("ID", |each: &Self| short(&each.issue.id).to_owned()),
        Column::whole("STATE", |each: &Self| state(each).to_owned()),
        Column::whole("TIME", when),
        Column::whole("SENT", |each: &Self| each.sent.to_string()),
        Column::whole("REFUSED", |each: &Self| each.refused.to_string()),
        Column::whole("LEFT", |each: &Self| each.left.to_string()),
        Column::whole("IN DOUBT", |each: &Self| each.unsure.to_string()).dispensable(2),
        Column::cut("SUBJECT", 8, |each: &Self| each.issue.subject.clone()),
        Column::cut("FILE", 6, |each: &Self| each.issue.file_name.clone()).dispensable(3),
        Column::cut("LAST ERROR", 10, |each: &Self| {
            each.last_error.clone().unwrap_or_default()
        })
        .dispensable(4),
    ];

    fn json(&self) -> impl Serialize {
        IssueJson {
            id: &self.issue.id,
            subject: &self.issue.subject,
            file_name: &self.issue.file_name,
            state: state(self),
            send_at: self.send_at,
            first_sent_at: self.first_sent_at,
            finished_at: self.finished_at,
            sent: self.sent,
            refused: self.refused,
            left: self.left,
            unsure: self.unsure,
            last_error: self.last_error.as_deref(),
        }
    }
}
