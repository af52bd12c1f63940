//! `frontdoor subscribers`: who asked for the newsletter, and the proof.

mod export;
mod import;
mod import_file;
mod list;
mod proof;
mod remove;
mod resume;
mod shown;
mod suspended;

use clap::Subcommand;

use super::Failure;
use super::table::harmless_line;
use crate::store::Store;

#[derive(Subcommand, Debug)]
pub enum SubscribersCommand {
    /// List subscribers, the newest first
    List(list::ListSubscribers),
    /// Write subscribers to standard output
    Export(export::ExportSubscribers),
    /// Take in addresses from elsewhere, with the proof of their consent
    Import(import::ImportSubscribers),
    /// Take up a suspended address again
    Resume(resume::ResumeSubscriber),
    /// Remove a subscriber with all proof, for good
    Remove(remove::RemoveSubscriber),
    /// Show when, where and to which words a subscriber agreed
    Proof(proof::ShowProof),
}

pub async fn run(command: &SubscribersCommand, store: &Store) -> Result<(), Failure> {
    match command {
        SubscribersCommand::List(args) => list::run(args, store).await,
        SubscribersCommand::Export(args) => export::run(args, store).await,
        SubscribersCommand::Import(args) => import::run(args, store).await,
        SubscribersCommand::Resume(args) => resume::run(args, store).await,
        SubscribersCommand::Remove(args) => remove::run(args, store).await,
        SubscribersCommand::Proof(args) => proof::run(args, store).await,
    }
}

fn unknown(email: &str) -> Failure {
    let email = harmless_line(email);
    Failure::Failed(format!(
        "{email} is no subscriber; `frontdoor subscribers list` shows them"
    ))
}
