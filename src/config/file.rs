//! The settings file: lines of `NAME=value`, as systemd's `EnvironmentFile`
//! reads them.
//!
//! What is taken here means the same to systemd; what would mean something else
//! to one of its readers (an unclosed quote, text after a quote, a line that is
//! continued, a name twice) is an error with the number of its line.

use std::fs::{Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// Where it is unless told otherwise, if it is there at all.
pub const USUAL_PLACE: &str = "/etc/frontdoor/frontdoor.env";

/// As everywhere on Unix.
const NO_SETTINGS: &str = "/dev/null";

/// A hundred settings with long help in comments are a tenth of it.
const MOST_BYTES: u64 = 256 * 1024;

/// A settings file as it was read.
#[derive(Debug, Default)]
pub struct SettingsFile {
    pub path: PathBuf,
    pub entries: Vec<Entry>,
    /// Everybody on this machine may read it.
    pub is_open: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub line: usize,
    pub name: String,
    pub value: String,
}

impl SettingsFile {
    pub fn read(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        if path == Path::new(NO_SETTINGS) {
            let path = path.to_owned();
            return Ok(Self {
                path,
                ..Self::default()
            });
        }
        let (text, is_open) = read_text(path, MOST_BYTES).map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => format!(
                "cannot read the settings file {shown}: permission denied; run this as root, or \
                as the user of the service"
            ),
            _ => format!("cannot read the settings file {shown}: {error}"),
        })?;
        let entries = parse(&text).map_err(|(line, what)| format!("{shown}:{line}: {what}"))?;
        Ok(Self {
            path: path.to_owned(),
            entries,
            is_open,
        })
    }
}

/// The text of a small file, and whether everybody may read it.
pub fn read_text(path: &Path, most_bytes: u64) -> io::Result<(String, bool)> {
    let (bytes, facts) = read_regular(path, most_bytes)?;
    let text = String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text"))?;
    Ok((text, facts.permissions().mode() & 0o004 != 0))
}

/// What the owner names. A device or a pipe may have no end, and opening a pipe
/// may take as long.
pub fn read_regular(path: &Path, most_bytes: u64) -> io::Result<(Vec<u8>, Metadata)> {
    let at_once = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let mut opening = OpenOptions::new();
    let file = opening.read(true).custom_flags(at_once).open(path)?;
    let facts = file.metadata()?;
    if !facts.is_file() {
        let what = match facts.is_dir() {
            true => "it is a folder",
            false => "it is no regular file, but a device or a pipe",
        };
        return Err(io::Error::other(what));
    }
    let mut bytes = Vec::new();
    file.take(most_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        let most = match most_bytes / 1024 {
            kilobytes @ ..1024 => format!("{kilobytes} KiB"),
            kilobytes => format!("{} MiB", kilobytes / 1024),
        };
        return Err(io::Error::other(format!("it is larger than {most}")));
    }
    Ok((bytes, facts))
}

/// The entries in their order, or the first line that is broken and why.
fn parse(text: &str) -> Result<Vec<Entry>, (usize, String)> {
    let mut entries: Vec<Entry> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some((name, value)) = entry(line).map_err(|what| (number, what))? else {
            continue;
        };
        if let Some(first) = entries.iter().find(|entry| entry.name == name) {
            let first = first.line;
            return Err((number, format!("{name} is set in line {first} already")));
        }
        entries.push(Entry {
            line: number,
            name,
            value,
        });
    }
    Ok(entries)
}

