//! An issue of the newsletter, read from a Markdown file.
//!
//! The subject is `subject` in the front matter between two lines of `+++`, or
//! else the first heading. An issue is known by the hash of its file: the same
//! file is never sent twice to anybody.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::markdown;
use crate::content::Site;
use crate::domain::one_line;

const LARGEST_FILE: usize = 256 * 1024;
const LONGEST_SUBJECT: usize = 150;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    pub id: String,
    pub subject: String,
    pub text: String,
    /// Without the page around it.
    pub html: String,
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
}

impl Issue {
    pub fn parse(bytes: &[u8], site: &Site) -> Result<Self, IssueError> {
        if bytes.len() > LARGEST_FILE {
            return Err(IssueError::TooLarge);
        }
        let source = std::str::from_utf8(bytes).map_err(|_| IssueError::NotText)?;
        let source = source.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let (subject, body) = split(&source)?;
        let text = markdown::text(body, site);
        if text.trim().is_empty() {
            return Err(IssueError::Empty);
        }
        let subject = subject
            .or_else(|| markdown::first_heading(body))
            .map(|subject| one_line(&subject))
            .filter(|subject| !subject.is_empty())
            .ok_or(IssueError::NoSubject)?;
        if subject.chars().count() > LONGEST_SUBJECT {
            return Err(IssueError::LongSubject);
        }
        Ok(Self {
            id: URL_SAFE_NO_PAD.encode(Sha256::digest(bytes)),
            subject,
            text,
            html: markdown::html(body, site),
        })
    }
}

/// The subject of the front matter, and the rest.
fn split(source: &str) -> Result<(Option<String>, &str), IssueError> {
    let Some(rest) = source.strip_prefix("+++\n") else {
        return Ok((None, source));
    };
    let unclosed = || IssueError::FrontMatter("its second line of +++ is missing");
    let (head, body) = match rest.strip_prefix("+++\n") {
        Some(body) => ("", body),
        None => rest.split_once("\n+++\n").ok_or_else(unclosed)?,
    };
    let lines = head.lines().map(str::trim);
    let mut said = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    match (said.next().map(subject), said.next()) {
        (None, _) => Ok((None, body)),
        (Some(Some(subject)), None) => Ok((Some(subject), body)),
        _ => Err(IssueError::FrontMatter(
            "one line like subject = \"…\" is all that can stand there",
        )),
    }
}

/// The one line of TOML there is, in either kind of quotes. What stands in
/// double ones is written as in JSON.
fn subject(line: &str) -> Option<String> {
    let value = line.strip_prefix("subject")?.trim_start();
    let value = value.strip_prefix('=')?.trim_start();
    let (subject, rest) = match value.strip_prefix('\'') {
        Some(literal) => literal
            .split_once('\'')
            .map(|(text, rest)| (text.to_owned(), rest))?,
        None => {
            let mut json = serde_json::Deserializer::from_str(value).into_iter();
            (json.next()?.ok()?, &value[json.byte_offset()..])
        }
    };
    let rest = rest.trim_start();
    (rest.is_empty() || rest.starts_with('#')).then_some(subject)
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
