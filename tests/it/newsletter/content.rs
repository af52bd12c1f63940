//! Pictures and posts of the blog as they arrive in a mailbox, in the name of the site that is
//! shown.

use frontdoor::content::site;
use mail_parser::MimeHeaders as _;
use serde_json::json;

use super::{ISSUE, confirmed};
use crate::support::{CommandOutput, Draft, MailServer, TestStore, in_hours, run, visitor};

/// A whole picture of one pixel.
const GIF: &[u8] = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff\x21\xf9\x04\x01\
    \x00\x00\x00\x00\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00\x3b";

const POST: &str = "+++\ntitle = \"A photo of “us”\"\ndate = 2026-10-14\n+++\n\n\
    Here we are: ![The two of us](My%20Photo.jpg)\n";

/// Adds a page at this path to the last edition.
fn with_page(mut draft: Draft, path: &str, html: &str) -> Draft {
    let last = draft.list["editions"].as_array().unwrap().len() - 1;
    let mut page = draft.file(last, "/pricing").clone();
    page["path"] = json!(path);
    draft.files(last).push(page);
    draft.set_page(last, path, html);
    draft
}

fn publish(test: &TestStore, draft: &Draft) {
    draft.offer(&test.database).succeeds();
}

#[tokio::test]
async fn a_post_of_the_blog_is_an_issue_with_the_light_photo_of_its_page() {
    let test = confirmed(1).await;
    // As a phone takes it.
    let photo = [&[0xff, 0xd8, 0xff, 0xe1][..], &vec![0; 1_400_000]].concat();
    std::fs::write(test.database.path("My Photo.jpg"), photo).unwrap();
    let light = [
        &b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x04\xb0"[..],
        &[0; 99],
    ]
    .concat();
    let asset = "/assets/my-photo-1200-AbCd_-12.png";
    let html = format!("<picture><img src=\"{asset}\" alt=\"\"></picture>");
    let mut draft = with_page(Draft::named("blue"), "/blog/us", &html);
    let tag = draft.add_body(light.clone());
    draft.files(0).push(json!({
        "path": asset, "kind": "asset", "type": "image/png", "status": 200,
        "scriptHashes": [], "styleHashes": [],
        "bodies": [{ "encoding": "identity", "tag": tag }],
    }));
    publish(&test, &draft);

    let server = MailServer::start();
    let file = test.write("us.md", POST);
    let send = ["newsletter", "send", file.to_str().unwrap(), "--yes"];
    let output = test.run_with_mail(&send, &server.url);
    output.exits_with(0, "Sent 1 mail\n");
    let mail = server.taken().remove(0);
    assert_eq!(mail.subject(), "A photo of “us”");
    let (text, html) = (mail.text(), mail.html());
    let link = format!("{}/blog/us", site().url);
    assert!(html.contains(&link) && text.contains(&link), "{html}");
    let message = mail.message();
    let mut parts = message.parts.iter();
    let sent = parts.find(|part| part.content_id().is_some()).unwrap();
    assert_eq!(sent.contents(), light);
    let shown = format!("src=\"cid:{}\"", sent.content_id().unwrap());
    assert!(html.contains(&shown), "{html}");
    let raw = String::from_utf8_lossy(&mail.data);
    assert!(raw.contains("multipart/related"), "{raw}");
    assert!(text.contains("[Picture: The two of us]"), "{text}");
}

#[tokio::test]
async fn a_blog_post_that_the_site_does_not_show_is_not_sent() {
    let test = confirmed(1).await;
    let later = in_hours(48);
    let draft = Draft::named("today").then(&later.to_string(), "later");
    publish(&test, &with_page(draft, "/blog/later", "<p>Later</p>"));
    let server = MailServer::start();
    let post = POST.split("Here").next().unwrap().to_owned() + "Words.\n";
    let file = test.write("later.md", &post);
    let send = ["newsletter", "send", file.to_str().unwrap(), "--yes"];
    let output = test.run_with_mail(&send, &server.url);
    output.exits_with(2, "");
    output.stderr_contains("publish the post first");
    assert!(server.taken().is_empty());
    // On its day the page is there.
    let then = in_hours(49).to_string();
    let at = [&send[..], &["--at", &then]].concat();
    test.run_with_mail(&at, &server.url).succeeds();
}

