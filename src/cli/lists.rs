//! The parts of every list: its options, a table that fits the terminal, JSON for
//! programs.

use anyhow::Result;
use clap::Args;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde::Serialize;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::output::{harmless_line, is_terminal, print, print_json, say, tell};
use crate::content::site;
use crate::store::Store;

const GAP: &str = "  ";
/// Of a line in a pipe.
const PIPE_WIDTH: usize = 160;
/// Of a terminal that doesn't tell its width.
const USUAL_WIDTH: usize = 80;

#[derive(Args, Debug, Clone)]
pub struct ListArgs {
    /// Nothing older than this: a date (2026-01-31), a time (2026-01-31T09:00:00Z) or
    /// an age (90m, 24h, 7d, 2w)
    #[arg(long, value_name = "TIME", value_parser = Since::parse)]
    since: Option<Since>,

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

    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

impl ListArgs {
    pub fn since(&self) -> Option<Timestamp> {
        self.since.map(Since::time)
    }
}

impl Shown {
    /// One more than asked for, to see whether there is more.
    pub fn limit_and_one(&self) -> usize {
        self.limit as usize + 1
    }

    /// Prints what was found with [`Self::limit_and_one`], or `none` where that is nothing.
    pub fn show<T: Serialize>(
        &self,
        mut found: Vec<T>,
        columns: &[Column<T>],
        none: &str,
    ) -> Result<()> {
        let limit = self.limit as usize;
        if found.len() > limit {
            found.truncate(limit);
            tell!("Only {limit} are shown; use --limit for more.");
        }
        match found.is_empty() && !self.json {
            true => say!("{none}"),
            false => show(self.json, columns, &found),
        }
    }
}

/// The line for an empty list.
pub fn none(what: &str, store: &Store) -> String {
    format!("No {what} found in {}.", store.place())
}

/// Prints a list for programs or for people.
pub fn show<T: Serialize>(json: bool, columns: &[Column<T>], list: &[T]) -> Result<()> {
    match json {
        true => print_json(&list),
        false => print(&table(columns, list)),
    }
}

/// A date, a time, or an age counted back from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// In the site's zone, which is known once the database is open.
    Day(Date),
    Time(Timestamp),
}

impl Since {
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::parse_at(text, Timestamp::now())
    }

    fn parse_at(text: &str, now: Timestamp) -> Result<Self, String> {
        if let Ok(time) = text.parse::<Timestamp>() {
            return Ok(Self::Time(time));
        }
        if let Ok(date) = text.parse::<Date>() {
            return Ok(Self::Day(date));
        }
        let age = text.parse::<Span>();
        let then = age.and_then(|age| now.to_zoned(TimeZone::UTC).checked_sub(age));
        let time = then.map(|then| Self::Time(then.timestamp()));
        time.map_err(|_| "must be like 2026-01-31, 2026-01-31T09:00:00Z, 24h or 7d".into())
    }

    pub fn time(self) -> Timestamp {
        match self {
            Self::Time(time) => time,
            Self::Day(date) => {
                let midnight = date.to_zoned(site().zone());
                midnight.map_or(Timestamp::MIN, |midnight| midnight.timestamp())
            }
        }
    }
}

/// One column: its cells, and how it gives way when the terminal is narrow.
pub struct Column<T> {
    title: &'static str,
    cell: fn(&T) -> String,
    /// May be cut down to this many cells; `None`: never cut.
    least: Option<usize>,
    /// Left out when there is no room at all; the highest goes first.
    dispensable: u8,
}

impl<T> Column<T> {
    /// Always shown whole.
    pub const fn whole(title: &'static str, cell: fn(&T) -> String) -> Self {
        Self {
            title,
            cell,
            least: None,
            dispensable: 0,
        }
    }

    /// Cut when there is not enough room.
    pub const fn cut(title: &'static str, least: usize, cell: fn(&T) -> String) -> Self {
        Self {
            least: Some(least),
            ..Self::whole(title, cell)
        }
    }

    pub const fn dispensable(mut self, rank: u8) -> Self {
        self.dispensable = rank;
        self
    }
}

/// A table for people, the titles first, as wide as the terminal at most.
pub fn table<T>(columns: &[Column<T>], list: &[T]) -> String {
    let width = match is_terminal() {
        false => PIPE_WIDTH,
        true => {
            terminal_size::terminal_size().map_or(USUAL_WIDTH, |(width, _)| usize::from(width.0))
        }
    };
    let lines = render(columns, list, width).into_iter();
    lines.map(|line| line + "\n").collect()
}

