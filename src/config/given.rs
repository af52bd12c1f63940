//! What is set outside the command line, and where: the environment, with the
//! credentials that systemd passes on, before the settings file.
//!
//! A setting that is a secret can also be a file: `NAME_FILE=path` in either
//! place, or a credential under the setting's own name. Of these one place gives
//! one, or it is an error: nobody can tell which was meant.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::file::{self, Entry, SettingsFile, USUAL_PLACE};
use super::rows::{Row, rows};

/// What names the settings file itself.
pub const SETTINGS: &str = "FRONTDOOR_SETTINGS";
const PREFIX: &str = "FRONTDOOR_";
const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";

/// What the build and the tests are told, which may start the program.
const OF_THE_BUILD: [&str; 8] = [
    "FRONTDOOR_BIN",
    "FRONTDOOR_CONTENT",
    "FRONTDOOR_TEST_DATABASE",
    "FRONTDOOR_TEST_LONG",
    "FRONTDOOR_TEST_POSTGRES",
    "FRONTDOOR_URL",
    "FRONTDOOR_WEB_CACHE",
    "FRONTDOOR_WEB_DIST",
];

/// Beginnings of what Kubernetes sets in every container for a service that is
/// called `frontdoor`.
const OF_KUBERNETES: [&str; 2] = ["FRONTDOOR_PORT_", "FRONTDOOR_SERVICE_"];

/// A secret is a line; a certificate would fit, too.
const MOST_SECRET_BYTES: u64 = 16 * 1024;

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

impl Given {
    /// `file` is the one that the owner names; without it, the usual one where
    /// it exists.
    pub fn collect(
        file: Option<&Path>,
        environment: impl Iterator<Item = (OsString, OsString)>,
    ) -> Result<Self, String> {
        let file = file.or_else(usual).map(SettingsFile::read).transpose()?;
        let environment = Environment::read(environment)?;
        let rows = rows();
        let mut given = Self {
            file: file.as_ref().map(|file| file.path.clone()),
            unknown: unknown(&rows, &environment, file.as_ref()),
            ..Self::default()
        };
        if !given.unknown.is_empty() {
            return Ok(given);
        }
        for row in rows {
            let mut found = environment.find(&row)?;
            if found.is_none()
                && let Some(file) = &file
            {
                found = find_in(file, &row)?;
            }
            if let Some(found) = found {
                given.add(row, found)?;
            }
        }
        if let Some(file) = file.filter(|file| file.is_open)
            && given.holds_secrets(&file)
        {
            given.open_secrets.push(file.path);
        }
        Ok(given)
    }

    /// What is set; an empty value is not.
    pub fn get(&self, name: &str) -> Option<&GivenValue> {
        self.values.get(name)
    }

    fn add(&mut self, row: Row, found: Found) -> Result<(), String> {
        let (value, origin) = match found {
            Found::Value(value, origin) => (value, origin),
            Found::Secret(path, origin) => {
                let (text, is_open) =
                    file::read_text(&path, MOST_SECRET_BYTES).map_err(|error| {
                        format!("{}: cannot read {}: {error}", row.name, path.display())
                    })?;
                if is_open {
                    self.open_secrets.push(path.clone());
                }
                (text.trim().to_owned(), origin(path))
            }
        };
        self.values.insert(row.name, GivenValue { value, origin });
        Ok(())
    }

    fn holds_secrets(&self, file: &SettingsFile) -> bool {
        rows().iter().any(|row| {
            let set = file.entries.iter().find(|entry| entry.name == row.name);
            set.is_some_and(|entry| !entry.value.is_empty() && row.hides(&entry.value))
        })
    }
}

/// The usual file. One that is there and cannot be looked at is not left out: a
/// command would go on with another database.
fn usual<'a>() -> Option<&'a Path> {
    let path = Path::new(USUAL_PLACE);
    let is_missing = |error: io::Error| error.kind() == io::ErrorKind::NotFound;
    let missing = path.metadata().is_err_and(is_missing);
    (!missing).then_some(path)
}

/// Where a setting was found.
enum Found {
    Value(String, Origin),
    /// To be read from a file, and what that is.
    Secret(PathBuf, fn(PathBuf) -> Origin),
}

/// Only what may be about us.
struct Environment {
    variables: BTreeMap<String, String>,
    credentials: Option<PathBuf>,
}

