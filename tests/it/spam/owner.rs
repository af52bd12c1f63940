//! What the owner sees of spam, and teaches by looking at it.

use frontdoor::spam::Tally;
use jiff::Timestamp;

use super::{SPAM, lead};
use crate::support::office::Office;

async fn add_spam(office: &Office) -> String {
    let added = office
        .store
        .add_lead(lead("eve@example.org", SPAM), Timestamp::now());
    added.await.unwrap().id
}

#[tokio::test]
async fn a_held_lead_is_shown_with_the_reasons_and_their_weights() {
    let office = Office::open().await;
    let id = add_spam(&office).await;
    let page = office.run(&["leads", "show", &id]).out;
    assert!(page.contains("spam_score, waits for a release"), "{page}");
    assert!(page.contains("Spam score"), "{page}");
    assert!(page.contains("+0.7 has a link\n"), "{page}");
    let json = office.json(&["leads", "show", &id, "--json"]);
    assert_eq!(json["hold_reason"], "spam_score");
    let reasons = json["spam_reasons"].as_array().unwrap();
    let weights: Vec<_> = reasons
        .iter()
        .map(|each| each["weight"].as_f64().unwrap())
        .collect();
    assert!(weights.is_sorted_by(|one, next| one >= next), "{weights:?}");
    assert!(reasons.iter().all(|each| each["reason"].is_string()));
}

#[tokio::test]
async fn releasing_a_lead_teaches_that_it_is_no_spam() {
    let office = Office::open().await;
    let id = add_spam(&office).await;
    for said in ["1 delivery on the way", "is not held"] {
        let released = office.run(&["leads", "release", &id]);
        released.shows(said);
        let messages = office.store.lessons().await.unwrap().messages;
        assert_eq!(
            messages,
            Tally {
                spam: 0,
                genuine: 1
            }
        );
    }
}
