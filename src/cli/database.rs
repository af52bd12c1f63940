//! `frontdoor migrate`, `backup`, `restore` and `move`: the database as a whole.

use std::path::PathBuf;

use clap::Args;

use super::lists::{Column, table};
use super::output::{Progress, confirm, count, minute, print, print_json, tell};
use super::{Failure, block_on, owner};
use crate::config::DatabaseArgs;
use crate::store::{BackupFacts, DatabaseUrl, Migrated, Move, MovedTable, Step, Store};

pub const AFTER_MOVE_HELP: &str = "\
Stop every server that uses either database first. A move that was cut off
starts over when the same command is run again; until it is finished, nothing
else can use the target. At the end both are read whole and compared: exit code
0 means that they are the same in every row, 1 that they are not or that
something failed, 2 that an argument is wrong.";

pub const AFTER_RESTORE_HELP: &str = "\
The backup is checked first. The database that was there is kept beside it,
with the time in its name. A backup of an earlier version is upgraded by the
next start of the server; one of a later version is refused. What was delivered
after the backup was made waits again: nothing is sent until `frontdoor
deliveries resume`, which shows it first.";

#[derive(Args, Debug)]
pub struct BackupArgs {
    /// Where to write the copy; an existing file is never replaced
    file: PathBuf,
}

#[derive(Args, Debug)]
pub struct RestoreArgs {
    /// The backup; it is only read
    file: PathBuf,

    /// Don't ask
    #[arg(long)]
    yes: bool,
}

#[derive(Args, Debug)]
pub struct MoveArgs {
    /// The database to move from; it is only read
    #[arg(long, value_name = "URL")]
    from: SecretUrl,
    /// The database to move to: an empty one, or what an interrupted move left
    #[arg(long, value_name = "URL")]
    to: SecretUrl,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// An address that may carry a password.
#[derive(Clone)]
struct SecretUrl(String);

impl std::fmt::Debug for SecretUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

impl From<&str> for SecretUrl {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl SecretUrl {
    fn parse(&self, flag: &str) -> Result<DatabaseUrl, Failure> {
        let url = self.0.parse::<DatabaseUrl>();
        url.map_err(|error| Failure::Usage(format!("{flag} {error}")))
    }
}

pub fn migrate(database: &DatabaseArgs) -> Result<(), Failure> {
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

pub async fn backup(args: &BackupArgs, store: &Store) -> Result<(), Failure> {
    store.backup(&args.file).await?;
    Ok(print(&format!("Written to {}\n", args.file.display()))?)
}

pub fn restore(args: &RestoreArgs, database: &DatabaseArgs) -> Result<(), Failure> {
    let url = owner::database(database)?;
    block_on(restore_from(args, &url))?
}

async fn restore_from(args: &RestoreArgs, url: &DatabaseUrl) -> Result<(), Failure> {
    let BackupFacts {
        leads,
        newest,
        version,
        known,
    } = Store::inspect_backup(url, &args.file).await?;
    let newest = newest.map(|newest| format!(", the last of {}", minute(newest)));
    let holds = count(leads, "lead", "leads") + &newest.unwrap_or_default();
    let file = args.file.display();
    if !args.yes {
        let question = format!("Put {file} ({holds}) in the place of {url:?}?");
        confirm(&question, "nothing was changed")?;
    }
    let restored = Store::restore(url, &args.file).await?;
    let mut lines = format!(
        "Restored {url:?} from {file}: {holds}.\n\
        Nothing is sent until `frontdoor deliveries resume`, which shows what waits: what was \
        delivered after the backup was made would go out a second time.\n"
    );
    if version < known {
        lines += &format!(
            "It has schema version {version}: the next start of the server, or \
            `frontdoor migrate`, brings it to {known}.\n"
        );
    }
    if let Some(aside) = restored.aside {
        lines += &format!(
            "As it was before: {}. It holds personal data: delete it once you are sure.\n",
            aside.display()
        );
    }
    Ok(print(&lines)?)
}

pub fn move_all(args: &MoveArgs) -> Result<(), Failure> {
    let (from, to) = (args.from.parse("--from")?, args.to.parse("--to")?);
    // The target first: its files are written. Reading leaves a journal too.
    owner::become_owner(&to)?;
    owner::become_owner(&from)?;
    let tables = block_on(copy(&from, &to))??;
    let is_same = tables.iter().all(|table| table.is_same);
    match args.json {
        true => print_json(&tables)?,
        false => print(&table(
            &[
                Column::whole("TABLE", |table: &MovedTable| table.name.to_owned()),
                Column::whole("ROWS", |table| table.source_rows.to_string()),
                Column::whole("MOVED", |table| table.target_rows.to_string()),
                Column::whole("SAME", |table| {
                    if table.is_same { "yes" } else { "NO" }.to_owned()
                }),
            ],
            &tables,
        ))?,
    }
    match is_same {
        true if args.json => Ok(()),
        true => Ok(print(
            "Everything has arrived: the target may be used now\n",
        )?),
        false => Err(Failure::Failed(
            "what was moved differs from its source, which somebody may have changed meanwhile: \
            stop every server that uses either, and run this again; it begins anew"
                .into(),
        )),
    }
}

async fn copy(from: &DatabaseUrl, to: &DatabaseUrl) -> Result<Vec<MovedTable>, Failure> {
    let moving = Move::prepare(from, to).await?;
    let mut copied = Progress::new(moving.rows);
    let mut checked = Progress::new(moving.rows * 2);
    let mut last = Step::Copied;
    let tables = moving.run(|step, rows| {
        if step != last {
            copied.end();
            tell!("Reading both to compare them");
            last = step;
        }
        match step {
            Step::Copied => copied.show(rows),
            Step::Checked => checked.show(rows),
        }
    });
    let tables = tables.await;
    checked.end();
    if let Err(error) = moving.close().await {
        tell!("frontdoor: {error}");
    }
    Ok(tables?)
}
