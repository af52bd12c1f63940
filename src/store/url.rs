//! Parses `DATABASE_URL`.

use std::path::PathBuf;
use std::str::FromStr;

use super::PostgresUrl;

#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// `sqlite://relative/path` or `sqlite:///absolute/path`.
    Sqlite(PathBuf),
    /// `postgres://…` or `postgresql://…`.
    Postgres(PostgresUrl),
}

impl FromStr for DatabaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.parse()?));
        }
        let path = text
            .strip_prefix("sqlite:")
            .map(|rest| rest.strip_prefix("//").unwrap_or(rest))
            .ok_or("must begin with sqlite:// or postgres://")?;
        match path {
            "" => Err("names no file: write sqlite://path/to/file.db".into()),
            ":memory:" => Err("must name a file: leads in memory would be lost".into()),
            path if path.contains(['?', '#']) => Err("must be a plain path after sqlite://".into()),
            path => Ok(Self::Sqlite(path.into())),
        }
    }
}

impl DatabaseUrl {
    /// Has no effect on SQLite.
    #[must_use]
    pub fn with_connections(mut self, limit: usize) -> Self {
        if let Self::Postgres(url) = &mut self {
            url.connections = limit;
        }
        self
    }
}

/// Leaves out the user and password that a PostgreSQL URL may contain.
impl std::fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite://{}", path.display()),
            Self::Postgres(url) => f.write_str(&url.location),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sqlite(path: &str) -> Result<DatabaseUrl, String> {
        Ok(DatabaseUrl::Sqlite(path.into()))
    }

    #[test]
    fn a_path_may_be_relative_or_absolute() {
        assert_eq!("sqlite://data/a.db".parse(), sqlite("data/a.db"));
        assert_eq!("sqlite:///var/a.db".parse(), sqlite("/var/a.db"));
        assert_eq!("sqlite:a.db".parse(), sqlite("a.db"));
    }

    #[test]
    fn what_names_no_file_or_another_database_is_refused() {
        for bad in [
            "",
            "mysql://h/d",
            "sqlite://",
            "sqlite::memory:",
            "sqlite://a?mode=ro",
        ] {
            assert!(bad.parse::<DatabaseUrl>().is_err(), "{bad}");
        }
    }

    #[test]
    fn debug_output_hides_a_password() {
        let url: DatabaseUrl = "postgres://me:secret@host/db".parse().unwrap();
        assert_eq!(format!("{url:?}"), "postgres://host/db");
    }
}
