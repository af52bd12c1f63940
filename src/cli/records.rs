//! `frontdoor person` and `frontdoor prune`: everything that is stored about somebody, and
//! records that have been kept long enough.

use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Map, Value};

use super::lists::{Columns, table};
use super::output::{print, print_json, print_line, printable, printable_line};
use crate::config::{RetentionArgs, RetentionSettings};
use crate::store::{OldRecords, Record, Residue, Store};
use crate::upkeep::{self, Counts, OTHER_PERIODS, Pruned};

#[derive(Args, Debug)]
pub struct PersonArgs {
    /// The person's e-mail address, in any spelling
    email: String,

    /// Print JSON: each table with its rows as they are stored
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub struct PruneArgs {
    /// Show how many records there are, and delete nothing
    #[arg(long)]
    dry_run: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    retention: RetentionArgs,
}

pub async fn person(args: &PersonArgs, store: &Store) -> Result<()> {
    let email = args.email.trim();
    let tables = store.person(email).await?;
    if tables.is_empty() {
        bail!("nothing is stored about {}", printable_line(email));
    }
    if args.json {
        let json = |(name, records): (&str, Vec<Record>)| {
            let records = records.into_iter().map(Value::Object).collect();
            (name.to_owned(), Value::Array(records))
        };
        return print_json(&tables.into_iter().map(json).collect::<Map<_, _>>());
    }
    let sections = tables.iter().map(|(name, records)| {
        let records: Vec<_> = records.iter().map(facts).collect();
        format!("{name}\n{}", records.join("\n"))
    });
    print(&sections.collect::<Vec<_>>().join("\n"))
}

/// The columns of a record that aren't empty.
fn facts(record: &Record) -> String {
    let known = record.iter().filter(|(_, value)| !value.is_null());
    let line = |(name, value): (&String, &Value)| {
        let value = match value {
            Value::String(text) => printable(text),
            other => other.to_string(),
        };
        let lines: Vec<_> = value.lines().collect();
        format!("  {name}: {}\n", lines.join("\n    "))
    };
    known.map(line).collect()
}

/// Says where removed records may still be found. Fails if the database's own files still
/// hold them.
pub fn after_removal(remains: Residue, removed: &str) -> Result<&'static str> {
    match remains {
        Residue::InFiles(why) => {
            bail!("{removed}, but could not overwrite the database's files: {why}; run this again")
        }
        Residue::None => Ok("Backups made earlier still hold them."),
        Residue::UntilVacuum => Ok("Backups made earlier still hold them.\n\
            The database server removes old row versions with VACUUM. Delete its backups yourself."),
    }
}

pub async fn prune(args: &PruneArgs, store: &Store) -> Result<()> {
    let settings = args.retention.load()?;
    if !upkeep::is_as_published(store).await? {
        bail!("nothing is removed: {OTHER_PERIODS}");
    }
    let now = store.now();
    if args.dry_run {
        let counts = upkeep::count(store, &settings, now).await?;
        return show(args, &settings, &counts);
    }
    let Pruned { counts, ended } = upkeep::prune(store, &settings, now).await;
    let ended = match ended {
        Ok(()) => store.finish_pruning(now).await,
        Err(error) => Err(error),
    };
    let remains = store.scrub().await;
    show(args, &settings, &counts)?;
    if let Err(error) = ended {
        bail!("not everything was removed: {error}; run this again for the rest");
    }
    let left = after_removal(remains, "removed")?;
    if args.json || counts.iter().all(|(_, number)| *number == 0) {
        Ok(())
    } else {
        print_line!("{left}")
    }
}

fn show(args: &PruneArgs, settings: &RetentionSettings, counts: &Counts) -> Result<()> {
    if args.json {
        let number = |(kind, number): &(OldRecords, u64)| (kind.key().to_owned(), (*number).into());
        return print_json(&counts.iter().map(number).collect::<Map<String, Value>>());
    }
    let row = |kind: OldRecords| {
        let period = settings.period(kind);
        let days = period.map(|period| format!("{} days", period.as_hours() / 24));
        let counted = counts.iter().find(|(each, _)| *each == kind);
        let number = counted.map_or(0, |(_, number)| *number);
        let kept = days.unwrap_or("forever".into());
        vec![kind.name().to_owned(), kept, number.to_string()]
    };
    let titles = if args.dry_run {
        "WHAT, KEPT FOR, WOULD BE REMOVED"
    } else {
        "WHAT, KEPT FOR, REMOVED"
    };
    let columns: Columns<Vec<String>> = (titles, Clone::clone);
    let rows: Vec<_> = OldRecords::ALL.into_iter().map(row).collect();
    print(&table(&columns, &rows))
}
