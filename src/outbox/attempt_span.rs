//! An attempt to deliver something, as a step of the trace of the request that
//! caused it.

use std::borrow::Cow;

use crate::store::{Claim, Outcome};
use crate::trace::{Begun, Kind, Origin, Span};

/// The request that caused it, where it was one.
pub fn origin(claim: &Claim) -> Option<Origin<'_>> {
    claim.request_id.as_deref().map(Origin::parse)
}

pub fn ended(begun: Begun, claim: &Claim, outcome: &Outcome) -> Span {
    let (outcome, error) = match outcome {
        Outcome::Delivered => ("delivered", None),
        Outcome::Retry { reason, .. } => ("failed", Some(reason)),
        Outcome::GivenUp { reason } => ("given_up", Some(reason)),
    };
    let kind = claim.kind.as_str();
    let span = begun
        .done(format!("deliver {kind}"), Kind::Client)
        .text("frontdoor.delivery.id", claim.delivery_id.clone())
        .text("frontdoor.delivery.kind", kind)
        .text("frontdoor.delivery.outcome", outcome)
        .number("frontdoor.delivery.attempt", i64::from(claim.attempts) + 1)
        .failed(error.cloned().map(Cow::Owned));
    match origin(claim) {
        Some(origin) => span.text("frontdoor.request_id", origin.request_id.to_owned()),
        None => span,
    }
}
