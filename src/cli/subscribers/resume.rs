//! `frontdoor subscribers resume`

use clap::Args;

use super::unknown;
use crate::cli::Failure;
use crate::cli::output::print;
use crate::cli::table::harmless_line;
use crate::store::{Store, SubscriberState};

#[derive(Args, Debug)]
pub struct ResumeSubscriber {
    /// The subscriber's e-mail address
    email: String,
}

pub async fn run(args: &ResumeSubscriber, store: &Store) -> Result<(), Failure> {
    let shown = harmless_line(args.email.trim());
    let subscriber = store.subscriber(&args.email).await?;
    let subscriber = subscriber.ok_or_else(|| unknown(&shown))?;
    if !store.resume(&args.email).await? {
        return Err(Failure::Failed(format!("{shown} is not suspended")));
    }
    let gets = match subscriber.state {
        SubscriberState::Confirmed => "gets the next issue again",
        SubscriberState::Pending => "is not suspended any more, and gets issues once confirmed",
        SubscriberState::Unsubscribed => "is not suspended any more, but has unsubscribed",
    };
    Ok(print(&format!("{shown} {gets}.\n"))?)
}
