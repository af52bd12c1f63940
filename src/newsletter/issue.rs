//! An issue of the newsletter, read from a Markdown file.
//!
//! The subject is `subject` in the front matter between two lines of `+++`, or
//! else the first heading. A post of the blog is an issue, too: its title is
//! the subject, and a link at its end leads to its page. An issue is known by
//! the hash of its file: the same file is never sent twice to anybody.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::album::{Album, Picture, PictureError, PostPage};
use super::front_matter::{self, Front};
use super::markdown::{self, Document};
use crate::content::Site;
use crate::domain::one_line;

pub const LARGEST_FILE: usize = 256 * 1024;
const LONGEST_SUBJECT: usize = 150;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    pub id: String,
    pub subject: String,
    pub text: String,
    /// Without the page around it.
    pub html: String,
    /// What the HTML shows and travels along.
    pub pictures: Vec<Picture>,
}

/// What is wrong with the file, for its writer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IssueError {
    #[error("the file is larger than {} KiB", LARGEST_FILE / 1024)]
    TooLarge,
    #[error("the file is not UTF-8 text")]
    NotText,
    #[error("the front matter between the lines of +++ is wrong: {0}")]
    FrontMatter(&'static str),
    #[error("the issue has no subject: begin it with a heading (# …)")]
    NoSubject,
    #[error("the subject is longer than {LONGEST_SUBJECT} characters")]
    LongSubject,
    #[error("the issue is empty")]
    Empty,
    #[error(
        "the site has no page {0} at the time of sending, and the mail links to it: publish the \
        post first; a draft is not shown, and a post with a later date only from that day on \
        (--at)"
    )]
    NoPage(String),
    #[error(transparent)]
    Picture(#[from] PictureError),
}

impl Issue {
    /// Of a file that nothing stands beside.
    pub fn parse(bytes: &[u8], site: &Site) -> Result<Self, IssueError> {
        Self::compose(bytes, site, Album::new(None, site), "", |_| None)
    }

    /// Of the file at this path; pictures stand beside it. `page`: what the site shows at
    /// the path of a post, if it shows anything there.
    pub fn of_file(
        bytes: &[u8],
        path: &Path,
        site: &Site,
        page: impl Fn(&str) -> Option<PostPage>,
    ) -> Result<Self, IssueError> {
        let slug = path.file_stem().unwrap_or_default().to_string_lossy();
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::compose(bytes, site, Album::new(Some(folder), site), &slug, page)
    }

    fn compose(
        bytes: &[u8],
        site: &Site,
        mut album: Album<'_>,
        slug: &str,
        page: impl Fn(&str) -> Option<PostPage>,
    ) -> Result<Self, IssueError> {
        if bytes.len() > LARGEST_FILE {
            return Err(IssueError::TooLarge);
        }
        let source = std::str::from_utf8(bytes).map_err(|_| IssueError::NotText)?;
        let source = source.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let (front, body) = front_matter::split(&source).map_err(IssueError::FrontMatter)?;
        let path = format!("/blog/{slug}");
        let filled = match front {
            Front::Post(_) => {
                album.page = page(&path).ok_or_else(|| IssueError::NoPage(path.clone()))?;
                site.fill_in(body)
            }
            _ => body.to_owned(),
        };
        let mut document = Document::read(&filled, site, &mut album)?;
        if document.text().trim().is_empty() {
            return Err(IssueError::Empty);
        }
        let subject = match front {
            Front::Subject(subject) => Some(subject),
            Front::Plain => markdown::first_heading(&filled),
            Front::Post(title) => {
                document.frame_post(&title, format!("{}{path}", site.url), site);
                Some(title)
            }
        };
        Ok(Self {
            id: URL_SAFE_NO_PAD.encode(Sha256::digest(bytes)),
            subject: checked_subject(subject)?,
            text: document.text(),
            html: document.html(),
            pictures: album.into_pictures(),
        })
    }
}

fn checked_subject(subject: Option<String>) -> Result<String, IssueError> {
    let subject = subject
        .map(|subject| one_line(&subject))
        .filter(|subject| !subject.is_empty())
        .ok_or(IssueError::NoSubject)?;
    match subject.chars().count() > LONGEST_SUBJECT {
        true => Err(IssueError::LongSubject),
        false => Ok(subject),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::content::SITE;

    fn parse(source: &str) -> Result<Issue, IssueError> {
        Issue::parse(source.as_bytes(), &SITE)
    }

    #[test]
    fn the_subject_is_the_first_heading_or_what_the_front_matter_says() {
        assert_eq!(parse("# Hello *you*\n\nText").unwrap().subject, "Hello you");
        let titled = parse("+++\nsubject = \"News\"\n+++\n# Hello\n").unwrap();
        assert_eq!(titled.subject, "News");
        assert!(!titled.text.contains("subject"));
        assert_eq!(
            parse("\u{feff}+++\r\n+++\r\n# Hi\r\n").unwrap().subject,
            "Hi"
        );
    }

    #[test]
    fn a_subject_is_written_as_in_toml() {
        for (line, subject) in [
            (r#"subject = "A \"b\" \u00e9 = # c""#, "A \"b\" é = # c"),
            (r"subject='C:\new'", r"C:\new"),
            ("# first\n\n  subject\t= \"x\"  ", "x"),
            ("subject = \"x\" # draft", "x"),
            ("subject = 'x'#draft", "x"),
        ] {
            let issue = parse(&format!("+++\n{line}\n+++\n# Hello\n")).unwrap();
            assert_eq!(issue.subject, subject, "{line}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(parse("Only text"), Err(IssueError::NoSubject));
        assert_eq!(parse(""), Err(IssueError::Empty));
        assert_eq!(
            parse("+++\nsubject = \"x\"\n+++\n \n"),
            Err(IssueError::Empty)
        );
        let long = format!("# {}", "x".repeat(151));
        assert_eq!(parse(&long), Err(IssueError::LongSubject));
        assert_eq!(Issue::parse(b"# \xff", &SITE), Err(IssueError::NotText));
        let huge = format!("# x\n{}", "y".repeat(LARGEST_FILE));
        assert_eq!(parse(&huge), Err(IssueError::TooLarge));
        for wrong in [
            "+++\n# Hello",
            "+++\nsubjekt = 1\n+++\n# Hello",
            "+++\n=\n+++\n# x",
            "+++\nsubject = x\n+++\n# x",
            "+++\nsubject = 1\n+++\n# x",
            "+++\nsubject = 'x' y\n+++\n# x",
            "+++\nsubject = \"x\" y\n+++\n# x",
            "+++\nsubject = \"\"\"x\"\"\"\n+++\n# x",
            "+++\nsubject = 'x'\nsubject = 'y'\n+++\n# x",
        ] {
            let error = parse(wrong).unwrap_err();
            assert!(matches!(error, IssueError::FrontMatter(_)), "{wrong}");
        }
    }

    #[test]
    fn a_changed_file_is_another_issue() {
        let (one, two) = (parse("# Hello").unwrap(), parse("# Hello!").unwrap());
        assert_ne!(one.id, two.id);
        assert_eq!(one.id, parse("# Hello").unwrap().id);
    }

    proptest! {
        #[test]
        fn any_file_is_read_without_a_panic_and_its_subject_is_one_line(source in "(\\+\\+\\+\n)?\\PC*(\n\\PC*){0,4}") {
            if let Ok(issue) = parse(&source) {
                prop_assert!(!issue.subject.contains(char::is_control));
                prop_assert!(!issue.subject.is_empty());
            }
        }
    }
}
