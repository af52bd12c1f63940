//! The links in mails to the owner: each marks one lead, by a button, without a session.

use frontdoor::store::{LeadState, SpamLabel};
use http::Method;
use http::header::ORIGIN;
use reqwest::Response;

use super::{Browser, app};
use crate::support::{MailServer, TestApp, assert_lacks, form_with, header};

const DESK: &str = "https://desk.example.com";

/// A server, and the text of the mail about each of these leads.
async fn mails_about(desk: Option<&str>, names: &[&str]) -> (TestApp, Vec<String>) {
    let server = MailServer::start();
    let app = app(|args| {
        args.desk.desk_url = desk.map(str::to_owned);
        args.mail.smtp_url = Some(server.url.clone());
    })
    .await;
    let mut texts = Vec::new();
    for (number, name) in names.iter().enumerate() {
        app.send(&form_with("name", *name)).await;
        server.wait_for_mails(number + 1).await;
        texts.push(server.taken().pop().unwrap().text());
    }
    (app, texts)
}

/// The path behind a label in a mail's text.
fn link<'a>(text: &'a str, label: &str) -> &'a str {
    let mut lines = text.lines();
    let url = lines.find_map(|line| line.strip_prefix(label)?.strip_prefix(": "));
    let path = url.expect(label).strip_prefix(DESK);
    path.expect("the desk's address")
}

async fn press(browser: &Browser, path: &str, origin: &str) -> Response {
    let post = browser.request(Method::POST, path).header(ORIGIN, origin);
    post.send().await.unwrap()
}

async fn says(answer: Response, status: u16, words: &str) -> String {
    assert_eq!(answer.status(), status, "{words}");
    assert_eq!(header(&answer, "content-type"), "text/html; charset=utf-8");
    let page = answer.text().await.unwrap();
    assert!(page.contains(&format!("<h1>{words}</h1>")), "{page}");
    page
}

async fn state(app: &TestApp, name: &str) -> LeadState {
    let mut leads = app.leads().await.into_iter();
    leads.find(|lead| lead.name == name).unwrap().state
}

#[tokio::test]
async fn a_link_in_a_mail_changes_nothing_until_its_button_is_pressed_and_then_that_lead_only() {
    let (app, texts) = mails_about(Some(DESK), &["Ada <b>", "Grace"]).await;
    let browser = Browser::new(&app);
    for (label, set) in [
        ("I answered by mail", LeadState::Answered),
        ("Booked", LeadState::Booked),
        ("Spam", LeadState::Spam),
    ] {
        let (path, word) = (link(&texts[0], label), set.as_str());
        let before = state(&app, "Ada <b>").await;
        let shown = browser.get(path).await;
        let policy = header(&shown, "content-security-policy").to_owned();
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"));
        assert!(!policy.contains("script"), "{policy}");
        // With `no-referrer` a browser would send `Origin: null` with the form.
        let referrer = header(&shown, "referrer-policy");
        assert_eq!(referrer, "strict-origin-when-cross-origin");
        let page = says(shown, 200, &format!("Mark Ada &lt;b&gt; as {word}?")).await;
        assert_eq!(page.matches("<button>").count(), 1);
        assert_eq!(state(&app, "Ada <b>").await, before);

        let done = format!("Ada &lt;b&gt; is marked as {word}");
        let already = format!("Ada &lt;b&gt; is already marked as {word}");
        says(press(&browser, path, DESK).await, 200, &done).await;
        assert_eq!(state(&app, "Ada <b>").await, set);
        says(press(&browser, path, DESK).await, 200, &already).await;
        says(browser.get(path).await, 200, &already).await;
    }
    assert_eq!(state(&app, "Grace").await, LeadState::New);
    // As everywhere, the filter learns.
    let lesson = "SELECT spam_lesson FROM contacts WHERE state = 'spam'";
    let lesson = app.sql().rows(lesson).concat().concat();
    assert!(lesson.starts_with(SpamLabel::Spam.as_str()), "{lesson}");
    // A button that was shown before somebody else was quicker.
    let stale = format!("{}?from=new", link(&texts[0], "Booked"));
    let asked = "Mark Ada &lt;b&gt; as booked?";
    says(press(&browser, &stale, DESK).await, 409, asked).await;
    assert_eq!(state(&app, "Ada <b>").await, LeadState::Spam);
    let page = link(&texts[0], "Open at the desk");
    let id = page.strip_prefix("/leads/").unwrap();
    let history = app.store.lead_changes(id).await.unwrap();
    let who: Vec<_> = history
        .iter()
        .filter_map(|each| each.who.as_deref())
        .collect();
    assert_eq!(who, ["a link in a mail"; 3]);
}

#[tokio::test]
async fn a_link_opens_nothing_else_works_from_no_other_site_and_ends_with_its_lead() {
    let (app, texts) = mails_about(Some(DESK), &["Ada", "Grace"]).await;
    let browser = Browser::new(&app);
    // The id of the lead, and the MAC.
    let parts = |text| link(text, "Booked").rsplit('/').collect::<Vec<_>>();
    let (adas, graces) = (parts(&texts[0]), parts(&texts[1]));
    let (mac, ada, others) = (adas[0], adas[1], graces[0]);
    let changed = match mac.strip_prefix('A') {
        Some(rest) => format!("B{rest}"),
        None => format!("A{}", &mac[1..]),
    };
    for (what, action, mac) in [
        ("another MAC", "booked", &*changed),
        ("a part of it", "booked", &mac[..40]),
        ("another lead's", "booked", others),
        ("another action's", "spam", mac),
        ("an action without links", "closed", mac),
        ("no action", "forget", mac),
    ] {
        let path = format!("/mark/{action}/{ada}/{mac}");
        let refused = "This link doesn&#39;t work";
        says(browser.get(&path).await, 404, refused).await;
        says(press(&browser, &path, DESK).await, 404, refused).await;
        assert_eq!(state(&app, "Ada").await, LeadState::New, "{what}");
    }
    // Neither is it a way to the lead itself.
    let lead = link(&texts[0], "Open at the desk");
    let answer = browser.get(&format!("/api/desk{lead}")).await;
    assert_eq!(answer.status(), 401);

    let path = link(&texts[0], "Spam");
    let (own, refused) = (format!("http://{}", browser.desk), "Nothing was changed");
    for origin in ["https://evil.example", "null", &own] {
        says(press(&browser, path, origin).await, 403, refused).await;
    }
    let without = browser.request(Method::POST, path).send().await.unwrap();
    says(without, 403, refused).await;
    assert_eq!(state(&app, "Ada").await, LeadState::New);

    app.store.forget("ada@example.org").await.unwrap();
    says(browser.get(path).await, 410, "This lead is gone").await;
    says(press(&browser, path, DESK).await, 410, "This lead is gone").await;
}

#[tokio::test]
async fn without_an_address_of_the_desk_no_mail_links_to_it() {
    let (app, texts) = mails_about(None, &["Ada"]).await;
    assert!(app.desk.is_some());
    assert_lacks(
        &texts[0],
        &["desk", "/mark/", "I answered by mail", "127.0.0.1"],
    );
}
