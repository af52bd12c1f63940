//! `frontdoor leads export`

use std::cell::Cell;

use clap::Args;
use jiff::{SignedDuration, Timestamp};

use super::row::LeadJson;
use crate::cli::Failure;
use crate::cli::csv::{self, Guard};
use crate::cli::export::{Cells, PAGE, pages};
use crate::cli::filter::since;
use crate::cli::output::print_on;
use crate::domain::stored_enum;
use crate::store::{Cursor, Fact, Lead, LeadFacts, LeadFilter, LeadState, Store};

stored_enum!(
    /// How leads are written.
    Format {
        /// For a spreadsheet.
        Csv = "csv",
        /// One array.
        Json = "json",
        /// A line for each lead.
        Ndjson = "ndjson",
    }
);

#[derive(Args, Debug)]
pub struct ExportLeads {
    #[arg(long, default_value = "csv", help = format!("How to write them: {}", Format::words()))]
    format: Format,

    /// Only what is not older: a date, a time or an age (7d)
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<Timestamp>,

    /// Held leads and spam too, which are left out otherwise
    #[arg(long, conflicts_with_all = ["held", "spam"])]
    all: bool,

    /// Only leads that wait for a release
    #[arg(long, conflicts_with = "spam")]
    held: bool,

    /// Only spam
    #[arg(long)]
    spam: bool,

    #[command(flatten)]
    cells: Cells,
}

pub async fn run(
    args: &ExportLeads,
    store: &Store,
    promise: SignedDuration,
) -> Result<(), Failure> {
    let guard = args.cells.guard();
    let page = async |after| {
        let filter = LeadFilter {
            after,
            limit: PAGE,
            ..args.filter()
        };
        store.leads(filter).await
    };
    let place = |lead: &Lead| Cursor {
        created_at: lead.created_at,
        id: lead.id.clone(),
    };
    let is_first = Cell::new(true);
    let text = |lead: &Lead| match args.format {
        Format::Csv => line(lead, guard),
        Format::Ndjson => json(lead, promise) + "\n",
        Format::Json if is_first.take() => format!("\n{}", json(lead, promise)),
        Format::Json => format!(",\n{}", json(lead, promise)),
    };
    let (before, after) = match args.format {
        Format::Csv => (csv::start(guard) + &header(guard), ""),
        Format::Json => ("[".into(), "\n]\n"),
        Format::Ndjson => (String::new(), ""),
    };
    if print_on(&before)? {
        pages(page, place, text).await?;
        print_on(after)?;
    }
    Ok(())
}

impl ExportLeads {
    fn filter(&self) -> LeadFilter {
        LeadFilter {
            since: self.since,
            held: self.held,
            state: self.spam.then_some(LeadState::Spam),
            genuine: !(self.all || self.held || self.spam),
            ..LeadFilter::default()
        }
    }
}

fn json(lead: &Lead, promise: SignedDuration) -> String {
    let json = serde_json::to_string(&LeadJson::new(lead, promise));
    json.expect("a lead can be written as JSON")
}

fn header(guard: Guard) -> String {
    let nobody = Lead::default();
    let names: Vec<_> = columns(&nobody)
        .map(|fact| csv::column(fact.name, guard))
        .collect();
    csv::line(names.iter().map(String::as_str), guard)
}

fn line(lead: &Lead, guard: Guard) -> String {
    let cell = |fact: Fact<'_>| {
        let is_time = csv::is_time(fact.name);
        let value = fact.value.unwrap_or_default().into_owned();
        match is_time {
            true => csv::time(value, guard),
            false => value,
        }
    };
    let cells: Vec<_> = columns(lead).map(cell).collect();
    csv::line(cells.iter().map(String::as_str), guard)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_the_form_has_a_column() {
        let (lead, typed) = Lead::with_every_field();
        let (header, line) = (header(Guard::Raw), line(&lead, Guard::Raw));
        let (names, cells): (Vec<_>, Vec<_>) =
            (header.split(',').collect(), line.split(',').collect());
        assert_eq!(names.len(), cells.len());
        for (field, words) in typed {
            let place = names
                .iter()
                .position(|name| *name == format!("\"{}\"", field.name));
            let place = place.unwrap_or_else(|| panic!("{} is not in {header}", field.name));
            assert_eq!(cells[place], format!("\"{words}\""));
        }
    }
}
