//! `frontdoor subscribers`: who asked for the newsletter, and the proof.

mod export;
mod list;
mod proof;
mod remove;
mod resume;
mod suspended;

use clap::Subcommand;

use super::Failure;
use super::table::harmless_line;
use crate::store::{Store, Subscriber};

#[derive(Subcommand, Debug)]
pub enum SubscribersCommand {
    /// List subscribers, the newest first
    List(list::ListSubscribers),
    /// Write subscribers as CSV to standard output
    Export(export::ExportSubscribers),
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

/// What the owner should know beside the state.
fn note(subscriber: &Subscriber) -> String {
    use crate::store::SubscriberState::Pending;
    if subscriber.suspended_at.is_some() {
        let (code, refused) = (
            &subscriber.refused_code,
            suspended::day(subscriber.refused_at),
        );
        let code = code.as_deref().unwrap_or("no code");
        return format!("suspended: refused on {refused} ({code})");
    }
    match (&subscriber.hold_reason, subscriber.state) {
        (Some(reason), _) => format!("held: {reason}"),
        (None, Pending) if subscriber.invited_at.is_none() => {
            "unconfirmed: no mail server was set up".into()
        }
        (None, Pending) => "unconfirmed".into(),
        _ => String::new(),
    }
}
