//! Reads the environment and the settings file.
//!
//! A secret can also be in a file of its own: `NAME_FILE=path` in the environment or the settings
//! file. The same place must not set both `NAME` and `NAME_FILE`, because it would be unclear which
//! is meant.
//!
//! The settings file has lines of `NAME=value` and means the same to systemd's `EnvironmentFile`. A
//! line that systemd would read differently (an unclosed quote, text after a quote, a backslash, a
//! name twice) is an error that names the line.

use std::ffi::OsString;
use std::fs::{Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::ServeArgs;
use super::setting::{DeclaredSetting, ExternalSettings, FoundValue};

/// The settings file that is read if it exists, unless another is named.
const USUAL_PLACE: &str = "/etc/frontdoor/frontdoor.env";
const MAX_FILE_BYTES: u64 = 256 * 1024;
const MAX_SECRET_BYTES: u64 = 16 * 1024;
/// How similar a setting must be to an unknown name to be suggested.
const MIN_LIKENESS: f64 = 0.85;

const PREFIX: &str = "FRONTDOOR_";
/// The settings whose names have no prefix.
const WITHOUT_PREFIX: [&str; 2] = ["DATABASE_URL", "DATABASE_URL_FILE"];

/// Variables of the build and the tests, which may be set when they start the program.
const NO_SETTINGS: [&str; 8] = [
    "FRONTDOOR_BIN",
    "FRONTDOOR_CONTENT",
    "FRONTDOOR_TEST_DATABASE",
    "FRONTDOOR_TEST_LONG",
    "FRONTDOOR_TEST_POSTGRES",
    "FRONTDOOR_URL",
    "FRONTDOOR_WEB_CACHE",
    "FRONTDOOR_WEB_DIST",
];

/// Prefixes of variables that Kubernetes sets in every container for a service called `frontdoor`.
const KUBERNETES_PREFIXES: [&str; 2] = ["FRONTDOOR_PORT_", "FRONTDOOR_SERVICE_"];

type Entry = (String, FoundValue);

impl ExternalSettings {
    /// `file` is the settings file that a flag names; without it, the environment's is read, or
    /// else the usual one if it exists.
    pub fn collect(
        file: Option<PathBuf>,
        environment: impl Iterator<Item = (OsString, OsString)>,
    ) -> Result<Self, String> {
        let (named, in_environment) = read_environment(environment)?;
        let mut given = Self {
            file: file.or(named).or_else(usual),
            ..Self::default()
        };
        let (in_file, is_open) = match &given.file {
            Some(path) => read_file(path)?,
            None => (Vec::new(), false),
        };
        refuse_unknown(in_file.iter().chain(&in_environment))?;
        let mut has_secret = false;
        for row in ServeArgs::default().rows() {
            let from_environment = only(&row, &in_environment, "the environment")?;
            let from_file = only(&row, &in_file, "the settings file")?;
            let is_secret =
                |(name, found): &Entry| *name == row.name && row.shown(&found.value) != found.value;
            has_secret |= from_file.is_some_and(is_secret);
            if let Some(entry) = from_environment.or(from_file) {
                let found = given.resolve(&row, entry)?;
                given.values.insert(row.name, found);
            }
        }
        if is_open && has_secret {
            given.open_secrets.extend(given.file.clone());
        }
        Ok(given)
    }

    /// The entry's value, read from its file for `NAME_FILE`.
    fn resolve(
        &mut self,
        row: &DeclaredSetting,
        (name, found): &Entry,
    ) -> Result<FoundValue, String> {
        if name == row.name {
            return Ok(found.clone());
        }
        let path = Path::new(&found.value);
        let (text, is_open) = read_text(path, MAX_SECRET_BYTES)
            .map_err(|error| format!("{}: can't read {}: {error}", row.name, path.display()))?;
        if is_open {
            self.open_secrets.push(path.into());
        }
        Ok(FoundValue::new(
            &text,
            "secret_file",
            Some(found.value.clone()),
        ))
    }
}

/// The settings file that the environment names, and the variables that may be our settings.
fn read_environment(
    all: impl Iterator<Item = (OsString, OsString)>,
) -> Result<(Option<PathBuf>, Vec<Entry>), String> {
    let (mut file, mut entries) = (None, Vec::new());
    for (name, value) in all {
        let name = name.to_string_lossy();
        if !name.starts_with(PREFIX) && !WITHOUT_PREFIX.contains(&&*name) {
            continue;
        }
        let value = value
            .to_str()
            .ok_or_else(|| format!("{name}: must be UTF-8 text"))?;
        let by_kubernetes = (name == "FRONTDOOR_PORT" && value.contains("://"))
            || KUBERNETES_PREFIXES
                .iter()
                .any(|start| name.starts_with(start));
        if name == "FRONTDOOR_SETTINGS" {
            file = Some(PathBuf::from(value)).filter(|_| !value.is_empty());
        } else if !by_kubernetes && !NO_SETTINGS.contains(&&*name) {
            entries.push((
                name.into_owned(),
                FoundValue::new(value, "environment", None),
            ));
        }
    }
    Ok((file, entries))
}

/// The entry of a setting in one place. Fails if there are two.
fn only<'a>(
    row: &DeclaredSetting,
    entries: &'a [Entry],
    place: &str,
) -> Result<Option<&'a Entry>, String> {
    let (name, file_name) = (row.name, row.file_name());
    let is_meant = |(named, found): &&Entry| {
        let is_named = named == name || Some(named) == file_name.as_ref();
        is_named && !found.value.is_empty()
    };
    let mut found = entries.iter().filter(is_meant);
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(format!(
            "{name} is set twice in {place}, as itself and as {name}_FILE: keep one"
        )),
        (first, None) => Ok(first),
    }
}

