//! Pictures and posts of the blog as they arrive in a mailbox, and in whose name: that
//! of the site that is shown.

use frontdoor::content::SITE;
use jiff::{SignedDuration, Timestamp};
use mail_parser::{MessageParser, MimeHeaders as _};
use serde_json::json;

use super::preview::preview;
use super::{ISSUE, send_issue};
use crate::support::data::visitor;
use crate::support::mail_server::MailServer;
use crate::support::office::Office;
use crate::support::process::{Said, run};
use crate::support::release::Draft;

/// A whole picture of one pixel.
const GIF: &[u8] = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff\x21\xf9\x04\x01\
    \x00\x00\x00\x00\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00\x3b";

#[tokio::test]
async fn a_picture_beside_the_file_is_embedded_in_the_mail() {
    let office = Office::open().await;
    office.add_confirmed(1).await;
    std::fs::write(office.database.path("dot.gif"), GIF).unwrap();
    let server = MailServer::start(None);
    let text = "# Look\n\n![One dot](dot.gif) and ![the same dot](dot.gif)\n";
    send_issue(&office, text, &server.url, &[]).assert(0, "Sent 1 mail\n");
    let mail = server.taken().remove(0);
    let message = MessageParser::new().parse(&mail.data).unwrap();
    let html = message.body_html(0).unwrap();
    let start = html.find("src=\"cid:").expect("a picture by its id") + 9;
    let id = &html[start..start + html[start..].find('"').unwrap()];
    assert!(html.contains("alt=\"One dot\" width=\"1\""), "{html}");
    let parts: Vec<_> = message
        .parts
        .iter()
        .filter(|part| part.content_id() == Some(id))
        .collect();
    assert_eq!(parts.len(), 1, "it is embedded once");
    assert_eq!(parts[0].contents(), GIF);
    let kind = parts[0].content_type().unwrap();
    assert_eq!((kind.ctype(), kind.subtype()), ("image", Some("gif")));
    let raw = String::from_utf8(mail.data.clone()).unwrap();
    assert!(raw.contains("multipart/related"), "{raw}");
    let plain = message.body_text(0).unwrap();
    assert!(plain.contains("[Picture: One dot]"), "{plain}");
}

const POST: &str = "+++\ntitle = \"A photo of “us”\"\ndate = 2026-10-14\n+++\n\n\
    Here we are: ![The two of us](My%20Photo.jpg)\n";

/// Another release, with a page of its own at this path of its last edition.
fn with_page(mut draft: Draft, path: &str, html: &str) -> Draft {
    let last = draft.list["editions"].as_array().unwrap().len() - 1;
    let mut page = draft.file(last, "/pricing").clone();
    page["path"] = json!(path);
    draft.files(last).push(page);
    draft.set_page(last, path, html);
    draft
}

fn publish(office: &Office, draft: &Draft) {
    let file = draft.write(&office.database, "next.pack");
    let said = office.run(&["publish", file.to_str().unwrap()]);
    assert_eq!(said.code, 0, "{}", said.err);
}

#[tokio::test]
async fn a_post_of_the_blog_is_an_issue_with_the_light_photo_of_its_page() {
    let office = Office::open().await;
    office.add_confirmed(1).await;
    // As a phone takes it.
    let photo = [&[0xff, 0xd8, 0xff, 0xe1][..], &vec![0; 1_400_000]].concat();
    std::fs::write(office.database.path("My Photo.jpg"), photo).unwrap();
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
    publish(&office, &draft);

    let server = MailServer::start(None);
    let file = office.write("us.md", POST);
    let send = ["newsletter", "send", file.to_str().unwrap(), "--yes"];
    let said = office.run_with_mail(&send, &server.url);
    said.assert(0, "Sent 1 mail\n");
    let mail = server.taken().remove(0);
    let message = MessageParser::new().parse(&mail.data).unwrap();
    assert_eq!(message.subject(), Some("A photo of “us”"));
    let link = format!("{}/blog/us", SITE.url);
    let (text, html) = (message.body_text(0).unwrap(), message.body_html(0).unwrap());
    assert!(html.contains(&format!("href=\"{link}\"")), "{html}");
    assert!(text.contains(&format!("({link})")), "{text}");
    assert!(html.contains("<h1>") && !html.contains("+++"), "{html}");
    assert!(text.starts_with("A photo of “us”"), "{text}");
    let sent = message
        .parts
        .iter()
        .find(|part| part.content_id().is_some());
    assert_eq!(sent.unwrap().contents(), light);
}

