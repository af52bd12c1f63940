//! `frontdoor leads due`

use clap::Args;
use jiff::SignedDuration;

use super::row::{DueRow, LeadRow};
use crate::cli::Failure;
use crate::cli::filter::Shown;
use crate::store::Store;

#[derive(Args, Debug)]
pub struct DueLeads {
    #[command(flatten)]
    shown: Shown,
}

pub async fn run(args: &DueLeads, store: &Store, promise: SignedDuration) -> Result<(), Failure> {
    let leads = store.waiting_leads(args.shown.limit_and_one()).await?;
    let rows = LeadRow::all(leads, store, promise).await?;
    let rows = rows.into_iter().map(DueRow).collect();
    args.shown
        .show(rows, "first", "Nobody waits for an answer.")
}
