//! The one question before an issue goes out.
//!
//! A changed file is another issue and goes to everybody, so the owner is told
//! how many got what looks like an earlier version of it. A run that was
//! interrupted goes on unasked: the question was answered for this very file,
//! and who has got it does not get it again. Once nobody was left, a later run
//! is for new subscribers, and that is a new question.

use crate::cli::Failure;
use crate::cli::ask::confirm_or;
use crate::cli::output::{aside, count};
use crate::cli::table::harmless_line;
use crate::content::SITE;
use crate::store::{EarlierIssue, IssueRecord, Store};

/// `waiting`: so many are to get it; `at`: then, in words, and not now.
pub async fn ask(
    store: &Store,
    issue: &IssueRecord,
    waiting: u64,
    at: Option<&str>,
    yes: bool,
) -> Result<(), Failure> {
    let goes_on = at.is_none() && (waiting == 0 || store.is_unfinished(&issue.id).await?);
    if goes_on {
        return Ok(());
    }
    aside(&warnings(store, issue).await?);
    if yes {
        return Ok(());
    }
    let subject = harmless_line(&issue.subject);
    let people = count(waiting, "subscriber", "subscribers");
    confirm_or(
        &format!(
            "Send “{subject}” to {people}{}?",
            at.map_or(String::new(), |at| format!(" {at}"))
        ),
        "nothing was sent",
    )
}

/// A line for each issue that looks like an earlier version of this one.
pub async fn warnings(store: &Store, issue: &IssueRecord) -> Result<String, Failure> {
    let earlier = store.earlier_issues(issue.clone()).await?;
    let lines = earlier.iter().map(|each| warning(each, issue));
    Ok(lines.collect())
}

fn warning(earlier: &EarlierIssue, issue: &IssueRecord) -> String {
    let origin = match earlier.file_name == issue.file_name {
        true => "an earlier version of this file".into(),
        false => format!("the file {}", harmless_line(&earlier.file_name)),
    };
    format!(
        "{} of them got “{}” on {} from {origin}\n",
        earlier.got,
        harmless_line(&earlier.subject),
        SITE.day(earlier.first_sent_at),
    )
}
