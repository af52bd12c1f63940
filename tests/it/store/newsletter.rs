//! Subscribers, their links, and who was sent which issue.

use std::time::Duration;

use frontdoor::domain::SecretToken;
use frontdoor::store::{
    Audience, CONFIRM_LINK_TTL, Claim, ClaimedContent, DeliveryKind, DeliveryOutcome, Invitation,
    IssueRecord, LinkPurpose, LinkState, Recipient, Store, Subscribed, Subscriber, SubscriberState,
};
use jiff::Timestamp;

use super::{ADA, LEASE, noon};
use crate::support::{HELD, TestStore, deliveries, on_postgres, subscription, until};

fn minutes(number: u64) -> Timestamp {
    noon() + Duration::from_secs(60 * number)
}

async fn subscribe(store: &Store, email: &str, now: Timestamp) -> Subscribed {
    let request = subscription(email, None);
    store.subscribe(request, true, now).await.unwrap()
}

async fn ada(store: &Store) -> Subscriber {
    store.subscriber(ADA).await.unwrap().unwrap()
}

async fn confirmations(store: &Store, now: Timestamp) -> Vec<Claim> {
    let claims = store.claim_deliveries(&[DeliveryKind::Confirm], 8, LEASE, now);
    claims.await.unwrap()
}

fn links(claim: Claim) -> Invitation {
    match claim.content {
        ClaimedContent::Subscriber(invitation) => invitation,
        _ => panic!("not about a subscriber"),
    }
}

/// Takes the one confirmation mail that is due.
async fn invitation(store: &Store, now: Timestamp) -> Invitation {
    let mut claims = confirmations(store, now).await;
    assert_eq!(claims.len(), 1);
    let claim = claims.remove(0);
    store
        .record_delivery(&claim, DeliveryOutcome::Delivered, now)
        .await
        .unwrap();
    links(claim)
}

async fn invited(store: &Store) -> Invitation {
    assert_eq!(subscribe(store, ADA, noon()).await, Subscribed::Invited);
    invitation(store, noon()).await
}

async fn confirm(store: &Store, token: &SecretToken, now: Timestamp) -> LinkState {
    let followed = store.follow_link(token, LinkPurpose::Confirm, now);
    followed.await.unwrap()
}

async fn leave(store: &Store, token: &SecretToken, now: Timestamp) -> LinkState {
    let followed = store.follow_link(token, LinkPurpose::Unsubscribe, now);
    followed.await.unwrap()
}

