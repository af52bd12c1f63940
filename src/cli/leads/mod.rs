//! `frontdoor leads`: what visitors wrote, and what became of it.

mod export;
mod forget;
mod list;
mod release;
mod show;

use clap::Subcommand;

use super::Failure;
use crate::store::Store;

#[derive(Subcommand, Debug)]
pub enum LeadsCommand {
    /// List leads, the newest first
    List(list::ListLeads),
    /// Show one lead, or all of a person, with message and deliveries
    Show(show::ShowLead),
    /// Write leads as CSV to standard output
    Export(export::ExportLeads),
    /// Remove everything about a person, for good
    Forget(forget::ForgetPerson),
    /// Let held leads go out to the webhook and by mail
    Release(release::ReleaseLeads),
}

pub async fn run(command: &LeadsCommand, store: &Store) -> Result<(), Failure> {
    match command {
        LeadsCommand::List(args) => list::run(args, store).await,
        LeadsCommand::Show(args) => show::run(args, store).await,
        LeadsCommand::Export(args) => export::run(args, store).await,
        LeadsCommand::Forget(args) => forget::run(args, store).await,
        LeadsCommand::Release(args) => release::run(args, store).await,
    }
}

/// Said by every command that is given an id.
fn unknown(id: &str) -> Failure {
    let id = super::table::harmless_line(id);
    Failure::Failed(format!(
        "there is no lead {id}; `frontdoor leads list` shows them"
    ))
}
