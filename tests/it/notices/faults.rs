//! When one way to the owner takes nothing, the other tells of it.

use frontdoor::store::{Channel, DeliveryKind};
use jiff::SignedDuration;

use super::{HOUR, Setup, plan, text};
use crate::support::data::{WEBHOOK, visitor};
use crate::support::desk::{NOON, mail_settings};
use crate::support::mail_server::MailServer;
use crate::support::receiver::{Answer, Receiver};
use crate::support::scripted_smtp::{ScriptedServer, Step};

const NOTIFY: &[DeliveryKind] = &[DeliveryKind::Notify];
const BOTH: &[DeliveryKind] = &[DeliveryKind::Webhook, DeliveryKind::Notify];

async fn with_webhook(status: u16) -> Setup {
    let hook = Receiver::start(move |_| Answer::Status(status)).await;
    Setup::with(MailServer::start(None), hook).await
}

#[tokio::test]
async fn a_webhook_that_fails_for_an_hour_is_told_by_mail_then_daily() {
    let setup = with_webhook(500).await;
    let replica = setup.replica(plan());
    setup.desk.add(visitor(), WEBHOOK).await;
    replica.turn().await;
    setup.later(HOUR - SignedDuration::from_secs(1));
    replica.turn().await;
    assert!(setup.mail.taken().is_empty());
    setup.later(SignedDuration::from_secs(1));
    for _ in 0..20 {
        replica.turn().await;
        setup.later(SignedDuration::from_mins(30));
    }
    let mails = setup.mails("The webhook takes nothing");
    assert_eq!(mails.len(), 1);
    let said = text(&mails[0]);
    assert!(said.contains("Since 2025-03-01 07:00 EST"), "{said}");
    assert!(said.contains("1 webhook, waiting for another try: status 500"));
    assert!(!said.contains("127.0.0.1"), "the address is a secret");
    setup.later(HOUR * 15);
    replica.turn().await;
    assert_eq!(
        setup.mails("The webhook takes nothing").len(),
        2,
        "a day later"
    );
}

#[tokio::test]
async fn what_the_webhook_gives_up_is_told_at_once_and_at_most_once_an_hour() {
    let setup = with_webhook(410).await;
    let replica = setup.replica(plan());
    for minutes in [0, 10, 40, 59] {
        let start = *NOON;
        setup
            .desk
            .turn_clock_to(start + SignedDuration::from_mins(minutes));
        setup.desk.add(visitor(), WEBHOOK).await;
        replica.turn().await;
        replica.turn().await;
        assert_eq!(setup.mails("given up").len(), 1, "after {minutes} min");
    }
    setup.later(SignedDuration::from_mins(1));
    replica.turn().await;
    assert_eq!(setup.mails("given up").len(), 2);
    assert!(text(&setup.mails("given up")[1]).contains("4 webhook, given up: status 410"));
}

#[tokio::test]
async fn mail_that_fails_for_an_hour_is_told_to_the_webhook_with_a_lead_nobody_was_told_of() {
    let setup = Setup::new().await;
    setup.mail.set_down(true);
    let replica = setup.replica(plan());
    let id = setup.desk.add(visitor(), BOTH).await;
    for _ in 0..12 {
        replica.turn().await;
        setup.later(SignedDuration::from_mins(30));
    }
    let told = setup.calls("delivery.failing");
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].header("frontdoor-lead-id"), id);
    assert_eq!(told[0].body, setup.calls("lead.created")[0].body);

    setup.mail.set_down(false);
    setup.later(HOUR * 12);
    replica.turn().await;
    let channels = setup.desk.store.channels().await.unwrap();
    assert!(channels.iter().all(|each| each.failed_at.is_none()));
    setup.later(HOUR * 24);
    replica.turn().await;
    assert_eq!(setup.calls("delivery.failing").len(), 1, "it works again");
}

#[tokio::test]
async fn mail_that_fails_before_a_lead_comes_is_told_with_the_first_that_comes() {
    let setup = Setup::new().await;
    setup.mail.set_down(true);
    let replica = setup.replica(plan());
    setup.desk.subscribe().await;
    replica.turn().await;
    setup.later(HOUR * 2);
    replica.turn().await;
    assert!(setup.hook.calls().is_empty(), "nobody to tell it with");
    let id = setup.desk.add(visitor(), BOTH).await;
    replica.turn().await;
    replica.turn().await;
    let told = setup.calls("delivery.failing");
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].header("frontdoor-lead-id"), id);
}

#[tokio::test]
async fn a_visitors_address_says_nothing_about_the_mail_server() {
    for refused in ["550 5.1.1 no such user", "450 4.2.2 mailbox full"] {
        let setup = Setup::new().await;
        let server = ScriptedServer::start(move |step, line| {
            let visitor = step == Step::Recipient && line.contains("ada@example.org");
            visitor.then(|| refused.to_owned())
        });
        let settings = mail_settings(server.url());
        let mailer = setup.desk.mailer(&settings);
        setup.desk.add(visitor(), &[DeliveryKind::AutoReply]).await;
        setup.desk.worker(mailer).drain().await;
        let channels = setup.desk.store.channels().await.unwrap();
        let mail = channels.iter().find(|each| each.channel == Channel::Mail);
        let mail = mail.unwrap();
        assert_eq!(
            (mail.failed_at, mail.given_up_at),
            (None, None),
            "{refused}"
        );
    }
}

#[tokio::test]
async fn without_the_other_way_nothing_is_stored_that_nobody_sends() {
    let setup = Setup::new().await;
    setup.mail.set_down(true);
    setup.desk.add(visitor(), NOTIFY).await;
    let mut alone = plan();
    alone.webhook = false;
    let replica = setup.replica(alone);
    for _ in 0..4 {
        replica.turn().await;
        setup.later(HOUR);
    }
    let all = setup.desk.deliveries().await;
    let faults = all
        .iter()
        .filter(|each| each.kind == DeliveryKind::FaultWebhook);
    assert_eq!(faults.count(), 0);
}
