//! `frontdoor newsletter cancel`

use clap::Args;

use super::list::short;
use crate::cli::Failure;
use crate::cli::output::{count, print};
use crate::cli::table::harmless_line;
use crate::store::{IssueSummary, ScheduleState, Store};

/// So many are never scheduled at once.
const MOST: usize = 10_000;

#[derive(Args, Debug)]
pub struct CancelIssue {
    /// Its id, or the beginning of it; needed when several are scheduled
    #[arg(value_name = "ID", allow_hyphen_values = true, value_parser = id)]
    id: Option<String>,
}

/// It may begin with a hyphen, and so look like a flag.
fn id(text: &str) -> Result<String, String> {
    match text.starts_with("--") {
        true => Err("this command has no such flag".into()),
        false => Ok(text.to_owned()),
    }
}

pub async fn run(args: &CancelIssue, store: &Store) -> Result<(), Failure> {
    let issue = find(args.id.as_deref(), store.issues(MOST).await?)?;
    if !store.cancel_issue(&issue.issue.id, store.now()).await? {
        return Err(Failure::Failed("it is not scheduled any more".into()));
    }
    let got = match issue.sent {
        0 => "nobody has got it".into(),
        sent => format!("{} got it before", count(sent, "subscriber", "subscribers")),
    };
    let subject = harmless_line(&issue.issue.subject);
    Ok(print(&format!("Cancelled “{subject}”: {got}.\n"))?)
}

fn find(id: Option<&str>, mut all: Vec<IssueSummary>) -> Result<IssueSummary, Failure> {
    all.retain(|each| each.schedule == Some(ScheduleState::Scheduled));
    if all.is_empty() {
        return Err(Failure::Failed("no issue is scheduled".into()));
    }
    all.retain(|each| id.is_none_or(|id| !id.is_empty() && each.issue.id.starts_with(id)));
    match (all.pop(), all.is_empty()) {
        (Some(one), true) => Ok(one),
        (None, _) => Err(Failure::Failed(
            "no scheduled issue has this id; `frontdoor newsletter list` shows them".into(),
        )),
        (Some(last), false) => {
            let all = all.iter().chain([&last]);
            let ids: Vec<_> = all.map(|each| short(&each.issue.id)).collect();
            let ids = ids.join(", ");
            Err(Failure::Usage(format!("say which one: {ids}")))
        }
    }
}
