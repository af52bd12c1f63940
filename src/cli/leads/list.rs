//! `frontdoor leads list`

use clap::Args;
use serde::Serialize;

use crate::cli::Failure;
use crate::cli::filter::{ListArgs, Listed};
use crate::cli::output::minute;
use crate::cli::table::Column;
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

pub async fn run(args: &ListLeads, store: &Store) -> Result<(), Failure> {
    let filter = LeadFilter {
        since: args.list.since,
        held: args.held,
        limit: args.list.limit_and_one(),
        ..LeadFilter::default()
    };
    args.list.show(store.leads(filter).await?, store)
}

impl Listed for Lead {
    const NAME: &'static str = "leads";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::whole("ID", |lead: &Self| lead.id.clone()),
        Column::whole("RECEIVED (UTC)", |lead: &Self| minute(lead.created_at)),
        Column::cut("NAME", 8, |lead: &Self| lead.name.clone()),
        Column::cut("E-MAIL", 8, |lead: &Self| lead.email.clone()).dispensable(1),
        Column::cut("HELD", 4, held).dispensable(2),
        Column::cut("MESSAGE", 10, |lead: &Self| lead.message.clone()).dispensable(3),
    ];

    fn json(&self) -> impl Serialize {
        LeadJson::from(self)
    }
}

fn held(lead: &Lead) -> String {
    let reason = lead.hold_reason.clone().filter(|_| lead.is_held());
    reason.unwrap_or_default()
}
