//! Every way that a lead and a subscriber go through the store, for tests that
//! look at the statements it runs.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::{
    About, AddressRefusal, Audience, Channel, DeliveryFilter, DeliveryKind, DeliveryState,
    IssueRecord, LeadFilter, LeadState, Lesson, LinkPurpose, NewLead, NewSchedule, Outcome,
    Recipient, Retry, RunOutcome, SendState, Store, remind_after,
};
use crate::domain::{
    Consent, Contact, ContactForm, HoldReason, IdempotencyKey, LinkToken, SearchWords,
    Subscription, subscriber_email,
};
use crate::spam::Assessment;

const LEASE: Duration = Duration::from_secs(20);
const KINDS: &[DeliveryKind] = &[
    DeliveryKind::Webhook,
    DeliveryKind::Notify,
    DeliveryKind::AutoReply,
    DeliveryKind::HeldNotice,
    DeliveryKind::Confirm,
];

/// How often all ways are gone, to tell a slow statement from a busy machine.
const ROUNDS: usize = 7;
/// What a statement may take, however many rows there are.
const IN_TIME: Duration = Duration::from_millis(10);

pub fn lead() -> NewLead {
    let form = ContactForm {
        name: "Ada",
        email: "ada@example.org",
        message: "Hello",
        ..ContactForm::default()
    };
    NewLead {
        deliveries: vec![DeliveryKind::Webhook],
        // Looked up, and found to be nobody else's.
        spam: Assessment::new(Some("text".into())),
        ..NewLead::new(Contact::parse(form).unwrap())
    }
}

pub fn now() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

/// How many leads the store has before: a million in the long form.
pub fn many() -> usize {
    if is_long() { 1_000_000 } else { 20_000 }
}

fn is_long() -> bool {
    std::env::var_os("FRONTDOOR_TEST_LONG").is_some_and(|value| value == "1")
}

/// By a clock that the caller turns.
pub async fn go_all(store: &Store) {
    for round in 0..ROUNDS {
        the_way_of_a_lead(store).await;
        the_way_of_a_subscriber(store, &format!("ada{round}@example.org")).await;
    }
}

async fn the_way_of_a_lead(store: &Store) {
    let keyed = NewLead {
        idempotency_key: IdempotencyKey::parse("key").unwrap(),
        deliveries: KINDS[..3].to_vec(),
        ..lead()
    };
    store.add_lead(keyed.clone(), now()).await.unwrap();
    let id = store.add_lead(keyed, now()).await.unwrap().id;
    store.add_form_lead(lead(), now()).await.unwrap();
    let held = NewLead {
        hold: Some(HoldReason::Decoy),
        deliveries: KINDS[..2].to_vec(),
        ..lead()
    };
    let held = store.add_lead(held, now()).await.unwrap().id;
    store.lead(&id).await.unwrap().unwrap();
    for outcome in [
        Outcome::Delivered,
        Outcome::Retry {
            at: now(),
            reason: String::new(),
        },
        Outcome::GivenUp {
            reason: String::new(),
        },
    ] {
        let claim = store.claim(KINDS, 1, LEASE, now()).await.unwrap().remove(0);
        store.record(&claim, outcome, now()).await.unwrap();
    }
    store.claim(KINDS, 8, LEASE, now()).await.unwrap();
    store.replan(KINDS, now() - LEASE).await.unwrap();
    store.release(&held, now()).await.unwrap();
    store.learn(&held, Lesson::Genuine).await.unwrap();
    store.unlearn(&held).await.unwrap();
    store.retry(Retry::One(id), now()).await.unwrap();
    look_at_lists(store).await;
    the_owners_day(store, &held).await;
    what_the_owner_is_told(store).await;
    store.delivery_counts().await.unwrap();
    store.backlog().await.unwrap();
    store.probe().await.unwrap();
}

async fn look_at_lists(store: &Store) {
    let (limit, since) = (10, Some(now()));
    for (held, email, since) in [
        (false, None, None),
        (false, None, since),
        (true, None, since),
        (false, Some("a@b.c".into()), since),
    ] {
        let filter = LeadFilter {
            held,
            email,
            since,
            limit,
            ..LeadFilter::default()
        };
        store.leads(filter).await.unwrap();
    }
    for state in [None, Some(DeliveryState::Pending)] {
        let filter = DeliveryFilter {
            state,
            limit,
            ..DeliveryFilter::default()
        };
        store.deliveries(filter).await.unwrap();
    }
}

/// Search for what every lead has, for what one has, and for what none has.
async fn the_owners_day(store: &Store, id: &str) {
    let ids = [id.to_owned()];
    for state in [LeadState::Spam, LeadState::New, LeadState::Answered] {
        store.set_lead_state(&ids, state, now()).await.unwrap();
    }
    store.set_note(id, None).await.unwrap();
    store.lead_changes(id).await.unwrap();
    store.waiting_leads(10).await.unwrap();
    for (search, state) in [
        (Some("hello"), None),
        (Some("person7777"), None),
        (Some("nobody"), Some(LeadState::New)),
        (None, Some(LeadState::New)),
        (None, Some(LeadState::Answered)),
        (None, Some(LeadState::Booked)),
    ] {
        let filter = LeadFilter {
            search: search.map(|word| SearchWords::parse(word).unwrap()),
            state,
            limit: 10,
            ..LeadFilter::default()
        };
        store.leads(filter).await.unwrap();
    }
}

