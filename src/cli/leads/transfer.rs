//! `frontdoor leads export` and `import`: leads that go elsewhere, or come from there.

use std::path::PathBuf;

use clap::Args;
use jiff::{SignedDuration, Timestamp};

use super::list::LeadRow;
use crate::cli::Failure;
use crate::cli::csv::{ExportArgs, PAGE, Record, past_time, read_file};
use crate::cli::lists::Since;
use crate::cli::output::{count, harmless_line, print, tell};
use crate::content::FIELDS;
use crate::domain::{Contact, ContactForm, FieldError, Note, Source};
use crate::lead_facts::{Fact, LeadFacts};
use crate::store::{Cursor, ImportedLead, Lead, LeadFilter, LeadState, Store};

/// Together in one transaction: forms wait for it, and the store gives it a few
/// seconds, also where the database is far away.
const AT_ONCE: usize = 50;

/// Without them no line is a lead.
const NEEDED: [&str; 4] = ["name", "email", "message", "created_at"];

#[derive(Args, Debug)]
pub struct ExportLeads {
    #[command(flatten)]
    export: ExportArgs,

    /// Only what is not older: a date, a time or an age (7d)
    #[arg(long, value_name = "TIME", value_parser = Since::parse)]
    since: Option<Since>,

    /// Held leads and spam too, which are left out otherwise
    #[arg(long, conflicts_with_all = ["held", "spam"])]
    all: bool,

    /// Only leads that wait for a release
    #[arg(long, conflicts_with = "spam")]
    held: bool,

    /// Only spam
    #[arg(long)]
    spam: bool,
}

#[derive(Args, Debug)]
pub struct ImportLeads {
    /// Columns: name, email, message and created_at, and if you have them phone,
    /// form_location, note, landing_path, referrer_host and utm_…
    #[arg(value_name = "FILE.csv")]
    file: PathBuf,
}

pub async fn export(
    args: &ExportLeads,
    store: &Store,
    promise: SignedDuration,
) -> Result<(), Failure> {
    let page = async |after| {
        let filter = LeadFilter {
            after,
            limit: PAGE,
            since: args.since.map(Since::time),
            held: args.held,
            state: args.spam.then_some(LeadState::Spam),
            genuine: !(args.all || args.held || args.spam),
            ..LeadFilter::default()
        };
        let leads = store.leads(filter).await?.into_iter();
        Ok(leads.map(|lead| LeadRow::new(lead, promise)).collect())
    };
    let place = |row: &LeadRow| Cursor {
        created_at: row.lead.created_at,
        id: row.lead.id.clone(),
    };
    let nobody = Lead::default();
    let names: Vec<_> = columns(&nobody).map(|fact| fact.name).collect();
    let cells = |row: &LeadRow| {
        let values = columns(&row.lead).map(|fact| fact.value.unwrap_or_default());
        values.map(|value| value.into_owned()).collect()
    };
    args.export.write(page, place, &names, cells).await
}

fn columns(lead: &Lead) -> impl Iterator<Item = Fact<'_>> {
    let LeadFacts {
        id,
        received,
        typed,
        form,
        held,
        owners,
        source,
    } = lead.facts();
    let first = [id, received].into_iter().chain(typed);
    first.chain([form]).chain(owners).chain(held).chain(source)
}

pub async fn import(args: &ImportLeads, store: &Store) -> Result<(), Failure> {
    let now = Timestamp::now();
    let (leads, wrong) = read_file(&args.file, |names, records| parse(names, &records, now))?;
    for line in &wrong {
        tell!("{line}");
    }
    let mut new = 0;
    for (number, some) in leads.chunks(AT_ONCE).enumerate() {
        let stored = store.import_leads(some.to_vec()).await;
        new += stored.map_err(|error| {
            let (done, all) = (number * AT_ONCE, leads.len() as u64);
            Failure::Failed(format!(
                "{error}; after {done} of {}: run the same command again to go on",
                count(all, "lead", "leads")
            ))
        })?;
    }
    let mut told = format!("Imported {} as closed.\n", count(new, "lead", "leads"));
    let known = leads.len() as u64 - new;
    if known > 0 {
        told += &format!("{known:>7} known already\n");
    }
    print(&told)?;
    match wrong.len() as u64 {
        0 => Ok(()),
        wrong => Err(Failure::Failed(format!(
            "{} left out",
            count(wrong, "line was", "lines were")
        ))),
    }
}

/// The leads, and what is wrong with which other line, without a visitor's words.
fn parse(
    header: Vec<String>,
    records: &[Record],
    now: Timestamp,
) -> Result<(Vec<ImportedLead>, Vec<String>), String> {
    let names: Vec<_> = header.iter().map(|name| name.to_lowercase()).collect();
    if let Some(missing) = NEEDED.iter().find(|name| !names.iter().any(|n| n == *name)) {
        return Err(format!(
            "line 1: must name the columns, and one of them {missing}"
        ));
    }
    let is_used = |column: &str| {
        FIELDS.all().any(|field| field.name == column)
            || Source::FIELDS.contains(&column)
            || ["form_location", "created_at", "note"].contains(&column)
    };
    let unused = header.iter().zip(&names).filter(|(_, name)| !is_used(name));
    let unused: Vec<_> = unused.map(|(name, _)| harmless_line(name)).collect();
    if !unused.is_empty() {
        tell!("These columns are not used: {}", unused.join(", "));
    }
    let (mut leads, mut wrong) = (Vec::new(), Vec::new());
    for (line, cells) in records {
        match lead(&names, cells, now) {
            Ok(lead) => leads.push(lead),
            Err(problem) => wrong.push(format!("line {line}: {problem}")),
        }
    }
    Ok((leads, wrong))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_the_form_has_a_column() {
        let (lead, typed) = Lead::with_every_field();
        for (field, words) in typed {
            let fact = columns(&lead).find(|fact| fact.name == field.name);
            let value = fact.and_then(|fact| fact.value.map(|value| value.into_owned()));
            assert_eq!(value, Some(words), "{}", field.name);
        }
    }
}
