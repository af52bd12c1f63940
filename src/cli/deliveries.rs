//! `frontdoor deliveries`: what is on its way, arrived or given up, and how sending
//! goes on after a restore.

use std::io::{self, IsTerminal as _};

use clap::{Args, Subcommand};
use jiff::Timestamp;

use super::Failure;
use super::leads::{find, short};
use super::lists::{Column, ListArgs};
use super::output::{aside, confirm, count, harmless_line, minute, print, read_answer, span};
use crate::store::{
    Backlog, Delivery, DeliveryFilter, DeliveryKind, DeliveryState, IssueSummary, Retry, SHORT_ID,
    ScheduleState, Store,
};

/// Nobody reads of more issues.
const MOST_ISSUES: usize = 100;
const STAYS: &str = "sending stays paused";

#[derive(Subcommand, Debug)]
pub enum DeliveriesCommand {
    /// List deliveries, the newest first
    List(ListDeliveries),
    /// Send deliveries again, from the start of their schedule
    Retry(RetryDeliveries),
    /// Go on after a restore: see what waits, then send or drop it
    Resume(ResumeSending),
}

#[derive(Args, Debug)]
pub struct ListDeliveries {
    #[command(flatten)]
    list: ListArgs,

    #[arg(long, help = format!("Only this state: {}", DeliveryState::words()))]
    state: Option<DeliveryState>,

    #[arg(long, help = format!("Only this kind: {}", DeliveryKind::words()))]
    kind: Option<DeliveryKind>,

    /// Only those of one lead, by its id, the last eight characters of it, or the e-mail
    /// address of a person with only one
    #[arg(long, value_name = "ID|EMAIL")]
    lead: Option<String>,
}

#[derive(Args, Debug)]
pub struct RetryDeliveries {
    /// The deliveries' ids, or the ends of them
    #[arg(required_unless_present = "all", value_name = "ID")]
    ids: Vec<String>,

    /// All that were given up or wait for another try, but for mails to addresses
    /// that the mail server refused for good
    #[arg(long, conflicts_with = "ids")]
    all: bool,
}

#[derive(Args, Debug)]
pub struct ResumeSending {
    /// Send everything that waits
    #[arg(long)]
    send_all: bool,

    /// Send what came in since the restore, and give up what was there before
    #[arg(long, conflicts_with = "send_all")]
    drop: bool,

    /// Don't ask
    #[arg(long)]
    yes: bool,
}

pub async fn run(command: &DeliveriesCommand, store: &Store) -> Result<(), Failure> {
    match command {
        DeliveriesCommand::List(args) => list(args, store).await,
        DeliveriesCommand::Retry(args) if args.all => retry_all(store).await,
        DeliveriesCommand::Retry(args) => retry(&args.ids, store).await,
        DeliveriesCommand::Resume(args) => resume(args, store).await,
    }
}

pub const COLUMNS: [Column<Delivery>; 8] = [
    Column::whole("ID", |each: &Delivery| short(&each.id).to_owned()),
    Column::whole("KIND", |each: &Delivery| each.kind.as_str().to_owned()),
    Column::whole("STATE", |each: &Delivery| each.state.as_str().to_owned()),
    Column::cut("PERSON", 8, |each: &Delivery| {
        each.person.clone().unwrap_or_default()
    }),
    Column::whole("TRIES", |each: &Delivery| each.attempts.to_string()).dispensable(1),
    Column::whole("NEXT TRY", |each: &Delivery| {
        each.next_attempt_at.map_or(String::new(), minute)
    })
    .dispensable(3),
    Column::cut("LAST ERROR", 10, |each: &Delivery| {
        each.last_error.clone().unwrap_or_default()
    })
    .dispensable(2),
    Column::whole("LEAD", |each: &Delivery| {
        short(each.contact_id.as_deref().unwrap_or_default()).to_owned()
    })
    .dispensable(4),
];

async fn list(args: &ListDeliveries, store: &Store) -> Result<(), Failure> {
    let contact_id = match &args.lead {
        Some(lead) => Some(find(lead, store).await?.id),
        None => None,
    };
    let shown = &args.list.shown;
    let filter = DeliveryFilter {
        contact_id,
        state: args.state,
        kind: args.kind,
        since: args.list.since(),
        limit: shown.limit_and_one(),
    };
    let found = store.deliveries(filter).await?;
    shown.show(found, &COLUMNS, "deliveries", store)
}

async fn retry_all(store: &Store) -> Result<(), Failure> {
    let given_up = DeliveryFilter {
        state: Some(DeliveryState::GivenUp),
        limit: usize::MAX,
        ..DeliveryFilter::default()
    };
    let given_up = store.deliveries(given_up).await?;
    let started = store.retry(Retry::All, store.now()).await?;
    let started = count(started, "delivery", "deliveries");
    let skipped = match given_up.iter().filter(|each| each.is_refused()).count() {
        0 => String::new(),
        number => format!(
            "Skipped {number} that the mail server refused for good; retry one with \
            `frontdoor deliveries retry ID`.\n"
        ),
    };
    Ok(print(&format!("{started} on the way again\n{skipped}"))?)
}

async fn retry(ids: &[String], store: &Store) -> Result<(), Failure> {
    for id in ids {
        let mut found = match id.len() < SHORT_ID {
            true => Vec::new(),
            false => store.retriable_ending(&id.to_lowercase()).await?,
        };
        let shown = harmless_line(id);
        if found.len() > 1 {
            let found = found.join(" or ");
            return Err(Failure::Failed(format!("{shown} could be {found}")));
        }
        let whole = found.pop().unwrap_or_else(|| id.clone());
        if store.retry(Retry::One(whole), store.now()).await? == 0 {
            return Err(Failure::Failed(format!(
                "{shown} is no delivery that can be sent again: \
                unknown, held, delivered, about spam, or being sent right now"
            )));
        }
        print(&format!("{shown} on the way again\n"))?;
    }
    Ok(())
}

async fn resume(args: &ResumeSending, store: &Store) -> Result<(), Failure> {
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
                confirm(what, STAYS)?;
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
    if !io::stdin().is_terminal() {
        let remedy = "can't ask here; add --send-all --yes or --drop --yes";
        return Err(Failure::Usage(remedy.into()));
    }
    aside("(s)end all, (d)rop those from before the restore, or leave it paused? [s/d/N] ");
    match read_answer()?.as_str() {
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
    let (before, since) = (sum(|kind| kind.earlier), minute(since));
    let mut lines = vec![
        format!("Sending has been paused since the restore at {since}."),
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