/// By a promise of a day, of which most leads have nothing left.
async fn what_the_owner_is_told(store: &Store) {
    const REMINDERS: &[DeliveryKind] = &[DeliveryKind::DueMail, DeliveryKind::DueWebhook];
    let promise = SignedDuration::from_hours(24);
    let waited = remind_after(promise);
    store.present(now()).await.unwrap();
    store.remind(REMINDERS, waited, now()).await.unwrap();
    for claim in store.claim(REMINDERS, 2, LEASE, now()).await.unwrap() {
        store.note_reached(&claim, &["a".into()]).await.unwrap();
        store.drop_claimed(&claim).await.unwrap();
    }
    store.attention(promise, now()).await.unwrap();
    store.digest(promise, now()).await.unwrap();
    let day = now().to_string();
    store.digest_is_settled(&day).await.unwrap();
    store.settle_digest(&day, true, now()).await.unwrap();
    for channel in Channel::ALL {
        store.note_failing(*channel, "no", now()).await.unwrap();
        store.note_given_up(*channel, now()).await.unwrap();
    }
    for health in store.channels().await.unwrap() {
        store.tell_fault(&health, now()).await.unwrap();
    }
}

async fn subscribe(store: &Store, email: &str, now: Timestamp) -> Recipient {
    let subscription = Subscription {
        email: subscriber_email(email).unwrap(),
        page: None,
        consent: Consent {
            version: 1,
            wording: None,
        },
        hold: None,
    };
    store.subscribe(subscription, true, now).await.unwrap();
    let subscriber = store.subscriber(email).await.unwrap().unwrap();
    Recipient {
        id: subscriber.id,
        email: subscriber.email,
    }
}

async fn the_way_of_a_subscriber(store: &Store, email: &str) {
    let ada = subscribe(store, email, now()).await;
    let claims = store.claim(&KINDS[4..], 8, LEASE, now()).await.unwrap();
    let About::Subscriber(links) = &claims[0].about else {
        panic!("not about a subscriber");
    };
    for (token, purpose) in [
        (&links.confirm, LinkPurpose::Confirm),
        (&links.unsubscribe, LinkPurpose::Unsubscribe),
    ] {
        store.look_at_link(token, purpose, now()).await.unwrap();
        store.follow_link(token, purpose, now()).await.unwrap();
    }
    subscribe(store, email, now() + 100 * LEASE).await;
    let token = LinkToken::random();
    store.offer("one", &ada, &token, now()).await.unwrap();
    // Nothing was offered to somebody who has not confirmed again.
    store.mark_sent("one", &ada).await.unwrap_err();
    store.withdraw_offer("one", &ada, &token).await.unwrap();
    let audience = store.recipients("one", Audience::Untried, "", 10);
    audience.await.unwrap();
    let noted = store.noted_until("one", SendState::Offered, now());
    noted.await.unwrap();
    store.past_consents(&ada.id).await.unwrap();
    refuse_and_plan(store, &ada).await;
}

async fn refuse_and_plan(store: &Store, ada: &Recipient) {
    let refusal = AddressRefusal {
        code: "550 5.1.1".into(),
        no_such_user: true,
    };
    let refused = store.note_refusal("two", ada, &refusal, now());
    refused.await.unwrap();
    store.resume(&ada.email).await.unwrap();
    let new = NewSchedule {
        issue: IssueRecord {
            id: "two".into(),
            subject: String::new(),
            file_name: String::new(),
        },
        content: String::new(),
        rate: 0,
        send_at: now(),
    };
    store.schedule(new, now()).await.unwrap();
    let due = store.claim_issue(LEASE, now()).await.unwrap().unwrap();
    assert!(store.keep_issue(&due, LEASE, now()).await.unwrap());
    let done = store.settle_issue(&due, RunOutcome::Done, now());
    assert!(done.await.unwrap());
}

/// What was heard of the statements, and how long each run took.
#[derive(Default)]
pub struct Heard(BTreeMap<String, Vec<Duration>>);

impl Heard {
    pub fn note(&mut self, sql: &str, took: Duration) {
        self.0.entry(sql.to_owned()).or_default().push(took);
    }

    pub fn only(mut self, wanted: impl Fn(&str) -> bool) -> Self {
        self.0.retain(|sql, _| wanted(sql));
        self
    }

    pub fn statements(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The quickest run of each round's counts: others may have waited for the
    /// machine. What runs once is about opening. The long form alone is measured,
    /// which has the machine for itself.
    pub fn assert_in_time(&self) {
        if !is_long() {
            return;
        }
        for (sql, runs) in self.0.iter().filter(|(_, runs)| runs.len() >= ROUNDS) {
            let quickest = runs.iter().min().unwrap();
            assert!(*quickest < IN_TIME, "{quickest:?} of {runs:?}: {sql}");
        }
    }

    /// For who reads the long form: the slowest statements by their middle run.
    pub fn tell(&self, database: &str) {
        let mut slowest: Vec<_> = self
            .0
            .iter()
            .map(|(sql, runs)| (middle(runs), sql))
            .collect();
        slowest.sort_unstable();
        println!(
            "{} leads in {database}, {} statements:",
            many(),
            slowest.len()
        );
        for (took, sql) in slowest.iter().rev().take(8) {
            let words: Vec<_> = sql.split_whitespace().take(12).collect();
            println!("{took:>10.1?}  {}", words.join(" "));
        }
    }
}

fn middle(runs: &[Duration]) -> Duration {
    let mut runs = runs.to_vec();
    runs.sort_unstable();
    runs[runs.len() / 2]
}
