//! The figures on `tests/data/spam`. Nobody reads those messages while the score
//! is changed, and no failure names one of them.

use frontdoor::spam::{self, Sent, TrainingCounts, Weights};
use serde::Deserialize;

const MOST_ENQUIRIES_HELD: usize = 1;
const LEAST_SPAM_HELD: usize = 48;

#[derive(Deserialize)]
struct Message {
    label: String,
    name: String,
    email: String,
    message: String,
}

/// How many enquiries and how many spam messages are held.
fn held(messages: &[Message], weights: &Weights) -> (usize, usize) {
    let is_held = |each: &&Message| {
        let sent = Sent {
            name: &each.name,
            email: &each.email,
            message: &each.message,
            elapsed: None,
        };
        spam::assess(sent, weights).is_spam()
    };
    let count = |label| {
        let messages = messages.iter().filter(|each| each.label == label);
        messages.filter(is_held).count()
    };
    (count("enquiry"), count("spam"))
}

fn held_out() -> Vec<Message> {
    let file = include_str!("../../data/spam/held-out.ndjson");
    let messages = file.lines().map(serde_json::from_str);
    messages.collect::<Result<_, _>>().expect("messages")
}

#[test]
fn spam_is_held_and_enquiries_are_not_with_the_examples_alone() {
    let messages = held_out();
    let spam = messages.iter().filter(|each| each.label == "spam").count();
    assert_eq!((messages.len() - spam, spam), (103, 50));
    let weights = Weights::with_examples(&TrainingCounts::default());
    let (enquiries, spam) = held(&messages, &weights);
    println!("{enquiries} of 103 enquiries held, {spam} of 50 spam messages held");
    assert!(enquiries <= MOST_ENQUIRIES_HELD && spam >= LEAST_SPAM_HELD);
}

/// The owner labels every other message; the rest is told apart no worse.
#[test]
fn the_owners_labels_make_nothing_worse() {
    let mut rest = held_out();
    let mut labelled = TrainingCounts::default();
    let mut number = 0;
    let every_other = |_: &mut Message| {
        number += 1;
        number % 2 == 0
    };
    for each in rest.extract_if(.., every_other) {
        let words = spam::numbers(&each.name, &each.email, &each.message);
        labelled.train(&words, each.label == "spam");
    }
    let before = held(&rest, &Weights::with_examples(&TrainingCounts::default()));
    let after = held(&rest, &Weights::with_examples(&labelled));
    assert!(
        after.0 <= before.0 && after.1 >= before.1,
        "{before:?} {after:?}"
    );
}
