//! `frontdoor prune`: what the server does once a day, now.

use clap::Args;
use serde_json::{Map, Value};

use super::output::{print, print_json, width};
use super::remains::after_removal;
use super::table::{Column, render};
use super::{Failure, with_store};
use crate::config::{DatabaseArgs, RetentionArgs, RetentionSettings};
use crate::store::{OldRecords, Remains, Store};
use crate::upkeep::{self, Counts, NOT_OURS, Pruned};

#[derive(Args, Debug)]
pub struct PruneArgs {
    /// Only say how many there are; remove nothing
    #[arg(long)]
    dry_run: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    retention: RetentionArgs,
}

/// A kind of record, the days it is kept for, and how many are older.
struct Row {
    of: OldRecords,
    kept: String,
    number: u64,
}

const WHICH: Column<Row> = Column::whole("WHAT", |row| row.of.name().to_owned());
const KEPT: Column<Row> = Column::whole("KEPT FOR", |row| row.kept.clone());
const REMOVED: [Column<Row>; 3] = [
    WHICH,
    KEPT,
    Column::whole("REMOVED", |row| row.number.to_string()),
];
const OLDER: [Column<Row>; 3] = [
    WHICH,
    KEPT,
    Column::whole("WOULD BE REMOVED", |row| row.number.to_string()),
];

pub fn run(args: &PruneArgs, database: &DatabaseArgs) -> Result<(), Failure> {
    let settings = args.retention.load()?;
    with_store(database, async |store| prune(args, &settings, &store).await)
}

async fn prune(
    args: &PruneArgs,
    settings: &RetentionSettings,
    store: &Store,
) -> Result<(), Failure> {
    if !upkeep::is_as_published(store).await? {
        return Err(Failure::Failed(format!("nothing is removed: {NOT_OURS}")));
    }
    let now = store.now();
    if args.dry_run {
        return show(args, settings, &upkeep::count(store, settings, now).await?);
    }
    let Pruned { counts, ended } = upkeep::prune(store, settings, now).await;
    let ended = match ended {
        Ok(()) => store.finish_pruning(now).await,
        Err(error) => Err(error),
    };
    let remains = store.scrub().await;
    show(args, settings, &counts)?;
    if let Err(error) = ended {
        return Err(Failure::Failed(format!(
            "not everything was removed: {error}; run this again for the rest"
        )));
    }
    match remains {
        Remains::InFiles(why) => Err(Failure::Failed(format!(
            "removed, but could not overwrite the database's files: {why}; run this again"
        ))),
        _ if args.json || counts.iter().all(|(_, number)| *number == 0) => Ok(()),
        remains => Ok(print(&format!("{}\n", after_removal(&remains)))?),
    }
}

fn show(args: &PruneArgs, settings: &RetentionSettings, counts: &Counts) -> Result<(), Failure> {
    if args.json {
        let number = |(of, number): &(OldRecords, u64)| (of.key().to_owned(), (*number).into());
        let numbers: Map<String, Value> = counts.iter().map(number).collect();
        return Ok(print_json(&numbers)?);
    }
    let rows: Vec<_> = OldRecords::ALL
        .into_iter()
        .map(|of| Row {
            of,
            kept: settings.period(of).map_or("ever".into(), |period| {
                format!("{} days", period.as_hours() / 24)
            }),
            number: counts
                .iter()
                .find(|(each, _)| *each == of)
                .map_or(0, |(_, number)| *number),
        })
        .collect();
    let columns = if args.dry_run { &OLDER } else { &REMOVED };
    Ok(print(&(render(columns, &rows, width()).join("\n") + "\n"))?)
}
