//! `frontdoor deliveries`: what is on its way, arrived or given up, and how sending
//! goes on after a restore.

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use jiff::Timestamp;

use super::Usage;
use super::leads::{find, short};
use super::lists::{Column, ListArgs, none, table};
use super::output::{confirm, count, harmless_line, minute, print, say, span};
use crate::store::{
    Backlog, Delivery, DeliveryFilter, DeliveryKind, DeliveryState, IssueSummary, Retry, SHORT_ID,
    ScheduleState, Store,
};

/// Nobody reads of more issues.
const MAX_ISSUES: usize = 100;

#[derive(Subcommand, Debug)]
pub enum DeliveriesCommand {
    /// List deliveries, the newest first
    List(ListDeliveries),
    /// Send deliveries again, from the start of their schedule
    Retry(RetryDeliveries),
    /// Go on after a restore: see what is waiting, then send or drop it
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

    /// Only those of one lead: its id, the last eight characters of it, or the e-mail
    /// address of a person with only one lead
    #[arg(long, value_name = "ID|EMAIL")]
    lead: Option<String>,
}

#[derive(Args, Debug)]
pub struct RetryDeliveries {
    /// The deliveries' ids, or the ends of them
    #[arg(required_unless_present = "all", value_name = "ID")]
    ids: Vec<String>,

    /// All that were given up or are waiting for another try, except mails to addresses
    /// that the mail server refused for good
    #[arg(long, conflicts_with = "ids")]
    all: bool,
}

#[derive(Args, Debug)]
pub struct ResumeSending {
    /// Send everything that is waiting
    #[arg(long)]
    send_all: bool,

    /// Send what came in since the restore, and give up what was there before
    #[arg(long, conflicts_with = "send_all")]
    drop: bool,

    /// Don't ask
    #[arg(long)]
    yes: bool,
}

pub async fn run(command: &DeliveriesCommand, store: &Store) -> Result<()> {
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

async fn list(args: &ListDeliveries, store: &Store) -> Result<()> {
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
    shown.show(found, &COLUMNS, &none("deliveries", store))
}

async fn retry_all(store: &Store) -> Result<()> {
    let given_up = DeliveryFilter {
        state: Some(DeliveryState::GivenUp),
        limit: usize::MAX,
        ..DeliveryFilter::default()
    };
    let given_up = store.deliveries(given_up).await?;
    let started = store.retry(Retry::All, store.now()).await?;
    say!(
        "{} on the way again",
        count(started, "delivery", "deliveries")
    )?;
    match given_up.iter().filter(|each| each.is_refused()).count() {
        0 => Ok(()),
        number => say!(
            "Skipped {number} that the mail server refused for good; retry one with \
            `frontdoor deliveries retry ID`."
        ),
    }
}

async fn retry(ids: &[String], store: &Store) -> Result<()> {
    for id in ids {
        let mut found = match id.len() < SHORT_ID {
            true => Vec::new(),
            false => store.retriable_ending(&id.to_lowercase()).await?,
        };
        let shown = harmless_line(id);
        if found.len() > 1 {
            bail!("{shown} could be {}", found.join(" or "));
        }
        let whole = found.pop().unwrap_or_else(|| id.clone());
        if store.retry(Retry::One(whole), store.now()).await? == 0 {
            bail!(
                "{shown} can't be sent again: it is unknown, held, delivered, about spam, or \
                being sent right now"
            );
        }
        say!("{shown} on the way again")?;
    }
    Ok(())
}

async fn resume(args: &ResumeSending, store: &Store) -> Result<()> {
    let Some(since) = store.paused_at().await? else {
        return say!("Sending isn't paused.");
    };
    let mut kinds = store.backlog(since).await?;
    kinds.retain(|kind| kind.pending > 0);
    let mut issues = store.issues(MAX_ISSUES).await?;
    issues.retain(is_unfinished);
    summary(since, &kinds, &issues)?;
    if !kinds.is_empty() || !issues.is_empty() {
        let question = match (args.send_all, args.drop) {
            (true, _) => "Send everything?",
            (_, true) => "Send what came in since the restore, and give up the rest?",
            _ => bail!(Usage(
                "sending stays paused; add --send-all to send everything, or --drop to give up \
                what is from before the restore"
                    .into()
            )),
        };
        confirm(args.yes, question, "sending stays paused")?;
    }
    let dropped = args.drop.then_some(since);
    let dropped = store.end_pause(dropped, store.now()).await?;
    if !args.drop {
        return say!("Sending goes on.");
    }
    let deliveries = count(dropped.deliveries, "delivery was", "deliveries were");
    let issues = count(dropped.issues, "issue was", "issues were");
    say!(
        "Sending goes on. {deliveries} given up (frontdoor deliveries list --state given_up), \
        {issues} cancelled."
    )
}

fn is_unfinished(issue: &IssueSummary) -> bool {
    match issue.schedule {
        Some(state) => state == ScheduleState::Scheduled,
        None => issue.first_sent_at.is_some() && issue.finished_at.is_none(),
    }
}

const WAITING: [Column<Backlog>; 4] = [
    Column::whole("KIND", |each: &Backlog| each.kind.as_str().to_owned()),
    Column::whole("WAITING", |each: &Backlog| each.pending.to_string()),
    Column::whole("FROM BEFORE", |each: &Backlog| each.earlier.to_string()),
    Column::whole("OLDEST", |each: &Backlog| {
        let oldest = each.oldest;
        oldest.map_or(String::new(), |oldest| span(oldest, Timestamp::now()))
    }),
];

/// Shows what is waiting, and how much of it is from before the restore.
fn summary(since: Timestamp, kinds: &[Backlog], issues: &[IssueSummary]) -> Result<()> {
    say!(
        "Sending has been paused since the restore at {}.",
        minute(since)
    )?;
    if !kinds.is_empty() {
        print(&table(&WAITING, kinds))?;
    }
    for issue in issues {
        let subject = harmless_line(&issue.issue.subject);
        match issue.send_at.filter(|_| issue.schedule.is_some()) {
            Some(time) => say!("Newsletter “{subject}”, to go out at {}", minute(time))?,
            None => say!("Newsletter “{subject}”: only `newsletter send` goes on with it")?,
        }
    }
    match kinds.iter().any(|kind| kind.earlier > 0) {
        true => say!(
            "Those from before may have been delivered after the backup was made: they would go \
            out a second time."
        ),
        false => Ok(()),
    }
}
