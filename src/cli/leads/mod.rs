//! `frontdoor leads`: what visitors wrote, and what became of it.

mod desktop;
mod due;
mod export;
mod forget;
mod ids;
mod import;
mod list;
mod note;
mod release;
mod reply;
mod row;
mod show;
mod state;

use clap::Subcommand;
use jiff::SignedDuration;

use super::Failure;
use crate::store::{LeadState, Store};

#[derive(Subcommand, Debug)]
pub enum LeadsCommand {
    /// List leads, the newest first
    List(list::ListLeads),
    /// Show one lead, or all of a person, with message and deliveries
    Show(show::ShowLead),
    /// Who waits for an answer, the overdue first
    Due(due::DueLeads),
    /// Note that leads were answered
    Answered(state::LeadIds),
    /// Note that a call was booked
    Booked(state::LeadIds),
    /// Note that nothing is left to do
    Close(state::LeadIds),
    /// Mark leads as spam: nothing of them is passed on any more
    Spam(state::LeadIds),
    /// Open leads again: they wait for an answer
    Reopen(state::LeadIds),
    /// Keep a private note with a lead
    Note(note::NoteLead),
    /// Begin a mail to the visitor, with the message quoted
    Reply(reply::ReplyLead),
    /// Let held leads go out to the webhook and by mail
    Release(release::ReleaseLeads),
    /// Write leads to standard output: CSV, JSON or a line of JSON for each
    Export(export::ExportLeads),
    /// Take in leads from another table, as closed: nothing is sent for them
    Import(import::ImportLeads),
    /// Remove everything about a person, for good
    Forget(forget::ForgetPerson),
}

/// `promise`: within which visitors shall have an answer.
pub async fn run(
    command: &LeadsCommand,
    store: &Store,
    promise: SignedDuration,
) -> Result<(), Failure> {
    match command {
        LeadsCommand::List(args) => list::run(args, store, promise).await,
        LeadsCommand::Show(args) => show::run(args, store, promise).await,
        LeadsCommand::Due(args) => due::run(args, store, promise).await,
        LeadsCommand::Answered(args) => state::run(args, LeadState::Answered, store).await,
        LeadsCommand::Booked(args) => state::run(args, LeadState::Booked, store).await,
        LeadsCommand::Close(args) => state::run(args, LeadState::Closed, store).await,
        LeadsCommand::Spam(args) => state::run(args, LeadState::Spam, store).await,
        LeadsCommand::Reopen(args) => state::run(args, LeadState::New, store).await,
        LeadsCommand::Note(args) => note::run(args, store).await,
        LeadsCommand::Reply(args) => reply::run(args, store).await,
        LeadsCommand::Release(args) => release::run(args, store).await,
        LeadsCommand::Export(args) => export::run(args, store, promise).await,
        LeadsCommand::Import(args) => import::run(args, store).await,
        LeadsCommand::Forget(args) => forget::run(args, store).await,
    }
}

pub use ids::lead_id;
