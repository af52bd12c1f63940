//! `frontdoor deliveries`: lists and retries deliveries, and resumes sending after a restore.

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use jiff::Timestamp;

use super::bail_usage;
use super::lists::{Columns, ListArgs, none, table};
use super::output::{confirm, count, minute, print, print_line, printable_line, span};
use crate::store::{
    Backlog, Delivery, DeliveryFilter, DeliveryKind, DeliveryState, IssueState, IssueSummary,
    Retry, SHORT_ID, Store, short_id,
};

/// How many newsletter issues are searched for unfinished ones.
const MAX_ISSUES: usize = 100;

#[derive(Subcommand, Debug)]
pub enum DeliveriesCommand {
    /// List deliveries, the newest first
    List(ListDeliveries),
    /// Retry deliveries now, from the start of their schedule
    Retry(RetryDeliveries),
    /// Resume sending after a restore: show what is waiting, then send or drop it
    Resume(ResumeSending),
}

#[derive(Args, Debug)]
pub struct ListDeliveries {
    #[command(flatten)]
    list: ListArgs,

    #[arg(long, help = format!("Only deliveries in this state: {}", DeliveryState::choices()))]
    state: Option<DeliveryState>,

    #[arg(long, help = format!("Only deliveries of this kind: {}", DeliveryKind::choices()))]
    kind: Option<DeliveryKind>,
}

#[derive(Args, Debug)]
#[group(required = true)]
pub struct RetryDeliveries {
    /// The deliveries' ids, or their last eight characters
    #[arg(value_name = "ID")]
    ids: Vec<String>,

    /// Retry every delivery that was given up or is waiting for another try, except mails to
    /// addresses that the mail server refused for good
    #[arg(long, conflicts_with = "ids")]
    all: bool,
}

#[derive(Args, Debug)]
pub struct ResumeSending {
    /// Send everything that is waiting
    #[arg(long)]
    send_all: bool,

    /// Send what came in since the restore, and give up everything older
    #[arg(long, conflicts_with = "send_all")]
    drop: bool,

    /// Don't ask for confirmation
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

pub const COLUMNS: Columns<Delivery> = (
    "ID, KIND, STATE, PERSON, TRIES, LAST ERROR, NEXT TRY, LEAD",
    |each| {
        vec![
            short_id(&each.id).to_owned(),
            each.kind.as_str().to_owned(),
            each.state.as_str().to_owned(),
            each.person.clone().unwrap_or_default(),
            each.attempts.to_string(),
            each.last_error.clone().unwrap_or_default(),
            each.next_attempt_at.map_or(String::new(), minute),
            short_id(each.contact_id.as_deref().unwrap_or_default()).to_owned(),
        ]
    },
);

async fn list(args: &ListDeliveries, store: &Store) -> Result<()> {
    let shown = &args.list.shown;
    let filter = DeliveryFilter {
        state: args.state,
        kind: args.kind,
        since: args.list.since()?,
        limit: shown.limit_and_one(),
        ..DeliveryFilter::default()
    };
    let found = store.deliveries(filter).await?;
    shown.show(found, &COLUMNS, &none("deliveries", store))
}

async fn retry_all(store: &Store) -> Result<()> {
    let started = store.retry_deliveries(Retry::All, store.now()).await?;
    print_line!(
        "{} on the way again",
        count(started, "delivery", "deliveries")
    )?;
    match store.refused_count().await? {
        0 => Ok(()),
        number => print_line!(
            "Skipped {number} that the mail server refused for good; retry one with \
            `frontdoor deliveries retry ID`."
        ),
    }
}

async fn retry(ids: &[String], store: &Store) -> Result<()> {
    for id in ids {
        let mut found = if id.len() < SHORT_ID {
            Vec::new()
        } else {
            store.retriable_ending(&id.to_lowercase()).await?
        };
        let shown = printable_line(id);
        if found.len() > 1 {
            bail!("{shown} matches several deliveries: {}", found.join(" or "));
        }
        let whole = found.pop().unwrap_or_else(|| id.clone());
        if store
            .retry_deliveries(Retry::One(whole), store.now())
            .await?
            == 0
        {
            bail!(
                "{shown} can't be sent again: it is unknown, held, delivered, about spam, or \
                being sent right now"
            );
        }
        print_line!("{shown} will be sent again")?;
    }
    Ok(())
}

async fn resume(args: &ResumeSending, store: &Store) -> Result<()> {
    let Some(since) = store.paused_at().await? else {
        return print_line!("Sending isn't paused.");
    };
    let mut kinds = store.backlog(since).await?;
    kinds.retain(|kind| kind.pending > 0);
    let mut issues = store.issues(None, MAX_ISSUES, store.now()).await?;
    issues.retain(|issue| {
        use IssueState::{Cancelled, Done, GivenUp};
        !matches!(issue.state(), Done | Cancelled | GivenUp)
    });
    summary(since, &kinds, &issues)?;
    if !kinds.is_empty() || !issues.is_empty() {
        let question = match (args.send_all, args.drop) {
            (true, _) => "Send everything?",
            (_, true) => "Send what came in since the restore, and give up the rest?",
            _ => bail_usage!(
                "sending stays paused; add --send-all to send everything, or --drop to drop \
                what is older than the restore"
            ),
        };
        confirm(args.yes, question, "sending stays paused")?;
    }
    let dropped = args.drop.then_some(since);
    let dropped = store.end_pause(dropped, store.now()).await?;
    if !args.drop {
        return print_line!("Sending resumed.");
    }
    let deliveries = count(dropped.deliveries, "delivery was", "deliveries were");
    let issues = count(dropped.issues, "issue was", "issues were");
    print_line!(
        "Sending resumed. {deliveries} given up (frontdoor deliveries list --state given_up), \
        {issues} cancelled."
    )
}

const WAITING: Columns<Backlog> = ("KIND, WAITING, FROM BEFORE, OLDEST", |each| {
    vec![
        each.kind.as_str().to_owned(),
        each.pending.to_string(),
        each.earlier.to_string(),
        each.oldest
            .map_or(String::new(), |oldest| span(oldest, Timestamp::now())),
    ]
});

/// Shows what is waiting, and how much of it is from before the restore.
fn summary(since: Timestamp, kinds: &[Backlog], issues: &[IssueSummary]) -> Result<()> {
    print_line!(
        "Sending has been paused since the restore at {}.",
        minute(since)
    )?;
    if !kinds.is_empty() {
        print(&table(&WAITING, kinds))?;
    }
    for issue in issues {
        let subject = printable_line(&issue.issue.subject);
        match issue.send_at.filter(|_| issue.schedule.is_some()) {
            Some(time) => print_line!("Newsletter “{subject}”, to go out at {}", minute(time))?,
            None => {
                print_line!("Newsletter “{subject}”, interrupted: `newsletter send` continues it")?
            }
        }
    }
    if kinds.iter().any(|kind| kind.earlier > 0) {
        print_line!(
            "Those from before the restore may already have been delivered; sending them would \
            repeat them."
        )
    } else {
        Ok(())
    }
}
