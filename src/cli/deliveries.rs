//! `frontdoor deliveries`: what is on its way, arrived or given up.

use clap::{Args, Subcommand};
use jiff::Timestamp;

use super::Failure;
use super::filter::ListArgs;
use super::output::{count, minute, print, print_json, width};
use super::table::{self, Column, one_line};
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

const COLUMNS: [Column; 7] = [
    Column::whole("ID"),
    Column::whole("KIND"),
    Column::whole("STATE"),
    Column::whole("TRIES").dispensable(1),
    Column::whole("NEXT TRY (UTC)").dispensable(3),
    Column::cut("LAST ERROR", 10).dispensable(2),
    Column::whole("LEAD OR SUBSCRIBER").dispensable(4),
];

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
    let mut deliveries = store.deliveries(filter).await?;
    args.list.cut(&mut deliveries);
    if args.list.json {
        return Ok(print_json(&deliveries)?);
    }
    if deliveries.is_empty() {
        return Ok(print(&format!("No deliveries in {}.\n", store.place()))?);
    }
    Ok(print(&table(&deliveries, width()))?)
}

pub fn table(deliveries: &[Delivery], width: Option<usize>) -> String {
    let rows: Vec<_> = deliveries.iter().map(row).collect();
    table::render(&COLUMNS, &rows, width)
}

fn row(delivery: &Delivery) -> Vec<String> {
    let about = delivery.contact_id.as_ref();
    let about = about.or(delivery.subscriber_id.as_ref());
    vec![
        delivery.id.clone(),
        delivery.kind.as_str().to_owned(),
        delivery.state.as_str().to_owned(),
        delivery.attempts.to_string(),
        delivery.next_attempt_at.map_or(String::new(), minute),
        delivery.last_error.clone().unwrap_or_default(),
        about.cloned().unwrap_or_default(),
    ]
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
        let id = one_line(id);
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
