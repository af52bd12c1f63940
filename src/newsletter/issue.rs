//! A newsletter issue, read from a Markdown file.
//!
//! Its subject is `subject` in the front matter between two `+++` lines, or else the first heading.
//! A blog post can be an issue, too: its title is the subject, and a link to its page is added at
//! the end. The id of an issue is the hash of its file, so the same file is never sent to anyone
//! twice.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::markdown::{self, Rendered};
use super::pictures::{EmbeddedPictures, PagePictures, Picture, PictureError};
use crate::content::{Site, site};
use crate::domain::one_line;
use crate::html::escape;
use crate::mail::to_visitors;
use crate::store::{IssueRecord, NewSchedule};

pub const MAX_FILE: usize = 256 * 1024;
const MAX_SUBJECT: usize = 150;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    pub id: String,
    pub subject: String,
    pub text: String,
    /// Without the page around it.
    pub html: String,
    /// Embedded in the mail.
    pub pictures: Vec<Picture>,
}

/// An error in the file, worded for its author.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IssueError {
    #[error("the file is larger than {} KiB: shorten it, or link to the rest", MAX_FILE / 1024)]
    TooLarge,
    #[error("the file isn't UTF-8 text")]
    NotText,
    #[error("the front matter between the lines of +++ is wrong: {0}")]
    FrontMatter(String),
    #[error("the issue has no subject: begin it with a heading (# …)")]
    NoSubject,
    #[error("the subject is longer than {MAX_SUBJECT} characters: shorten it")]
    LongSubject,
    #[error("the issue has no text below its subject")]
    Empty,
    #[error(
        "the site has no page {0} at the time of sending, and the mail links to it: publish the \
        post first; a draft isn't shown, and a post with a later date only from that day on \
        (--at)"
    )]
    NoPage(String),
    #[error("this is a blog post: send it with `frontdoor newsletter send FILE.md`")]
    PostWithoutFile,
    #[error(transparent)]
    Picture(#[from] PictureError),
}

#[derive(Debug, PartialEq, Eq)]
enum Front {
    Nothing,
    Subject(String),
    /// A blog post, with its title.
    Post(String),
}

impl Issue {
    /// The issue as lists show it.
    pub fn record(&self, file_name: &str) -> IssueRecord {
        IssueRecord {
            id: self.id.clone(),
            subject: self.subject.clone(),
            file_name: file_name.to_owned(),
        }
    }

    /// Schedules the issue with its present content; a server will send it.
    pub fn schedule(&self, file_name: &str, rate: u32, send_at: Timestamp) -> NewSchedule {
        NewSchedule {
            issue: self.record(file_name),
            content: serde_json::to_string(self).expect("texts and bytes only"),
            text: None,
            rate,
            send_at,
        }
    }

    /// The mail as a subscriber gets it, for a browser. Its unsubscribe link has no effect.
    pub fn preview(&self) -> String {
        let link = format!("{}/newsletter/unsubscribe?token=preview", site().url);
        let mail = to_visitors::issue(site(), &self.subject, &self.text, &self.html, &link);
        let embed = |html: String, picture: &Picture| {
            let (id, kind) = (&picture.id, &picture.media_type);
            let bytes = STANDARD.encode(&picture.bytes);
            html.replace(&format!("cid:{id}"), &format!("data:{kind};base64,{bytes}"))
        };
        self.pictures.iter().fold(mail.html, embed)
    }

    /// Parses an issue, with the pictures next to its `file`, whose path is empty if there is only
    /// a text. `page` returns the site's page of a post by its path, if there is one.
    pub fn of_file(
        bytes: &[u8],
        file: &Path,
        site: &Site,
        page: impl Fn(&str) -> Option<PagePictures>,
    ) -> Result<Self, IssueError> {
        if bytes.len() > MAX_FILE {
            return Err(IssueError::TooLarge);
        }
        let source = std::str::from_utf8(bytes).map_err(|_| IssueError::NotText)?;
        let source = source.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let (front, body) = split(&source).map_err(IssueError::FrontMatter)?;
        let slug = file.file_stem().unwrap_or_default().to_string_lossy();
        let path = format!("/blog/{slug}");
        let mut pictures = EmbeddedPictures::new(file.parent(), site);
        let filled = match front {
            Front::Post(_) if slug.is_empty() => return Err(IssueError::PostWithoutFile),
            Front::Post(_) => {
                pictures.page = page(&path).ok_or_else(|| IssueError::NoPage(path.clone()))?;
                site.fill_in(body)
            }
            _ => body.to_owned(),
        };
        let Rendered { mut text, mut html } = markdown::render(&filled, site, &mut pictures)?;
        if text.trim().is_empty() {
            return Err(IssueError::Empty);
        }
        let subject = match front {
            Front::Subject(subject) => Some(subject),
            Front::Nothing => markdown::first_heading(&filled),
            // A post's title isn't in its text, and the post has its own page.
            Front::Post(title) => {
                let (name, url) = (&site.name, format!("{}{path}", site.url));
                text = format!("{title}\n\n{text}\nRead it on {name}’s website ({url})\n");
                let [heading, url, name] = [&title, &url, name].map(|words| escape(words));
                html = format!(
                    "<h1>{heading}</h1>\n{html}\
                    <p><a href=\"{url}\">Read it on {name}’s website</a></p>\n"
                );
                Some(title)
            }
        };
        let subject = checked_subject(subject)?;
        if text.trim() == subject {
            return Err(IssueError::Empty);
        }
        Ok(Self {
            id: URL_SAFE_NO_PAD.encode(Sha256::digest(bytes)),
            subject,
            text,
            html,
            pictures: pictures.embedded,
        })
    }
}

