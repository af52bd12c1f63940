//! `frontdoor leads export`

use clap::Args;
use jiff::Timestamp;

use crate::cli::Failure;
use crate::cli::csv::{self, Guard};
use crate::cli::export::{Cells, PAGE, pages};
use crate::cli::filter::since;
use crate::cli::output::print;
use crate::store::{Cursor, Fact, Lead, LeadFacts, LeadFilter, Store};

#[derive(Args, Debug)]
pub struct ExportLeads {
    /// Only what is not older: a date, a time or an age (7d)
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<Timestamp>,

    /// Only leads that wait for a release
    #[arg(long)]
    held: bool,

    #[command(flatten)]
    cells: Cells,
}

pub async fn run(args: &ExportLeads, store: &Store) -> Result<(), Failure> {
    let guard = args.cells.guard();
    print(&header(guard))?;
    let page = async |after| {
        let filter = LeadFilter {
            since: args.since,
            held: args.held,
            after,
            limit: PAGE,
            ..LeadFilter::default()
        };
        store.leads(filter).await
    };
    let place = |lead: &Lead| Cursor {
        created_at: lead.created_at,
        id: lead.id.clone(),
    };
    pages(page, place, |lead| line(lead, guard)).await
}

fn header(guard: Guard) -> String {
    let nobody = Lead::default();
    csv::line(columns(&nobody).map(|fact| fact.name), guard)
}

fn line(lead: &Lead, guard: Guard) -> String {
    let cells: Vec<_> = columns(lead)
        .map(|fact| fact.value.unwrap_or_default())
        .collect();
    csv::line(cells.iter().map(AsRef::as_ref), guard)
}

fn columns(lead: &Lead) -> impl Iterator<Item = Fact<'_>> {
    let LeadFacts {
        id,
        received,
        typed,
        form,
        held,
        source,
    } = lead.facts();
    let first = [id, received].into_iter().chain(typed);
    first.chain([form]).chain(held).chain(source)
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
