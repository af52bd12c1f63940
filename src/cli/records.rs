//! `frontdoor person` and `frontdoor prune`: all that is held about somebody, and
//! what was kept long enough.

use clap::Args;
use serde_json::{Map, Value};

use super::lists::{Column, table};
use super::output::{harmless, harmless_line, print, print_json};
use super::{Failure, with_store};
use crate::config::{DatabaseArgs, RetentionArgs, RetentionSettings};
use crate::store::{OldRecords, Record, Remains, Store};
use crate::upkeep::{self, Counts, NOT_OURS, Pruned};

#[derive(Args, Debug)]
pub struct PersonArgs {
    /// The person's e-mail address, in any spelling
    email: String,

    /// Print JSON: the tables, and in each the rows as they are stored
    #[arg(long)]
    json: bool,
}

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

pub async fn person(args: &PersonArgs, store: &Store) -> Result<(), Failure> {
    let email = args.email.trim();
    let tables = store.person(email).await?;
    if tables.is_empty() {
        let email = harmless_line(email);
        return Err(Failure::Failed(format!("nothing is stored about {email}")));
    }
    if args.json {
        let json = |(name, records): (&str, Vec<Record>)| {
            let records = records.into_iter().map(Value::Object).collect();
            (name.to_owned(), Value::Array(records))
        };
        let tables: Map<_, _> = tables.into_iter().map(json).collect();
        return Ok(print_json(&tables)?);
    }
    let sections = tables.iter().map(|(name, records)| {
        let records: Vec<_> = records.iter().map(facts).collect();
        format!("{name}\n{}", records.join("\n"))
    });
    Ok(print(&sections.collect::<Vec<_>>().join("\n"))?)
}

/// Empty columns are left out.
fn facts(record: &Record) -> String {
    let known = record.iter().filter(|(_, value)| !value.is_null());
    let line = |(name, value): (&String, &Value)| {
        let value = match value {
            Value::String(text) => harmless(text),
            other => other.to_string(),
        };
        let lines: Vec<_> = value.lines().collect();
        format!("  {name}: {}\n", lines.join("\n    "))
    };
    known.map(line).collect()
}

/// Says where removed records may still be found.
pub fn after_removal(remains: &Remains) -> &'static str {
    match remains {
        Remains::UntilVacuum => {
            "Backups made earlier still hold them.\n\
            The database server removes old versions of rows with VACUUM; its backups are yours \
            to delete."
        }
        Remains::Nothing | Remains::InFiles(_) => "Backups made earlier still hold them.",
    }
}

pub fn prune(args: &PruneArgs, database: &DatabaseArgs) -> Result<(), Failure> {
    let settings = args.retention.load()?;
    with_store(database, async |store| {
        prune_store(args, &settings, &store).await
    })
}

async fn prune_store(
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
    /// Of what, how long it is kept, how many are older.
    type Row = (OldRecords, String, u64);
    if args.json {
        let number = |(of, number): &(OldRecords, u64)| (of.key().to_owned(), (*number).into());
        let numbers: Map<String, Value> = counts.iter().map(number).collect();
        return Ok(print_json(&numbers)?);
    }
    let row = |of: OldRecords| -> Row {
        let kept = settings.period(of).map_or("ever".into(), |period| {
            format!("{} days", period.as_hours() / 24)
        });
        let counted = counts.iter().find(|(each, _)| *each == of);
        (of, kept, counted.map_or(0, |(_, number)| *number))
    };
    let rows: Vec<Row> = OldRecords::ALL.into_iter().map(row).collect();
    let number = match args.dry_run {
        true => "WOULD BE REMOVED",
        false => "REMOVED",
    };
    let columns: [Column<Row>; 3] = [
        Column::whole("WHAT", |(of, ..)| of.name().to_owned()),
        Column::whole("KEPT FOR", |(_, kept, _)| kept.clone()),
        Column::whole(number, |(.., number)| number.to_string()),
    ];
    Ok(print(&table(&columns, &rows))?)
}
