//! `frontdoor leads answered|booked|close|spam|reopen`

use clap::Args;

use super::ids::{Meant, ShortIds};
use crate::cli::Failure;
use crate::cli::output::{count, print};
use crate::store::{LeadState, SpamLabel, StateSet, Store};

#[derive(Args, Debug)]
pub struct LeadIds {
    /// The leads' ids, the last eight characters of them, or e-mail addresses; of
    /// whoever has several leads, an id says which
    #[arg(required = true, value_name = "ID|EMAIL")]
    pub ids: Vec<String>,
}

pub async fn run(args: &LeadIds, state: LeadState, store: &Store) -> Result<(), Failure> {
    let mut meant = Meant::by(&args.ids, store).await?;
    let ids = std::mem::take(&mut meant.ids);
    let done = store.set_lead_state(&ids, state, store.now()).await?;
    let short = ShortIds::of(ids.iter().map(String::as_str), store).await?;
    for (id, done) in ids.iter().zip(done) {
        match told(state, done) {
            Some(what) => print(&format!("{} {what}\n", short.short(id)))?,
            None => meant.is_gone(id),
        }
        if let Some(label) = label(state, done) {
            store.train(id, label).await?;
        }
    }
    meant.end()
}

/// What the owner says by it of the message's words.
fn label(state: LeadState, done: StateSet) -> Option<SpamLabel> {
    let StateSet::Changed { from, .. } = done else {
        return None;
    };
    match (from, state) {
        (_, LeadState::Spam) => Some(SpamLabel::Spam),
        (LeadState::Spam, _) | (_, LeadState::Answered | LeadState::Booked) => {
            Some(SpamLabel::Genuine)
        }
        (_, LeadState::New | LeadState::Closed) => None,
    }
}

/// `None`: it went away in the meantime.
fn told(state: LeadState, done: StateSet) -> Option<String> {
    let is = state.as_str();
    match done {
        StateSet::UnknownLead => None,
        StateSet::Already => Some(format!("is {is} already")),
        StateSet::Changed {
            from,
            kept_back,
            sent_on,
        } => {
            let deliveries = match (kept_back, sent_on) {
                (0, 0) => String::new(),
                (0, sent) => format!(": {} on the way", deliveries(sent)),
                (kept, _) => format!(": {} kept back", deliveries(kept)),
            };
            Some(format!("is {is}, was {}{deliveries}", from.as_str()))
        }
    }
}

fn deliveries(number: u64) -> String {
    count(number, "delivery", "deliveries")
}
