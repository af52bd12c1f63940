//! What every list has: its options, a table for people, JSON for programs.

use clap::Args;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde::Serialize;

use super::Failure;
use super::output::{has_colour, print, print_json, tell, width};
use super::table::{self, Column};
use crate::content::SITE;
use crate::store::{self, Store};

/// More than this are told of as such.
pub const MOST_COUNTED: usize = 1000;

#[derive(Args, Debug, Clone)]
pub struct ListArgs {
    /// Only what is not older: a date (2026-01-31), a time
    /// (2026-01-31T09:00:00Z) or an age (90m, 24h, 7d, 2w)
    #[arg(long, value_name = "TIME", value_parser = Since::parse)]
    since: Option<Since>,

    #[command(flatten)]
    pub shown: Shown,
}

/// How much of a list is shown, and how.
#[derive(Args, Debug, Clone)]
pub struct Shown {
    /// At most so many
    #[arg(long, value_name = "NUMBER", default_value_t = 50,
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub limit: u32,

    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

impl ListArgs {
    pub fn limit_and_one(&self) -> usize {
        self.shown.limit_and_one()
    }

    pub fn since(&self) -> Option<Timestamp> {
        self.since.map(Since::time)
    }

    /// Prints what was found with [`Self::limit_and_one`], the newest first. `any`:
    /// up to [`MOST_COUNTED`] of what is there, whether asked for or not.
    pub async fn show<T: Listed, A>(
        &self,
        found: Vec<T>,
        store: &Store,
        any: impl Future<Output = store::Result<Vec<A>>>,
    ) -> Result<(), Failure> {
        let (name, place) = (T::NAME, store.place());
        let number = match found.is_empty() {
            true => any.await?.len(),
            false => found.len(),
        };
        let none = match number {
            0 => format!("No {name} in {place}."),
            MOST_COUNTED.. => format!("No {name} match, of {MOST_COUNTED} or more in {place}."),
            _ => format!("No {name} match, of {number} in {place}."),
        };
        self.shown.show(found, "newest", &none)
    }
}

impl Shown {
    /// One more than asked for, to see whether there is more.
    pub fn limit_and_one(&self) -> usize {
        self.limit as usize + 1
    }

    /// Prints what was found with [`Self::limit_and_one`]. `which` come first;
    /// `none` says that there are none.
    pub fn show<T: Listed>(
        &self,
        mut found: Vec<T>,
        which: &str,
        none: &str,
    ) -> Result<(), Failure> {
        self.cut(&mut found, which);
        if self.json {
            let found: Vec<_> = found.iter().map(T::json).collect();
            return Ok(print_json(&found)?);
        }
        if found.is_empty() {
            return Ok(print(&format!("{none}\n"))?);
        }
        Ok(print(&table_of(&found))?)
    }

    /// Cuts the list to its limit, and says so.
    fn cut<T>(&self, list: &mut Vec<T>, which: &str) {
        let limit = self.limit as usize;
        if list.len() > limit {
            list.truncate(limit);
            tell!("Only the {which} {limit} are shown; use --limit for more.");
        }
    }
}

/// What a list is made of.
pub trait Listed: Sized + 'static {
    const NAME: &'static str;
    const COLUMNS: &'static [Column<Self>];

    fn json(&self) -> impl Serialize;

    /// Not to be taken for one of the others at a glance.
    fn is_faint(&self) -> bool {
        false
    }
}

pub fn table_of<T: Listed>(list: &[T]) -> String {
    let lines = table::render(T::COLUMNS, list, width());
    let (has_colour, mut text) = (has_colour(), String::new());
    for (number, line) in lines.iter().enumerate() {
        let each = number.checked_sub(1).and_then(|place| list.get(place));
        match each.is_some_and(|each| has_colour && each.is_faint()) {
            true => text.push_str(&format!("\x1b[2m{line}\x1b[0m\n")),
            false => text.push_str(&format!("{line}\n")),
        }
    }
    text
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
                let midnight = date.to_zoned(SITE.zone());
                midnight.map_or(Timestamp::MIN, |midnight| midnight.timestamp())
            }
        }
    }
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
            ("24h", "2026-03-07T12:00:00Z"),
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

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC*|[0-9dhmwTZ:.-]{0,20}") {
            let _ = Since::parse(&text).map(Since::time);
        }
    }
}