/// Names the first entry that isn't a setting, and the setting that was probably meant.
fn refuse_unknown<'a>(mut entries: impl Iterator<Item = &'a Entry>) -> Result<(), String> {
    let names = |row: DeclaredSetting| [Some(row.name.to_owned()), row.file_name()];
    let rows = ServeArgs::default().rows().into_iter();
    let known: Vec<_> = rows.flat_map(names).flatten().collect();
    let Some((name, found)) = entries.find(|(name, _)| !known.contains(name)) else {
        return Ok(());
    };
    let typed = name.to_uppercase();
    let bare = |name: &str| name.trim_start_matches(PREFIX).to_owned();
    let likeness = |known: &&String| strsim::jaro_winkler(&bare(&typed), &bare(known));
    let nearest = known
        .iter()
        .filter(|known| likeness(known) > MIN_LIKENESS)
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let tip = nearest.map_or(String::new(), |tip| format!(": did you mean {tip}?"));
    let place = found.place.as_deref().unwrap_or("the environment");
    Err(format!("{place}: {name} isn't a setting of frontdoor{tip}"))
}

/// The usual settings file, if it exists or that can't be determined. Then reading it fails,
/// because without it, a command would use another database.
fn usual() -> Option<PathBuf> {
    let path = PathBuf::from(USUAL_PLACE);
    path.try_exists().unwrap_or(true).then_some(path)
}

/// The entries of a settings file, and whether everybody may read it.
fn read_file(path: &Path) -> Result<(Vec<Entry>, bool), String> {
    // Lets owners use no settings file.
    if path == Path::new("/dev/null") {
        return Ok((Vec::new(), false));
    }
    let shown = path.display();
    let (text, is_open) = read_text(path, MAX_FILE_BYTES).map_err(|error| {
        let remedy = match error.kind() {
            io::ErrorKind::PermissionDenied => "; run this as root, or as the service's user",
            _ => "",
        };
        format!("can't read the settings file {shown}: {error}{remedy}")
    })?;
    Ok((parse(&shown.to_string(), &text)?, is_open))
}

fn read_text(path: &Path, most_bytes: u64) -> io::Result<(String, bool)> {
    let (bytes, metadata) = read_regular(path, most_bytes)?;
    let text = String::from_utf8(bytes).map_err(|_| io::Error::other("it isn't UTF-8 text"))?;
    Ok((text, metadata.permissions().mode() & 0o004 != 0))
}