#[tokio::test]
async fn a_post_that_the_site_does_not_show_is_not_sent() {
    let office = Office::open().await;
    office.add_confirmed(1).await;
    let later = Timestamp::now() + SignedDuration::from_hours(48);
    let draft = Draft::named("today").then(&later.to_string(), "later");
    publish(&office, &with_page(draft, "/blog/later", "<p>Later</p>"));
    let server = MailServer::start(None);
    let post = POST.split("Here").next().unwrap().to_owned() + "Words.\n";
    for name in ["later.md", "draft.md"] {
        let file = office.write(name, &post);
        let send = ["newsletter", "send", file.to_str().unwrap(), "--yes"];
        let said = office.run_with_mail(&send, &server.url);
        assert_eq!((said.code, &*said.out), (2, ""), "{name}: {}", said.err);
        said.complains("publish the post first");
    }
    assert!(server.taken().is_empty());
    // On its day the page is there.
    let file = office.write("later.md", &post);
    let then = (later + SignedDuration::from_hours(1)).to_string();
    let send = ["newsletter", "send", file.to_str().unwrap(), "--yes"];
    let at = [&send[..], &["--at", &then]].concat();
    let said = office.run_with_mail(&at, &server.url);
    assert_eq!(said.code, 0, "{}", said.err);
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
fn send(office: &Office, server: &MailServer, settings: &[(&str, &str)]) -> Said {
    let file = office.write("issue.md", ISSUE);
    let mut command = office.command(&["newsletter", "send", file.to_str().unwrap(), "--yes"]);
    command.env_remove("FRONTDOOR_MAIL_FROM");
    command.env("FRONTDOOR_SMTP_URL", &server.url);
    run(command.envs(settings.iter().copied()))
}

#[tokio::test]
async fn facts_that_cannot_be_read_stop_whatever_speaks_in_their_name() {
    let office = Office::open().await;
    office.add_confirmed(1).await;
    publish(&office, &company());
    let lead = office.add(visitor(), None).await;
    // As a later program would have written them.
    let later = "UPDATE releases SET facts = '{\"more\": 1}'";
    assert_eq!(office.database.past().run(later), 1);
    let server = MailServer::start(None);
    let issue = office.write("issue.md", ISSUE);
    let issue = issue.to_str().unwrap();
    for arguments in [
        &["newsletter", "send", issue, "--yes"][..],
        &["newsletter", "send", issue, "--dry-run"],
        &["newsletter", "send", issue, "--test", "owner@site.example"],
        &["newsletter", "preview", issue],
        &["leads", "reply", &lead],
        &["subscribers", "proof", "person0@example.org"],
    ] {
        let said = office.run_with_mail(arguments, &server.url);
        assert_eq!((said.code, &*said.out), (1, ""), "{arguments:?}");
        said.complains("the facts of the published release cannot be read");
        said.complains("frontdoor releases rollback");
    }
    assert!(server.taken().is_empty());
    let back = office.run(&["releases", "rollback", "built-in"]);
    assert_eq!(back.code, 0, "{}", back.err);
    send(&office, &server, &[]).assert(0, "Sent 1 mail\n");
}

#[tokio::test]
async fn an_issue_goes_out_in_the_name_of_the_release_that_the_settings_name() {
    let office = Office::open().await;
    office.add_confirmed(1).await;
    let file = company().write(&office.database, "given.pack");
    let server = MailServer::start(None);
    let given = [("FRONTDOOR_SITE", file.to_str().unwrap())];
    send(&office, &server, &given).assert(0, "Sent 1 mail\n");
    let mail = server.taken().remove(0);
    assert_eq!(mail.envelope_from, EMAIL);
    let text = String::from_utf8_lossy(&mail.data);
    assert!(text.contains(NAME), "{text}");
    let gone = send(&office, &server, &[("FRONTDOOR_SITE", "/nowhere/a.pack")]);
    assert_eq!(gone.code, 1);
    gone.complains("cannot read the release /nowhere/a.pack");
}

#[tokio::test]
async fn a_preview_shows_the_company_of_the_published_release() {
    let office = Office::open().await;
    publish(&office, &company());
    let mail = preview(&office.database.url(), ISSUE);
    assert!(mail.contains(NAME) && mail.contains(EMAIL), "{mail}");
}
