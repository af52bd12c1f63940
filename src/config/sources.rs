//! Where settings are set beside the command line: in the environment, with the
//! credentials that systemd passes on, and in the settings file.
//!
//! A setting that is a secret can also be a file: `NAME_FILE=path` in either place, or a
//! credential under the setting's own name. One place must not give it twice: nobody could
//! tell which is meant.
//!
//! The settings file has lines of `NAME=value` and means the same to systemd's
//! `EnvironmentFile`. A line that one of the two would read otherwise (an unclosed quote,
//! text after a quote, a continued line, a name twice) is an error with its number.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs::{Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::rows;
use super::setting::Row;

/// The settings file that is read where it exists, unless another is named.
pub const USUAL_PLACE: &str = "/etc/frontdoor/frontdoor.env";
/// The settings file of those who want none.
const NO_FILE: &str = "/dev/null";
const MOST_FILE_BYTES: u64 = 256 * 1024;
const MOST_SECRET_BYTES: u64 = 16 * 1024;

const PREFIX: &str = "FRONTDOOR_";
/// The settings whose names have no prefix.
const OF_THE_DATABASE: [&str; 2] = ["DATABASE_URL", "DATABASE_URL_FILE"];

/// The variable that names the settings file, and those of the build and the tests, which
/// may start the program.
const NO_SETTINGS: [&str; 9] = [
    "FRONTDOOR_BIN",
    "FRONTDOOR_CONTENT",
    "FRONTDOOR_SETTINGS",
    "FRONTDOOR_TEST_DATABASE",
    "FRONTDOOR_TEST_LONG",
    "FRONTDOOR_TEST_POSTGRES",
    "FRONTDOOR_URL",
    "FRONTDOOR_WEB_CACHE",
    "FRONTDOOR_WEB_DIST",
];

/// Prefixes of what Kubernetes sets in every container for a service called `frontdoor`.
const OF_KUBERNETES: [&str; 2] = ["FRONTDOOR_PORT_", "FRONTDOOR_SERVICE_"];

/// Where the value of a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Default,
    File { path: PathBuf, line: usize },
    Environment,
    Flag,
    Credential(PathBuf),
    SecretFile(PathBuf),
}

impl Origin {
    /// For programs.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File { .. } => "file",
            Self::Environment => "environment",
            Self::Flag => "flag",
            Self::Credential(_) => "credential",
            Self::SecretFile(_) => "secret_file",
        }
    }

    /// The file, with the line where it has several.
    pub fn place(&self) -> Option<String> {
        match self {
            Self::Default | Self::Environment | Self::Flag => None,
            Self::File { path, line } => Some(format!("{}:{line}", path.display())),
            Self::Credential(path) | Self::SecretFile(path) => Some(path.display().to_string()),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.place()) {
            (Self::File { .. }, Some(place)) => f.write_str(&place),
            (Self::SecretFile(_), Some(place)) => write!(f, "secret file {place}"),
            (_, Some(place)) => write!(f, "{} {place}", self.key()),
            (_, None) => f.write_str(self.key()),
        }
    }
}

/// The value of one setting.
#[derive(Clone)]
pub struct GivenValue {
    pub value: String,
    pub origin: Origin,
}

/// Everything that is set outside the command line.
#[derive(Default)]
pub struct Given {
    values: BTreeMap<String, GivenValue>,
    /// Files with a secret that everybody on this machine may read.
    pub open_secrets: Vec<PathBuf>,
    /// The settings file, where there is one.
    pub file: Option<PathBuf>,
    /// Names that are no setting: where they stand, and what they are.
    pub unknown: Vec<(String, String)>,
}

/// Values may be secrets.
impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}

/// A name and what it is set to.
struct Entry {
    name: String,
    value: String,
    origin: Origin,
}