/// `None` for an empty line or a comment.
fn entry(line: &str) -> Result<Option<(String, String)>, String> {
    let line = line.trim();
    // systemd continues comments too.
    let backslashes = line.len() - line.trim_end_matches('\\').len();
    if backslashes % 2 == 1 {
        return Err("must not end with a backslash, which would join the next line to it".into());
    }
    if line.is_empty() || line.starts_with(['#', ';']) {
        return Ok(None);
    }
    if line.contains(char::is_control) {
        return Err("holds a control character".into());
    }
    let (name, value) = line
        .split_once('=')
        .ok_or("must be NAME=value, or begin with # as a comment")?;
    let name = name.trim_end();
    let is_name = |name: &str| {
        !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if name.is_empty() || !is_name(name) {
        // What stands there may be part of a secret.
        return Err("must begin with a name of letters, digits and _, then =".into());
    }
    Ok(Some((name.to_owned(), unquoted(value.trim())?)))
}

/// A value as it is meant: without its quotes and escapes.
fn unquoted(value: &str) -> Result<String, String> {
    let mut meant = String::new();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let mut rest = value.chars();
    if quote.is_some() {
        rest.next();
    }
    loop {
        match (rest.next(), quote) {
            (None, None) => return Ok(meant),
            (None, Some(_)) => return Err("has a quote that is not closed".into()),
            (Some(c), Some(quote)) if c == quote => break,
            (Some('\\'), Some('"')) => match rest.next() {
                Some(c @ ('"' | '\\' | '$' | '`')) => meant.push(c),
                other => {
                    meant.push('\\');
                    meant.extend(other);
                }
            },
            (Some('\\'), None) => meant.extend(rest.next()),
            (Some(' ' | '\t'), None) if rest.as_str().trim_start().starts_with('#') => {
                return Err(
                    "has a # after a space: a comment stands in a line of its own, and a \
                    value with # in quotes"
                        .into(),
                );
            }
            (Some(c), _) => meant.push(c),
        }
    }
    match rest.as_str().is_empty() {
        true => Ok(meant),
        false => {
            Err("has text after the closing quote; a comment stands in a line of its own".into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(line: &str) -> String {
        let mut entries = parse(line).expect(line);
        assert_eq!(entries.len(), 1, "{line}");
        entries.remove(0).value
    }

    #[test]
    fn lines_are_names_and_values_and_comments_are_skipped() {
        let text = "# ours\n\n  A=1\n; also a comment\nB_2 = two words \nC=\n";
        let entry = |line, name: &str, value: &str| Entry {
            line,
            name: name.to_owned(),
            value: value.to_owned(),
        };
        let expected = vec![
            entry(3, "A", "1"),
            entry(5, "B_2", "two words"),
            entry(6, "C", ""),
        ];
        assert_eq!(parse(text), Ok(expected));
    }

    /// Each as systemd's own reader has it.
    #[test]
    fn quotes_and_escapes_are_those_of_systemd() {
        for (line, expected) in [
            ("A='a b # c'", "a b # c"),
            (r"A='a\b'", r"a\b"),
            (r#"A="a\"b\\c\$d\e""#, r#"a"b\c$d\e"#),
            (r"A=a\ b\\", r"a b\"),
            ("A=a#b", "a#b"),
            (r#"A=a"b""#, r#"a"b""#),
            ("A=x=y", "x=y"),
        ] {
            assert_eq!(value(line), expected, "{line}");
        }
    }

    #[test]
    fn a_broken_line_is_named_by_its_number_and_never_repeated() {
        for (line, words) in [
            ("hush", "must be NAME=value"),
            ("export A=hush", "must begin with a name"),
            ("1A=hush", "must begin with a name"),
            ("=hush", "must begin with a name"),
            ("A=\"hush", "not closed"),
            ("A='hush", "not closed"),
            ("A='hush' # why", "after the closing quote"),
            ("A=hush # why", "line of its own"),
            ("A=hush\\", "backslash"),
            ("A=hush\\\\\\", "backslash"),
            ("# hush\\", "backslash"),
            ("A=hu\u{7}sh", "control character"),
            ("FIRST=hush", "set in line 1 already"),
        ] {
            let (number, what) = parse(&format!("FIRST=1\n{line}\nLAST=2")).expect_err(line);
            assert_eq!(number, 2, "{line}");
            assert!(
                what.contains(words) && !what.contains("hush"),
                "{line}: {what}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "(A='?\"?\\PC*\n?)*") {
            let _ = parse(&text);
        }
    }
}
