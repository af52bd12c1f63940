//! Which leads are found: by what they are, by their words, by their id's end.

use frontdoor::domain::{SearchWords, Source};
use frontdoor::store::{LeadFilter, LeadState};
use jiff::ToSpan as _;

use super::lead_states::{found, held, set};
use super::{Fresh, add, lead, noon};

#[tokio::test(flavor = "multi_thread")]
async fn leads_are_listed_by_what_they_are() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let source = |name: &str, value: &str| {
        Source::from_values(Source::FIELDS.map(|field| (field == name).then(|| value.to_owned())))
    };
    let mut ada = lead("ada@example.org");
    ada.source = source("utm_campaign", "Spring");
    let ada = store.add_lead(ada, noon()).await.unwrap().id;
    let mut bob = lead("bob@example.org");
    bob.source = source("referrer_host", "news.example");
    store.add_lead(bob, noon() + 1.second()).await.unwrap();
    store.add_lead(held(), noon() + 2.seconds()).await.unwrap();
    let spam = store.add_lead(lead("spam@example.org"), noon() + 3.seconds());
    set(&store, &spam.await.unwrap().id, LeadState::Spam, noon()).await;
    set(&store, &ada, LeadState::Booked, noon()).await;

    let none = LeadFilter::default;
    let state = |state| LeadFilter {
        state: Some(state),
        ..none()
    };
    assert_eq!(
        found(&store, state(LeadState::Booked)).await,
        ["ada@example.org"]
    );
    assert_eq!(
        found(&store, state(LeadState::Spam)).await,
        ["spam@example.org"]
    );
    let new = ["eve@example.org", "bob@example.org"];
    assert_eq!(found(&store, state(LeadState::New)).await, new);
    let genuine = LeadFilter {
        genuine: true,
        ..none()
    };
    assert_eq!(
        found(&store, genuine).await,
        ["bob@example.org", "ada@example.org"]
    );
    for (name, theirs) in [
        ("spring", "ada@example.org"),
        ("News.example", "bob@example.org"),
    ] {
        let by = LeadFilter {
            source: Some(name.into()),
            ..none()
        };
        assert_eq!(found(&store, by).await, [theirs]);
    }
    let elsewhere = LeadFilter {
        location: Some("contact".parse().unwrap()),
        ..none()
    };
    assert!(found(&store, elsewhere).await.is_empty());
    let here = LeadFilter {
        location: Some("homepage".parse().unwrap()),
        ..none()
    };
    assert_eq!(found(&store, here).await.len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn leads_are_found_by_the_words_of_name_address_and_message() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let search = async |words: &str| {
        let search = SearchWords::parse(words).unwrap();
        let filter = LeadFilter {
            search: Some(search),
            ..LeadFilter::default()
        };
        found(&store, filter).await
    };
    add(&store, "zoe-4711@office.example").await;
    assert_eq!(search("hello").await.len(), 1, "the index begins");
    let both = ["bob@example.org", "zoe-4711@office.example"];
    let later = noon() + 1.second();
    let bob = store
        .add_lead(lead("bob@example.org"), later)
        .await
        .unwrap()
        .id;
    for words in ["hello", "HELLO there", "lovel", "Ada Lovelace"] {
        assert_eq!(search(words).await, both, "{words}");
    }
    for words in ["4711", "zoe-4711@office.example", "hello office", "off"] {
        assert_eq!(search(words).await, both[1..], "{words}");
    }
    for words in ["ello", "hello nobody", "hello OR nobody", "416"] {
        assert!(search(words).await.is_empty(), "{words}");
    }
    store.forget("bob@example.org").await.unwrap();
    assert_eq!(search("hello").await, both[1..]);
    // It may get the place of the one that was removed.
    let again = store
        .add_lead(lead("bob@example.org"), later)
        .await
        .unwrap()
        .id;
    assert_ne!(again, bob);
    assert_eq!(search("bob").await, both[..1]);
    assert_eq!(search("hello").await, both);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lead_is_found_by_the_end_of_its_id() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let id = add(&store, "ada@example.org").await.id;
    add(&store, "bob@example.org").await;
    let end = id[id.len() - 8..].to_owned();
    let found = store
        .lead_ids_ending(vec![end, "x".into(), "a\0b".into()])
        .await;
    assert_eq!(found, Ok(vec![id]));
}
