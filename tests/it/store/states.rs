//! What the owner does about leads, and who waits.

use frontdoor::store::{
    Claim, DeliveryKind, DeliveryState, LeadFilter, LeadState, NewLead, Outcome, Retry, StateSet,
    Store, Unheld,
};
use jiff::{SignedDuration, Timestamp, ToSpan as _};

use super::{ADA, Fresh, add, due, found, held, noon};
use crate::support::database::{all, deliveries};

const DAY: SignedDuration = SignedDuration::from_hours(24);

pub async fn set(store: &Store, id: &str, state: LeadState, now: Timestamp) -> StateSet {
    let done = store.set_lead_state(&[id.to_owned()], state, now).await;
    done.unwrap().remove(0)
}

fn changed(from: LeadState, kept_back: u64, sent_on: u64) -> StateSet {
    StateSet::Changed {
        from,
        kept_back,
        sent_on,
    }
}

async fn who_is_held(store: &Store) -> Vec<String> {
    let held = LeadFilter {
        held: true,
        ..all()
    };
    found(store, held).await
}

/// A lead that is being sent right now.
async fn sent(store: &Store) -> (String, Claim) {
    let id = add(store, ADA).await.id;
    (id, due(store, 1, noon()).await.remove(0))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lead_has_a_state_and_the_time_of_each_change() {
    let store = Fresh::new().await;
    let id = add(&store, ADA).await.id;
    let at = |hour: i64| noon() + hour.hours();
    for (hour, state, from, answered) in [
        (1, LeadState::Answered, LeadState::New, Some(at(1))),
        (3, LeadState::Booked, LeadState::Answered, Some(at(1))),
        (4, LeadState::New, LeadState::Booked, None),
    ] {
        let done = set(&store, &id, state, at(hour)).await;
        assert_eq!(done, changed(from, 0, 0));
        let again = set(&store, &id, state, at(9)).await;
        assert_eq!(again, StateSet::Already);
        let lead = store.lead(&id).await.unwrap().unwrap();
        assert_eq!((lead.state, lead.answered_at), (state, answered));
        let waits = (state == LeadState::New).then(|| noon() + DAY);
        assert_eq!(lead.due_at(DAY), waits);
    }
    let changes = store.lead_changes(&id).await.unwrap().into_iter();
    let hours = changes.map(|each| each.changed_at);
    assert!(hours.eq([at(1), at(3), at(4)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_spam_is_sent_until_it_is_opened_again() {
    let store = Fresh::new().await;
    let (id, claim) = sent(&store).await;
    let spam = set(&store, &id, LeadState::Spam, noon()).await;
    let also_what_is_being_sent = changed(LeadState::New, 1, 0);
    assert_eq!(spam, also_what_is_being_sent);
    let failed = Outcome::Retry {
        at: noon(),
        reason: "no".into(),
    };
    store.record(&claim, failed, noon()).await.unwrap();
    let later = noon() + 48.hours();
    assert!(due(&store, 1, later).await.is_empty());
    assert_eq!(deliveries(&store).await[0].state, DeliveryState::Held);

    let opened = set(&store, &id, LeadState::New, later).await;
    assert_eq!(opened, changed(LeadState::Spam, 0, 1));
    assert_eq!(due(&store, 1, later).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_arrived_or_was_given_up_before_its_lead_became_spam_is_not_sent_again() {
    let store = Fresh::new().await;
    let (id, claim) = sent(&store).await;
    let reason = "no".to_owned();
    let given_up = Outcome::GivenUp { reason };
    assert_eq!(store.record(&claim, given_up, noon()).await, Ok(true));
    set(&store, &id, LeadState::Spam, noon()).await;
    let one = Retry::One(claim.delivery_id.clone());
    assert_eq!(store.retry(Retry::All, noon()).await, Ok(0));
    assert_eq!(store.retry(one.clone(), noon()).await, Ok(0));
    set(&store, &id, LeadState::New, noon()).await;
    assert_eq!(store.retry(one, noon()).await, Ok(1));

    let claim = due(&store, 1, noon()).await.remove(0);
    set(&store, &id, LeadState::Spam, noon()).await;
    let arrived = store.record(&claim, Outcome::Delivered, noon()).await;
    assert_eq!(arrived, Ok(true));
    let opened = set(&store, &id, LeadState::New, noon()).await;
    assert_eq!(opened, changed(LeadState::Spam, 0, 0));
    assert_eq!(deliveries(&store).await[0].state, DeliveryState::Delivered);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_held_lead_waits_for_its_release_which_spam_does_not_get() {
    let store = Fresh::new().await;
    let notified = NewLead {
        deliveries: vec![DeliveryKind::Webhook, DeliveryKind::Notify],
        ..held(ADA)
    };
    let id = store.add_lead(notified, noon()).await.unwrap().id;
    let unhold = async |id: &str| store.unhold(id, noon()).await.unwrap();
    let number_of_deliveries = async || deliveries(&store).await.len();
    assert_eq!(who_is_held(&store).await, [ADA]);
    assert!(due(&store, 8, noon()).await.is_empty());
    assert_eq!(number_of_deliveries().await, 3, "with the notice of it");
    set(&store, &id, LeadState::Spam, noon()).await;
    assert_eq!(number_of_deliveries().await, 2, "nobody needs to hear");
    assert!(who_is_held(&store).await.is_empty());
    assert_eq!(unhold(&id).await, Unheld::Spam);

    set(&store, &id, LeadState::New, noon()).await;
    assert_eq!(who_is_held(&store).await, [ADA]);
    assert!(due(&store, 8, noon()).await.is_empty());
    let later = noon() + 3.hours();
    let released = store.unhold(&id, later).await;
    assert_eq!(released, Ok(Unheld::Now { deliveries: 2 }));
    let waiting = store.waiting_leads(9).await.unwrap();
    assert_eq!(waiting[0].due_at(DAY), Some(later + DAY));
    assert_eq!(due(&store, 8, later).await.len(), 1);
    assert_eq!(unhold(&id).await, Unheld::NotHeld);
    assert_eq!(unhold("nobody").await, Unheld::UnknownLead);
}
