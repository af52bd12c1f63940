//! `frontdoor subscribers list`

use clap::Args;
use serde::Serialize;

use super::shown::{SubscriberJson, note};
use super::suspended::Suspended;
use crate::cli::Failure;
use crate::cli::filter::{ListArgs, Listed, MOST_COUNTED};
use crate::cli::output::minute;
use crate::cli::table::Column;
use crate::store::{Store, Subscriber, SubscriberFilter, SubscriberState};

#[derive(Args, Debug)]
pub struct ListSubscribers {
    #[command(flatten)]
    list: ListArgs,

    #[arg(long, help = format!("Only this state: {}", SubscriberState::words()))]
    state: Option<SubscriberState>,

    /// Only those who are left out because the mail server refuses their
    /// address, with its code and the day
    #[arg(long)]
    suspended: bool,
}

pub async fn run(args: &ListSubscribers, store: &Store) -> Result<(), Failure> {
    let filter = SubscriberFilter {
        state: args.state,
        suspended: args.suspended,
        since: args.list.since(),
        limit: args.list.limit_and_one(),
        ..SubscriberFilter::default()
    };
    let found = store.subscribers(filter).await?;
    match args.suspended {
        true => {
            let found = found.into_iter().map(Suspended).collect();
            let none = async { Ok(Vec::<Suspended>::new()) };
            args.list.show::<Suspended, _>(found, store, none).await
        }
        false => {
            let any = SubscriberFilter {
                limit: MOST_COUNTED,
                ..SubscriberFilter::default()
            };
            args.list.show(found, store, store.subscribers(any)).await
        }
    }
}

impl Listed for Subscriber {
    const NAME: &'static str = "subscribers";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::whole("E-MAIL", |each: &Self| each.email.clone()),
        Column::whole("STATE", |each: &Self| each.state.as_str().to_owned()),
        Column::whole("SUBSCRIBED", |each: &Self| minute(each.consent.created_at)).dispensable(1),
        Column::whole("CONFIRMED", |each: &Self| {
            each.consent.confirmed_at.map_or(String::new(), minute)
        })
        .dispensable(2),
        Column::cut("PAGE", 5, |each: &Self| {
            each.consent.page.clone().unwrap_or_default()
        })
        .dispensable(4),
        Column::cut("NOTE", 10, note).dispensable(3),
    ];

    fn json(&self) -> impl Serialize {
        SubscriberJson::from(self)
    }
}
