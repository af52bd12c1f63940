//! `frontdoor move`: everything from one database to another.

use clap::Args;

use super::output::{print, print_json, tell, width};
use super::progress::Progress;
use super::table::{Column, render};
use super::{Failure, block_on, owner};
use crate::store::{DatabaseUrl, Move, MovedTable, Step};

#[derive(Args, Debug)]
pub struct MoveArgs {
    /// The database to move from; it is only read
    #[arg(long, value_name = "URL")]
    from: Secret,
    /// The database to move to: an empty one, or what an interrupted move left
    #[arg(long, value_name = "URL")]
    to: Secret,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// An address may carry a password.
#[derive(Clone)]
struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

const COLUMNS: [Column<MovedTable>; 4] = [
    Column::whole("TABLE", |table| table.name.to_owned()),
    Column::whole("ROWS", |table| table.source_rows.to_string()),
    Column::whole("MOVED", |table| table.target_rows.to_string()),
    Column::whole("SAME", |table| {
        if table.is_same { "yes" } else { "NO" }.to_owned()
    }),
];

pub fn run(args: &MoveArgs) -> Result<(), Failure> {
    let (from, to) = (url("--from", &args.from)?, url("--to", &args.to)?);
    // What is written counts; reading leaves a journal too.
    owner::become_owner(&to)?;
    owner::become_owner(&from)?;
    let tables = block_on(move_house(&from, &to))??;
    show(args, &tables)
}

fn url(flag: &str, text: &Secret) -> Result<DatabaseUrl, Failure> {
    let url = text.0.parse::<DatabaseUrl>();
    url.map_err(|error| Failure::Usage(format!("{flag} {error}")))
}

async fn move_house(from: &DatabaseUrl, to: &DatabaseUrl) -> Result<Vec<MovedTable>, Failure> {
    let moving = Move::prepare(from, to).await?;
    let mut copied = Progress::new(moving.rows);
    let mut checked = Progress::new(moving.rows * 2);
    let mut last = Step::Copied;
    let tables = moving.run(|step, rows| {
        if step != last {
            copied.end();
            tell!("Reading both to compare them");
            last = step;
        }
        match step {
            Step::Copied => copied.show(rows),
            Step::Checked => checked.show(rows),
        }
    });
    let tables = tables.await;
    checked.end();
    if let Err(error) = moving.close().await {
        tell!("frontdoor: {error}");
    }
    Ok(tables?)
}

fn show(args: &MoveArgs, tables: &[MovedTable]) -> Result<(), Failure> {
    match args.json {
        true => print_json(&tables)?,
        false => print(&(render(&COLUMNS, tables, width()).join("\n") + "\n"))?,
    }
    match tables.iter().all(|table| table.is_same) {
        true if args.json => Ok(()),
        true => Ok(print(
            "Everything has arrived: the target may be used now\n",
        )?),
        false => Err(Failure::Failed(
            "what was moved differs from its source, which somebody may have changed meanwhile: \
            stop every server that uses either, and run this again; it begins anew"
                .into(),
        )),
    }
}
