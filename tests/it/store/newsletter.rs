//! Subscribers, their links, and who was sent which issue.

use std::time::Duration;

use frontdoor::domain::{Consent, HoldReason, LinkToken, Subscription};
use frontdoor::store::{
    About, Audience, CONFIRM_LINK_LASTS, Claim, DeliveryKind, Invitation, LinkPurpose, LinkState,
    Outcome, Recipient, Remains, SendState, Store, Subscribed, Subscriber, SubscriberState,
};
use jiff::Timestamp;

use super::{Fresh, LEASE, noon};
use crate::support::data::subscription;
use crate::support::database::deliveries;

const CONFIRM: &[DeliveryKind] = &[DeliveryKind::Confirm];
const ADA: &str = "ada@example.org";

fn request(email: &str, version: u32) -> Subscription {
    let consent = Consent {
        version,
        wording: Some(format!("Wording {version}")),
    };
    Subscription {
        consent,
        ..subscription(email, None)
    }
}

fn minutes(number: u64) -> Timestamp {
    noon() + Duration::from_secs(60 * number)
}

async fn subscribe(store: &Store, email: &str, now: Timestamp) -> Subscribed {
    store.subscribe(request(email, 1), true, now).await.unwrap()
}

async fn ada(store: &Store) -> Subscriber {
    store.subscriber(ADA).await.unwrap().unwrap()
}

async fn confirmations(store: &Store, now: Timestamp) -> Vec<Claim> {
    store.claim(CONFIRM, 8, LEASE, now).await.unwrap()
}

/// Takes the one confirmation mail that is due.
async fn invitation(store: &Store, now: Timestamp) -> Invitation {
    let mut claims = confirmations(store, now).await;
    assert_eq!(claims.len(), 1);
    let claim = claims.remove(0);
    store.record(&claim, Outcome::Delivered, now).await.unwrap();
    match claim.about {
        About::Subscriber(invitation) => invitation,
        _ => panic!("not about a subscriber"),
    }
}

async fn confirm(store: &Store, token: &LinkToken, now: Timestamp) -> LinkState {
    let followed = store.follow_link(token, LinkPurpose::Confirm, now);
    followed.await.unwrap()
}

async fn leave(store: &Store, token: &LinkToken, now: Timestamp) -> LinkState {
    let followed = store.follow_link(token, LinkPurpose::Unsubscribe, now);
    followed.await.unwrap()
}

