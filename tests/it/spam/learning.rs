//! Learning from the owner's marks, on every database.

use frontdoor::spam::{self, Lessons, Tally};
use frontdoor::store::{SpamLabel, Store};

use super::{PLAIN, lead};
use crate::support::data::visitor;
use crate::support::desk::Desk;

const OTHER: &str = "Hello there, do you repair rowing boats as well?";

async fn add(desk: &Desk, email: &str, message: &str) -> String {
    let added = desk.store.add_lead(lead(email, message), desk.now()).await;
    added.unwrap().id
}

/// What marking these by hand would teach.
fn taught(marks: &[(&str, &str, bool)]) -> Lessons {
    let mut lessons = Lessons::default();
    for (email, message, is_spam) in marks {
        let words = spam::numbers(visitor().name, email, message);
        lessons.learn(&words, *is_spam);
    }
    lessons
}

async fn known(store: &Store) -> Lessons {
    store.lessons().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mark_is_learned_once_and_moves_when_the_owner_thinks_again() {
    let desk = Desk::new().await;
    let id = add(&desk, "eve@example.org", PLAIN).await;
    for _ in 0..2 {
        assert!(desk.store.train(&id, SpamLabel::Spam).await.unwrap());
        assert_eq!(
            known(&desk.store).await,
            taught(&[("eve@example.org", PLAIN, true)])
        );
    }
    assert!(desk.store.train(&id, SpamLabel::Genuine).await.unwrap());
    assert_eq!(
        known(&desk.store).await,
        taught(&[("eve@example.org", PLAIN, false)])
    );
    for unknown in ["nobody", "00000000-0000-0000-0000-000000000000"] {
        assert!(!desk.store.train(unknown, SpamLabel::Spam).await.unwrap());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn forgetting_a_person_takes_their_words_out_again() {
    let desk = Desk::new().await;
    let (eve, ada) = ("eve@example.org", "ada@example.org");
    for (email, message, label) in [
        (eve, PLAIN, SpamLabel::Spam),
        (eve, OTHER, SpamLabel::Genuine),
        (ada, PLAIN, SpamLabel::Genuine),
    ] {
        let id = add(&desk, email, message).await;
        desk.store.train(&id, label).await.unwrap();
    }
    let messages = known(&desk.store).await.messages;
    assert_eq!(
        messages,
        Tally {
            spam: 1,
            genuine: 2
        }
    );
    desk.store.forget("EVE@example.org").await.unwrap();
    assert_eq!(known(&desk.store).await, taught(&[(ada, PLAIN, false)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn marks_that_are_made_at_once_are_all_counted() {
    let desk = Desk::new().await;
    let mut marks = Vec::new();
    for number in 0..12 {
        let message = if number % 2 == 0 { PLAIN } else { OTHER };
        let id = add(&desk, &format!("eve{number}@example.org"), message).await;
        let store = desk.store.clone();
        marks.push(tokio::spawn(async move {
            store.train(&id, SpamLabel::Spam).await
        }));
    }
    for mark in marks {
        assert!(mark.await.unwrap().unwrap());
    }
    let known = known(&desk.store).await;
    assert_eq!(
        known.messages,
        Tally {
            spam: 12,
            genuine: 0
        }
    );
    assert!(known.words.values().all(|tally| tally.spam >= 6));
}
