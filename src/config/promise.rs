//! What visitors are promised. Shared by the server and the owner's tools.

use jiff::SignedDuration;

use super::parse::Parsed;
use super::setting::settings;

settings! {
    PromiseArgs in "Leads" => PromiseSettings {
        /// Within how many hours visitors are promised an answer: a lead that has
        /// waited longer is overdue
        #[arg(env = "FRONTDOOR_PROMISE_HOURS", value_name = "HOURS", global = true)]
        promise_hours => promise: SignedDuration = hours, or "24";
    }
}

/// A month is the longest that anybody would call a promise.
fn hours(text: &str) -> Parsed<SignedDuration> {
    let number = text.parse().ok().filter(|hours| (1..=744).contains(hours));
    let promise = number.map(SignedDuration::from_hours);
    promise.ok_or_else(|| "must be a whole number of hours from 1 to 744".into())
}
