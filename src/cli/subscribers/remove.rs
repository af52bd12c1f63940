//! `frontdoor subscribers remove`

use clap::Args;

use super::unknown;
use crate::cli::Failure;
use crate::cli::ask::confirm;
use crate::cli::output::print;
use crate::cli::remains::after_removal;
use crate::cli::table::harmless_line;
use crate::store::{Remains, Store};

#[derive(Args, Debug)]
pub struct RemoveSubscriber {
    /// The subscriber's e-mail address
    email: String,

    /// Do not ask
    #[arg(long)]
    yes: bool,
}

pub async fn run(args: &RemoveSubscriber, store: &Store) -> Result<(), Failure> {
    let shown = harmless_line(args.email.trim());
    let known = store.subscriber(&args.email).await?.is_some();
    if known && !args.yes {
        confirm(&format!(
            "Remove {shown} and the proof of their consent for good?"
        ))?;
    }
    // Also when nothing is left: an earlier run may not have got as far as
    // overwriting the files.
    let removed = store.remove_subscriber(&args.email).await?;
    if let Remains::InFiles(why) = removed.remains {
        let done = match removed.subscribers {
            0 => "nothing to remove",
            _ => "removed",
        };
        return Err(Failure::Failed(format!(
            "{done}, but could not overwrite the database's files: {why}; run this again"
        )));
    }
    if removed.subscribers == 0 {
        return Err(unknown(&shown));
    }
    let left = after_removal(&removed.remains);
    Ok(print(&format!("Removed {shown}. {left}\n"))?)
}
