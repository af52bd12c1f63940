//! `frontdoor leads release`

use clap::Args;
use jiff::Timestamp;

use super::unknown;
use crate::cli::Failure;
use crate::cli::output::{count, print};
use crate::store::{Lesson, Released, Store};

#[derive(Args, Debug)]
pub struct ReleaseLeads {
    /// The leads' ids
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

pub async fn run(args: &ReleaseLeads, store: &Store) -> Result<(), Failure> {
    for id in &args.ids {
        let released = store.release(id, Timestamp::now()).await?;
        let line = match released {
            Released::Now { deliveries: 0 } => format!("Released {id}: nothing to send\n"),
            Released::Now { deliveries } => format!(
                "Released {id}: {} on the way\n",
                count(deliveries, "delivery", "deliveries")
            ),
            Released::NotHeld => format!("{id} is not held\n"),
            Released::UnknownLead => return Err(unknown(id)),
        };
        print(&line)?;
        if let Released::Now { .. } = released {
            // Whoever lets a lead go says that it is no spam.
            store.learn(id, Lesson::Genuine).await?;
        }
    }
    Ok(())
}
