//! `frontdoor person`: all that is held about somebody, for whoever asks.

use clap::Args;
use serde_json::{Map, Value};

use super::Failure;
use super::output::{print, print_json};
use super::table::{harmless, harmless_line};
use crate::store::{Record, Store};

#[derive(Args, Debug)]
pub struct PersonArgs {
    /// The person's e-mail address, in any spelling
    email: String,

    /// Print JSON: the tables, and in each the rows as they are stored
    #[arg(long)]
    json: bool,
}

pub async fn run(args: &PersonArgs, store: &Store) -> Result<(), Failure> {
    let email = args.email.trim();
    let tables = store.person(email).await?;
    if tables.is_empty() {
        let email = harmless_line(email);
        return Err(Failure::Failed(format!("nothing is stored about {email}")));
    }
    if args.json {
        let table = |(name, records): (&str, Vec<Record>)| {
            let records = records.into_iter().map(Value::Object).collect();
            (name.to_owned(), Value::Array(records))
        };
        return Ok(print_json(
            &tables.into_iter().map(table).collect::<Map<_, _>>(),
        )?);
    }
    let sections: Vec<_> = tables.iter().map(section).collect();
    Ok(print(&sections.join("\n"))?)
}

fn section((name, records): &(&str, Vec<Record>)) -> String {
    let records: Vec<_> = records.iter().map(facts).collect();
    format!("{name}\n{}", records.join("\n"))
}

/// What is empty says nothing.
fn facts(record: &Record) -> String {
    let known = record.iter().filter(|(_, value)| !value.is_null());
    known.map(|(name, value)| fact(name, value)).collect()
}

fn fact(name: &str, value: &Value) -> String {
    let value = match value {
        Value::String(text) => harmless(text),
        other => other.to_string(),
    };
    let lines: Vec<_> = value.lines().collect();
    format!("  {name}: {}\n", lines.join("\n    "))
}
