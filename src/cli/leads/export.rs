//! `frontdoor leads export`
//!
//! Reads page by page, so that any number of leads fits into memory.

use clap::Args;
use jiff::Timestamp;

use crate::cli::Failure;
use crate::cli::csv::{self, Guard};
use crate::cli::filter::since;
use crate::cli::output::print;
use crate::domain::Source;
use crate::store::{Cursor, Lead, LeadFilter, Store};

const PAGE: usize = 500;

const COLUMNS: [&str; 9] = [
    "id",
    "created_at",
    "name",
    "email",
    "phone",
    "message",
    "form_location",
    "hold_reason",
    "released_at",
];

#[derive(Args, Debug)]
pub struct ExportLeads {
    /// Only what is not older: a date, a time or an age (7d)
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<Timestamp>,

    /// Only leads that wait for a release
    #[arg(long)]
    held: bool,

    /// Exactly what is stored: for programs. Without it, cells that a
    /// spreadsheet would take for a formula begin with an apostrophe
    #[arg(long)]
    raw: bool,
}

pub async fn run(args: &ExportLeads, store: &Store) -> Result<(), Failure> {
    let guard = match args.raw {
        true => Guard::Raw,
        false => Guard::Spreadsheet,
    };
    print(&csv::line(COLUMNS.into_iter().chain(Source::FIELDS), guard))?;
    let mut filter = LeadFilter {
        since: args.since,
        held: args.held,
        limit: PAGE,
        ..LeadFilter::default()
    };
    loop {
        let page = store.leads(filter.clone()).await?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        filter.after = Some(Cursor {
            created_at: last.created_at,
            id: last.id.clone(),
        });
        let lines: String = page.iter().map(|lead| line(lead, guard)).collect();
        print(&lines)?;
    }
}

fn line(lead: &Lead, guard: Guard) -> String {
    let created_at = lead.created_at.to_string();
    let released_at = lead.released_at.map(|time| time.to_string());
    let cells = [
        lead.id.as_str(),
        &created_at,
        &lead.name,
        &lead.email,
        lead.phone.as_deref().unwrap_or_default(),
        &lead.message,
        &lead.form_location,
        lead.hold_reason.as_deref().unwrap_or_default(),
        released_at.as_deref().unwrap_or_default(),
    ];
    let source = lead.source.values().iter();
    let source = source.map(|value| value.as_deref().unwrap_or_default());
    csv::line(cells.into_iter().chain(source), guard)
}
