//! `frontdoor stats`: visits, and what became of them.

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::json;

use super::lists::table;
use super::output::{count, print_json, print_line};
use crate::config::VisitsArgs;
use crate::store::{NamedFigures, Statistics, Store};

#[derive(Args, Debug)]
pub struct StatsArgs {
    /// Number of days to show, today included
    #[arg(long, value_name = "NUMBER", default_value_t = 30,
        value_parser = clap::value_parser!(u32).range(1..=730))]
    days: u32,

    /// Also list visits by the page where they began, the referring site or the campaign
    #[arg(long)]
    by: Option<By>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    visits: VisitsArgs,
}

#[derive(ValueEnum, Debug, Clone, Copy)]
enum By {
    Page,
    Source,
    Campaign,
}

/// The titles of the columns. With a name of 20 characters, they fit 80.
macro_rules! columns {
    ($name:literal) => {
        concat!(
            $name,
            ", REQUESTED, SEEN, FORM, LEADS, ANSWERED, BOOKED, PRESSES"
        )
    };
}

pub async fn run(args: &StatsArgs, store: &Store) -> Result<()> {
    let counting = args.visits.load()?.count;
    let found = store.statistics(args.days, store.now()).await?;
    let Statistics {
        days,
        from,
        to,
        totals,
        before,
        ..
    } = found;
    let by = args.by.map(|by| match by {
        By::Page => (columns!("PAGE"), "not told", found.by_page),
        By::Source => (columns!("SOURCE"), "direct or not told", found.by_source),
        By::Campaign => (columns!("CAMPAIGN"), "none", found.by_campaign),
    });
    if args.json {
        let mut json = json!({
            "days": days, "from": from, "to": to, "counting": counting,
            "totals": totals, "before": before,
        });
        if let Some((.., list)) = by {
            json["by"] = json!(list);
        }
        return print_json(&json);
    }
    let row = |name: String, figures| NamedFigures { name, figures };
    let span = count(days.into(), "day", "days");
    let (these, earlier) = (format!("last {span}"), format!("{span} before"));
    let periods = [row(these, totals), row(earlier, before)];
    let periods = table(&(columns!("PERIOD"), cells), &periods);
    let mut text = format!("{from} to {to}\n\n{periods}");
    if let Some((titles, unnamed, mut list)) = by {
        let empty = list.iter_mut().filter(|each| each.name.is_empty());
        empty.for_each(|each| each.name = unnamed.to_owned());
        text += &format!("\n{}", table(&(titles, cells), &list));
    }
    if !counting {
        text += "\nCounting is off: FRONTDOOR_COUNT is `off` here.";
    }
    print_line!(
        "{text}\nThese are visits. How many different people, or who came back, can't be told."
    )
}

fn cells(row: &NamedFigures) -> Vec<String> {
    let numbers = row.figures.values().into_iter();
    let name = std::iter::once(row.name.clone());
    name.chain(numbers.map(|number| number.to_string()))
        .collect()
}
