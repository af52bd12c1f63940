//! Replies from the desk: as they arrive, threaded, and called back in time.

use frontdoor::config::ServeArgs;
use frontdoor::content::site;
use frontdoor::store::{DeliveryKind, DeliveryState, LeadState, UNNAMED};
use serde_json::json;

use super::{Browser, desk};
use crate::support::{
    Database, Draft, MailServer, Process, TestApp, assert_has, assert_lacks, findings, form_with,
    good_form, header, own_address, post_lead, run, until,
};

fn mailed(server: &MailServer) -> impl FnOnce(&mut ServeArgs) {
    let url = server.url.clone();
    move |args| {
        args.mail.smtp_url = Some(url);
        args.mail.mail_from = Some("hello@site.example".into());
        args.mail.notify_email = Some("owner@site.example".into());
        args.mail.auto_reply = Some("on".into());
    }
}

/// Without the ten seconds in which it can be called back.
fn send_now(app: &TestApp, reply: &str) {
    let now = "UPDATE deliveries SET next_attempt_at = created_at WHERE id =";
    app.sql().run(&format!("{now} '{reply}'"));
}

#[tokio::test]
async fn a_reply_arrives_in_the_thread_and_answers_the_lead() {
    let server = MailServer::start();
    let (app, anna) = desk(mailed(&server)).await;
    let id = app.add(&good_form()).await;
    server.wait_for_mails(2).await;
    let mails = server.taken().into_iter();
    let thanked: Vec<_> = mails
        .map(|mail| mail.message().message_id().unwrap().to_owned())
        .collect();

    let path = format!("leads/{id}/reply");
    let written = json!({ "text": "Hello Ada,\n\nyes, it can.", "booking": true, "quote": true });
    let preview = format!("{path}/preview");
    let preview = anna.done(&preview, written.clone()).await;
    let shown = anna.get(preview["url"].as_str().unwrap()).await;
    assert!(header(&shown, "content-security-policy").contains("sandbox"));
    assert!(shown.text().await.unwrap().contains("yes, it can."));

    let queued = anna.done(&path, written).await;
    let reply = queued["id"].as_str().unwrap();
    let page = anna.read(&format!("leads/{id}")).await;
    assert_eq!(page["reply"]["leaving"]["id"], reply);
    // Nothing has left: the lead still waits.
    assert_eq!(page["lead"]["state"], "new");
    send_now(&app, reply);
    server.wait_for_mails(3).await;
    let mail = server.taken().pop().unwrap();
    assert_eq!(mail.envelope_to, ["ada@example.org", "owner@site.example"]);
    let message = mail.message();
    let from = message.from().unwrap().first().unwrap();
    assert_eq!(from.address(), Some("hello@site.example"));
    assert!(from.name().unwrap().starts_with("Anna at "));
    // The owner's copy is blind.
    assert_eq!(message.to().unwrap().clone().into_list().len(), 1);
    let references = message.references().as_text_list().unwrap().to_vec();
    for id in &thanked {
        assert!(references.contains(&id.as_str().into()), "{references:?}");
    }
    let text = mail.text();
    assert_has(&text, &["yes, it can.", "name=", "> "]);
    until("the lead is answered", async || {
        app.lead(&id).await.state == LeadState::Answered
    })
    .await;
    let call_back = format!("replies/{reply}/call-back");
    anna.refused(&call_back, json!({}), 410).await;
}

#[tokio::test]
async fn a_refused_copy_changes_nothing_and_a_refused_visitor_leaves_the_lead_waiting() {
    for (refused, ended, state) in [
        (
            "owner@site.example",
            DeliveryState::Delivered,
            LeadState::Answered,
        ),
        ("ada@example.org", DeliveryState::GivenUp, LeadState::New),
    ] {
        let server = MailServer::refusing(refused);
        let (app, anna) = desk(mailed(&server)).await;
        let id = app.add(&good_form()).await;
        let path = format!("leads/{id}/reply");
        let queued = anna.done(&path, json!({ "text": "Yes, it can." })).await;
        let reply = queued["id"].as_str().unwrap();
        send_now(&app, reply);
        until("the reply has arrived or is given up", async || {
            let all = app.deliveries().await;
            all.iter()
                .any(|each| each.id == reply && each.state == ended)
        })
        .await;
        assert_eq!(app.lead(&id).await.state, state, "{refused}");
        let is_fault = ended == DeliveryState::GivenUp;
        let faults = async || anna.read("summary").await["faults"].clone();
        assert_eq!(faults().await, u64::from(is_fault));
        if is_fault {
            // The owner's copy would look as if it had been sent.
            for mail in server.taken() {
                assert_lacks(&mail.text(), &["Yes, it can."]);
            }
            let health = anna.read("health").await;
            assert_eq!(findings(&health["findings"], "deliveries").len(), 1);
            assert_eq!(health["deliveries"].as_array().unwrap().len(), 1);
            assert_eq!(health["deliveries"][0]["id"], reply);
            assert_eq!(health["deliveries"][0]["can_retry"], true);
            let page = anna.read(&format!("leads/{id}")).await;
            assert_eq!(page["reply"]["text"], "Yes, it can.");
            assert_eq!(page["reply"]["is_draft"], true);
            anna.mark(&id, "answered").await;
            assert_eq!(faults().await, 0, "the owner has answered in another way");
        }
    }
}

