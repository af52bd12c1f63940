//! `frontdoor migrate`: makes the database, or brings it up to date.

use super::output::print;
use super::{Failure, block_on, owner};
use crate::config::DatabaseArgs;
use crate::store::{Migrated, Store};

pub fn run(database: &DatabaseArgs) -> Result<(), Failure> {
    let url = owner::database(database)?;
    let line = match block_on(Store::migrate(&url))?? {
        Migrated::Created => format!("Created {url:?}\n"),
        Migrated::Nothing => format!("{url:?} is up to date\n"),
        Migrated::Upgraded { from, to, backup } => {
            let before = backup.map(|file| format!(" As it was before: {}", file.display()));
            let before = before.unwrap_or_default();
            format!("Upgraded {url:?} from version {from} to {to}.{before}\n")
        }
    };
    Ok(print(&line)?)
}
