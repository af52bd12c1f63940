//! `frontdoor deliveries resume`: ends the pause after a restore.

use std::io::{self, IsTerminal as _};

use anyhow::Context as _;
use clap::Args;
use jiff::Timestamp;

use super::Failure;
use super::ask::confirm_or;
use super::output::{aside, count, minute, print, span};
use super::table::harmless_line;
use crate::store::{Backlog, IssueSummary, ScheduleState, Store};

/// Nobody reads of more issues.
const MOST_ISSUES: usize = 100;

const STAYS: &str = "sending stays paused";

#[derive(Args, Debug)]
pub struct ResumeSending {
    /// Send everything that waits
    #[arg(long)]
    send_all: bool,

    /// Send what came in since the restore, and give up what was there before
    #[arg(long, conflicts_with = "send_all")]
    drop: bool,

    /// Do not ask
    #[arg(long)]
    yes: bool,
}

pub async fn run(args: &ResumeSending, store: &Store) -> Result<(), Failure> {
    let Some(since) = store.paused_at().await? else {
        return Ok(print("Sending isn't paused.\n")?);
    };
    let mut kinds = store.backlog(since).await?;
    kinds.retain(|kind| kind.pending > 0);
    let mut issues = store.issues(MOST_ISSUES).await?;
    issues.retain(is_unfinished);
    print(&summary(since, &kinds, &issues))?;
    let waits = !(kinds.is_empty() && issues.is_empty());
    let drops = match (args.send_all, args.drop) {
        (false, false) if waits => choose()?,
        (_, drop) => {
            if waits && !args.yes {
                let what = match drop {
                    true => "Send what came in since the restore, and give up the rest?",
                    false => "Send everything?",
                };
                confirm_or(what, STAYS)?;
            }
            drop
        }
    };
    let dropped = store.end_pause(drops.then_some(since), store.now()).await?;
    let mut told = "Sending goes on.".to_owned();
    if drops {
        let deliveries = count(dropped.deliveries, "delivery was", "deliveries were");
        let issues = count(dropped.issues, "issue was", "issues were");
        told += &format!(
            " {deliveries} given up (frontdoor deliveries list --state given_up), {issues} cancelled."
        );
    }
    Ok(print(&(told + "\n"))?)
}

/// Whether to drop what was there before.
fn choose() -> Result<bool, Failure> {
    let input = io::stdin();
    if !input.is_terminal() {
        let remedy = "add --send-all --yes or --drop --yes: nobody is here to ask";
        return Err(Failure::Usage(remedy.into()));
    }
    aside("(s)end all, (d)rop those from before the restore, or leave it paused? [s/d/N] ");
    let mut answer = String::new();
    let read = input.read_line(&mut answer);
    read.context("cannot read the answer")?;
    match answer.trim().to_lowercase().as_str() {
        "s" | "send" => Ok(false),
        "d" | "drop" => Ok(true),
        _ => Err(Failure::Failed(STAYS.into())),
    }
}

fn is_unfinished(issue: &IssueSummary) -> bool {
    match issue.schedule {
        Some(state) => state == ScheduleState::Scheduled,
        None => issue.first_sent_at.is_some() && issue.finished_at.is_none(),
    }
}

fn summary(since: Timestamp, kinds: &[Backlog], issues: &[IssueSummary]) -> String {
    let sum = |number: fn(&Backlog) -> u64| kinds.iter().map(number).sum::<u64>();
    let all = count(
        sum(|kind| kind.pending),
        "delivery waits",
        "deliveries wait",
    );
    let before = sum(|kind| kind.earlier);
    let mut lines = vec![
        format!(
            "Sending has been paused since the restore at {}.",
            minute(since)
        ),
        format!("{all}, {before} of them from before the restore:"),
    ];
    for kind in kinds {
        let (one, many) = words(kind.kind.as_str());
        let number = count(kind.pending, one, many);
        let oldest = kind.oldest.map(|oldest| span(oldest, Timestamp::now()));
        let oldest = oldest.map_or(String::new(), |age| format!(", the oldest {age} old"));
        lines.push(format!("  {number}, {} from before{oldest}", kind.earlier));
    }
    for issue in issues {
        let subject = harmless_line(&issue.issue.subject);
        lines.push(match issue.send_at.filter(|_| issue.schedule.is_some()) {
            Some(time) => format!("  newsletter “{subject}”, to go out at {}", minute(time)),
            None => format!(
                "  newsletter “{subject}”, begun by hand: only `newsletter send` goes on with it"
            ),
        });
    }
    if before > 0 {
        lines.push(
            "What was delivered after the backup was made is among those from before: it would \
            go out a second time."
                .into(),
        );
    }
    lines.join("\n") + "\n"
}

/// For one, and for many.
fn words(kind: &str) -> (&str, &str) {
    match kind {
        "webhook" => ("webhook", "webhooks"),
        "notify" => ("mail to you", "mails to you"),
        "auto_reply" => ("reply to a visitor", "replies to visitors"),
        "confirm" => ("invitation to confirm", "invitations to confirm"),
        "held_notice" => ("notice of held leads", "notices of held leads"),
        "due_mail" => ("reminder by mail", "reminders by mail"),
        "due_webhook" => ("reminder by webhook", "reminders by webhook"),
        "digest" => ("digest", "digests"),
        other => (other, other),
    }
}