impl Environment {
    fn read(all: impl Iterator<Item = (OsString, OsString)>) -> Result<Self, String> {
        let mut environment = Self {
            variables: BTreeMap::new(),
            credentials: None,
        };
        for (name, value) in all {
            let Some(name) = name.to_str() else { continue };
            if name == CREDENTIALS {
                environment.credentials = Some(value.into());
                continue;
            }
            if !name.starts_with(PREFIX) && !name.starts_with("DATABASE_URL") {
                continue;
            }
            let value = value
                .into_string()
                .map_err(|_| format!("{name}: must be UTF-8 text"))?;
            environment.variables.insert(name.to_owned(), value);
        }
        Ok(environment)
    }

    fn set(&self, name: &str) -> Option<&str> {
        let value = self.variables.get(name)?.trim();
        (!value.is_empty()).then_some(value)
    }

    fn find(&self, row: &Row) -> Result<Option<Found>, String> {
        let value = self.set(&row.name).map(|value| {
            let origin = Origin::Environment;
            (row.name.clone(), Found::Value(value.to_owned(), origin))
        });
        let secret = row.file_name().and_then(|name| {
            let path = self.set(&name)?;
            Some((name, Found::Secret(path.into(), Origin::SecretFile)))
        });
        let credential = self.credential(row).map(|path| {
            let what = format!("the credential {}", row.name);
            (what, Found::Secret(path, Origin::Credential))
        });
        only([value, secret, credential], "")
    }

    fn credential(&self, row: &Row) -> Option<PathBuf> {
        let folder = self.credentials.as_ref().filter(|_| row.is_secret)?;
        let path = folder.join(&row.name);
        path.exists().then_some(path)
    }
}

fn find_in(file: &SettingsFile, row: &Row) -> Result<Option<Found>, String> {
    let set = |name: &str| {
        let entry = file.entries.iter().find(|entry| entry.name == name);
        entry.filter(|entry| !entry.value.trim().is_empty())
    };
    let value = set(&row.name).map(|Entry { line, name, value }| {
        let (path, line) = (file.path.clone(), *line);
        let origin = Origin::File { path, line };
        (name.clone(), Found::Value(value.clone(), origin))
    });
    let secret = row.file_name().and_then(|name| {
        let path = set(&name)?.value.trim();
        Some((name, Found::Secret(path.into(), Origin::SecretFile)))
    });
    let place = format!(" in {}", file.path.display());
    only([value, secret], &place)
}

fn only<const N: usize>(
    found: [Option<(String, Found)>; N],
    place: &str,
) -> Result<Option<Found>, String> {
    let mut found: Vec<_> = found.into_iter().flatten().collect();
    if let [(one, _), (other, _), ..] = &found[..] {
        return Err(format!(
            "{one} and {other} are both set{place}: keep one of them"
        ));
    }
    Ok(found.pop().map(|(_, found)| found))
}

/// The names that a settings file may have.
pub fn known_names() -> Vec<String> {
    let names = |row: Row| [Some(row.name.clone()), row.file_name()];
    rows().into_iter().flat_map(names).flatten().collect()
}

fn unknown(
    rows: &[Row],
    environment: &Environment,
    file: Option<&SettingsFile>,
) -> Vec<(String, String)> {
    let is_known = |name: &str| {
        let is_file = |row: &Row| row.file_name().as_deref() == Some(name);
        rows.iter().any(|row| row.name == name || is_file(row))
    };
    let is_ours = |(name, value): &(&String, &String)| {
        let by_kubernetes = (*name == "FRONTDOOR_PORT" && value.contains("://"))
            || OF_KUBERNETES.iter().any(|start| name.starts_with(start));
        name.starts_with(PREFIX)
            && *name != SETTINGS
            && !by_kubernetes
            && !OF_THE_BUILD.contains(&name.as_str())
    };
    let in_environment = environment.variables.iter().filter(is_ours);
    let in_environment = in_environment
        .filter(|(name, _)| !is_known(name))
        .map(|(name, _)| ("the environment".to_owned(), name.clone()));
    let in_file = file.into_iter().flat_map(|file| {
        let unknown = file.entries.iter().filter(|entry| !is_known(&entry.name));
        unknown.map(|entry| {
            let place = format!("{}:{}", file.path.display(), entry.line);
            (place, entry.name.clone())
        })
    });
    in_file.chain(in_environment).collect()
}
