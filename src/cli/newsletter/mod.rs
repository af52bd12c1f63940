//! `frontdoor newsletter`: issues, from their file to their readers.

mod again;
mod at;
mod cancel;
mod list;
mod outcome;
mod preview;
mod question;
mod send;

use clap::Subcommand;

use super::{Failure, block_on, owner, with_store};
use crate::config::DatabaseArgs;

#[derive(Subcommand, Debug)]
pub enum NewsletterCommand {
    /// Send a Markdown file to every confirmed subscriber. Run it again after
    /// an interruption: nobody gets the same file twice
    Send(send::SendIssue),
    /// Show the mail in a browser while you write it
    Preview(preview::PreviewIssue),
    /// List issues, sent and scheduled, the latest first
    List(list::ListIssues),
    /// Call off an issue that is to go out later
    Cancel(cancel::CancelIssue),
}

/// `carried` is the release that the program carries.
pub fn run(
    command: &NewsletterCommand,
    database: &DatabaseArgs,
    carried: &'static [u8],
) -> Result<(), Failure> {
    match command {
        NewsletterCommand::Send(args) => with_store(database, async |store| {
            send::run(args, carried, &store).await
        }),
        NewsletterCommand::List(args) => {
            with_store(database, async |store| list::run(args, &store).await)
        }
        NewsletterCommand::Cancel(args) => {
            with_store(database, async |store| cancel::run(args, &store).await)
        }
        NewsletterCommand::Preview(args) => {
            let url = owner::database(database)?;
            block_on(preview::run(args, carried, &url))?
        }
    }
}
