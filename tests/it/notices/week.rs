//! A week in minutes: 200 leads, a mail server that is down for a day, two
//! replicas of which one is started anew each hour.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use frontdoor::content::SITE;
use frontdoor::domain::ContactForm;
use frontdoor::notices::Plan;
use frontdoor::store::{DeliveryKind, DeliveryState, LeadState};
use jiff::{SignedDuration, Timestamp};
use mail_parser::MessageParser;

use super::{House, PROMISE, Replica, plan, subject};
use crate::support::data::visitor;
use crate::support::desk::NOON;

const LEADS: i64 = 200;
const DAYS: i64 = 7;
const STEP: SignedDuration = SignedDuration::from_mins(30);
const BOTH: &[DeliveryKind] = &[DeliveryKind::Webhook, DeliveryKind::Notify];

/// When it comes in, and after how many hours the owner answers it, if at all.
fn lead(number: i64) -> (Timestamp, Option<SignedDuration>) {
    let minute = number * (DAYS - 2) * 24 * 60 / LEADS + number * 37 % 29;
    let hours = [2, 9, 17, 30][(number % 4) as usize];
    let answered = (number % 5 != 0).then(|| SignedDuration::from_hours(hours));
    (*NOON + SignedDuration::from_mins(minute), answered)
}

fn is_down(now: Timestamp) -> bool {
    let hours = now.duration_since(*NOON).as_hours();
    (48..72).contains(&hours)
}

struct Week {
    house: House,
    leads: Vec<(String, Timestamp, Option<Timestamp>)>,
    restarts: usize,
}

impl Week {
    async fn live(&mut self) {
        let plan = Plan {
            digest_hour: Some(8),
            ..plan()
        };
        let steady = self.house.replica(plan);
        let mut other = self.restarted(plan).await;
        let steps = DAYS * 24 * 60 / STEP.as_mins();
        for step in 0..=steps {
            let now = *NOON + STEP * i32::try_from(step).unwrap();
            self.house.desk.turn_clock_to(now);
            self.house.mail.set_down(is_down(now));
            if step % 2 == 0 && step > 0 {
                other = self.restarted(plan).await;
            }
            self.visitors_and_owner(now).await;
            tokio::join!(steady.turn(), other.turn());
        }
    }

    /// A replica that knows nothing of what the one before did.
    async fn restarted(&mut self, plan: Plan) -> Replica {
        self.restarts += 1;
        let store = self.house.desk.another().await;
        let House { desk, mail, hook } = &self.house;
        Replica::new(desk, &store, plan, mail, hook)
    }

    async fn visitors_and_owner(&mut self, now: Timestamp) {
        let desk = &self.house.desk;
        while (self.leads.len() as i64) < LEADS && lead(self.leads.len() as i64).0 <= now {
            let number = self.leads.len();
            let email = format!("person{number}@example.org");
            let form = ContactForm {
                email: &email,
                ..visitor()
            };
            let id = desk.add(form, BOTH).await;
            let answered = lead(number as i64).1.map(|after| now + after);
            self.leads.push((id, now, answered));
        }
        let due: Vec<_> = self
            .leads
            .iter()
            .filter(|(_, _, answered)| answered.is_some_and(|at| at <= now && at > now - STEP))
            .map(|(id, _, _)| id.clone())
            .collect();
        let answered = desk.store.set_lead_state(&due, LeadState::Answered, now);
        answered.await.unwrap();
    }

    /// How often each lead is named in mails with such a subject.
    fn mailed(&self, words: &str) -> HashMap<String, usize> {
        let mut times = HashMap::new();
        for mail in self.house.mails(words) {
            let message = MessageParser::new().parse(&mail.data).unwrap();
            let text = message.body_text(0).unwrap().into_owned();
            let named = self.leads.iter().find(|(id, _, _)| text.contains(&**id));
            *times.entry(named.unwrap().0.clone()).or_default() += 1;
        }
        times
    }

    fn called(&self, event: &str) -> HashMap<String, usize> {
        let mut times = HashMap::new();
        for call in self.house.calls(event) {
            *times
                .entry(call.header("frontdoor-lead-id").to_owned())
                .or_default() += 1;
        }
        times
    }

    /// Those who still waited at five sixths of the promise, and those of whom a
    /// mail that could go out only later had nothing to say any more.
    fn due(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        let end = *NOON + SignedDuration::from_hours(DAYS * 24);
        let (mut due, mut perhaps) = (BTreeSet::new(), BTreeSet::new());
        for (id, came, answered) in &self.leads {
            let remind = *came + PROMISE * 5 / 6;
            if remind > end || answered.is_some_and(|at| at <= remind) {
                continue;
            }
            due.insert(id.clone());
            if is_down(remind) && answered.is_some() {
                perhaps.insert(id.clone());
            }
        }
        (due, perhaps)
    }
}

fn all_once(times: &HashMap<String, usize>) -> bool {
    times.values().all(|times| *times == 1)
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_week_each_due_lead_is_told_of_once_one_digest_a_day_and_nothing_is_lost() {
    let mut week = Week {
        house: House::new().await,
        leads: Vec::new(),
        restarts: 0,
    };
    week.live().await;

    let (due, perhaps) = week.due();
    let (mailed, called) = (week.mailed("waits for an answer"), week.called("lead.due"));
    assert!(all_once(&mailed) && all_once(&called));
    let called_ids: BTreeSet<_> = called.keys().cloned().collect();
    assert_eq!(called_ids, due);
    let mailed_ids: BTreeSet<_> = mailed.keys().cloned().collect();
    let missing: BTreeSet<_> = due.difference(&mailed_ids).cloned().collect();
    assert!(mailed_ids.is_subset(&due) && missing.is_subset(&perhaps));

    let (new, created) = (week.mailed("New message from"), week.called("lead.created"));
    assert!(all_once(&new) && all_once(&created));
    assert_eq!((new.len(), created.len()), (200, 200), "nothing is lost");
    let deliveries = week.house.desk.deliveries().await;
    let open = deliveries
        .iter()
        .filter(|each| each.state != DeliveryState::Delivered);
    assert_eq!(open.count(), 0);

    let mut digests = BTreeMap::<String, usize>::new();
    for mail in week.house.mails("Waiting for you") {
        let message = MessageParser::new().parse(&mail.data).unwrap();
        let sent = Timestamp::from_second(message.date().unwrap().to_timestamp()).unwrap();
        let day = sent.to_zoned(SITE.zone()).date().to_string();
        *digests.entry(day).or_default() += 1;
        assert!(subject(&mail).contains("Maplewire"));
    }
    assert!(digests.values().all(|number| *number == 1), "{digests:?}");
    let down = "2025-03-03";
    assert!(digests.keys().all(|day| day != down), "{digests:?}");
    assert_eq!(digests.len(), 6, "every day but the one without mail");
    println!(
        "a week: {} leads, {} restarts; due {}, reminded by webhook {} and by mail {} \
        ({} answered while mail was down); digests {}; told that mail fails {}; \
        new leads told of by mail {} and by webhook {}, each once",
        week.leads.len(),
        week.restarts,
        due.len(),
        called.len(),
        mailed.len(),
        missing.len(),
        digests.len(),
        week.house.calls("delivery.failing").len(),
        new.len(),
        created.len(),
    );
}
