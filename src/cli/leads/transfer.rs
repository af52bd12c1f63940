//! `frontdoor leads export` and `import`.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use jiff::{SignedDuration, Timestamp};

use super::list::LeadRow;
use crate::cli::csv::{ExportArgs, Import, PAGE, Record, in_parts, past_time, report};
use crate::cli::lists::since;
use crate::cli::output::{count, print};
use crate::content::fields;
use crate::domain::{Contact, ContactForm, FieldError, Note, SearchWords, Source};
use crate::store::{Cursor, Lead, LeadFilter, LeadState, NewLead, Store};

/// Leads per transaction, which must end within a few seconds even if the database is far away.
const AT_ONCE: usize = 50;

const NEEDED: [&str; 4] = ["name", "email", "message", "created_at"];

#[derive(Args, Debug)]
pub struct ExportLeads {
    #[command(flatten)]
    export: ExportArgs,

    /// Only leads since this time: a date, a time or an age (7d)
    #[arg(long, value_name = "TIME")]
    since: Option<String>,

    #[arg(long, help = format!("Only leads in this state: {}", LeadState::choices()))]
    state: Option<LeadState>,

    /// Only leads with all of these words, or parts of words, in name, e-mail address, phone,
    /// message or note
    #[arg(long, value_name = "WORDS", value_parser = SearchWords::parse)]
    search: Option<SearchWords>,

    /// Include held leads and spam
    #[arg(long, conflicts_with_all = ["held", "spam"])]
    all: bool,

    /// Only leads that are waiting to be released
    #[arg(long, conflicts_with = "spam")]
    held: bool,

    /// Only leads that are marked as spam
    #[arg(long, conflicts_with = "state")]
    spam: bool,
}

#[derive(Args, Debug)]
pub struct ImportLeads {
    /// The leads, with the columns name, email, message and created_at, and optionally phone,
    /// form_location, note, landing_path, referrer_host and utm_…
    #[arg(value_name = "FILE.csv")]
    file: PathBuf,
}

pub async fn export(args: &ExportLeads, store: &Store, promise: SignedDuration) -> Result<()> {
    let since = since(args.since.as_deref())?;
    let page = async |after| {
        let filter = LeadFilter {
            after,
            limit: PAGE,
            since,
            held: args.held,
            state: args.state.or(args.spam.then_some(LeadState::Spam)),
            search: args.search.clone(),
            genuine: !(args.all || args.held || args.spam),
            ..LeadFilter::default()
        };
        let leads = store.leads(filter).await?.into_iter();
        Ok(leads.map(|lead| LeadRow::new(lead, promise)).collect())
    };
    let cursor = |row: &LeadRow| Cursor {
        created_at: row.lead.created_at,
        id: row.lead.id.clone(),
    };
    let cells = |row: &LeadRow| row.lead.cells();
    args.export
        .write(page, cursor, &Lead::columns(), cells)
        .await
}

pub async fn import(args: &ImportLeads, store: &Store) -> Result<()> {
    let now = Timestamp::now();
    let is_used = |column: &str| {
        fields().all().any(|field| field.name == column)
            || Source::FIELDS.contains(&column)
            || ["form_location", "created_at", "note"].contains(&column)
    };
    let file = Import::read(&args.file, &NEEDED, is_used)?;
    let (leads, wrong) = file.read_each(|record| lead(&record, now));
    let mut new = 0;
    in_parts(&leads, AT_ONCE, async |some| {
        new += store.import_leads(some.to_vec()).await?;
        Ok(())
    })
    .await?;
    let first = format!("Imported {} as closed.", count(new, "lead", "leads"));
    let known = leads.len() as u64 - new;
    print(&report(&first, &[(known, "known already")]))?;
    match wrong {
        0 => Ok(()),
        wrong => bail!("{} left out", count(wrong, "line was", "lines were")),
    }
}

/// Reads a lead. Errors don't repeat the visitor's text.
fn lead(record: &Record<'_>, now: Timestamp) -> Result<(NewLead, Timestamp), String> {
    let cell = |column: &str| record.cell(column);
    let contact = Contact::parse(ContactForm::read(cell)).map_err(|errors| {
        let problem = |error: &FieldError| format!("{}: {}", error.field, error.message);
        let problems: Vec<_> = errors.as_slice().iter().map(problem).collect();
        problems.join("; ")
    })?;
    let created_at = past_time(cell("created_at"), now)
        .ok_or("created_at: must be a time in the past, like 2026-01-31T09:00:00Z")?;
    let note = Note::parse(cell("note")).map_err(|problem| format!("note: {problem}"))?;
    let source = Source::FIELDS.map(|name| Some(cell(name).to_owned()));
    let lead = NewLead {
        source: Source::from_values(source),
        state: LeadState::Closed,
        note,
        ..NewLead::new(contact)
    };
    Ok((lead, created_at))
}