impl Given {
    /// `file` is the one that the owner names; without it, the usual one where it exists.
    pub fn collect(
        file: Option<&Path>,
        environment: impl Iterator<Item = (OsString, OsString)>,
    ) -> Result<Self, String> {
        let rows = rows();
        let mut given = Self {
            file: file.map(Path::to_owned).or_else(usual),
            ..Self::default()
        };
        let (in_file, is_open) = match &given.file {
            Some(path) => read_file(path)?,
            None => (Vec::new(), false),
        };
        let in_environment = read_environment(environment, &rows)?;
        let known = known_names();
        let all = in_file.iter().chain(&in_environment);
        let unknown = all.filter(|entry| !known.contains(&entry.name));
        let named = unknown.map(|Entry { name, origin, .. }| {
            let place = origin.place();
            (place.unwrap_or("the environment".into()), name.clone())
        });
        given.unknown = named.collect();
        if !given.unknown.is_empty() {
            return Ok(given);
        }
        let place = given
            .file
            .as_ref()
            .map(|path| format!(" in {}", path.display()));
        for row in &rows {
            let found = match find(row, &in_environment, "")? {
                Some(found) => Some(found),
                None => find(row, &in_file, place.as_deref().unwrap_or_default())?,
            };
            if let Some(entry) = found {
                let value = given.resolve(row, entry)?;
                given.values.insert(row.name.clone(), value);
            }
        }
        let holds_secret = |entry: &Entry| {
            let row = rows.iter().find(|row| row.name == entry.name);
            !entry.value.is_empty() && row.is_some_and(|row| row.hides(&entry.value))
        };
        if is_open && in_file.iter().any(holds_secret) {
            given.open_secrets.extend(given.file.clone());
        }
        Ok(given)
    }

    /// An empty value counts as not set.
    pub fn get(&self, name: &str) -> Option<&GivenValue> {
        self.values.get(name)
    }

    /// Reads the secret where its file is named.
    fn resolve(&mut self, row: &Row, entry: &Entry) -> Result<GivenValue, String> {
        let value = entry.value.trim().to_owned();
        let origin = match &entry.origin {
            Origin::Credential(path) => Origin::Credential(path.clone()),
            _ if entry.name != row.name => Origin::SecretFile(value.clone().into()),
            origin => {
                let origin = origin.clone();
                return Ok(GivenValue { value, origin });
            }
        };
        let path = PathBuf::from(value);
        let (text, is_open) = read_text(&path, MOST_SECRET_BYTES)
            .map_err(|error| format!("{}: cannot read {}: {error}", row.name, path.display()))?;
        if is_open {
            self.open_secrets.push(path);
        }
        let value = text.trim().to_owned();
        Ok(GivenValue { value, origin })
    }
}

/// The one entry of a setting in one place.
fn find<'a>(row: &Row, entries: &'a [Entry], place: &str) -> Result<Option<&'a Entry>, String> {
    let file_name = row.file_name();
    let is_meant = |entry: &&Entry| {
        let is_named = entry.name == row.name || Some(&entry.name) == file_name.as_ref();
        is_named && !entry.value.trim().is_empty()
    };
    let label = |entry: &Entry| match entry.origin {
        Origin::Credential(_) => format!("the credential {}", entry.name),
        _ => entry.name.clone(),
    };
    let found: Vec<_> = entries.iter().filter(is_meant).collect();
    match found[..] {
        [one, other, ..] => Err(format!(
            "{} and {} are both set{place}: keep one of them",
            label(one),
            label(other)
        )),
        _ => Ok(found.first().copied()),
    }
}

/// The names that a settings file may have.
pub fn known_names() -> Vec<String> {
    let names = |row: Row| [Some(row.name.clone()), row.file_name()];
    rows().into_iter().flat_map(names).flatten().collect()
}

/// The usual file. One that is there and can't be looked at is not left out: a command
/// would go on with another database.
fn usual() -> Option<PathBuf> {
    let path = PathBuf::from(USUAL_PLACE);
    let is_missing = |error: io::Error| error.kind() == io::ErrorKind::NotFound;
    (!path.metadata().is_err_and(is_missing)).then_some(path)
}

/// The variables that may be ours, and the credentials.
fn read_environment(
    all: impl Iterator<Item = (OsString, OsString)>,
    rows: &[Row],
) -> Result<Vec<Entry>, String> {
    let mut entries = Vec::new();
    for (name, value) in all {
        let Ok(name) = name.into_string() else {
            continue;
        };
        if name == "CREDENTIALS_DIRECTORY" {
            let path = |row: &Row| PathBuf::from(&value).join(&row.name);
            let secrets = rows
                .iter()
                .filter(|row| row.is_secret && path(row).exists());
            entries.extend(secrets.map(|row| Entry {
                name: row.name.clone(),
                value: path(row).display().to_string(),
                origin: Origin::Credential(path(row)),
            }));
            continue;
        }
        if !name.starts_with(PREFIX) && !OF_THE_DATABASE.contains(&&*name) {
            continue;
        }
        let value = value
            .into_string()
            .map_err(|_| format!("{name}: must be UTF-8 text"))?;
        let by_kubernetes = (name == "FRONTDOOR_PORT" && value.contains("://"))
            || OF_KUBERNETES.iter().any(|start| name.starts_with(start));
        if !by_kubernetes && !NO_SETTINGS.contains(&&*name) {
            let origin = Origin::Environment;
            entries.push(Entry {
                name,
                value,
                origin,
            });
        }
    }
    Ok(entries)
}

