//! `frontdoor deliveries`: what is on its way, arrived or given up.

use clap::{Args, Subcommand};
use serde::Serialize;

use super::Failure;
use super::filter::{ListArgs, Listed, MOST_COUNTED};
use super::leads::lead_id;
use super::output::{count, minute, print};
use super::resume::{self, ResumeSending};
use super::table::{Column, harmless_line};
use crate::store::{Delivery, DeliveryFilter, DeliveryKind, DeliveryState, Retry, SHORT_ID, Store};

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
    /// address of whoever has only one
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

pub async fn run(command: &DeliveriesCommand, store: &Store) -> Result<(), Failure> {
    match command {
        DeliveriesCommand::List(args) => list(args, store).await,
        DeliveriesCommand::Retry(args) if args.all => retry_all(store).await,
        DeliveriesCommand::Retry(args) => retry(&args.ids, store).await,
        DeliveriesCommand::Resume(args) => resume::run(args, store).await,
    }
}

async fn list(args: &ListDeliveries, store: &Store) -> Result<(), Failure> {
    let contact_id = match &args.lead {
        Some(lead) => Some(lead_id(lead, store).await?),
        None => None,
    };
    let filter = DeliveryFilter {
        contact_id,
        state: args.state,
        kind: args.kind,
        since: args.list.since(),
        limit: args.list.limit_and_one(),
    };
    let found = store.deliveries(filter).await?;
    let any = DeliveryFilter {
        limit: MOST_COUNTED,
        ..DeliveryFilter::default()
    };
    args.list.show(found, store, store.deliveries(any)).await
}

impl Listed for Delivery {
    const NAME: &'static str = "deliveries";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::whole("ID", |each: &Self| short(&each.id).to_owned()),
        Column::whole("KIND", |each: &Self| each.kind.as_str().to_owned()),
        Column::whole("STATE", |each: &Self| each.state.as_str().to_owned()),
        Column::cut("PERSON", 8, |each: &Self| {
            each.person.clone().unwrap_or_default()
        }),
        Column::whole("TRIES", |each: &Self| each.attempts.to_string()).dispensable(1),
        Column::whole("NEXT TRY", |each: &Self| {
            each.next_attempt_at.map_or(String::new(), minute)
        })
        .dispensable(3),
        Column::cut("LAST ERROR", 10, |each: &Self| {
            each.last_error.clone().unwrap_or_default()
        })
        .dispensable(2),
        Column::whole("LEAD", |each: &Self| {
            short(each.contact_id.as_deref().unwrap_or_default()).to_owned()
        })
        .dispensable(4),
    ];

    fn json(&self) -> impl Serialize {
        self
    }
}

/// Those of a second begin alike.
fn short(id: &str) -> &str {
    let start = id.len().saturating_sub(SHORT_ID);
    id.get(start..).unwrap_or(id)
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
        let (whole, now) = (whole_id(id, store).await?, store.now());
        let started = store.retry(Retry::One(whole), now).await?;
        let id = harmless_line(id);
        if started == 0 {
            return Err(Failure::Failed(format!(
                "{id} is no delivery that can be sent again: \
                unknown, held, delivered, about spam, or being sent right now"
            )));
        }
        print(&format!("{id} on the way again\n"))?;
    }
    Ok(())
}

/// Of what could be sent again; anything else is as unknown as it was.
async fn whole_id(id: &str, store: &Store) -> Result<String, Failure> {
    if id.len() < SHORT_ID {
        return Ok(id.to_owned());
    }
    let mut found = store.retriable_ending(&id.to_lowercase()).await?;
    match found.len() {
        0 => Ok(id.to_owned()),
        1 => Ok(found.remove(0)),
        _ => {
            let (id, found) = (harmless_line(id), found.join(" or "));
            Err(Failure::Failed(format!("{id} could be {found}")))
        }
    }
}
