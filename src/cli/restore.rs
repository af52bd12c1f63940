//! `frontdoor restore`: a backup in the place of the database.

use std::path::PathBuf;

use clap::Args;

use super::ask::confirm_or;
use super::output::{count, minute, print};
use super::{Failure, block_on, owner};
use crate::config::DatabaseArgs;
use crate::store::{BackupFacts, DatabaseUrl, Store};

#[derive(Args, Debug)]
pub struct RestoreArgs {
    /// The backup; it is only read
    file: PathBuf,

    /// Do not ask
    #[arg(long)]
    yes: bool,
}

pub fn run(args: &RestoreArgs, database: &DatabaseArgs) -> Result<(), Failure> {
    let url = owner::database(database)?;
    block_on(restore(args, &url))?
}

async fn restore(args: &RestoreArgs, url: &DatabaseUrl) -> Result<(), Failure> {
    let facts = Store::inspect_backup(url, &args.file).await?;
    let (file, holds) = (args.file.display(), holds(&facts));
    if !args.yes {
        let question = format!("Put {file} ({holds}) in the place of {url:?}?");
        confirm_or(&question, "nothing was changed")?;
    }
    let restored = Store::restore(url, &args.file).await?;
    let mut lines = vec![
        format!("Restored {url:?} from {file}: {holds}."),
        "Nothing is sent until `frontdoor deliveries resume`, which shows what waits: what was \
        delivered after the backup was made would go out a second time."
            .into(),
    ];
    if facts.version < facts.known {
        let BackupFacts { version, known, .. } = facts;
        lines.push(format!(
            "It has schema version {version}: the next start of the server, or \
            `frontdoor migrate`, brings it to {known}."
        ));
    }
    if let Some(aside) = restored.aside {
        lines.push(format!(
            "As it was before: {}. It holds personal data: delete it once you are sure.",
            aside.display()
        ));
    }
    Ok(print(&(lines.join("\n") + "\n"))?)
}

fn holds(facts: &BackupFacts) -> String {
    let leads = count(facts.leads, "lead", "leads");
    match facts.newest {
        Some(newest) => format!("{leads}, the last of {}", minute(newest)),
        None => leads,
    }
}