const NAME: &str = "Quite Another Name";
const EMAIL: &str = "another@site.example";

fn company() -> Draft {
    let mut draft = Draft::named("blue");
    let site = &mut draft.list["facts"]["site"];
    site["name"] = json!(NAME);
    site["email"] = json!(EMAIL);
    draft
}

/// Without a sender in the settings.
fn send(test: &TestStore, server: &MailServer, settings: &[(&str, &str)]) -> CommandOutput {
    let file = test.write("issue.md", ISSUE);
    let mut command = test.command(&["newsletter", "send", file.to_str().unwrap(), "--yes"]);
    command.env_remove("FRONTDOOR_MAIL_FROM");
    command.env("FRONTDOOR_SMTP_URL", &server.url);
    run(command.envs(settings.iter().copied()))
}

#[tokio::test]
async fn facts_that_cannot_be_read_stop_every_mail_and_the_settings_can_name_another_release() {
    let test = confirmed(1).await;
    publish(&test, &company());
    let lead = test.add(visitor()).await;
    // As a later program would have written them.
    let later = "UPDATE releases SET facts = '{\"more\": 1}'";
    assert_eq!(test.database.sql().run(later), 1);
    let server = MailServer::start();
    let issue = test.write("issue.md", ISSUE);
    let issue = issue.to_str().unwrap();
    for arguments in [
        &["newsletter", "send", issue, "--yes"][..],
        &["newsletter", "send", issue, "--test", "owner@site.example"],
        &["newsletter", "preview", issue],
        &["leads", "reply", &lead],
        &["subscribers", "proof", "person0@example.org"],
    ] {
        let output = test.run_with_mail(arguments, &server.url);
        output.exits_with(1, "");
        output.stderr_contains("the facts of the published release can't be read");
        output.stderr_contains("frontdoor releases rollback");
    }
    assert!(server.taken().is_empty());
    let back = ["releases", "rollback", "built-in"];
    test.run(&back).succeeds();
    send(&test, &server, &[]).exits_with(0, "Sent 1 mail\n");

    let file = company().write(&test.database, "given.pack");
    let server = MailServer::start();
    test.add_confirmed(2).await;
    let given = [("FRONTDOOR_SITE", file.to_str().unwrap())];
    send(&test, &server, &given).exits_with(0, "Sent 1 mail\n");
    let mail = server.taken().remove(0);
    assert_eq!(mail.envelope_from, EMAIL);
    let text = String::from_utf8_lossy(&mail.data);
    assert!(text.contains(NAME), "{text}");
    let gone = send(&test, &server, &[("FRONTDOOR_SITE", "/nowhere/a.pack")]);
    gone.fails_with(1, "can't read the release /nowhere/a.pack");
}

/// The content of a preview's file.
fn preview(test: &TestStore, text: &str) -> String {
    let file = test.write("issue.md", text);
    let output = test.run(&["newsletter", "preview", file.to_str().unwrap()]);
    let written = test.database.path("issue.preview.html");
    output.exits_with(0, &format!("{}\n", written.display()));
    std::fs::read_to_string(written).unwrap()
}

#[tokio::test]
async fn a_preview_is_the_mail_of_the_published_release() {
    let test = TestStore::new().await;
    publish(&test, &company());
    std::fs::write(test.database.path("dot.gif"), GIF).unwrap();
    let mail = preview(&test, ISSUE);
    assert!(mail.contains(NAME) && mail.contains(EMAIL), "{mail}");
    let text = "# Hello *you*\n\nRead [this](/blog).\n\n![A dot](dot.gif)\n";
    let mail = preview(&test, text);
    assert!(mail.contains("/blog\">this</a>"), "{mail}");
    assert!(
        mail.contains("src=\"data:image/gif;base64,R0lGOD"),
        "{mail}"
    );
    assert!(mail.contains("alt=\"A dot\" width=\"1\""), "{mail}");
}