fn render<T>(columns: &[Column<T>], list: &[T], width: usize) -> Vec<String> {
    let row = |each: &T| {
        let cells = columns.iter().map(|column| (column.cell)(each));
        cells.map(|cell| harmless_line(&cell)).collect()
    };
    let titles = columns.iter().map(|column| column.title.to_owned());
    let mut rows: Vec<Vec<String>> = vec![titles.collect()];
    rows.extend(list.iter().map(row));
    let natural = |index: usize| rows.iter().map(|row| row[index].width()).max();
    let natural: Vec<_> = (0..columns.len()).filter_map(natural).collect();
    let widths = fit(columns, natural, width);
    rows.iter().map(|row| draw(row, &widths)).collect()
}

/// The width of each column; 0 for one that is left out. The widest gives way first;
/// where none can, a column is left out and the others start over.
fn fit<T>(columns: &[Column<T>], mut natural: Vec<usize>, width: usize) -> Vec<usize> {
    let mut widths = natural.clone();
    loop {
        let shown = widths.iter().filter(|width| **width > 0);
        let gaps = GAP.len() * shown.clone().count().saturating_sub(1);
        if shown.sum::<usize>() + gaps <= width {
            return widths;
        }
        let indexes = || (0..columns.len()).filter(|&i| widths[i] > 0);
        let can_shrink = |&i: &usize| columns[i].least.is_some_and(|least| widths[i] > least);
        let widest = indexes().filter(can_shrink).max_by_key(|&i| widths[i]);
        let last = indexes().max_by_key(|&i| columns[i].dispensable);
        let last = last.filter(|&i| columns[i].dispensable > 0);
        match (widest, last) {
            (Some(widest), _) => widths[widest] -= 1,
            (None, Some(last)) => {
                natural[last] = 0;
                widths = natural.clone();
            }
            (None, None) => return widths,
        }
    }
}

fn draw(row: &[String], widths: &[usize]) -> String {
    let cells = row.iter().zip(widths).filter(|(_, width)| **width > 0);
    let padded = cells.map(|(cell, &width)| {
        let text = cut(cell, width);
        let padding = width.saturating_sub(text.width());
        format!("{text}{}", " ".repeat(padding))
    });
    let padded: Vec<_> = padded.collect();
    padded.join(GAP).trim_end().to_owned()
}

/// At most `width` cells, with an ellipsis where something is missing.
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dates_times_and_ages_are_understood() {
        let now = "2026-03-08T12:00:00Z".parse().unwrap();
        for (text, meant) in [
            ("2026-03-01T09:30:00Z", "2026-03-01T09:30:00Z"),
            ("90m", "2026-03-08T10:30:00Z"),
            ("7d", "2026-03-01T12:00:00Z"),
            ("2w", "2026-02-22T12:00:00Z"),
        ] {
            let meant = Since::Time(meant.parse().unwrap());
            assert_eq!(Since::parse_at(text, now), Ok(meant), "{text}");
        }
        let day = Since::Day("2026-03-01".parse().unwrap());
        assert_eq!(Since::parse_at("2026-03-01", now), Ok(day));
        for bad in ["", "yesterday", "2026-02-30", "7", "999999999999d"] {
            assert!(Since::parse_at(bad, now).is_err(), "{bad}");
        }
    }

    type Row = [String; 4];

    const COLUMNS: [Column<Row>; 4] = [
        Column::whole("ID", |row: &Row| row[0].clone()),
        Column::cut("NAME", 6, |row: &Row| row[1].clone()),
        Column::cut("MESSAGE", 8, |row: &Row| row[2].clone()).dispensable(2),
        Column::cut("FORM", 4, |row: &Row| row[3].clone()).dispensable(1),
    ];

    #[test]
    fn a_narrow_terminal_cuts_first_and_then_leaves_out() {
        let message = "Hello there,\nI have a question";
        let row = ["12345678", "Ada Lovelace", message, "contact"].map(str::to_owned);
        for (width, lines) in [
            (
                usize::MAX,
                "ID        NAME          MESSAGE                         FORM\n\
                 12345678  Ada Lovelace  Hello there, I have a question  contact",
            ),
            (
                40,
                "ID        NAME        MESSAGE    FORM\n\
                 12345678  Ada Lovel…  Hello th…  contact",
            ),
            (
                24,
                "ID        NAME    FORM\n\
                 12345678  Ada L…  conta…",
            ),
        ] {
            let rows = std::slice::from_ref(&row);
            assert_eq!(render(&COLUMNS, rows, width).join("\n"), lines);
        }
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_terminal(
            name in "\\PC{0,30}|[李🍁é\\x1b\\n]{0,30}", message in any::<String>(),
            width in 20_usize..120,
        ) {
            let rows = [["12345678".to_owned(), name, message, "contact".to_owned()]];
            for line in render(&COLUMNS, &rows, width) {
                prop_assert!(line.width() <= width, "{} > {}", line.width(), width);
                prop_assert!(!line.contains(char::is_control));
            }
        }
    }
}
