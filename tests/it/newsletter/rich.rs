//! Pictures, tables and posts of the blog, as they arrive in a mailbox.

use frontdoor::content::SITE;
use jiff::{SignedDuration, Timestamp};
use mail_parser::{MessageParser, MimeHeaders as _};
use serde_json::json;

use crate::newsletter::refused::send_issue;
use crate::support::mail_server::MailServer;
use crate::support::office::Office;
use crate::support::release::Draft;

/// A whole picture of one pixel.
const GIF: &[u8] = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff\x21\xf9\x04\x01\
    \x00\x00\x00\x00\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00\x3b";

#[tokio::test]
async fn a_picture_beside_the_file_travels_with_the_mail() {
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
    assert_eq!(parts.len(), 1, "it travels once");
    assert_eq!(parts[0].contents(), GIF);
    let kind = parts[0].content_type().unwrap();
    assert_eq!((kind.ctype(), kind.subtype()), ("image", Some("gif")));
    let raw = String::from_utf8(mail.data.clone()).unwrap();
    assert!(raw.contains("multipart/related"), "{raw}");
    let plain = message.body_text(0).unwrap();
    assert!(plain.contains("[Picture: One dot]"), "{plain}");
}

#[tokio::test]
async fn a_picture_that_cannot_travel_is_an_error_with_the_remedy() {
    let office = Office::open().await;
    office.add_confirmed(1).await;
    let server = MailServer::start(None);
    for (picture, says) in [
        (
            "![x](https://other.example/a.png)",
            "save it beside the file",
        ),
        ("![x](gone.png)", "gone.png cannot be read"),
        ("![](gone.png)", "has no words"),
    ] {
        let said = send_issue(&office, &format!("# Look\n\n{picture}\n"), &server.url, &[]);
        assert_eq!(said.code, 2, "{}", said.err);
        said.complains(says);
    }
    assert!(server.taken().is_empty());
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
    let at = [
        "newsletter",
        "send",
        file.to_str().unwrap(),
        "--yes",
        "--at",
        &then,
    ];
    let said = office.run_with_mail(&at, &server.url);
    assert_eq!(said.code, 0, "{}", said.err);
}

#[tokio::test]
async fn links_and_the_dark_card_are_in_the_colours_of_the_company() {
    let office = Office::open().await;
    office.add_confirmed(1).await;
    let mut draft = Draft::named("blue");
    draft.list["facts"]["site"]["mail_colours"] =
        json!({ "head": "#010203", "button": "#020304", "link": "#030405" });
    publish(&office, &draft);
    let server = MailServer::start(None);
    let text = "# Look\n\n[A link](/blog) and `<a href=\"/x\">`\n";
    send_issue(&office, text, &server.url, &[]).assert(0, "Sent 1 mail\n");
    let mail = server.taken().remove(0);
    let message = MessageParser::new().parse(&mail.data).unwrap();
    let html = message.body_html(0).unwrap();
    let link = format!("<a style=\"color:#020304\" href=\"{}/blog\">", SITE.url);
    assert!(html.contains(&link), "{html}");
    let (_, dark) = html.split_once("prefers-color-scheme: dark").unwrap();
    let (dark, _) = dark.split_once("</style>").unwrap();
    assert!(dark.contains("body { background: #010203"), "{dark}");
    // Shades of the sample company's purple have most blue.
    for colour in dark.split('#').skip(1).map(|rest| &rest[..6]) {
        let own = ["010203", "030405"].contains(&colour);
        let channels = [&colour[..2], &colour[2..4], &colour[4..]];
        assert!(
            own || channels.iter().all(|each| *each == channels[0]),
            "#{colour}"
        );
    }
}

#[tokio::test]
async fn a_mail_says_how_it_looks_in_the_dark() {
    let office = Office::open().await;
    office.add_confirmed(1).await;
    let server = MailServer::start(None);
    let text = "# Plans\n\n| Plan | Days |\n|---|--:|\n| Chatbot | 3 |\n";
    send_issue(&office, text, &server.url, &[]).assert(0, "Sent 1 mail\n");
    let mail = server.taken().remove(0);
    let message = MessageParser::new().parse(&mail.data).unwrap();
    let html = message.body_html(0).unwrap();
    for part in [
        "<meta name=\"color-scheme\" content=\"light dark\">",
        "@media (prefers-color-scheme: dark)",
        "<th style=\"padding:8px 12px",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    let plain = message.body_text(0).unwrap();
    assert!(plain.contains("Plan     Days"), "{plain}");
}
