//! How much a message looks like spam, and why.
//!
//! Nothing here asks anybody: no network, no database. Each file looks at one
//! thing (links, address, alphabet, shape, pace, phrases of an enquiry, words
//! that were learned) and gives reasons, each with a weight. Their sum is the
//! score; from [`HOLD_FROM`] on a message waits for a person to look at it.
//! Nothing is ever refused.

mod address;
mod alphabet;
mod assessment;
mod enquiry;
mod fingerprint;
mod lessons;
mod links;
mod numbers;
mod pace;
mod phrases;
mod shape;
mod topics;
mod vocabulary;
mod weights;
mod words;

use std::time::Duration;

pub use assessment::{Assessment, HOLD_FROM, Reason, in_one_line, in_words, sum};
pub use lessons::{Lessons, Tally};
use links::Links;
use vocabulary::Vocabulary;
pub use vocabulary::numbers;
pub use weights::Weights;
use words::Plain;

/// What a visitor sent, as far as it says something about spam.
#[derive(Clone, Copy)]
pub struct Sent<'a> {
    pub name: &'a str,
    pub email: &'a str,
    pub message: &'a str,
    /// From opening the page to sending, where a script measured it.
    pub elapsed: Option<Duration>,
}

/// All that can be told without looking at other messages.
pub fn assess(sent: Sent<'_>, learned: &Weights) -> Assessment {
    let links = Links::find(sent.message);
    let plain = Plain::of(&links.rest);
    let words = plain.words();
    let mut found = Assessment::new(fingerprint::of(&words, &links));
    links.judge(&mut found);
    address::judge(sent.email, &mut found);
    alphabet::judge(sent.message, &links, &mut found);
    shape::judge(sent.name, sent.message, &words, &mut found);
    pace::judge(sent, &mut found);
    topics::judge(&words, &mut found);
    enquiry::judge(&words, &mut found);
    let vocabulary = Vocabulary::of(sent.name, sent.email, &links, &plain, &words);
    learned.judge(&vocabulary, &mut found);
    found
}
