//! `frontdoor desk`: signs browsers in to the owner's desk, lists them and signs them out.

use anyhow::{Result, bail};
use clap::{Args, Subcommand};

use super::bail_usage;
use super::lists::{Columns, Shown};
use super::output::{count, eprint_line, minute, print_line, printable_line};
use crate::config::DeskArgs;
use crate::desk;
use crate::domain::{SecretToken, one_line};
use crate::store::{DeskSession, Store, UNNAMED};

/// The longest name of a session, which lists and the history of leads show.
const MAX_NAME: usize = 60;

#[derive(Subcommand, Debug)]
pub enum DeskCommand {
    /// Print a link that signs one browser in, once, within ten minutes
    Open(OpenDesk),
    /// List the browsers that are signed in
    Sessions(Shown),
    /// Sign browsers out
    Revoke(RevokeSessions),
}

#[derive(Args, Debug)]
pub struct OpenDesk {
    /// Name of the person who will use the link; shown with what they do, and signs their replies
    #[arg(long, value_name = "NAME", default_value = UNNAMED)]
    name: String,

    #[command(flatten)]
    desk: DeskArgs,
}

#[derive(Args, Debug)]
#[group(required = true)]
pub struct RevokeSessions {
    /// The session's id, as `frontdoor desk sessions` lists it
    #[arg(value_name = "ID", conflicts_with = "all")]
    id: Option<String>,

    /// Sign out every browser, and revoke every link that wasn't opened
    #[arg(long)]
    all: bool,
}

pub async fn run(command: &DeskCommand, store: &Store) -> Result<()> {
    match command {
        DeskCommand::Open(args) => open(args, store).await,
        DeskCommand::Sessions(shown) => {
            let sessions = store.desk_sessions(store.now()).await?;
            shown.show(sessions, &COLUMNS, "No browser is signed in.")
        }
        DeskCommand::Revoke(args) => revoke(args, store).await,
    }
}

const COLUMNS: Columns<DeskSession> = ("ID, NAME, SIGNED IN, LAST USED", |session| {
    vec![
        session.id.clone(),
        session.name.clone(),
        minute(session.created_at),
        minute(session.used_at),
    ]
});

async fn open(args: &OpenDesk, store: &Store) -> Result<()> {
    let settings = args.desk.load()?;
    let Some(url) = settings.address() else {
        bail_usage!("the desk is off: set FRONTDOOR_DESK_LISTEN");
    };
    let name = one_line(&args.name);
    if name.is_empty() || name.chars().count() > MAX_NAME {
        bail_usage!("--name must have 1 to {MAX_NAME} characters");
    }
    let link = SecretToken::random();
    store.add_desk_link(&link, &name, store.now()).await?;
    eprint_line!("This link signs one browser in, once, within ten minutes:");
    print_line!("{}", desk::link(url.as_str(), &link))
}

async fn revoke(args: &RevokeSessions, store: &Store) -> Result<()> {
    let number = store.revoke_desk_sessions(args.id.as_deref()).await?;
    match &args.id {
        Some(id) if number == 0 => bail!("no session has the id {}", printable_line(id)),
        _ => print_line!("Signed out {}.", count(number, "browser", "browsers")),
    }
}
