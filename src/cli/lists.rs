//! The parts of every list: its options, a table that fits the terminal, JSON for programs.

use anyhow::Result;
use clap::Args;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde::Serialize;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::bail_usage;
use super::output::{eprint_line, is_terminal, print, print_json, print_line, printable_line};
use crate::content::site;
use crate::store::Store;

const GAP: &str = "  ";
/// The width of a table that is written to a pipe.
const PIPE_WIDTH: usize = 160;
/// The width assumed for a terminal that doesn't report its own.
const USUAL_WIDTH: usize = 80;
/// The width that a column gets before the ones after it get theirs.
const MAX_CLAIM: usize = 20;
/// A column with less room is left out.
const MIN_ROOM: usize = 8;

#[derive(Args, Debug, Clone)]
pub struct ListArgs {
    /// Only what was created since this time: a date (2026-01-31), a time
    /// (2026-01-31T09:00:00Z) or an age (90m, 24h, 7d, 2w)
    #[arg(long, value_name = "TIME")]
    since: Option<String>,

    #[command(flatten)]
    pub shown: Shown,
}

/// How much of a list is shown, and how.
#[derive(Args, Debug, Clone)]
pub struct Shown {
    /// Show at most this many
    #[arg(long, value_name = "NUMBER", default_value_t = 50,
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl ListArgs {
    pub fn since(&self) -> Result<Option<Timestamp>> {
        since(self.since.as_deref())
    }
}

impl Shown {
    /// The limit and one more, to see whether more rows exist.
    pub fn limit_and_one(&self) -> usize {
        self.limit as usize + 1
    }

    /// Prints the rows found with [`Self::limit_and_one`], or the line `none` if there are none.
    pub fn show<T: Serialize>(
        &self,
        mut found: Vec<T>,
        columns: &Columns<T>,
        none: &str,
    ) -> Result<()> {
        let limit = self.limit as usize;
        if found.len() > limit {
            found.truncate(limit);
            eprint_line!("Only {limit} are shown; use --limit for more.");
        }
        if found.is_empty() && !self.json {
            print_line!("{none}")
        } else {
            show(self.json, columns, &found)
        }
    }
}

/// The line for an empty list.
pub fn none(what: &str, store: &Store) -> String {
    format!("No {what} found in {}.", store.location())
}

/// Prints a list for programs or for people.
pub fn show<T: Serialize>(json: bool, columns: &Columns<T>, list: &[T]) -> Result<()> {
    if json {
        print_json(&list)
    } else {
        print(&table(columns, list))
    }
}

/// Parses `--since`: a time in the site's zone, or an age counted back from now.
pub fn since(text: Option<&str>) -> Result<Option<Timestamp>> {
    let Some(text) = text else { return Ok(None) };
    match time_or_age(text, site().zone(), Timestamp::now()) {
        None => bail_usage!("--since must be like 2026-01-31, 2026-01-31T09:00:00Z, 24h or 7d"),
        time => Ok(time),
    }
}

fn time_or_age(text: &str, zone: TimeZone, now: Timestamp) -> Option<Timestamp> {
    time_in(zone, text).or_else(|| {
        let age = text.parse::<Span>().ok()?;
        let then = now.to_zoned(TimeZone::UTC).checked_sub(age).ok()?;
        Some(then.timestamp())
    })
}

/// Parses a time or a date, in this zone unless the text names another.
pub fn time_in(zone: TimeZone, text: &str) -> Option<Timestamp> {
    if let Ok(time) = text.parse() {
        return Some(time);
    }
    let local: DateTime = text.parse().ok()?;
    Some(local.to_zoned(zone).ok()?.timestamp())
}

/// The titles of a table, separated by commas, and the function that makes a row's cells. Important
/// columns come first, because a narrow terminal shows fewer.
pub type Columns<'a, T> = (&'a str, fn(&T) -> Vec<String>);

/// A table for people, with a line of titles, at most as wide as the terminal.
pub fn table<T>(columns: &Columns<T>, list: &[T]) -> String {
    let width = if is_terminal() {
        terminal_size::terminal_size().map_or(USUAL_WIDTH, |(width, _)| usize::from(width.0))
    } else {
        PIPE_WIDTH
    };
    let lines = render(columns, list, width).into_iter();
    lines.map(|line| line + "\n").collect()
}

