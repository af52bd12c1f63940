//! `frontdoor migrate`, `backup`, `restore` and `move`: the database as a whole.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;

use super::lists::{Columns, show};
use super::output::{Progress, confirm, count, eprint_line, minute, print_line};
use super::{UsageError, block_on, owner};
use crate::config::DatabaseArgs;
use crate::store::{DatabaseUrl, Migrated, Move, MovedTable, Store};

pub const AFTER_MOVE_HELP: &str = "\
Stop every server that uses either database first. If the move is interrupted, run
the same command again: it starts over. Until it is finished, nothing else can use
the target. At the end both databases are read and compared: exit code 0 means that
every row is the same, 1 that they differ or that something failed, 2 that an
argument is wrong.";

pub const AFTER_RESTORE_HELP: &str = "\
The backup is checked first. The database that was there is kept beside it,
with the time in its name. A backup of an earlier version is upgraded when the
server starts next; one of a later version is refused. Deliveries made after the
backup are waiting again: nothing is sent until `frontdoor deliveries resume`,
which shows them first. Subscribers who have unsubscribed since stay unsubscribed,
and every browser at the desk is signed out.";

#[derive(Args, Debug)]
pub struct BackupArgs {
    /// Where to write the copy; an existing file is never replaced
    file: PathBuf,
}

#[derive(Args, Debug)]
pub struct RestoreArgs {
    /// The backup; it is only read
    file: PathBuf,

    /// Don't ask for confirmation
    #[arg(long)]
    yes: bool,
}

#[derive(Args, Debug)]
pub struct MoveArgs {
    /// The database to move from; it is only read
    #[arg(long, value_name = "URL")]
    from: String,
    /// The database to move to: an empty one, or the target of an interrupted move
    #[arg(long, value_name = "URL")]
    to: String,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Parses an address. Not done by clap, which would repeat a wrong address with its password.
fn database_url(flag: &str, text: &str) -> Result<DatabaseUrl> {
    let url = text.parse::<DatabaseUrl>();
    Ok(url.map_err(|error| UsageError(format!("{flag} {error}")))?)
}

pub fn migrate(database: &DatabaseArgs) -> Result<()> {
    let url = owner::database(database)?;
    match block_on(async { Ok(Store::migrate(&url).await?) })? {
        Migrated::Created => print_line!("Created {url:?}"),
        Migrated::Nothing => print_line!("{url:?} is up to date"),
        Migrated::Upgraded { from, to, backup } => {
            let before =
                backup.map(|file| format!(" The database as it was before: {}", file.display()));
            let before = before.unwrap_or_default();
            print_line!("Upgraded {url:?} from version {from} to {to}.{before}")
        }
    }
}

pub async fn backup(args: &BackupArgs, store: &Store) -> Result<()> {
    store.backup(&args.file).await?;
    print_line!("Written to {}", args.file.display())
}

pub fn restore(args: &RestoreArgs, database: &DatabaseArgs) -> Result<()> {
    let url = owner::database(database)?;
    block_on(restore_from(args, &url))
}

async fn restore_from(args: &RestoreArgs, url: &DatabaseUrl) -> Result<()> {
    let found = Store::inspect_backup(url, &args.file).await?;
    let newest = found
        .newest
        .map(|newest| format!(", the last of {}", minute(newest)));
    let holds = count(found.leads, "lead", "leads") + &newest.unwrap_or_default();
    let file = args.file.display();
    let question = format!("Replace {url:?} with {file} ({holds})?");
    confirm(args.yes, &question, "nothing was changed")?;
    let restored = Store::restore(url, &args.file).await?;
    print_line!(
        "Restored {url:?} from {file}: {holds}.\n\
        Nothing is sent until `frontdoor deliveries resume`, which shows what is waiting. \
        Anything delivered since the backup would be sent a second time."
    )?;
    if found.version < found.known {
        print_line!(
            "Its schema version is {}; `frontdoor migrate`, or the next start of the server, \
            upgrades it to {}.",
            found.version,
            found.known
        )?;
    }
    match restored.unsubscribed {
        Some(0) => {}
        Some(number) => {
            print_line!("Unsubscribed since the backup, and still unsubscribed: {number}.")?
        }
        None => print_line!(
            "The previous database can't be read, so people who unsubscribed since the \
            backup are subscribed again."
        )?,
    }
    if let Some(previous) = restored.previous {
        let previous = previous.display();
        print_line!(
            "The database as it was before: {previous}. It holds personal data: delete it once you are sure."
        )?;
    }
    Ok(())
}

const MOVED: Columns<MovedTable> = ("TABLE, ROWS, MOVED, SAME", |table| {
    vec![
        table.table.to_owned(),
        table.rows.to_string(),
        table.moved.to_string(),
        (if table.same { "yes" } else { "NO" }).to_owned(),
    ]
});

pub fn move_all(args: &MoveArgs) -> Result<()> {
    let from = database_url("--from", &args.from)?;
    let to = database_url("--to", &args.to)?;
    // The owner of the target's file, which is written, or else of the source's: reading leaves a
    // journal, too.
    owner::become_owner(&to)?;
    owner::become_owner(&from)?;
    let tables = block_on(copy(&from, &to))?;
    show(args.json, &MOVED, &tables)?;
    if !tables.iter().all(|table| table.same) {
        bail!(
            "the copy differs from the source, which may have changed meanwhile: stop every server \
            that uses either database, and run this again"
        );
    }
    if args.json {
        Ok(())
    } else {
        print_line!("Everything was copied. You can use the target now.")
    }
}

async fn copy(from: &DatabaseUrl, to: &DatabaseUrl) -> Result<Vec<MovedTable>> {
    let moving = Move::prepare(from, to).await?;
    let mut copied = Progress::new("rows copied", moving.rows);
    let mut compared = Progress::new("rows read to compare them", moving.rows * 2);
    let tables = match moving.copy(|rows| copied.show(rows)).await {
        Ok(()) => moving.compare(|rows| compared.show(rows)).await,
        Err(error) => Err(error),
    };
    if let Err(error) = moving.close().await {
        eprint_line!("frontdoor: {error}");
    }
    Ok(tables?)
}