/// Reads a file that the owner names. Refuses a device or a pipe, which may have no end, and opens
/// it without blocking.
pub fn read_regular(path: &Path, most_bytes: u64) -> io::Result<(Vec<u8>, Metadata)> {
    let at_once = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let mut opening = OpenOptions::new();
    let file = opening.read(true).custom_flags(at_once).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it isn't a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(most_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        let most = match most_bytes >> 20 {
            0 => format!("{} KiB", most_bytes >> 10),
            megabytes => format!("{megabytes} MiB"),
        };
        return Err(io::Error::other(format!("it is larger than {most}")));
    }
    Ok((bytes, metadata))
}

/// The entries of the file in their order, or an error that names the first wrong line.
fn parse(file: &str, text: &str) -> Result<Vec<Entry>, String> {
    let mut entries: Vec<Entry> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let place = format!("{file}:{number}");
        let parsed = parse_line(line).map_err(|what| format!("{place}: {what}"))?;
        let Some((name, value)) = parsed else {
            continue;
        };
        if entries.iter().any(|(known, _)| known == name) {
            return Err(format!("{place}: {name} is set in an earlier line already"));
        }
        entries.push((name.to_owned(), FoundValue::new(value, "file", Some(place))));
    }
    Ok(entries)
}

/// Parses one line; `None` for an empty line or a comment. Errors don't repeat the line, which may
/// hold a secret.
fn parse_line(line: &str) -> Result<Option<(&str, &str)>, &'static str> {
    let line = line.trim();
    // At the end of a line, it makes systemd join the next line, even to a comment.
    if line.contains('\\') {
        return Err("must not contain a backslash");
    }
    if line.is_empty() || line.starts_with(['#', ';']) {
        return Ok(None);
    }
    if line.contains(char::is_control) {
        return Err("must not contain a control character");
    }
    let (name, value) = line
        .split_once('=')
        .ok_or("must be NAME=value, or begin with # as a comment")?;
    let name = name.trim_end();
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if name.is_empty() || !is_word || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err("must begin with a name of letters, digits and _, then =");
    }
    Ok(Some((name, unquoted(value.trim())?)))
}

fn unquoted(value: &str) -> Result<&str, &'static str> {
    let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return if value.contains(" #") {
            Err("has a # after a space: put a comment on a line of its own")
        } else {
            Ok(value)
        };
    };
    match value[1..].split_once(quote) {
        Some((inside, "")) => Ok(inside),
        Some(_) => Err("has text after the closing quote: put a comment on a line of its own"),
        None => Err("has a quote that isn't closed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_names_and_values_and_comments_are_skipped() {
        let text =
            "# ours\n\n  A=1\n; also a comment\nB_2 = two words \nC=\nD='a # b'\nE=a#b=\"c\"\n";
        let entries = parse("f", text).unwrap();
        let found = entries.iter().map(|(name, found)| {
            let place = found.place.as_deref().unwrap();
            (place, name.as_str(), found.value.as_str())
        });
        let expected = [
            ("f:3", "A", "1"),
            ("f:5", "B_2", "two words"),
            ("f:6", "C", ""),
            ("f:7", "D", "a # b"),
            ("f:8", "E", "a#b=\"c\""),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_broken_line_is_named_by_its_number_and_never_repeated() {
        for (line, words) in [
            ("hush", "must be NAME=value"),
            ("export A=hush", "must begin with a name"),
            ("1A=hush", "must begin with a name"),
            ("=hush", "must begin with a name"),
            ("A=\"hush", "isn't closed"),
            ("A='hush", "isn't closed"),
            ("A='", "isn't closed"),
            ("A='hush' # why", "after the closing quote"),
            ("A=hush # why", "line of its own"),
            ("A=hu\\sh", "backslash"),
            ("# hush\\", "backslash"),
            ("A=hu\u{7}sh", "control character"),
            ("FIRST=hush", "set in an earlier line already"),
        ] {
            let text = format!("FIRST=1\n{line}\nLAST=2");
            let refused = parse("f", &text).map(|_| line).unwrap_err();
            let is_named = refused.starts_with("f:2: ") && refused.contains(words);
            assert!(is_named && !refused.contains("hush"), "{line}: {refused}");
        }
    }
}
