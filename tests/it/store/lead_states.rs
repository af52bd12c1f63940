//! What the owner does about leads, and who waits.

use frontdoor::domain::{HoldReason, Note};
use frontdoor::store::{
    DeliveryKind, DeliveryState, LeadFilter, LeadState, NewLead, Outcome, Released, Retry,
    StateSet, Store,
};
use jiff::{SignedDuration, Timestamp, ToSpan as _};

use super::{Fresh, LEASE, add, lead, noon};
use crate::support::data::WEBHOOK;
use crate::support::database::{all, deliveries, leads};

const DAY: SignedDuration = SignedDuration::from_hours(24);

pub async fn set(store: &Store, id: &str, state: LeadState, now: Timestamp) -> StateSet {
    let done = store.set_lead_state(&[id.to_owned()], state, now).await;
    done.unwrap().remove(0)
}

fn changed(from: LeadState) -> StateSet {
    StateSet::Changed {
        from,
        kept_back: 0,
        sent_on: 0,
    }
}

pub fn held() -> NewLead {
    NewLead {
        hold: Some(HoldReason::Decoy),
        ..lead("eve@example.org")
    }
}

pub async fn found(store: &Store, filter: LeadFilter) -> Vec<String> {
    let filter = LeadFilter {
        limit: 50,
        ..filter
    };
    let leads = store.leads(filter).await.unwrap();
    leads.into_iter().map(|lead| lead.email).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lead_has_a_state_and_the_time_of_each_change() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let id = add(&store, "ada@example.org").await.id;
    let lead = store.lead(&id).await.unwrap().unwrap();
    assert_eq!((lead.state, lead.answered_at), (LeadState::New, None));
    assert_eq!(lead.due_at(DAY), Some(noon() + 24.hours()));

    let (one, two, three) = (noon() + 1.hour(), noon() + 2.hours(), noon() + 3.hours());
    let answered = set(&store, &id, LeadState::Answered, one).await;
    assert_eq!(answered, changed(LeadState::New));
    let again = set(&store, &id, LeadState::Answered, two).await;
    assert_eq!(again, StateSet::Already);
    let booked = set(&store, &id, LeadState::Booked, two).await;
    assert_eq!(booked, changed(LeadState::Answered));
    let lead = store.lead(&id).await.unwrap().unwrap();
    assert_eq!((lead.answered_at, lead.due_at(DAY)), (Some(one), None));

    set(&store, &id, LeadState::New, three).await;
    let lead = store.lead(&id).await.unwrap().unwrap();
    assert_eq!((lead.state, lead.answered_at), (LeadState::New, None));
    assert_eq!(lead.due_at(DAY), Some(noon() + 24.hours()));
    let changes = store.lead_changes(&id).await.unwrap();
    let changes: Vec<_> = changes
        .iter()
        .map(|each| (each.state, each.changed_at))
        .collect();
    assert_eq!(
        changes,
        [
            (LeadState::Answered, one),
            (LeadState::Booked, two),
            (LeadState::New, three)
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_leads_each_is_told_and_an_unknown_one_spoils_none() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let ids = [
        add(&store, "bob@example.org").await.id,
        "nobody".to_owned(),
        add(&store, "ada@example.org").await.id,
    ];
    let ids = [&ids[..], &ids[..1]].concat();
    let done = store.set_lead_state(&ids, LeadState::Closed, noon()).await;
    assert_eq!(
        done.unwrap(),
        [
            changed(LeadState::New),
            StateSet::UnknownLead,
            changed(LeadState::New),
            StateSet::Already
        ]
    );
    let states = leads(&store).await.into_iter().map(|lead| lead.state);
    assert!(states.eq([LeadState::Closed, LeadState::Closed]));
    assert_eq!(store.lead_changes(&ids[0]).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_spam_is_sent_until_it_is_opened_again() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let id = add(&store, "ada@example.org").await.id;
    let claim = store
        .claim(WEBHOOK, 1, LEASE, noon())
        .await
        .unwrap()
        .remove(0);
    let spam = set(&store, &id, LeadState::Spam, noon()).await;
    let kept_back = StateSet::Changed {
        from: LeadState::New,
        kept_back: 1,
        sent_on: 0,
    };
    assert_eq!(spam, kept_back, "also what is being sent right now");
    let failed = Outcome::Retry {
        at: noon(),
        reason: "no".into(),
    };
    store.record(&claim, failed, noon()).await.unwrap();
    let later = noon() + 48.hours();
    assert!(
        store
            .claim(WEBHOOK, 1, LEASE, later)
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(deliveries(&store).await[0].state, DeliveryState::Held);

    let opened = set(&store, &id, LeadState::New, later).await;
    let sent_on = StateSet::Changed {
        from: LeadState::Spam,
        kept_back: 0,
        sent_on: 1,
    };
    assert_eq!(opened, sent_on);
    assert_eq!(
        store.claim(WEBHOOK, 1, LEASE, later).await.unwrap().len(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_arrived_while_its_lead_became_spam_is_not_sent_again() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let id = add(&store, "ada@example.org").await.id;
    let claim = store
        .claim(WEBHOOK, 1, LEASE, noon())
        .await
        .unwrap()
        .remove(0);
    set(&store, &id, LeadState::Spam, noon()).await;
    assert!(
        store
            .record(&claim, Outcome::Delivered, noon())
            .await
            .unwrap()
    );
    assert_eq!(
        set(&store, &id, LeadState::New, noon()).await,
        changed(LeadState::Spam)
    );
    assert_eq!(deliveries(&store).await[0].state, DeliveryState::Delivered);
}

#[tokio::test(flavor = "multi_thread")]
async fn given_up_deliveries_of_spam_are_not_retried() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let id = add(&store, "ada@example.org").await.id;
    let claim = store
        .claim(WEBHOOK, 1, LEASE, noon())
        .await
        .unwrap()
        .remove(0);
    let given_up = Outcome::GivenUp {
        reason: "no".into(),
    };
    store.record(&claim, given_up, noon()).await.unwrap();
    set(&store, &id, LeadState::Spam, noon()).await;
    let one = Retry::One(claim.delivery_id);
    assert_eq!(store.retry(Retry::All, noon()).await, Ok(0));
    assert_eq!(store.retry(one.clone(), noon()).await, Ok(0));
    set(&store, &id, LeadState::New, noon()).await;
    assert_eq!(store.retry(one, noon()).await, Ok(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_held_lead_that_is_spam_waits_for_no_release_and_is_held_again_when_opened() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let notified = NewLead {
        deliveries: vec![DeliveryKind::Notify],
        ..held()
    };
    let id = store.add_lead(notified, noon()).await.unwrap().id;
    let kinds = async || deliveries(&store).await.len();
    assert_eq!(kinds().await, 2, "the mail and the notice of it");
    set(&store, &id, LeadState::Spam, noon()).await;
    assert_eq!(kinds().await, 1, "nobody needs to hear of it");
    let only_held = LeadFilter {
        held: true,
        ..LeadFilter::default()
    };
    assert!(found(&store, only_held.clone()).await.is_empty());
    assert_eq!(store.release(&id, noon()).await, Ok(Released::Spam));

    set(&store, &id, LeadState::New, noon()).await;
    assert_eq!(found(&store, only_held).await.len(), 1);
    assert_eq!(deliveries(&store).await[0].state, DeliveryState::Held);
    let released = store.release(&id, noon()).await;
    assert_eq!(released, Ok(Released::Now { deliveries: 1 }));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_is_told_the_longest_first_and_a_release_begins_the_wait() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let at = |hours: i64| noon() + SignedDuration::from_hours(hours);
    let eve = store.add_lead(held(), at(0)).await.unwrap().id;
    let mut ids = Vec::new();
    for (hours, email) in [
        (2, "ada@example.org"),
        (1, "bob@example.org"),
        (4, "kim@example.org"),
    ] {
        ids.push(store.add_lead(lead(email), at(hours)).await.unwrap().id);
    }
    let waiting = async |limit| {
        let leads = store.waiting_leads(limit).await.unwrap();
        leads.into_iter().map(|lead| lead.email).collect::<Vec<_>>()
    };
    let three = ["bob@example.org", "ada@example.org", "kim@example.org"];
    assert_eq!(waiting(9).await, three);
    store.release(&eve, at(3)).await.unwrap();
    set(&store, &ids[1], LeadState::Answered, at(3)).await;
    let three = ["ada@example.org", "eve@example.org", "kim@example.org"];
    assert_eq!(waiting(9).await, three);
    assert_eq!(waiting(2).await, three[..2]);
    let eve = store.lead(&eve).await.unwrap().unwrap();
    assert_eq!(eve.due_at(DAY), Some(at(27)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_note_is_kept_replaced_and_removed() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let id = add(&store, "ada@example.org").await.id;
    let note = |text| Note::parse(text).unwrap();
    for (text, kept) in [
        ("call", Some("call")),
        ("write\nsoon", Some("write\nsoon")),
        ("", None),
    ] {
        assert_eq!(store.set_note(&id, note(text)).await, Ok(true));
        let lead = store.lead(&id).await.unwrap().unwrap();
        assert_eq!(lead.note.as_deref(), kept);
    }
    assert_eq!(store.set_note("nobody", note("x")).await, Ok(false));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_changes_of_a_forgotten_lead_are_forgotten() {
    let fresh = Fresh::new();
    let store = fresh.open().await;
    let id = add(&store, "ada@example.org").await.id;
    set(&store, &id, LeadState::Answered, noon()).await;
    assert_eq!(
        fresh.past().number("SELECT count(*) FROM contact_changes"),
        1
    );
    store.forget("ada@example.org").await.unwrap();
    assert_eq!(
        fresh.past().number("SELECT count(*) FROM contact_changes"),
        0
    );
    assert!(store.leads(all()).await.unwrap().is_empty());
}