/// Splits the front matter from the rest.
fn split(source: &str) -> Result<(Front, &str), String> {
    let Some(rest) = source.strip_prefix("+++\n") else {
        return Ok((Front::Nothing, source));
    };
    let (head, body) = match rest.strip_prefix("+++\n") {
        Some(body) => ("", body),
        None => rest
            .split_once("\n+++\n")
            .ok_or("its second line of +++ is missing")?,
    };
    let head: toml::Table = head.parse().map_err(|error: toml::de::Error| {
        let line = error
            .span()
            .map_or(1, |span| head[..span.start].lines().count().max(1));
        format!("{} in its line {line}", error.message())
    })?;
    let text = |name| head.get(name).and_then(toml::Value::as_str);
    let front = match (text("title"), text("subject")) {
        (Some(title), _) => Front::Post(title.to_owned()),
        (None, Some(subject)) if head.len() == 1 => Front::Subject(subject.to_owned()),
        (None, _) if head.is_empty() => Front::Nothing,
        _ => {
            let allowed = "only subject = \"…\" can be there, or the title and the rest of a post";
            return Err(allowed.into());
        }
    };
    Ok((front, body))
}

fn checked_subject(subject: Option<String>) -> Result<String, IssueError> {
    let subject = subject
        .map(|subject| one_line(&subject))
        .filter(|subject| !subject.is_empty())
        .ok_or(IssueError::NoSubject)?;
    if subject.chars().count() > MAX_SUBJECT {
        Err(IssueError::LongSubject)
    } else {
        Ok(subject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::site;

    fn parse(source: impl AsRef<[u8]>) -> Result<Issue, IssueError> {
        Issue::of_file(source.as_ref(), Path::new("issue.md"), site(), |_| None)
    }

    #[test]
    fn the_subject_is_the_first_heading_or_what_the_front_matter_says() {
        assert_eq!(parse("# Hello *you*\n\nText").unwrap().subject, "Hello you");
        let titled = parse("+++\nsubject = \"News\"\n+++\n# Hello\n").unwrap();
        assert_eq!(titled.subject, "News");
        assert!(!titled.text.contains("subject"));
        assert_eq!(
            parse("\u{feff}+++\r\n+++\r\n# Hi\r\n\r\nText")
                .unwrap()
                .subject,
            "Hi"
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(parse("Only text"), Err(IssueError::NoSubject));
        assert_eq!(parse(""), Err(IssueError::Empty));
        assert_eq!(parse("# Only a subject"), Err(IssueError::Empty));
        assert_eq!(
            parse("+++\nsubject = \"x\"\n+++\n \n"),
            Err(IssueError::Empty)
        );
        let long = format!("# {}", "x".repeat(151));
        assert_eq!(parse(&long), Err(IssueError::LongSubject));
        assert_eq!(parse(b"# \xff"), Err(IssueError::NotText));
        let huge = format!("# x\n{}", "y".repeat(MAX_FILE));
        assert_eq!(parse(&huge), Err(IssueError::TooLarge));
        for wrong in [
            "+++\n# Hello",
            "+++\nsubject = x\n+++\n# x",
            "+++\nsubject = 1\n+++\n# x",
            "+++\nsubject = 'x'\nmore = 'y'\n+++\n# x",
            "+++\nid = 1\n[cta]\ntitle = \"x\"\n+++\n",
        ] {
            let error = parse(wrong).unwrap_err();
            assert!(matches!(error, IssueError::FrontMatter(_)), "{wrong}");
        }
    }

    #[test]
    fn a_post_of_the_blog_has_its_title_and_a_link_to_its_page() {
        let source = "+++\n# An article\nid = \"post-2\"\ntitle = \"How AI \\\"works\\\"\"\n\
            date = 2026-10-14\n\n[picture]\nalt = \"x\"\n+++\n\nBody";
        let page = |path: &str| (path == "/blog/ai").then(PagePictures::default);
        let of_file = |name| Issue::of_file(source.as_bytes(), Path::new(name), site(), page);
        let post = of_file("ai.md").unwrap();
        assert_eq!(post.subject, "How AI \"works\"");
        let (name, url) = (&site().name, &site().url);
        assert_eq!(
            post.text,
            format!("How AI \"works\"\n\nBody\n\nRead it on {name}’s website ({url}/blog/ai)\n")
        );
        let heading = "<h1>How AI &quot;works&quot;</h1>";
        assert!(post.html.starts_with(heading), "{}", post.html);
        assert_eq!(
            of_file("draft.md"),
            Err(IssueError::NoPage("/blog/draft".into()))
        );
    }
}
