//! What every `export` does alike: it writes to standard output and reads page
//! by page, so that any number of rows fits into memory.

use std::cell::Cell;

use clap::Args;
use serde::Serialize;

use super::Failure;
use super::csv::{self, Guard};
use super::output::print_on;
use crate::domain::stored_enum;
use crate::store::{self, Cursor};

pub const PAGE: usize = 500;

stored_enum!(
    /// How rows are written.
    Format {
        /// For a spreadsheet.
        Csv = "csv",
        /// One array.
        Json = "json",
        /// A line for each row.
        Ndjson = "ndjson",
    }
);

#[derive(Args, Debug)]
pub struct ExportArgs {
    #[arg(long, default_value = "csv", help = format!("How to write them: {}", Format::words()))]
    format: Format,

    /// Exactly what is stored: for programs. Without it, cells that a
    /// spreadsheet would take for a formula begin with an apostrophe
    #[arg(long)]
    raw: bool,
}

/// How one row is written.
pub struct Look<H, L, J> {
    /// The names of the columns, and the cells of a row: a line of CSV each.
    pub header: H,
    pub line: L,
    pub json: J,
}

impl ExportArgs {
    fn guard(&self) -> Guard {
        match self.raw {
            true => Guard::Raw,
            false => Guard::Spreadsheet,
        }
    }

    /// `read`: the page that comes after a place; `place`: where a row stands.
    pub async fn write<T>(
        &self,
        read: impl AsyncFn(Option<Cursor>) -> store::Result<Vec<T>>,
        place: impl Fn(&T) -> Cursor,
        look: Look<impl Fn(Guard) -> String, impl Fn(&T, Guard) -> String, impl Fn(&T) -> String>,
    ) -> Result<(), Failure> {
        let guard = self.guard();
        let is_first = Cell::new(true);
        let text = |row: &T| match self.format {
            Format::Csv => (look.line)(row, guard),
            Format::Ndjson => (look.json)(row) + "\n",
            Format::Json if is_first.take() => format!("\n{}", (look.json)(row)),
            Format::Json => format!(",\n{}", (look.json)(row)),
        };
        let (before, after) = match self.format {
            Format::Csv => (csv::start(guard) + &(look.header)(guard), ""),
            Format::Json => ("[".into(), "\n]\n"),
            Format::Ndjson => (String::new(), ""),
        };
        if print_on(&before)? && pages(read, place, text).await? {
            print_on(after)?;
        }
        Ok(())
    }
}

/// A row in one line.
pub fn json(row: &impl Serialize) -> String {
    serde_json::to_string(row).expect("what is stored can be written as JSON")
}

/// False when nobody reads any more.
async fn pages<T>(
    read: impl AsyncFn(Option<Cursor>) -> store::Result<Vec<T>>,
    place: impl Fn(&T) -> Cursor,
    text: impl Fn(&T) -> String,
) -> Result<bool, Failure> {
    let mut after = None;
    loop {
        let page = read(after).await?;
        let Some(last) = page.last() else {
            return Ok(true);
        };
        after = Some(place(last));
        if !print_on(&page.iter().map(&text).collect::<String>())? {
            return Ok(false);
        }
    }
}
