//! What every `export` does alike: it writes to standard output and reads page
//! by page, so that any number of rows fits into memory.

use clap::Args;

use super::Failure;
use super::csv::Guard;
use super::output::print_on;
use crate::store::{self, Cursor};

pub const PAGE: usize = 500;

#[derive(Args, Debug)]
pub struct Cells {
    /// Exactly what is stored: for programs. Without it, cells that a
    /// spreadsheet would take for a formula begin with an apostrophe
    #[arg(long)]
    raw: bool,
}

impl Cells {
    pub fn guard(&self) -> Guard {
        match self.raw {
            true => Guard::Raw,
            false => Guard::Spreadsheet,
        }
    }
}

/// `read`: the page that comes after a place; `place`: where a row stands.
pub async fn pages<T>(
    read: impl AsyncFn(Option<Cursor>) -> store::Result<Vec<T>>,
    place: impl Fn(&T) -> Cursor,
    line: impl Fn(&T) -> String,
) -> Result<(), Failure> {
    let mut after = None;
    loop {
        let page = read(after).await?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        after = Some(place(last));
        if !print_on(&page.iter().map(&line).collect::<String>())? {
            return Ok(());
        }
    }
}
