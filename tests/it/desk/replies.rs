//! Replies from the desk: as they arrive, threaded, and called back in time.

use frontdoor::config::ServeArgs;
use frontdoor::store::LeadState;
use serde_json::json;

use super::Browser;
use crate::support::{
    Database, Draft, MailServer, Process, TestApp, body_json, good_form, header, own_address,
    post_lead, problem, run, until,
};

fn mailed(server: &MailServer) -> impl FnOnce(&mut ServeArgs) {
    let url = server.url.clone();
    move |args| {
        args.desk.desk_listen = Some("127.0.0.1:0".into());
        args.mail.smtp_url = Some(url);
        args.mail.mail_from = Some("hello@site.example".into());
        args.mail.notify_email = Some("owner@site.example".into());
        args.mail.auto_reply = Some("on".into());
    }
}

async fn lead(app: &TestApp) -> String {
    let answer = app.send(&good_form()).await;
    body_json(answer).await["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_reply_arrives_in_the_thread_and_answers_the_lead() {
    let server = MailServer::start();
    let app = TestApp::with(mailed(&server)).await;
    let anna = Browser::signed_in(&app, "Anna").await;
    let id = lead(&app).await;
    server.wait_for_mails(2).await;
    let thanked: Vec<_> = server
        .taken()
        .iter()
        .map(|mail| mail.message().message_id().unwrap().to_owned())
        .collect();

    let written = json!({ "text": "Hello Ada,\n\nyes, it can.", "booking": true, "quote": true });
    let preview = anna
        .done(&format!("leads/{id}/reply/preview"), written.clone())
        .await;
    let shown = anna.get(preview["url"].as_str().unwrap()).await;
    assert!(
        shown.headers()["content-security-policy"]
            .to_str()
            .unwrap()
            .contains("sandbox")
    );
    assert!(shown.text().await.unwrap().contains("yes, it can."));

    let queued = anna.done(&format!("leads/{id}/reply"), written).await;
    let page = anna.read(&format!("leads/{id}")).await;
    assert_eq!(page["reply"]["leaving"]["id"], queued["id"]);
    // Nothing has left: the lead still waits.
    assert_eq!(page["lead"]["state"], "new");
    app.sql().run(&format!(
        "UPDATE deliveries SET next_attempt_at = created_at WHERE id = '{}'",
        queued["id"].as_str().unwrap()
    ));
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
    assert!(
        thanked
            .iter()
            .all(|id| references.contains(&id.as_str().into())),
        "{references:?}"
    );
    let text = mail.text();
    assert!(
        text.contains("yes, it can.") && text.contains("name=") && text.contains("> "),
        "{text}"
    );
    until("the lead is answered", async || {
        app.store.lead(&id).await.unwrap().unwrap().state == LeadState::Answered
    })
    .await;
    let gone = anna
        .post(
            &format!("replies/{}/call-back", queued["id"].as_str().unwrap()),
            json!({}),
        )
        .await;
    problem(gone, 410, "it has left").await;
}

#[tokio::test]
async fn a_reply_that_is_called_back_is_a_draft_again_and_never_leaves() {
    let server = MailServer::start();
    let app = TestApp::with(mailed(&server)).await;
    let anna = Browser::signed_in(&app, "Anna").await;
    let id = lead(&app).await;
    let text = "Hello Ada,\n\nno.";
    let queued = anna
        .done(&format!("leads/{id}/reply"), json!({ "text": text }))
        .await;
    let back = anna
        .done(
            &format!("replies/{}/call-back", queued["id"].as_str().unwrap()),
            json!({}),
        )
        .await;
    assert_eq!(back["text"], text);
    let page = anna.read(&format!("leads/{id}")).await;
    assert_eq!(
        (&page["reply"]["text"], &page["reply"]["is_draft"]),
        (&json!(text), &json!(true))
    );
    assert_eq!(page["reply"]["leaving"], json!(null));
    assert!(
        app.deliveries()
            .await
            .iter()
            .all(|each| each.kind.as_str() != "reply")
    );
    let empty = anna
        .post(&format!("leads/{id}/reply"), json!({ "text": " " }))
        .await;
    problem(empty, 422, "nothing was written").await;
}

#[tokio::test]
async fn what_a_visitor_wrote_is_text_in_every_page_and_preview_of_the_desk() {
    let app = TestApp::with(|args| args.desk.desk_listen = Some("127.0.0.1:0".into())).await;
    let anna = Browser::signed_in(&app, "Anna").await;
    let form = json!({
        "name": "<script>alert(1)</script>",
        "email": "ada@example.org",
        "message": "<img src=//spy.example/seen.png> Hello",
    });
    let answer = app.send(&form).await;
    let id = body_json(answer).await["id"].as_str().unwrap().to_owned();
    let written = json!({ "text": "Yes.", "quote": true });
    let preview = anna
        .done(&format!("leads/{id}/reply/preview"), written)
        .await;
    let preview = anna.get(preview["url"].as_str().unwrap()).await;
    let policy = header(&preview, "content-security-policy").to_owned();
    assert!(
        policy.contains("sandbox") && policy.contains("img-src data:"),
        "{policy}"
    );
    let html = preview.text().await.unwrap();
    assert!(html.contains("&lt;img"), "{html}");
    assert!(
        !html.contains("<img src=//") && !html.contains("<script"),
        "{html}"
    );

    for path in [
        "/",
        &format!("/leads/{id}"),
        &format!("/api/desk/leads/{id}"),
    ] {
        let answer = anna.get(path).await;
        let policy = header(&answer, "content-security-policy");
        assert!(
            policy.contains("script-src 'self'; style-src 'self'"),
            "{path}: {policy}"
        );
        assert!(
            policy.contains("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
        assert_eq!(
            header(&answer, "x-content-type-options"),
            "nosniff",
            "{path}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn saved_replies_are_those_of_the_release_that_is_shown() {
    let (database, desk) = (Database::new(), own_address());
    let listen = ("FRONTDOOR_DESK_LISTEN", &*desk.to_string());
    let server = Process::start(&database.url(), &[listen]);
    post_lead(server.address, &[]);
    let mut open = database.command(&["desk", "open"]);
    let opened = run(open.env(listen.0, listen.1)).succeeds().out;
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
        let file = draft.write(&database, "next.pack");
        database
            .run(&["publish", file.to_str().unwrap()])
            .succeeds();
        until("its replies are there", async || saved().await == expected).await;
    }
}