#[tokio::test]
async fn a_reply_that_is_called_back_is_a_draft_again_and_never_leaves() {
    let server = MailServer::start();
    let (app, anna) = desk(mailed(&server)).await;
    let id = app.add(&good_form()).await;
    let (path, text) = (format!("leads/{id}/reply"), "Hello Ada,\n\nno.");
    let queued = anna.done(&path, json!({ "text": text })).await;
    let second = json!({ "text": "Hello Ada,\n\nyes." });
    anna.refused(&path, second, 409).await;
    assert_eq!(anna.keep(&path, "Hello Ada,", text).await.0, 409);
    let call_back = format!("replies/{}/call-back", queued["id"].as_str().unwrap());
    // Somebody else has begun another one meanwhile, as after a failed attempt.
    app.sql().run(
        "INSERT INTO reply_drafts (contact_id, text, kept_at)
        SELECT contact_id, 'Maybe.', created_at FROM replies",
    );
    let back = anna.done(&call_back, json!({})).await;
    assert_eq!(back["text"], format!("Maybe.\n\n{text}"));
    let drafts = anna.read("inbox").await["leads"][0]["has_draft"].clone();
    assert_eq!(drafts, true);
    // A browser that shows an older draft must not send it instead of the newer one.
    anna.refused(&path, json!({ "text": text }), 409).await;
    assert_eq!(
        anna.keep(&path, text, back["text"].as_str().unwrap())
            .await
            .0,
        204
    );
    let reply = anna.read(&format!("leads/{id}")).await["reply"].clone();
    assert_eq!(reply["text"], text);
    assert_eq!(reply["is_draft"], true);
    assert_eq!(reply["leaving"], json!(null));
    let mut left = app.deliveries().await.into_iter();
    assert!(left.all(|each| each.kind != DeliveryKind::Reply));
    for nothing in [" ", "Hello Ada,\n\nAnna"] {
        anna.refused(&path, json!({ "text": nothing }), 422).await;
    }
}

#[tokio::test]
async fn a_draft_that_another_browser_has_changed_meanwhile_is_not_overwritten() {
    let (app, anna) = desk(|_| {}).await;
    let ben = Browser::signed_in(&app, "Ben").await;
    let id = app.add(&good_form()).await;
    let path = format!("leads/{id}/reply");
    let draft = async || anna.read(&format!("leads/{id}")).await["reply"]["text"].clone();
    let greeting = draft().await;
    let greeting = greeting.as_str().unwrap();
    assert_eq!(anna.keep(&path, "Yes.", greeting).await.0, 204);
    let (writing, yes) = (format!("leads/{id}/writing"), json!({ "writing": true }));
    assert_eq!(anna.post(&writing, yes).await.status(), 204);
    let (status, said) = ben.keep(&path, "No.", greeting).await;
    assert_eq!(status, 409);
    assert_has(&said, &["Anna has changed this draft in another browser."]);
    assert_eq!(draft().await, "Yes.");
    // One that wasn't told that its draft was kept says it again.
    for (text, before) in [("Yes.", greeting), ("Yes, it can.", "Yes.")] {
        assert_eq!(anna.keep(&path, text, before).await.0, 204);
    }
    assert_eq!(draft().await, "Yes, it can.");

    let path = "newsletter/draft";
    assert_eq!(anna.keep(path, "# One", "").await.0, 200);
    let (status, said) = ben.keep(path, "# Two", "").await;
    assert_eq!(status, 409);
    assert_has(
        &said,
        &["Somebody has changed this draft in another browser."],
    );
    assert_eq!(anna.read("newsletter").await["draft"]["text"], "# One");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_replies_sent_at_the_same_moment_one_leaves() {
    let server = MailServer::start();
    let (app, anna) = desk(mailed(&server)).await;
    for round in 0..10 {
        let id = app
            .add(&form_with("email", format!("ada{round}@example.org")))
            .await;
        let path = format!("leads/{id}/reply");
        let send = || anna.post(&path, json!({ "text": "Yes, it can." }));
        let answers = tokio::join!(send(), send(), send(), send());
        let answers = [answers.0, answers.1, answers.2, answers.3];
        let mut statuses = answers.map(|answer| answer.status().as_u16());
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409, 409, 409]);
    }
}

