//! `frontdoor subscribers list`

use clap::Args;
use serde::Serialize;

use super::note;
use crate::cli::Failure;
use crate::cli::filter::ListArgs;
use crate::cli::output::{minute, print, print_json, width};
use crate::cli::table::{self, Column};
use crate::store::{Store, Subscriber, SubscriberFilter, SubscriberState};

#[derive(Args, Debug)]
pub struct ListSubscribers {
    #[command(flatten)]
    list: ListArgs,

    #[arg(long, help = format!("Only this state: {}", SubscriberState::words()))]
    state: Option<SubscriberState>,
}

/// A subscriber as JSON shows it.
#[derive(Serialize)]
pub struct SubscriberJson<'a> {
    #[serde(flatten)]
    pub subscriber: &'a Subscriber,
    note: String,
}

impl<'a> From<&'a Subscriber> for SubscriberJson<'a> {
    fn from(subscriber: &'a Subscriber) -> Self {
        Self {
            note: note(subscriber),
            subscriber,
        }
    }
}

const COLUMNS: [Column; 6] = [
    Column::whole("E-MAIL"),
    Column::whole("STATE"),
    Column::whole("SUBSCRIBED (UTC)").dispensable(1),
    Column::whole("CONFIRMED (UTC)").dispensable(2),
    Column::cut("PAGE", 5).dispensable(4),
    Column::cut("NOTE", 10).dispensable(3),
];

pub async fn run(args: &ListSubscribers, store: &Store) -> Result<(), Failure> {
    let filter = SubscriberFilter {
        state: args.state,
        since: args.list.since,
        limit: args.list.limit_and_one(),
        ..SubscriberFilter::default()
    };
    let mut subscribers = store.subscribers(filter).await?;
    args.list.cut(&mut subscribers);
    if args.list.json {
        let subscribers: Vec<_> = subscribers.iter().map(SubscriberJson::from).collect();
        return Ok(print_json(&subscribers)?);
    }
    if subscribers.is_empty() {
        return Ok(print(&format!("No subscribers in {}.\n", store.place()))?);
    }
    let rows: Vec<_> = subscribers.iter().map(row).collect();
    Ok(print(&table::render(&COLUMNS, &rows, width()))?)
}

fn row(subscriber: &Subscriber) -> Vec<String> {
    let consent = &subscriber.consent;
    vec![
        subscriber.email.clone(),
        subscriber.state.as_str().to_owned(),
        minute(consent.created_at),
        consent.confirmed_at.map_or(String::new(), minute),
        consent.page.clone().unwrap_or_default(),
        note(subscriber),
    ]
}
