//! Spam: how well the score tells it from enquiries, and what becomes of it.

mod corpus;
mod held;
mod learning;
mod owner;

use frontdoor::domain::ContactForm;
use frontdoor::spam::{self, Lessons, Sent, Weights};
use frontdoor::store::NewLead;

use crate::support::data::{self, visitor};

pub const SPAM: &str = "We will bring your website to the first page of Google in 30 days. 500 \
    backlinks for only $49, guaranteed. Order now: https://rank-top.example/order?ref=1";

/// Neither spam nor short: only who else sends it counts.
pub const PLAIN: &str = "The lake was quiet this morning and nobody was on the water but us two";

/// As the server would store it.
fn lead(email: &str, message: &str) -> NewLead {
    let form = ContactForm {
        email,
        message,
        ..visitor()
    };
    let sent = Sent {
        name: form.name,
        email,
        message,
        elapsed: None,
    };
    NewLead {
        spam: spam::assess(sent, &Weights::known(&Lessons::default())),
        ..data::lead(form)
    }
}
