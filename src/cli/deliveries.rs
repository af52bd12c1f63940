//! `frontdoor deliveries`: what is on its way, arrived or given up.

use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde::Serialize;

use super::Failure;
use super::filter::{ListArgs, Listed};
use super::output::{count, minute, print};
use super::table::{Column, harmless_line};
use crate::store::{Delivery, DeliveryFilter, DeliveryKind, DeliveryState, Retry, Store};

#[derive(Subcommand, Debug)]
pub enum DeliveriesCommand {
    /// List deliveries, the newest first
    List(ListDeliveries),
    /// Send deliveries again, from the start of their schedule
    Retry(RetryDeliveries),
}

#[derive(Args, Debug)]
pub struct ListDeliveries {
    #[command(flatten)]
    list: ListArgs,

    #[arg(long, help = format!("Only this state: {}", DeliveryState::words()))]
    state: Option<DeliveryState>,

    #[arg(long, help = format!("Only this kind: {}", DeliveryKind::words()))]
    kind: Option<DeliveryKind>,

    /// Only those of one lead
    #[arg(long, value_name = "ID")]
    lead: Option<String>,
}

#[derive(Args, Debug)]
pub struct RetryDeliveries {
    /// The deliveries' ids
    #[arg(required_unless_present = "all", value_name = "ID")]
    ids: Vec<String>,

    /// All that were given up or wait for another try
    #[arg(long, conflicts_with = "ids")]
    all: bool,
}

pub async fn run(command: &DeliveriesCommand, store: &Store) -> Result<(), Failure> {
    match command {
        DeliveriesCommand::List(args) => list(args, store).await,
        DeliveriesCommand::Retry(args) if args.all => retry_all(store).await,
        DeliveriesCommand::Retry(args) => retry(&args.ids, store).await,
    }
}

async fn list(args: &ListDeliveries, store: &Store) -> Result<(), Failure> {
    let filter = DeliveryFilter {
        contact_id: args.lead.clone(),
        state: args.state,
        kind: args.kind,
        since: args.list.since,
        limit: args.list.limit_and_one(),
    };
    args.list.show(store.deliveries(filter).await?, store)
}

impl Listed for Delivery {
    const NAME: &'static str = "deliveries";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::whole("ID", |each: &Self| each.id.clone()),
        Column::whole("KIND", |each: &Self| each.kind.as_str().to_owned()),
        Column::whole("STATE", |each: &Self| each.state.as_str().to_owned()),
        Column::whole("TRIES", |each: &Self| each.attempts.to_string()).dispensable(1),
        Column::whole("NEXT TRY (UTC)", |each: &Self| {
            each.next_attempt_at.map_or(String::new(), minute)
        })
        .dispensable(3),
        Column::cut("LAST ERROR", 10, |each: &Self| {
            each.last_error.clone().unwrap_or_default()
        })
        .dispensable(2),
        Column::whole("LEAD OR SUBSCRIBER", about).dispensable(4),
    ];

    fn json(&self) -> impl Serialize {
        self
    }
}

fn about(delivery: &Delivery) -> String {
    let about = delivery.contact_id.as_ref();
    let about = about.or(delivery.subscriber_id.as_ref());
    about.cloned().unwrap_or_default()
}

async fn retry_all(store: &Store) -> Result<(), Failure> {
    let started = store.retry(Retry::All, Timestamp::now()).await?;
    let started = count(started, "delivery", "deliveries");
    Ok(print(&format!("{started} on the way again\n"))?)
}

async fn retry(ids: &[String], store: &Store) -> Result<(), Failure> {
    for id in ids {
        let started = store
            .retry(Retry::One(id.clone()), Timestamp::now())
            .await?;
        let id = harmless_line(id);
        if started == 0 {
            return Err(Failure::Failed(format!(
                "{id} is no delivery that can be sent again: \
                unknown, held, delivered, or being sent right now"
            )));
        }
        print(&format!("{id} on the way again\n"))?;
    }
    Ok(())
}