async fn confirmed(store: &Store, email: &str) -> Recipient {
    subscribe(store, email, noon()).await;
    let invited = invitation(store, noon()).await;
    assert_eq!(
        confirm(store, &invited.confirm, noon()).await,
        LinkState::Open
    );
    let subscriber = store.subscriber(email).await.unwrap().unwrap();
    Recipient {
        id: subscriber.id,
        email: subscriber.email,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_address_is_one_subscriber_in_any_spelling_and_at_any_pace() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let posts: Vec<_> = ["ada@example.org", "ADA@example.org", " Ada@Example.Org "]
        .into_iter()
        .cycle()
        .take(30)
        .map(|email| {
            let (store, email) = (store.clone(), email.to_owned());
            tokio::spawn(async move { subscribe(&store, &email, noon()).await })
        })
        .collect();
    let mut invited = 0;
    for post in posts {
        invited += usize::from(post.await.unwrap() == Subscribed::Invited);
    }
    assert_eq!((invited, deliveries(&store).await.len()), (1, 1));
    assert_eq!(ada(&store).await.email, ADA);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_mail_comes_after_a_pause_that_grows() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let mut invited_at = Vec::new();
    for minute in 0..60 {
        if subscribe(&store, ADA, minutes(minute)).await == Subscribed::Invited {
            invited_at.push(minute);
            invitation(&store, minutes(minute)).await;
        }
    }
    assert_eq!(invited_at, [0, 5, 15, 35]);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_second_mail_is_called_for_while_the_first_is_on_its_way() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    subscribe(&store, ADA, noon()).await;
    assert_eq!(
        subscribe(&store, ADA, minutes(600)).await,
        Subscribed::Unchanged
    );
    assert_eq!(deliveries(&store).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_confirms_once_and_a_look_changes_nothing() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    subscribe(&store, ADA, noon()).await;
    let token = invitation(&store, noon()).await.confirm;
    for _ in 0..2 {
        let seen = store
            .look_at_link(&token, LinkPurpose::Confirm, noon())
            .await;
        assert_eq!(seen.unwrap(), LinkState::Open);
    }
    assert_eq!(ada(&store).await.state, SubscriberState::Pending);
    let wrong = store
        .follow_link(&token, LinkPurpose::Unsubscribe, noon())
        .await;
    assert_eq!(
        wrong.unwrap(),
        LinkState::Unknown,
        "each link has its purpose"
    );
    assert_eq!(confirm(&store, &token, minutes(1)).await, LinkState::Open);
    assert_eq!(confirm(&store, &token, minutes(2)).await, LinkState::Gone);
    let ada = ada(&store).await;
    assert_eq!(ada.state, SubscriberState::Confirmed);
    assert_eq!(ada.consent.confirmed_at, Some(minutes(1)));
    assert_eq!(
        confirm(&store, &LinkToken::random(), noon()).await,
        LinkState::Unknown
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_confirmation_link_ends_after_its_week_and_not_before() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    subscribe(&store, ADA, noon()).await;
    let token = invitation(&store, noon()).await.confirm;
    let end = noon() + CONFIRM_LINK_LASTS;
    assert_eq!(confirm(&store, &token, end).await, LinkState::Gone);
    let before = end - Duration::from_millis(1);
    assert_eq!(confirm(&store, &token, before).await, LinkState::Open);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_attempt_at_a_mail_has_links_that_work() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    subscribe(&store, ADA, noon()).await;
    let first = confirmations(&store, noon()).await.remove(0);
    let second = invitation(&store, noon() + LEASE).await;
    let About::Subscriber(first) = first.about else {
        panic!("not about a subscriber");
    };
    assert_ne!(first.confirm, second.confirm);
    assert_eq!(
        confirm(&store, &first.confirm, minutes(5)).await,
        LinkState::Open
    );
    assert_eq!(
        confirm(&store, &second.confirm, minutes(5)).await,
        LinkState::Gone
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_works_for_ever_and_coming_back_keeps_the_old_proof() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    subscribe(&store, ADA, noon()).await;
    let old = invitation(&store, noon()).await;
    confirm(&store, &old.confirm, noon()).await;
    assert_eq!(
        leave(&store, &old.unsubscribe, minutes(10)).await,
        LinkState::Open
    );
    assert_eq!(
        leave(&store, &old.unsubscribe, minutes(11)).await,
        LinkState::Done
    );
    assert_eq!(ada(&store).await.consent.unsubscribed_at, Some(minutes(10)));

    let again = store.subscribe(request(ADA, 2), true, minutes(20)).await;
    assert_eq!(again.unwrap(), Subscribed::Invited);
    let now = ada(&store).await;
    assert_eq!(now.state, SubscriberState::Pending);
    assert_eq!(now.consent.consent_text.as_deref(), Some("Wording 2"));
    assert_eq!(
        (now.consent.confirmed_at, now.consent.unsubscribed_at),
        (None, None)
    );
    let past = store.past_consents(&now.id).await.unwrap();
    assert_eq!(past.len(), 1);
    assert_eq!(past[0].consent_version, 1);
    assert_eq!(past[0].confirmed_at, Some(noon()));
    assert_eq!(past[0].unsubscribed_at, Some(minutes(10)));

    let new = invitation(&store, minutes(20)).await;
    confirm(&store, &new.confirm, minutes(20)).await;
    let years = noon() + Duration::from_secs(5 * 365 * 24 * 60 * 60);
    assert_eq!(
        leave(&store, &old.unsubscribe, years).await,
        LinkState::Open
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_stops_a_confirmation_mail_that_waits() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    subscribe(&store, ADA, noon()).await;
    let token = invitation(&store, noon()).await.unsubscribe;
    assert_eq!(
        subscribe(&store, ADA, minutes(6)).await,
        Subscribed::Invited
    );
    leave(&store, &token, minutes(7)).await;
    assert!(confirmations(&store, minutes(8)).await.is_empty());
    // Coming back at once is heard, but brings no mail before its time.
    assert_eq!(
        subscribe(&store, ADA, minutes(8)).await,
        Subscribed::Invited
    );
    assert!(confirmations(&store, minutes(15)).await.is_empty());
    invitation(&store, minutes(16)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_robot_sends_is_kept_and_changes_nothing_that_is_there() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let mut robot = request(ADA, 1);
    robot.hold = Some(HoldReason::Decoy);
    store.subscribe(robot.clone(), true, noon()).await.unwrap();
    assert_eq!(ada(&store).await.hold_reason.as_deref(), Some("decoy"));
    assert!(deliveries(&store).await.is_empty());
    assert_eq!(subscribe(&store, ADA, noon()).await, Subscribed::Invited);
    store.subscribe(robot, true, minutes(60)).await.unwrap();
    assert_eq!(ada(&store).await.hold_reason, None);
    assert_eq!(deliveries(&store).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issue_is_offered_once_and_only_to_who_is_subscribed_at_that_moment() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let ada = confirmed(&store, ADA).await;
    let bob = confirmed(&store, "bob@example.org").await;
    subscribe(&store, "waiting@example.org", noon()).await;
    let all = store
        .recipients("one", Audience::Untried, "", 10)
        .await
        .unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!(
        store
            .recipients("one", Audience::Untried, &all[0].id, 10)
            .await
            .unwrap()
            .len(),
        1
    );

    let (token, other) = (LinkToken::random(), LinkToken::random());
    assert!(store.offer("one", &ada, &token, noon()).await.unwrap());
    assert!(!store.offer("one", &ada, &other, noon()).await.unwrap());
    assert!(store.offer("two", &ada, &other, noon()).await.unwrap());
    assert_eq!(
        store
            .recipients("one", Audience::Untried, "", 10)
            .await
            .unwrap()
            .len(),
        1
    );
    store.mark_sent("one", &ada).await.unwrap();
    assert_eq!(leave(&store, &token, noon()).await, LinkState::Open);
    assert!(
        !store
            .offer("three", &ada, &LinkToken::random(), noon())
            .await
            .unwrap()
    );

    assert!(
        store
            .offer("one", &bob, &LinkToken::random(), noon())
            .await
            .unwrap()
    );
    let counts = store.issue_counts("one").await.unwrap();
    assert_eq!((counts.sent, counts.offered, counts.waiting), (1, 1, 0));
    store.withdraw_offer("one", &ada, &token).await.unwrap();
    assert_eq!(
        store.issue_counts("one").await.unwrap().sent,
        1,
        "sent is sent"
    );
    let earlier = noon() - Duration::from_secs(1);
    for (until, withdrawn) in [(earlier, 0), (noon(), 1)] {
        let found = store.noted_until("one", SendState::Offered, until).await;
        assert_eq!(found.unwrap(), withdrawn);
        let withdrawing = store.withdraw("one", SendState::Offered, until);
        withdrawing.await.unwrap();
        assert_eq!(
            store.issue_counts("one").await.unwrap().waiting,
            withdrawn,
            "younger ones stay"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_whose_note_is_gone_cannot_be_noted_as_sent() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let person = confirmed(&store, ADA).await;
    let noted = store.mark_sent("one", &person).await.unwrap_err();
    assert!(noted.to_string().contains("note"), "{noted}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_person_leaves_nothing_behind() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let person = confirmed(&store, ADA).await;
    let token = LinkToken::random();
    store.offer("one", &person, &token, noon()).await.unwrap();
    let forgotten = store.forget("ADA@example.org").await.unwrap();
    assert_eq!(forgotten.subscribers, 1);
    assert!(!matches!(forgotten.remains, Remains::InFiles(_)));
    assert!(store.subscriber(ADA).await.unwrap().is_none());
    assert_eq!(leave(&store, &token, noon()).await, LinkState::Unknown);
    assert!(deliveries(&store).await.is_empty());
    assert_eq!(store.issue_counts("one").await.unwrap().offered, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_address_in_two_spellings_is_one_subscriber() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let (composed, decomposed) = ("\u{e4}da@example.org", "A\u{308}da@example.org");
    assert_eq!(
        subscribe(&store, composed, noon()).await,
        Subscribed::Invited
    );
    assert_eq!(
        subscribe(&store, decomposed, noon()).await,
        Subscribed::Unchanged
    );
    assert!(store.subscriber(decomposed).await.unwrap().is_some());
    assert_eq!(
        store
            .remove_subscriber(decomposed)
            .await
            .unwrap()
            .subscribers,
        1
    );
}
