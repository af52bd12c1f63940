//! `frontdoor stats`: visits, and what became of them.

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::json;

use super::lists::table;
use super::output::{count, print_json, print_line};
use crate::config::VisitsArgs;
use crate::store::{NamedFigures, Store};

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

pub async fn run(args: &StatsArgs, store: &Store) -> Result<()> {
    let counting = args.visits.load()?.count;
    let found = store.statistics(args.days, store.now()).await?;
    let (from, to, totals, before) = (found.from, found.to, found.totals, found.before);
    let by = args.by.map(|by| match by {
        By::Page => ("PAGE", "not told", found.by_page),
        By::Source => ("SOURCE", "direct or not told", found.by_source),
        By::Campaign => ("CAMPAIGN", "none", found.by_campaign),
    });
    if args.json {
        let mut json = json!({
            "days": found.days, "from": from, "to": to, "counting": counting,
            "totals": totals, "before": before,
        });
        if let Some((.., list)) = by {
            json["by"] = json!(list);
        }
        return print_json(&json);
    }
    let row = |name: String, figures| NamedFigures { name, figures };
    let span = count(found.days.into(), "day", "days");
    let (these, earlier) = (format!("last {span}"), format!("{span} before"));
    let periods = [row(these, totals), row(earlier, before)];
    let mut text = format!("{from} to {to}\n\n{}", figures("PERIOD", &periods));
    if let Some((title, unnamed, mut list)) = by {
        let empty = list.iter_mut().filter(|each| each.name.is_empty());
        empty.for_each(|each| each.name = unnamed.to_owned());
        text += &format!("\n{}", figures(title, &list));
    }
    if !counting {
        text += "\nCounting is off: FRONTDOOR_COUNT is `off` here.";
    }
    print_line!(
        "{text}\nThese are visits: how many different people came, or came back, isn't known."
    )
}

/// A table. With names of 20 characters, it is 80 wide.
fn figures(title: &str, list: &[NamedFigures]) -> String {
    let titles = format!("{title}, REQUESTED, SEEN, FORM, LEADS, ANSWERED, BOOKED, PRESSES");
    let cells = |row: &NamedFigures| {
        let numbers = row.figures.values().map(|number| number.to_string());
        [vec![row.name.clone()], numbers.to_vec()].concat()
    };
    table(&(&titles, cells), list)
}
