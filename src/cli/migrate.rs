//! `frontdoor migrate`: makes the database, or brings it up to date.

use anyhow::Context as _;

use super::Failure;
use super::output::print;
use crate::config::DatabaseArgs;
use crate::store::{Migrated, Store};

pub fn run(database: &DatabaseArgs) -> Result<(), Failure> {
    let url = database.load()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start")?;
    let line = match runtime.block_on(Store::migrate(&url))? {
        Migrated::Created => format!("Created {url:?}\n"),
        Migrated::Nothing => format!("{url:?} is up to date\n"),
        Migrated::Upgraded { from, to, backup } => format!(
            "Upgraded {url:?} from version {from} to {to}. As it was before: {}\n",
            backup.display()
        ),
    };
    Ok(print(&line)?)
}
