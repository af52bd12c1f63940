//! The health page: the findings of `frontdoor check`, and what can be tested from there.

use serde_json::{Value, json};
use tokio::sync::watch;

use super::desk;
use crate::support::{
    Answer, MailServer, Receiver, findings as of, good_form, on_postgres, problem,
};

fn step<'a>(health: &'a Value, name: &str) -> &'a Value {
    let mut steps = health["first_steps"].as_array().expect("steps").iter();
    let found = steps.find(|step| step["name"] == name);
    found.unwrap_or_else(|| panic!("no step {name}: {health}"))
}

#[tokio::test]
async fn the_page_says_what_the_command_says() {
    let (_app, browser) = desk(|args| {
        args.chat.chat_project_id = Some("abc".into());
        args.bookings.cal_secret = Some("a secret of 16 and more".into());
    })
    .await;
    let health = browser.read("health").await;
    let findings = &health["findings"];
    assert_eq!(of(findings, "write"), ["good | a lead can be stored | "]);
    assert_eq!(
        of(findings, "mail"),
        ["unsure | is off: nobody is notified of new leads | set FRONTDOOR_SMTP_URL"]
    );
    assert!(of(findings, "chat").is_empty());
    assert_eq!(of(findings, "bookings").len(), 1);

    let setting = |name: &str| {
        let mut all = health["settings"].as_array().expect("settings").iter();
        let found = all.find(|each| each["name"] == name).expect("the setting");
        let text = |key: &str| found[key].as_str().expect("text").to_owned();
        [text("group"), text("value"), text("from")].join(" | ")
    };
    assert_eq!(setting("FRONTDOOR_CHAT_PROJECT_ID"), "Chat | abc | flag");
    assert_eq!(setting("FRONTDOOR_CAL_SECRET"), "Bookings | set | flag");
    assert_eq!(
        setting("FRONTDOOR_CALENDLY_KEY"),
        "Bookings | not set | default"
    );
    assert_eq!(setting("FRONTDOOR_PROMISE_HOURS"), "Leads | 24 | default");
}

#[tokio::test]
async fn before_going_live_each_part_is_tried_with_a_button() {
    let (mail, webhook) = (MailServer::start(), Receiver::accepting().await);
    let folder = tempfile::tempdir().unwrap();
    let (app, browser) = desk(|args| {
        args.mail.smtp_url = Some(mail.url.clone());
        args.webhook.webhook_url = Some(webhook.url.clone());
        if !on_postgres() {
            args.backup.backup_dir = Some(folder.path().display().to_string());
        }
    })
    .await;
    let health = browser.read("health").await;
    assert_eq!(step(&health, "Domain")["done"], false);
    assert_eq!(step(&health, "Mail")["part"], "mail");
    assert_eq!(step(&health, "Mail")["done"], false);
    assert_eq!(step(&health, "First lead")["done"], false);

    for part in ["mail", "webhook"] {
        let found = browser.done(&format!("health/try/{part}"), json!({})).await;
        assert_eq!(found["state"], "good", "{found}");
    }
    assert!(mail.taken()[0].subject().starts_with("Test mail of"));
    assert_eq!(webhook.calls()[0].header("frontdoor-event"), "test");
    let backup = browser.post("health/try/backup", json!({})).await;
    match on_postgres() {
        true => drop(problem(backup, 409, "set it up first").await),
        false => {
            assert_eq!(backup.status(), 200);
            assert!(folder.path().read_dir().unwrap().count() > 0);
        }
    }
    let health = browser.read("health").await;
    assert_eq!(step(&health, "Mail")["done"], true);
    assert_eq!(step(&health, "Webhook")["done"], true);

    app.send(&good_form()).await;
    let health = browser.read("health").await;
    assert_eq!(step(&health, "First lead")["done"], true);
}

#[tokio::test]
async fn the_live_check_sends_tests_and_only_one_runs_at_a_time() {
    let mail = MailServer::start();
    let (gate, closed) = watch::channel(false);
    let webhook = Receiver::start(move |_| Answer::AtGate(closed.clone())).await;
    let (app, browser) = desk(|args| {
        args.mail.smtp_url = Some(mail.url.clone());
        args.webhook.webhook_url = Some(webhook.url.clone());
    })
    .await;
    let second = async {
        webhook.wait_for_calls(1).await;
        let refused = browser.post("health/live", json!({})).await;
        gate.send_replace(true);
        refused
    };
    let (findings, refused) = tokio::join!(browser.done("health/live", json!({})), second);
    problem(refused, 409, "is running already").await;
    for check in ["database", "site", "write", "mail", "webhook"] {
        let found = of(&findings, check);
        assert!(found[0].starts_with("good | "), "{check}: {findings}");
    }
    // The sample's name leads nowhere.
    assert!(!of(&findings, "DNS").is_empty(), "{findings}");
    assert!(app.leads().await.is_empty(), "the test lead is removed");
}
