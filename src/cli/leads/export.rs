//! `frontdoor leads export`

use clap::Args;
use jiff::SignedDuration;

use super::row::LeadJson;
use crate::cli::Failure;
use crate::cli::csv::{self, Guard};
use crate::cli::export::{ExportArgs, Look, PAGE, json};
use crate::cli::filter::Since;
use crate::lead_facts::{Fact, LeadFacts};
use crate::store::{Cursor, Lead, LeadFilter, LeadState, Store};

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

pub async fn run(
    args: &ExportLeads,
    store: &Store,
    promise: SignedDuration,
) -> Result<(), Failure> {
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
    let look = Look {
        header,
        line,
        json: |lead: &Lead| json(&LeadJson::new(lead, promise)),
    };
    args.export.write(page, place, look).await
}

impl ExportLeads {
    fn filter(&self) -> LeadFilter {
        LeadFilter {
            since: self.since.map(Since::time),
            held: self.held,
            state: self.spam.then_some(LeadState::Spam),
            genuine: !(self.all || self.held || self.spam),
            ..LeadFilter::default()
        }
    }
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