fn render<T>((titles, cells): &Columns<T>, list: &[T], width: usize) -> Vec<String> {
    let titles = titles.split(", ").map(str::to_owned).collect();
    let shown = |cell: String| printable_line(&cell);
    let row = |each: &T| cells(each).into_iter().map(shown).collect();
    let mut rows: Vec<Vec<String>> = vec![titles];
    rows.extend(list.iter().map(row));
    let natural = |index: usize| rows.iter().map(|row| row[index].width()).max();
    let natural: Vec<_> = (0..rows[0].len()).filter_map(natural).collect();
    let widths = fit(&natural, width);
    rows.iter().map(|row| draw(row, &widths)).collect()
}

/// The widths of the columns that are shown. From the left, each column gets the width it needs, up
/// to [`MAX_CLAIM`]; the last one may get less. The remaining room then goes to the wide columns.
fn fit(natural: &[usize], width: usize) -> Vec<usize> {
    let (mut widths, mut left) = (Vec::new(), width);
    for natural in natural {
        let gap = if widths.is_empty() { 0 } else { GAP.len() };
        let (claim, room) = ((*natural).min(MAX_CLAIM), left.saturating_sub(gap));
        if room < claim.min(MIN_ROOM) {
            break;
        }
        widths.push(claim.min(room));
        left = room - claim.min(room);
    }
    for (width, natural) in widths.iter_mut().zip(natural).rev() {
        let more = left.min(natural - *width);
        *width += more;
        left -= more;
    }
    widths
}

fn draw(row: &[String], widths: &[usize]) -> String {
    let padded = row.iter().zip(widths).map(|(cell, &width)| {
        let text = cut(cell, width);
        let padding = width.saturating_sub(text.width());
        format!("{text}{}", " ".repeat(padding))
    });
    let padded: Vec<_> = padded.collect();
    padded.join(GAP).trim_end().to_owned()
}

/// Cuts a text to `width` terminal cells, with an ellipsis if something is missing.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= width
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_times_and_ages_are_understood() {
        let now = "2026-03-08T12:00:00Z".parse().unwrap();
        let toronto = || TimeZone::get("America/Toronto").unwrap();
        for (text, meant) in [
            ("2026-03-01T09:30:00Z", "2026-03-01T09:30:00Z"),
            ("2026-03-01", "2026-03-01T05:00:00Z"),
            ("90m", "2026-03-08T10:30:00Z"),
            ("7d", "2026-03-01T12:00:00Z"),
            ("2w", "2026-02-22T12:00:00Z"),
        ] {
            let time = time_or_age(text, toronto(), now);
            assert_eq!(time, Some(meant.parse().unwrap()), "{text}");
        }
        for bad in ["", "yesterday", "2026-02-30", "7", "999999999999d"] {
            assert!(time_or_age(bad, toronto(), now).is_none(), "{bad}");
        }
    }

    const COLUMNS: Columns<Vec<String>> = ("ID, NAME, MESSAGE, FORM", Clone::clone);

    #[test]
    fn a_narrow_terminal_cuts_what_is_wide_and_leaves_out_what_comes_last() {
        let message = "Hello there,\nI have a question";
        let row = ["12345678", "Ada Lovelace", message, "contact"].map(str::to_owned);
        for (width, lines) in [
            (
                65,
                "ID        NAME          MESSAGE                         FORM\n\
                 12345678  Ada Lovelace  Hello there, I have a question  contact",
            ),
            (
                60,
                "ID        NAME          MESSAGE                      FORM\n\
                 12345678  Ada Lovelace  Hello there, I have a ques…  contact",
            ),
            (
                40,
                "ID        NAME          MESSAGE\n\
                 12345678  Ada Lovelace  Hello there, I …",
            ),
            (
                20,
                "ID        NAME\n\
                 12345678  Ada Lovel…",
            ),
        ] {
            let rows = [row.to_vec()];
            assert_eq!(render(&COLUMNS, &rows, width).join("\n"), lines);
        }
    }
}