/// So many who have confirmed.
async fn audience(test: &TestStore, people: usize) -> Vec<Recipient> {
    test.add_confirmed(people).await;
    let found = test
        .store
        .recipients("one", Audience::Untried, Some(""), 1000);
    found.await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_one_subscriber_in_any_spelling_and_on_any_server() {
    const SPELLINGS: [&str; 3] = [
        "äda@example.org",
        "A\u{308}da@example.org",
        " ÄDA@Example.Org ",
    ];
    let test = TestStore::new().await;
    let store = &test.store;
    let asked = test.at_once(30, async |store, nth| {
        subscribe(&store, SPELLINGS[nth / 2 % 3], noon()).await
    });
    let asked = asked.await.into_iter();
    let invited = asked.filter(|done| *done == Subscribed::Invited);
    assert_eq!(invited.count(), 1);
    assert_eq!(deliveries(store).await.len(), 1);
    let removed = store.remove_subscriber(SPELLINGS[1]).await.unwrap();
    assert_eq!(removed.subscribers, 1);
}

/// What is known about an address, and who asks for it, decides.
#[tokio::test(flavor = "multi_thread")]
async fn a_sign_up_brings_a_mail_only_if_it_is_new_and_could_be_a_persons() {
    let test = TestStore::new().await;
    let (store, sql, robot) = (&test.store, test.database.sql(), HELD);
    let (new, waits, failed) = ("", "SELECT 1", "UPDATE deliveries SET attempts = 1");
    let given_up = "UPDATE deliveries SET attempts = 1, state = 'given_up'";
    let confirmed = "UPDATE subscribers SET state = 'confirmed'";
    let suspended = "UPDATE subscribers SET state = 'confirmed', suspended_at = created_at";
    let left = "UPDATE subscribers SET state = 'unsubscribed'";
    let held = "UPDATE subscribers SET hold_reason = 'decoy'";
    for (known, by_mail, hold, answer, mails, reason) in [
        (new, true, None, Subscribed::Invited, 1, None),
        (new, false, None, Subscribed::Unconfirmed, 0, None),
        (new, true, robot, Subscribed::Unchanged, 0, Some("decoy")),
        (waits, true, None, Subscribed::Unchanged, 1, None),
        (failed, true, None, Subscribed::Invited, 1, None),
        (given_up, true, None, Subscribed::Invited, 1, None),
        (confirmed, true, None, Subscribed::Unchanged, 1, None),
        (suspended, true, None, Subscribed::Invited, 2, None),
        (left, true, None, Subscribed::Invited, 2, None),
        (left, true, robot, Subscribed::Unchanged, 1, None),
        (held, true, None, Subscribed::Invited, 2, None),
    ] {
        for table in ["mail_links", "deliveries", "past_consents", "subscribers"] {
            sql.run(&format!("DELETE FROM {table}"));
        }
        if !known.is_empty() {
            subscribe(store, ADA, noon()).await;
            sql.rows(known);
        }
        let before = store.subscriber(ADA).await.unwrap();
        let done = store.subscribe(subscription(ADA, hold), by_mail, minutes(600));
        assert_eq!(done.await, Ok(answer), "{known}, {by_mail}, {hold:?}");
        assert_eq!(deliveries(store).await.len(), mails, "{known}");
        let after = ada(store).await;
        assert_eq!(after.hold_reason.as_deref(), reason, "{known}");
        if answer == Subscribed::Unchanged {
            assert!(before.is_none_or(|before| before == after), "{known}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_confirmation_link_of_any_attempt_works_once_within_a_week_and_looking_changes_nothing() {
    let test = TestStore::new().await;
    let store = &test.store;
    subscribe(store, ADA, noon()).await;
    let first = links(confirmations(store, noon()).await.remove(0)).confirm;
    let second = invitation(store, noon() + LEASE).await.confirm;
    let end = noon() + CONFIRM_LINK_TTL;
    let before = end - Duration::from_millis(1);
    for (now, state) in [(before, LinkState::Open), (end, LinkState::Gone)] {
        let seen = store.link_state(&first, LinkPurpose::Confirm, now);
        assert_eq!(seen.await, Ok(state));
    }
    assert_eq!(ada(store).await.state, SubscriberState::Pending);
    let another_purpose = leave(store, &first, noon()).await;
    assert_eq!(another_purpose, LinkState::Unknown);
    let unknown = confirm(store, &SecretToken::random(), noon()).await;
    assert_eq!(unknown, LinkState::Unknown);
    for (token, now, state) in [
        (&first, end, LinkState::Gone),
        (&first, before, LinkState::Open),
        (&first, before, LinkState::Gone),
        (&second, before, LinkState::Gone),
    ] {
        assert_eq!(confirm(store, token, now).await, state);
    }
    let ada = ada(store).await;
    assert_eq!(ada.state, SubscriberState::Confirmed);
    assert_eq!(ada.consent.confirmed_at, Some(before));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unsubscribe_link_works_forever_and_resubscribing_keeps_the_old_proof() {
    let test = TestStore::new().await;
    let store = &test.store;
    let old = invited(store).await;
    confirm(store, &old.confirm, noon()).await;
    for (minute, state) in [(10, LinkState::Open), (11, LinkState::Done)] {
        let left = leave(store, &old.unsubscribe, minutes(minute)).await;
        assert_eq!(left, state);
    }
    let first = ada(store).await.consent;
    assert_eq!(first.confirmed_at, Some(noon()));
    assert_eq!(first.unsubscribed_at, Some(minutes(10)));

    let mut again = subscription(ADA, None);
    again.consent.wording = Some("Other words".into());
    let again = store.subscribe(again, true, minutes(20)).await;
    assert_eq!(again, Ok(Subscribed::Invited));
    let now = ada(store).await;
    assert_eq!(now.state, SubscriberState::Pending);
    assert_eq!(now.consent.consent_text.as_deref(), Some("Other words"));
    assert_eq!(now.consent.confirmed_at, None);
    assert_eq!(store.past_consents(&now.id).await, Ok(vec![first]));

    let new = invitation(store, minutes(20)).await;
    confirm(store, &new.confirm, minutes(20)).await;
    let years = noon() + Duration::from_secs(5 * 365 * 24 * 60 * 60);
    let left = leave(store, &old.unsubscribe, years).await;
    assert_eq!(left, LinkState::Open);
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_stops_a_confirmation_mail_that_waits() {
    let test = TestStore::new().await;
    let store = &test.store;
    let token = invited(store).await.unsubscribe;
    let again = subscribe(store, ADA, minutes(6)).await;
    leave(store, &token, minutes(7)).await;
    assert!(confirmations(store, minutes(8)).await.is_empty());
    // Coming back at once is heard, but brings no mail before its time.
    let back = subscribe(store, ADA, minutes(8)).await;
    assert_eq!([again, back], [Subscribed::Invited; 2]);
    assert!(confirmations(store, minutes(15)).await.is_empty());
    invitation(store, minutes(16)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn several_runs_at_once_offer_an_issue_to_nobody_twice() {
    const PEOPLE: usize = 40;
    let test = TestStore::new().await;
    let store = &test.store;
    let people = audience(&test, PEOPLE).await;
    for person in people.iter().take(PEOPLE / 2) {
        let note = store.record_deferred(person, "450", false, noon());
        note.await.unwrap();
    }
    let offers = test.at_once(4 * PEOPLE, |store, nth| {
        // Each four times, twice in each process.
        let (person, token) = (people[nth / 4].clone(), SecretToken::random());
        async move { store.offer(&person, &token, noon()).await.unwrap() }
    });
    let offered = offers.await.into_iter().filter(|offered| *offered);
    assert_eq!(offered.count(), PEOPLE);
    // They are on their way, until they can't be any more or the issue isn't being sent.
    let issue = IssueRecord {
        id: "one".into(),
        subject: "One".into(),
        file_name: "one.md".into(),
    };
    store.begin_issue(issue, noon()).await.unwrap();
    let unsure = async |now| {
        let counts = store.issue_counts("one", now).await.unwrap();
        let listed = store.issues(None, 1, now).await.unwrap().remove(0);
        assert_eq!((counts.left, listed.unsure), (0, counts.unsure));
        counts.unsure
    };
    assert_eq!(unsure(noon()).await, 0);
    assert_eq!(unsure(minutes(3)).await, PEOPLE as u64);
    store.finish_issue("one", noon()).await.unwrap();
    assert_eq!(unsure(noon()).await, PEOPLE as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscriber_who_leaves_at_the_same_moment_is_not_mailed() {
    let test = TestStore::new().await;
    let store = &test.store;
    let person = audience(&test, 1).await.remove(0);
    let (sql, look) = (test.database.sql(), test.database.sql());
    sql.run("BEGIN");
    sql.run("UPDATE subscribers SET state = 'unsubscribed'");
    let (run, token) = (store.clone(), SecretToken::random());
    let offering = tokio::spawn(async move { run.offer(&person, &token, noon()).await });
    let waiting = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    if on_postgres() {
        until("the offer waits", async || look.number(waiting) > 0).await;
    }
    sql.run("COMMIT");
    assert_eq!(offering.await.unwrap(), Ok(false));
}
