//! `frontdoor subscribers export`
//!
//! Reads page by page, so that any number of subscribers fits into memory.

use clap::Args;
use jiff::Timestamp;

use crate::cli::Failure;
use crate::cli::csv::{self, Guard};
use crate::cli::output::print;
use crate::store::{Cursor, Store, Subscriber, SubscriberFilter, SubscriberState};

const PAGE: usize = 500;

const COLUMNS: [&str; 9] = [
    "email",
    "state",
    "created_at",
    "page",
    "consent_version",
    "consent_text",
    "confirmed_at",
    "unsubscribed_at",
    "hold_reason",
];

#[derive(Args, Debug)]
pub struct ExportSubscribers {
    /// Only this state: pending, confirmed or unsubscribed
    #[arg(long)]
    state: Option<SubscriberState>,

    /// Exactly what is stored: for programs. Without it, cells that a
    /// spreadsheet would take for a formula begin with an apostrophe
    #[arg(long)]
    raw: bool,
}

pub async fn run(args: &ExportSubscribers, store: &Store) -> Result<(), Failure> {
    let guard = match args.raw {
        true => Guard::Raw,
        false => Guard::Spreadsheet,
    };
    print(&csv::line(COLUMNS, guard))?;
    let mut filter = SubscriberFilter {
        state: args.state,
        limit: PAGE,
        ..SubscriberFilter::default()
    };
    loop {
        let page = store.subscribers(filter.clone()).await?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        filter.after = Some(Cursor {
            created_at: last.consent.created_at,
            id: last.id.clone(),
        });
        let lines: String = page.iter().map(|each| line(each, guard)).collect();
        print(&lines)?;
    }
}

fn line(subscriber: &Subscriber, guard: Guard) -> String {
    let consent = &subscriber.consent;
    let time = |time: Option<Timestamp>| time.map_or(String::new(), |time| time.to_string());
    let cells = [
        subscriber.email.clone(),
        subscriber.state.as_str().to_owned(),
        consent.created_at.to_string(),
        consent.page.clone().unwrap_or_default(),
        consent.consent_version.to_string(),
        consent.consent_text.clone().unwrap_or_default(),
        time(consent.confirmed_at),
        time(consent.unsubscribed_at),
        subscriber.hold_reason.clone().unwrap_or_default(),
    ];
    csv::line(cells.iter().map(String::as_str), guard)
}
