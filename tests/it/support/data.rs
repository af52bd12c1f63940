//! Valid forms of visitors. A test names only what it is about, so that a new field changes no
//! old test.

use frontdoor::domain::{
    Consent, Contact, ContactForm, HoldReason, Subscription, subscriber_email,
};
use frontdoor::store::{BookingEvent, BookingFact, BookingService, DeliveryKind, NewLead};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::NOON;

pub const WEBHOOK: &[DeliveryKind] = &[DeliveryKind::LeadWebhook];
pub const FAILED: &str = "Failed to send message. Please try again later.";

/// What the form asks for.
const GOOD: &[(&str, &str)] = &[
    ("name", "Ada Lovelace"),
    ("email", "ada@example.org"),
    ("message", "Hello"),
];

pub fn good_form() -> Value {
    let fields = GOOD
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.into()));
    Value::Object(fields.collect())
}

/// The same with one field changed.
pub fn form_with(field: &str, value: impl Into<Value>) -> Value {
    let mut form = good_form();
    form[field] = value.into();
    form
}

/// The same as a browser without JavaScript sends it, with these fields changed or added.
pub fn fields_with<'a>(changes: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let is_changed = |name| changes.iter().any(|(changed, _)| *changed == name);
    let kept = GOOD.iter().filter(|(name, _)| !is_changed(*name));
    kept.chain(changes).copied().collect()
}

pub fn urlencoded(fields: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish()
}

/// A form as the program reads it.
pub fn visitor() -> ContactForm<'static> {
    ContactForm {
        name: "Ada Lovelace",
        email: "ada@example.org",
        message: "Hello\nthere",
        form_location: "homepage",
        ..ContactForm::default()
    }
}

pub fn lead(form: ContactForm<'_>) -> NewLead {
    NewLead {
        deliveries: WEBHOOK.to_vec(),
        ..NewLead::new(Contact::parse(form).unwrap())
    }
}

/// A call that this lead booked through its link.
pub fn booking(lead: &str, starts_at: Timestamp) -> BookingEvent {
    BookingEvent {
        service: BookingService::Calendly,
        id: lead.into(),
        at: *NOON,
        fact: BookingFact::Booked {
            starts_at: Some(starts_at),
            replaces: None,
        },
        token: Some(lead.into()),
        booker: None,
    }
}

/// In whole seconds.
pub fn in_hours(hours: i64) -> Timestamp {
    let now = Timestamp::from_second(Timestamp::now().as_second());
    now.unwrap() + SignedDuration::from_hours(hours)
}

pub fn subscription(email: &str, hold: Option<HoldReason>) -> Subscription {
    Subscription {
        email: subscriber_email(email).unwrap(),
        page: Some("/blog".into()),
        consent: Consent {
            version: 1,
            wording: Some("You agree to get email.".into()),
        },
        hold,
    }
}
