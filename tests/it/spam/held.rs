//! What becomes of a lead that looks like spam.

use frontdoor::domain::HoldReason;
use frontdoor::store::{DeliveryKind, DeliveryState, SAME_TEXT_WITHIN};
use jiff::ToSpan as _;

use super::{PLAIN, SPAM, lead};
use crate::support::app::TestApp;
use crate::support::data::form_with;
use crate::support::database::deliveries;
use crate::support::desk::{Desk, NOON};

#[tokio::test(flavor = "multi_thread")]
async fn spam_is_held_with_its_reasons_and_its_deliveries_wait() {
    let desk = Desk::new().await;
    let mut new = lead("eve@example.org", SPAM);
    new.deliveries = vec![DeliveryKind::Webhook, DeliveryKind::AutoReply];
    let added = desk.store.add_lead(new, desk.now()).await.unwrap();
    assert_eq!(added.hold, Some(HoldReason::SpamScore));
    let stored = desk.store.lead(&added.id).await.unwrap().unwrap();
    assert_eq!(stored.hold_reason.as_deref(), Some("spam_score"));
    assert!(stored.is_held());
    let score: f64 = stored.spam_reasons.iter().map(|each| each.weight).sum();
    assert!(score >= frontdoor::spam::HOLD_FROM, "{score}");
    assert!(
        stored
            .spam_reasons
            .iter()
            .any(|each| each.reason == "has a link")
    );
    let waiting = desk.deliveries().await;
    assert!(waiting.iter().all(|each| each.state == DeliveryState::Held));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_text_from_a_third_sender_is_held() {
    let desk = Desk::new().await;
    let mut holds = Vec::new();
    // In other spacing, and twice by one of them.
    let shouted = PLAIN.to_uppercase().replace(' ', "  ");
    for (email, text) in [
        ("a@example.org", PLAIN),
        ("b@example.org", shouted.as_str()),
        ("B@Example.org", PLAIN),
        ("c@example.org", PLAIN),
    ] {
        let added = desk.store.add_lead(lead(email, text), desk.now()).await;
        holds.push(added.unwrap().hold);
    }
    assert_eq!(holds, [None, None, None, Some(HoldReason::SpamScore)]);
    desk.turn_clock_to(*NOON + SAME_TEXT_WITHIN + 1.hour());
    let later = desk
        .store
        .add_lead(lead("d@example.org", PLAIN), desk.now())
        .await;
    assert_eq!(
        later.unwrap().hold,
        None,
        "a week later it is another matter"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_that_sends_the_same_text_at_once_is_held_but_for_the_first() {
    let desk = Desk::new().await;
    let crowd = (0..20).map(|number| {
        let (store, now) = (desk.store.clone(), desk.now());
        let new = lead(&format!("robot{number}x@example.org"), PLAIN);
        tokio::spawn(async move { store.add_lead(new, now).await.unwrap().hold })
    });
    let mut passed = 0;
    for one in crowd.collect::<Vec<_>>() {
        passed += usize::from(one.await.unwrap().is_none());
    }
    assert_eq!(passed, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn identical_spam_within_an_hour_is_one_notice_and_no_automatic_reply() {
    let desk = Desk::new().await;
    for number in 0..5 {
        desk.turn_clock_to(*NOON + (number * 10).minutes());
        let mut new = lead(&format!("eve{number}@example.org"), SPAM);
        new.deliveries = vec![DeliveryKind::Notify, DeliveryKind::AutoReply];
        desk.store.add_lead(new, desk.now()).await.unwrap();
    }
    let all = deliveries(&desk.store).await;
    let due = |kind| {
        let of_kind = all.iter().filter(move |each| each.kind == kind);
        of_kind
            .filter(|each| each.state == DeliveryState::Pending)
            .count()
    };
    assert_eq!(due(DeliveryKind::HeldNotice), 1);
    assert_eq!(
        (due(DeliveryKind::AutoReply), due(DeliveryKind::Notify)),
        (0, 0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_visitor_gets_the_usual_answer_and_the_lead_is_held() {
    let app = TestApp::start().await;
    let answer = app.send(&form_with("message", SPAM)).await;
    assert_eq!(answer.status(), 201);
    let stored = app.leads().await.remove(0);
    assert_eq!(stored.hold_reason.as_deref(), Some("spam_score"));
    assert_eq!(app.metric("frontdoor_leads_held_total").await, 1.0);
    let enquiry = "Hello, we run a small bakery in Guelph and would like a new website. How much?";
    app.send(&form_with("message", enquiry)).await;
    assert!(!app.leads().await[0].is_held());
}