/// The entries of a settings file, and whether everybody may read it.
fn read_file(path: &Path) -> Result<(Vec<Entry>, bool), String> {
    if path == Path::new(NO_FILE) {
        return Ok((Vec::new(), false));
    }
    let shown = path.display();
    let (text, is_open) = read_text(path, MOST_FILE_BYTES).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => format!(
            "cannot read the settings file {shown}: permission denied; run this as root, or as \
            the user of the service"
        ),
        _ => format!("cannot read the settings file {shown}: {error}"),
    })?;
    let lines = parse(&text).map_err(|(line, what)| format!("{shown}:{line}: {what}"))?;
    let entry = |(line, name, value)| Entry {
        name,
        value,
        origin: Origin::File {
            path: path.to_owned(),
            line,
        },
    };
    Ok((lines.into_iter().map(entry).collect(), is_open))
}

/// The text of a small file, and whether everybody may read it.
fn read_text(path: &Path, most_bytes: u64) -> io::Result<(String, bool)> {
    let (bytes, facts) = read_regular(path, most_bytes)?;
    let text = String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text"))?;
    Ok((text, facts.permissions().mode() & 0o004 != 0))
}

/// Reads a file that the owner names. A device or a pipe may have no end, and opening a
/// pipe may take as long.
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

type Line = (usize, String, String);

/// Numbers, names and values in their order, or the first line that is broken and why.
fn parse(text: &str) -> Result<Vec<Line>, (usize, String)> {
    let mut lines: Vec<Line> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some((name, value)) = parse_line(line).map_err(|what| (number, what))? else {
            continue;
        };
        if let Some((first, ..)) = lines.iter().find(|(_, known, _)| *known == name) {
            return Err((number, format!("{name} is set in line {first} already")));
        }
        lines.push((number, name, value));
    }
    Ok(lines)
}

/// `None` for an empty line or a comment. Errors don't repeat the line, which may hold a
/// secret.
fn parse_line(line: &str) -> Result<Option<(String, String)>, String> {
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
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if name.is_empty() || !is_word || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err("must begin with a name of letters, digits and _, then =".into());
    }
    Ok(Some((name.to_owned(), unquoted(value.trim())?)))
}

/// A value without its quotes and escapes.
fn unquoted(value: &str) -> Result<String, String> {
    let mut plain = String::new();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let mut rest = value.chars();
    if quote.is_some() {
        rest.next();
    }
    loop {
        match (rest.next(), quote) {
            (None, None) => return Ok(plain),
            (None, Some(_)) => return Err("has a quote that is not closed".into()),
            (Some(c), Some(quote)) if c == quote => break,
            (Some('\\'), Some('"')) => match rest.next() {
                Some(c @ ('"' | '\\' | '$' | '`')) => plain.push(c),
                other => {
                    plain.push('\\');
                    plain.extend(other);
                }
            },
            (Some('\\'), None) => plain.extend(rest.next()),
            (Some(' ' | '\t'), None) if rest.as_str().trim_start().starts_with('#') => {
                return Err(
                    "has a # after a space: a comment stands in a line of its own, and a \
                    value with # in quotes"
                        .into(),
                );
            }
            (Some(c), _) => plain.push(c),
        }
    }
    match rest.as_str() {
        "" => Ok(plain),
        _ => Err("has text after the closing quote; a comment stands in a line of its own".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_names_and_values_and_comments_are_skipped() {
        let text = "# ours\n\n  A=1\n; also a comment\nB_2 = two words \nC=\n";
        let line = |number, name: &str, value: &str| (number, name.into(), value.into());
        let expected = [
            line(3, "A", "1"),
            line(5, "B_2", "two words"),
            line(6, "C", ""),
        ];
        assert_eq!(parse(text).unwrap(), expected);
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
            assert_eq!(parse(line).unwrap(), [(1, "A".into(), expected.into())]);
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
