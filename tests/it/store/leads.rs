//! Storing, finding and forgetting leads.

use std::collections::HashSet;

use frontdoor::domain::{ContactForm, IdempotencyKey, SearchWords, Source};
use frontdoor::store::{AUTO_REPLY_PAUSE, AddedLead, DeliveryKind, LeadFilter, LeadState, NewLead};
use jiff::ToSpan as _;

use super::states::set;
use super::{ADA, BOB, Fresh, found, held, lead, noon};
use crate::support::data::{self, visitor};
use crate::support::database::{all, deliveries, leads};

fn replying(email: &str) -> NewLead {
    NewLead {
        deliveries: vec![DeliveryKind::AutoReply],
        ..lead(email)
    }
}

/// How many leads the answers name, and how many of them were stored just now.
fn counted(added: &[AddedLead]) -> (usize, usize) {
    let ids: HashSet<_> = added.iter().map(|each| &each.id).collect();
    let created = added.iter().filter(|each| each.created).count();
    (ids.len(), created)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_one_lead_whatever_the_words_and_wherever_they_arrive() {
    let store = Fresh::new().await;
    let added = store.at_once(40, async |store, nth| {
        // The same ten, up in one process and down in the other.
        let key = [nth / 2 % 10, 9 - nth / 2 % 10][nth % 2];
        let mut new = lead(&format!("visitor{nth}@example.org"));
        new.idempotency_key = IdempotencyKey::parse(&format!("form-{key}")).unwrap();
        store.add_lead(new, noon()).await.unwrap()
    });
    assert_eq!(counted(&added.await), (10, 10));
    assert_eq!(leads(&store).await.len(), 10);
    assert_eq!(deliveries(&store).await.len(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_cannot_have_a_key_is_one_lead_for_a_minute() {
    let store = Fresh::new().await;
    let added = store.at_once(20, async |store, _| {
        store.add_form_lead(lead(ADA), noon()).await.unwrap()
    });
    assert_eq!(counted(&added.await), (1, 1));
    for (later, created) in [(59, false), (60, true)] {
        let again = store.add_form_lead(lead(ADA), noon() + later.seconds());
        assert_eq!(again.await.unwrap().created, created, "{later}");
    }
    let other = store.add_form_lead(lead("Ada@example.org"), noon()).await;
    assert!(other.unwrap().created, "other letters are other words");
    assert_eq!(leads(&store).await.len(), 3);
    assert_eq!(deliveries(&store).await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_gets_one_automatic_reply_a_day_wherever_its_leads_arrive() {
    let store = Fresh::new().await;
    let added = store.at_once(20, async |store, nth| {
        let new = replying([ADA, "ADA@example.org"][nth / 2 % 2]);
        store.add_lead(new, noon()).await.unwrap()
    });
    assert_eq!(counted(&added.await), (20, 20));
    assert_eq!(deliveries(&store).await.len(), 1);
    for (later, replies) in [(noon() + 1.hour(), 1), (noon() + AUTO_REPLY_PAUSE, 2)] {
        store.add_lead(replying(ADA), later).await.unwrap();
        assert_eq!(deliveries(&store).await.len(), replies);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_leads_at_once_one_that_cannot_be_stored_spoils_only_itself() {
    const BAD: &str = "Mallory";
    let store = Fresh::new().await;
    store.place.past().refuse_leads_of(BAD);
    let answers = store.at_once(200, async |store, nth| {
        let name = if nth == 77 { BAD } else { "Ada" };
        let email = &format!("visitor{nth}@example.org");
        let new = data::lead(ContactForm {
            name,
            email,
            ..visitor()
        });
        (name, store.add_lead(new, noon()).await)
    });
    let mut ids = HashSet::new();
    for (name, added) in answers.await {
        assert_eq!(added.is_err(), name == BAD, "{added:?}");
        ids.extend(added.map(|added| added.id));
    }
    let stored = leads(&store).await.into_iter().map(|lead| lead.id);
    assert_eq!(stored.collect::<HashSet<_>>(), ids);
    assert_eq!((ids.len(), deliveries(&store).await.len()), (199, 199));
    assert!(!store.health().is_failing(), "one bad lead is no trouble");
}

#[tokio::test(flavor = "multi_thread")]
async fn leads_are_found_by_what_they_are_and_by_any_part_of_their_words_newest_first() {
    let store = Fresh::new().await;
    let (eve, zoe) = ("eve@example.org", "zoë-4711@office.example");
    let mut ids = Vec::new();
    for (second, mut new) in [lead(ADA), lead(BOB), held(eve), lead(zoe)]
        .into_iter()
        .enumerate()
    {
        new.source = Source::from_values(Source::FIELDS.map(|field| match (second, field) {
            (0, "utm_campaign") => Some("Spring".into()),
            (1, "referrer_host") => Some("news.example".into()),
            _ => None,
        }));
        let added = store.add_lead(new, noon() + (second as i64).seconds());
        ids.push(added.await.unwrap().id);
    }
    set(&store, &ids[0], LeadState::Booked, noon()).await;
    set(&store, &ids[3], LeadState::Spam, noon()).await;

    let (mut genuine, mut recent) = (all(), all());
    genuine.genuine = true;
    recent.since = Some(noon() + 1.second());
    let source = |name: &str| LeadFilter {
        source: Some(name.into()),
        ..all()
    };
    let words = |words: &str| LeadFilter {
        search: Some(SearchWords::parse(words).unwrap()),
        ..all()
    };
    for (what, filter, expected) in [
        ("everybody", all(), &[zoe, eve, BOB, ADA][..]),
        ("since", recent, &[zoe, eve, BOB]),
        ("genuine", genuine, &[BOB, ADA]),
        ("a campaign", source("spring"), &[ADA]),
        ("a site", source("News.example"), &[BOB]),
        ("part of a name", words("OVEL"), &[zoe, eve, BOB, ADA]),
        ("part of an address", words("4711"), &[zoe]),
        ("capitals", words("ZOË"), &[zoe]),
        ("two words", words("hello bob"), &[BOB]),
        ("a word that is nowhere", words("hello OR nobody"), &[]),
    ] {
        assert_eq!(found(&store, filter).await, expected, "{what}");
    }
    let end = ids[0][ids[0].len() - 8..].to_owned();
    let ending = store.lead_ids_ending(vec![end, "x".into()]);
    assert_eq!(ending.await, Ok(vec![ids[0].clone()]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_found_and_forgotten_in_every_spelling() {
    let store = Fresh::new().await;
    for email in ["\u{c4}rger@example.org", "a\u{308}RGER@example.org", BOB] {
        store.add_lead(replying(email), noon()).await.unwrap();
    }
    assert_eq!(deliveries(&store).await.len(), 2, "one automatic reply");
    let theirs = LeadFilter {
        email: Some("\u{e4}rger@EXAMPLE.org".into()),
        ..all()
    };
    assert_eq!(found(&store, theirs).await.len(), 2);
    let forgotten = store.forget("\u{e4}rger@example.org").await.unwrap();
    assert_eq!((forgotten.contacts, forgotten.deliveries), (2, 1));
    assert_eq!(found(&store, all()).await, [BOB]);
    assert_eq!(deliveries(&store).await.len(), 1);
}
