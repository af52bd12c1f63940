//! How a subscriber is shown, whichever command shows them.

use jiff::Timestamp;
use serde::Serialize;

use crate::content::SITE;
use crate::store::{Subscriber, SubscriberState};

/// A subscriber as JSON shows it.
#[derive(Serialize)]
pub struct SubscriberJson<'a> {
    #[serde(flatten)]
    pub subscriber: &'a Subscriber,
    note: String,
}

impl<'a> From<&'a Subscriber> for SubscriberJson<'a> {
    fn from(subscriber: &'a Subscriber) -> Self {
        Self {
            note: note(subscriber),
            subscriber,
        }
    }
}

/// What the owner should know beside the state.
pub fn note(subscriber: &Subscriber) -> String {
    if subscriber.suspended_at.is_some() {
        let (code, refused) = (&subscriber.refused_code, day(subscriber.refused_at));
        let code = code.as_deref().unwrap_or("no code");
        return format!("suspended: refused on {refused} ({code})");
    }
    match (&subscriber.hold_reason, subscriber.state) {
        (Some(reason), _) => format!("held: {reason}"),
        (None, SubscriberState::Pending) if subscriber.invited_at.is_none() => {
            "unconfirmed: no mail server was set up".into()
        }
        (None, SubscriberState::Pending) => "unconfirmed".into(),
        _ => String::new(),
    }
}

pub fn day(time: Option<Timestamp>) -> String {
    time.map_or(String::new(), |time| SITE.day(time))
}
