//! `frontdoor leads list`

use clap::Args;
use jiff::SignedDuration;

use super::row::LeadRow;
use crate::cli::Failure;
use crate::cli::filter::{ListArgs, MOST_COUNTED};
use crate::domain::{FormLocation, SearchWords};
use crate::store::{LeadFilter, LeadState, Store};

#[derive(Args, Debug)]
pub struct ListLeads {
    #[command(flatten)]
    list: ListArgs,

    #[arg(long, help = format!("Only this state: {}", LeadState::words()))]
    state: Option<LeadState>,

    /// Only leads that wait for a release
    #[arg(long)]
    held: bool,

    #[arg(long, value_name = "PAGE",
        help = format!("Only from the form on this page: {}", FormLocation::words()))]
    location: Option<FormLocation>,

    /// Only of this source: the name of a campaign, its source, or the site
    /// that the visitor came from
    #[arg(long, value_name = "NAME")]
    source: Option<String>,

    /// Only with all of these words, or parts of words, in name, address, phone,
    /// message or note
    #[arg(long, value_name = "WORDS", value_parser = SearchWords::parse)]
    search: Option<SearchWords>,
}

pub async fn run(args: &ListLeads, store: &Store, promise: SignedDuration) -> Result<(), Failure> {
    let filter = LeadFilter {
        since: args.list.since(),
        held: args.held,
        state: args.state,
        location: args.location,
        source: args.source.clone(),
        search: args.search.clone(),
        limit: args.list.limit_and_one(),
        ..LeadFilter::default()
    };
    let leads = store.leads(filter).await?;
    let rows = LeadRow::all(leads, store, promise).await?;
    let any = LeadFilter {
        limit: MOST_COUNTED,
        ..LeadFilter::default()
    };
    args.list.show(rows, store, store.leads(any)).await
}