#[tokio::test]
async fn a_reply_is_signed_with_a_name_only_if_the_link_had_one() {
    let server = MailServer::start();
    let (app, anna) = desk(|args| args.mail.smtp_url = Some(server.url.clone())).await;
    let unnamed = Browser::signed_in(&app, UNNAMED).await;
    let id = app.add(&good_form()).await;
    let site = site().name.as_str();
    for (browser, signature, from) in [
        (anna, "Anna", format!("Anna at {site}")),
        (unnamed, site, site.to_owned()),
    ] {
        let reply = browser.read(&format!("leads/{id}")).await["reply"].clone();
        assert!(reply["text"].as_str().unwrap().ends_with(signature));
        assert!(reply["from"].as_str().unwrap().contains(&from), "{reply}");
        // Without automatic replies there is no thread to continue.
        assert_eq!(reply["subject"], format!("Re: Your message to {site}"));
    }
}

#[tokio::test]
async fn a_visitors_message_is_shown_as_text_on_every_page_and_preview_of_the_desk() {
    let (app, anna) = desk(|_| {}).await;
    let form = json!({
        "name": "<script>alert(1)</script>",
        "email": "ada@example.org",
        "message": "<img src=//spy.example/seen.png> Hello",
    });
    let id = app.add(&form).await;
    let written = json!({ "text": "Yes.", "quote": true });
    let preview = format!("leads/{id}/reply/preview");
    let preview = anna.done(&preview, written).await;
    let preview = anna.get(preview["url"].as_str().unwrap()).await;
    let policy = header(&preview, "content-security-policy");
    assert_has(policy, &["sandbox", "img-src data:"]);
    let html = preview.text().await.unwrap();
    assert!(html.contains("&lt;img"), "{html}");
    assert_lacks(&html, &["<img src=//", "<script"]);

    let (page, data) = (format!("/leads/{id}"), format!("/api/desk/leads/{id}"));
    for path in ["/", &page, &data] {
        let answer = anna.get(path).await;
        let policy = header(&answer, "content-security-policy");
        assert_has(
            policy,
            &[
                "script-src 'self'; style-src 'self'",
                "frame-ancestors 'none'",
            ],
        );
        let types = header(&answer, "x-content-type-options");
        assert_eq!(types, "nosniff", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn saved_replies_are_those_of_the_release_that_is_shown() {
    let (database, desk) = (Database::new(), own_address());
    let listen = ("FRONTDOOR_DESK_LISTEN", &*desk.to_string());
    let server = Process::start(&database.url(), &[listen]);
    post_lead(server.address, &[]);
    let mut open = database.command(&["desk", "open"]);
    let opened = run(open.env(listen.0, listen.1)).succeeds().stdout;
    let mut browser = Browser { desk, cookie: None };
    let (_, token) = opened.trim().split_once("/#").unwrap();
    assert_eq!(browser.sign_in(token).await.status(), 204);
    let inbox = browser.read("inbox").await;
    let lead = format!("leads/{}", inbox["leads"][0]["id"].as_str().unwrap());
    let saved = async || browser.read(&lead).await["reply"]["saved"].clone();
    // Of `tests/content/replies/`.
    let text = saved().await[0]["text"].clone();
    let text = text.as_str().unwrap();
    assert!(text.ends_with("Shall we talk about it on Tuesday at 10:00?"));

    let mut draft = Draft::named("blue");
    let own = json!([{ "name": "Another", "text": "Words" }]);
    draft.list["facts"]["replies"] = own.clone();
    let mut without = Draft::named("green");
    let facts = without.list["facts"].as_object_mut().unwrap();
    facts.remove("replies").expect("the build wrote them");
    for (draft, expected) in [(draft, own), (without, json!([]))] {
        draft.offer(&database).succeeds();
        until("its replies are there", async || saved().await == expected).await;
    }
}
