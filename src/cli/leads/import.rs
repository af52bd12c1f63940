//! `frontdoor leads import`: leads that were stored elsewhere, from a file.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;

use crate::cli::Failure;
use crate::cli::csv_reader::{self, past_time};
use crate::cli::output::{count, print, tell};
use crate::cli::table::harmless_line;
use crate::content::FIELDS;
use crate::domain::{Contact, ContactForm, FieldError, Note, Source};
use crate::store::{ImportedLead, Store};

/// Together in one transaction: forms wait for it, and the store gives it a few
/// seconds, also where the database is far away.
const AT_ONCE: usize = 50;

/// Without them no line is a lead.
const NEEDED: [&str; 4] = ["name", "email", "message", "created_at"];

#[derive(Args, Debug)]
pub struct ImportLeads {
    /// Columns: name, email, message and created_at, and if you have them phone,
    /// form_location, note, landing_path, referrer_host and utm_…
    #[arg(value_name = "FILE.csv")]
    file: PathBuf,
}

pub async fn run(args: &ImportLeads, store: &Store) -> Result<(), Failure> {
    let now = Timestamp::now();
    let file = csv_reader::read_file(&args.file, |text| parse(text, now))?;
    if !file.ignored.is_empty() {
        tell!("These columns are not used: {}", file.ignored.join(", "));
    }
    for line in &file.wrong {
        tell!("{line}");
    }
    let mut new = 0;
    for (number, leads) in file.leads.chunks(AT_ONCE).enumerate() {
        let stored = store.import_leads(leads.to_vec()).await;
        new += stored.map_err(|error| {
            let (done, all) = (number * AT_ONCE, file.leads.len() as u64);
            Failure::Failed(format!(
                "{error}; after {done} of {}: run the same command again to go on",
                count(all, "lead", "leads")
            ))
        })?;
    }
    let mut told = format!("Imported {} as closed.\n", count(new, "lead", "leads"));
    let known = file.leads.len() as u64 - new;
    if known > 0 {
        told += &format!("{known:>7} known already\n");
    }
    print(&told)?;
    match file.wrong.len() as u64 {
        0 => Ok(()),
        wrong => Err(Failure::Failed(format!(
            "{} left out",
            count(wrong, "line was", "lines were")
        ))),
    }
}

struct LeadsFile {
    leads: Vec<ImportedLead>,
    /// What is wrong with which line, without a visitor's words.
    wrong: Vec<String>,
    /// Columns that mean nothing here.
    ignored: Vec<String>,
}

fn parse(text: &str, now: Timestamp) -> Result<LeadsFile, String> {
    let (header, records) = csv_reader::table(text)?;
    let names: Vec<_> = header.iter().map(|name| name.to_lowercase()).collect();
    if let Some(missing) = NEEDED.iter().find(|name| !names.iter().any(|n| n == *name)) {
        return Err(format!(
            "line 1: must name the columns, and one of them {missing}"
        ));
    }
    let (mut leads, mut wrong) = (Vec::new(), Vec::new());
    for (line, cells) in &records {
        match lead(&names, cells, now) {
            Ok(lead) => leads.push(lead),
            Err(problem) => wrong.push(format!("line {line}: {problem}")),
        }
    }
    let is_ignored = |name: &&String| !is_used(&name.to_lowercase());
    let ignored = header.iter().filter(is_ignored);
    Ok(LeadsFile {
        leads,
        wrong,
        ignored: ignored.map(|name| harmless_line(name)).collect(),
    })
}

fn is_used(column: &str) -> bool {
    FIELDS.all().any(|field| field.name == column)
        || Source::FIELDS.contains(&column)
        || ["form_location", "created_at", "note"].contains(&column)
}

fn lead(names: &[String], cells: &[String], now: Timestamp) -> Result<ImportedLead, String> {
    if cells.len() > names.len() {
        return Err("has more cells than line 1 has columns".into());
    }
    let cell = |column: &str| {
        let place = names.iter().position(|name| name == column);
        let cell = place.and_then(|place| cells.get(place));
        cell.map_or("", String::as_str)
    };
    let contact = Contact::parse(ContactForm::of(cell)).map_err(|errors| {
        let problem = |error: &FieldError| format!("{}: {}", error.field, error.message);
        let problems: Vec<_> = errors.as_slice().iter().map(problem).collect();
        problems.join("; ")
    })?;
    let created_at = past_time(cell("created_at"), now)
        .ok_or("created_at: no time that has been, like 2026-01-31T09:00:00Z")?;
    let note = Note::parse(cell("note")).map_err(|problem| format!("note: {problem}"))?;
    let source = Source::FIELDS.map(|name| Some(cell(name).to_owned()));
    Ok(ImportedLead {
        contact,
        source: Source::from_values(source),
        note,
        created_at,
    })
}
