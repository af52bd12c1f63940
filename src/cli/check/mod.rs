//! `frontdoor check`: `plain` looks at what is here, `live` at what visitors meet.

mod finding;
mod live;
mod plain;
mod release;

use clap::Args;
use jiff::SignedDuration;

use super::Failure;
use crate::config::{Given, ServeArgs, Settings};

/// A backup is made each day; some hours are for what goes wrong once.
const OVERDUE: SignedDuration = SignedDuration::from_hours(36);

pub const AFTER_HELP: &str = "\
With --live each line begins with ✓ (good), ! (worth a look, or not to be known
from here) or ✗ (to be mended), and says what to do. It sends a mail to
FRONTDOOR_NOTIFY_EMAIL, a call with `frontdoor-event: test` to the webhook, and a
lead to the site which is never passed on and removed again. Exit code 1: a line
begins with ✗.";

/// Rows that cannot be read are named by their ids, the first of them.
const MOST_NAMED: usize = 20;

/// What to do about a row that cannot be read.
fn remedy(table: &str) -> &'static str {
    match table {
        "deliveries" => {
            "`frontdoor deliveries retry ID` starts it over; if it stays so, a later version has \
            written it: upgrade"
        }
        _ => {
            "a later version has written it: upgrade; or somebody has changed it: correct that \
            column with sqlite3 or psql"
        }
    }
}

#[derive(Args, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    live: live::LiveArgs,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    settings: ServeArgs,
}

/// `carried` is the release that the program carries.
pub fn run(args: &CheckArgs, given: &Given, carried: &'static [u8]) -> Result<(), Failure> {
    let settings = Settings::load(&args.settings)?;
    match args.live.live {
        true => live::run(&args.live, args.json, &settings, given),
        false => plain::run(&settings, carried, args.json),
    }
}
