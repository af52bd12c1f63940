//! `frontdoor subscribers export`

use clap::Args;

use super::shown::SubscriberJson;
use crate::cli::Failure;
use crate::cli::csv::{self, Guard};
use crate::cli::export::{ExportArgs, Look, PAGE, json};
use crate::store::{Cursor, Store, Subscriber, SubscriberFilter, SubscriberState};

/// Its name and what stands in it.
type Column = (&'static str, fn(&Subscriber) -> String);

const COLUMNS: [Column; 14] = [
    ("email", |each| each.email.clone()),
    ("state", |each| each.state.as_str().to_owned()),
    ("created_at", |each| each.consent.created_at.to_string()),
    ("page", |each| text(&each.consent.page)),
    ("consent_version", |each| {
        each.consent.consent_version.to_string()
    }),
    ("consent_text", |each| text(&each.consent.consent_text)),
    ("confirmed_at", |each| text(&each.consent.confirmed_at)),
    ("unsubscribed_at", |each| {
        text(&each.consent.unsubscribed_at)
    }),
    ("hold_reason", |each| text(&each.hold_reason)),
    ("suspended_at", |each| text(&each.suspended_at)),
    ("refused_code", |each| text(&each.refused_code)),
    ("refused_at", |each| text(&each.refused_at)),
    ("import_file", |each| text(&each.consent.import_file)),
    ("import_source", |each| text(&each.consent.import_source)),
];

fn text(value: &Option<impl ToString>) -> String {
    value.as_ref().map_or(String::new(), ToString::to_string)
}

#[derive(Args, Debug)]
pub struct ExportSubscribers {
    #[command(flatten)]
    export: ExportArgs,

    #[arg(long, help = format!("Only this state: {}", SubscriberState::words()))]
    state: Option<SubscriberState>,
}

pub async fn run(args: &ExportSubscribers, store: &Store) -> Result<(), Failure> {
    let page = async |after| {
        let filter = SubscriberFilter {
            state: args.state,
            after,
            limit: PAGE,
            ..SubscriberFilter::default()
        };
        store.subscribers(filter).await
    };
    let place = |each: &Subscriber| Cursor {
        created_at: each.consent.created_at,
        id: each.id.clone(),
    };
    let look = Look {
        header,
        line,
        json: |each: &Subscriber| json(&SubscriberJson::from(each)),
    };
    args.export.write(page, place, look).await
}

fn header(guard: Guard) -> String {
    let names = COLUMNS.map(|(name, _)| csv::column(name, guard));
    csv::line(names.iter().map(String::as_str), guard)
}

fn line(subscriber: &Subscriber, guard: Guard) -> String {
    let cells = COLUMNS.map(|(name, cell)| match csv::is_time(name) {
        true => csv::time(cell(subscriber), guard),
        false => cell(subscriber),
    });
    csv::line(cells.iter().map(String::as_str), guard)
}
