//! `frontdoor leads list`

use clap::Args;
use serde::Serialize;

use crate::cli::Failure;
use crate::cli::filter::ListArgs;
use crate::cli::output::{minute, print, print_json, width};
use crate::cli::table::{self, Column};
use crate::store::{Lead, LeadFilter, Store};

#[derive(Args, Debug)]
pub struct ListLeads {
    #[command(flatten)]
    list: ListArgs,

    /// Only leads that wait for a release
    #[arg(long)]
    held: bool,
}

/// A lead as JSON shows it.
#[derive(Serialize)]
pub struct LeadJson<'a> {
    #[serde(flatten)]
    lead: &'a Lead,
    held: bool,
}

impl<'a> From<&'a Lead> for LeadJson<'a> {
    fn from(lead: &'a Lead) -> Self {
        Self {
            held: lead.is_held(),
            lead,
        }
    }
}

const COLUMNS: [Column; 6] = [
    Column::whole("ID"),
    Column::whole("RECEIVED (UTC)"),
    Column::cut("NAME", 8),
    Column::cut("E-MAIL", 8).dispensable(1),
    Column::cut("HELD", 4).dispensable(2),
    Column::cut("MESSAGE", 10).dispensable(3),
];

pub async fn run(args: &ListLeads, store: &Store) -> Result<(), Failure> {
    let filter = LeadFilter {
        since: args.list.since,
        held: args.held,
        limit: args.list.limit_and_one(),
        ..LeadFilter::default()
    };
    let mut leads = store.leads(filter).await?;
    args.list.cut(&mut leads);
    if args.list.json {
        let leads: Vec<_> = leads.iter().map(LeadJson::from).collect();
        return Ok(print_json(&leads)?);
    }
    if leads.is_empty() {
        return Ok(print(&format!("No leads in {}.\n", store.place()))?);
    }
    let rows: Vec<_> = leads.into_iter().map(row).collect();
    Ok(print(&table::render(&COLUMNS, &rows, width()))?)
}

fn row(lead: Lead) -> Vec<String> {
    let held = match lead.is_held() {
        true => lead.hold_reason.unwrap_or_default(),
        false => String::new(),
    };
    vec![
        lead.id,
        minute(lead.created_at),
        lead.name,
        lead.email,
        held,
        lead.message,
    ]
}
