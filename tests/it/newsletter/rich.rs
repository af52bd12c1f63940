//! Pictures, tables and posts of the blog, as they arrive in a mailbox.

use frontdoor::content::SITE;
use mail_parser::{MessageParser, MimeHeaders as _};

use crate::newsletter::refused::send_issue;
use crate::support::mail_server::MailServer;
use crate::support::office::Office;

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

#[tokio::test]
async fn a_post_of_the_blog_is_an_issue() {
    let office = Office::open().await;
    office.add_confirmed(1).await;
    let server = MailServer::start(None);
    let posts = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/content/posts");
    for (number, entry) in std::fs::read_dir(posts).unwrap().enumerate() {
        let path = entry.unwrap().path();
        let source = std::fs::read_to_string(&path).unwrap();
        let title = source
            .lines()
            .find_map(|line| line.strip_prefix("title = "));
        let title: String = serde_json::from_str(title.unwrap()).unwrap();
        let send = ["newsletter", "send", path.to_str().unwrap(), "--yes"];
        office
            .run_with_mail(&send, &server.url)
            .assert(0, "Sent 1 mail\n");
        let mail = server.taken().remove(number);
        let message = MessageParser::new().parse(&mail.data).unwrap();
        assert_eq!(message.subject(), Some(title.as_str()));
        let slug = path.file_stem().unwrap().to_str().unwrap();
        let link = format!("{}/blog/{slug}", SITE.url);
        let (text, html) = (message.body_text(0).unwrap(), message.body_html(0).unwrap());
        assert!(html.contains(&format!("<a href=\"{link}\">")), "{html}");
        assert!(text.contains(&format!("({link})")), "{text}");
        assert!(html.contains("<h1>") && !html.contains("+++"), "{html}");
        assert!(text.starts_with(&title), "{text}");
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
