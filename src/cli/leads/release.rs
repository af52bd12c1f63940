//! `frontdoor leads release`

use clap::Args;

use super::ids::Meant;
use super::state::LeadIds;
use crate::cli::Failure;
use crate::cli::output::{count, print};
use crate::store::{SpamLabel, Store, Unheld};

#[derive(Args, Debug)]
pub struct ReleaseLeads {
    #[command(flatten)]
    leads: LeadIds,
}

pub async fn run(args: &ReleaseLeads, store: &Store) -> Result<(), Failure> {
    let mut meant = Meant::by(&args.leads.ids, store).await?;
    for id in std::mem::take(&mut meant.ids) {
        let released = store.unhold(&id, store.now()).await?;
        let line = match released {
            Unheld::Now { deliveries: 0 } => format!("Released {id}: nothing to send\n"),
            Unheld::Now { deliveries } => format!(
                "Released {id}: {} on the way\n",
                count(deliveries, "delivery", "deliveries")
            ),
            Unheld::NotHeld => format!("{id} is not held\n"),
            Unheld::Spam => {
                meant.fails(format!("{id} is spam: `frontdoor leads reopen {id}` first"));
                continue;
            }
            Unheld::UnknownLead => {
                meant.is_gone(&id);
                continue;
            }
        };
        print(&line)?;
        if let Unheld::Now { .. } = released {
            // Whoever lets a lead go says that it is no spam.
            store.train(&id, SpamLabel::Genuine).await?;
        }
    }
    meant.end()
}
