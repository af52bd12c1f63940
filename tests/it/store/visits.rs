//! Counts of visits on their way to the store, and the numbers that come of them and of the leads.

use frontdoor::domain::Source;
use frontdoor::store::{
    AnswerWait, Figures, LeadAction, LeadState, NewLead, Statistics, VisitCounter,
};
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

use super::{ADA, BOB, held, lead};
use crate::support::TestStore;

fn requested(number: u64) -> Figures {
    Figures {
        requested: number,
        ..Figures::default()
    }
}

async fn month(test: &TestStore, now: Timestamp) -> Statistics {
    test.store.statistics(30, now).await.unwrap()
}

#[tokio::test]
async fn counts_that_cannot_be_stored_are_stored_later_and_add_to_those_of_other_replicas() {
    let test = TestStore::new().await;
    let other = VisitCounter::new(test.another().await);
    let counter = VisitCounter::new(test.store.clone());
    counter.count("/", "www.Search.example:443", " fall\n", requested(2));
    let sql = test.database.sql();
    sql.lock();
    counter.flush().await;
    sql.unlock();
    counter.count("/", "search.example", "fall", requested(3));
    other.count("/", "search.example", "fall", requested(10));
    assert_eq!(sql.number("SELECT count(*) FROM visits"), 0);
    for each in [&counter, &other, &counter] {
        each.flush().await;
    }
    let rows = sql.rows("SELECT page, source, campaign, requested FROM visits");
    assert_eq!(rows, [["/", "search.example", "fall", "15"]]);
}

#[tokio::test]
async fn a_flood_of_sources_and_campaigns_is_counted_as_others_in_memory_and_in_the_table() {
    let test = TestStore::new().await;
    let counter = VisitCounter::new(test.store.clone());
    for flood in 0..2 {
        for nth in 0..1_010 {
            let (source, campaign) = (format!("s{flood}-{nth}.example"), format!("c{nth}"));
            counter.count("/", &source, &campaign, requested(1));
        }
        counter.flush().await;
    }
    counter.count("/", "", "", requested(1));
    counter.count("/", &"x".repeat(101), "", requested(1));
    counter.count("/", "not a host", "", requested(1));
    counter.flush().await;
    let sql = test.database.sql();
    let number = |what: &str| sql.number(&format!("SELECT {what} FROM visits"));
    // The rows of others and of visits that tell nothing may come on top.
    let rows = number("count(*)");
    assert!((1_000..=1_002).contains(&rows), "{rows}");
    assert_eq!(number("CAST(sum(requested) AS INTEGER)"), 2_023);
    let other = number("max(requested)");
    assert!(other >= 1_010, "{other}");
    let told_nothing = sql.rows("SELECT requested FROM visits WHERE source = ''");
    assert_eq!(told_nothing, [["3"]]);
}

#[tokio::test]
async fn leads_count_on_the_day_they_came_in_with_their_present_state() {
    let test = TestStore::new().await;
    let store = &test.store;
    let now: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
    let from_search = |email| {
        let values = Source::FIELDS.map(|field| match field {
            "landing_path" => Some("/pricing".to_owned()),
            "referrer_host" => Some("www.Search.example".to_owned()),
            _ => None,
        });
        NewLead {
            source: Source::from_values(values),
            ..lead(email)
        }
    };
    let hours = SignedDuration::from_hours;
    // Late in the evening in the site's zone, and already the next day in UTC.
    let evening = now - hours(8);
    let ada = store.add_lead(from_search(ADA), evening).await.unwrap().id;
    let earlier = now - hours(40 * 24);
    store.add_lead(from_search(BOB), earlier).await.unwrap();
    store.add_lead(held("eve@example.org"), now).await.unwrap();
    let spam = store
        .add_lead(lead("spam@example.org"), now)
        .await
        .unwrap()
        .id;
    let mark = async |id: &str, state| {
        let mark = LeadAction::Mark(state);
        store.act_on_lead(id, mark, None, now).await.unwrap();
    };
    mark(&spam, LeadState::Spam).await;
    mark(&ada, LeadState::Answered).await;
    mark(&ada, LeadState::Booked).await;

    let booked = Figures {
        leads: 1,
        answered: 1,
        booked: 1,
        ..Figures::default()
    };
    let found = month(&test, now).await;
    assert_eq!(found.totals, booked);
    assert_eq!((found.before.leads, found.before.answered), (1, 0));
    let day: Date = "2026-02-28".parse().unwrap();
    let of_day = found.by_day.iter().find(|each| each.day == day).unwrap();
    assert_eq!((found.by_day.len(), of_day.figures), (30, booked));
    for (list, name) in [
        (&found.by_source, "search.example"),
        (&found.by_page, "/pricing"),
        (&found.by_campaign, ""),
    ] {
        assert_eq!((list.len(), &*list[0].name), (1, name));
    }
    let waits: Vec<_> = found
        .answers
        .iter()
        .map(|wait| (wait.waited, wait.is_answered))
        .collect();
    assert_eq!(
        waits,
        [(hours(8), true), (earlier.duration_until(now), false)]
    );
    // Whoever still waits and is late counts, too.
    assert_eq!(AnswerWait::kept(&found.answers, hours(24)), (1, 2));

    mark(&ada, LeadState::New).await;
    let reopened = month(&test, now).await.totals;
    assert_eq!(
        (reopened.leads, reopened.answered, reopened.booked),
        (1, 0, 0)
    );
    store.forget(ADA).await.unwrap();
    assert_eq!(month(&test, now).await.totals, Figures::default());
}

#[tokio::test]
async fn visits_are_kept_for_as_long_as_two_years_are_compared() {
    let test = TestStore::new().await;
    let counter = VisitCounter::new(test.store.clone());
    counter.count("/", "", "", requested(1));
    counter.flush().await;
    let days = |days: i32| Timestamp::now() + SignedDuration::from_hours(24 * i64::from(days));
    assert_eq!(test.store.remove_old_visits(days(799)).await, Ok(0));
    assert_eq!(test.store.remove_old_visits(days(802)).await, Ok(1));
}
