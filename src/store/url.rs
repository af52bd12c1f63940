//! Parses `DATABASE_URL`: the path of a SQLite file, or `postgres://USER:PASSWORD@HOST1:PORT,HOST2/NAME?…`
//! as libpq does. Parameters that the PostgreSQL driver supports only in part, or not at all, are
//! handled here: certificate verification, and which of several hosts to use.

use std::path::PathBuf;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

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

/// Which server certificates are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepted {
    /// Any certificate: `sslmode` up to `require`.
    Any,
    /// From a trusted authority: `verify-ca`.
    Trusted,
    /// From a trusted authority and for this host: `verify-full`.
    TrustedForHost,
}

/// A validated PostgreSQL URL. It may contain a password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    /// One for each host, in the order they are tried.
    pub(super) hosts: Vec<Config>,
    /// The location for people, without user and password.
    pub(super) location: String,
    pub(super) accepted: Accepted,
    /// Trusted roots that replace the machine's.
    pub(super) root_file: Option<PathBuf>,
    /// The maximum number of connections.
    pub(super) connections: usize,
}

const DEFAULT_CONNECTIONS: usize = 8;

impl FromStr for PostgresUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.matches('@').count() > 1 {
            // Otherwise the rest of a password would count as a host name and be shown.
            return Err("has more than one @: within user and password it is written %40".into());
        }
        let (address, parameters) = text.split_once('?').unwrap_or((text, ""));
        let (mut mode, mut accepted) = (SslMode::Prefer, Accepted::Any);
        let (mut root_file, mut rest) = (None, Vec::new());
        for parameter in parameters.split('&').filter(|each| !each.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = percent_decode_str(value).decode_utf8_lossy();
            match name {
                "sslmode" => (mode, accepted) = ssl_mode(&value)?,
                "sslrootcert" if value == "system" => root_file = None,
                "sslrootcert" => root_file = Some(PathBuf::from(&*value)),
                // Ignored: only a server that accepts writes is ever used.
                "target_session_attrs" => {}
                _ => rest.push(parameter),
            }
        }
        if root_file.is_some() && mode == SslMode::Require && accepted == Accepted::Any {
            // As libpq does.
            accepted = Accepted::Trusted;
        }
        let (_, address) = address.split_once("://").unwrap_or_default();
        let (user, location) = match address.split_once('@') {
            Some((user, location)) => (format!("{user}@"), location),
            None => (String::new(), address),
        };
        let (names, database) = location.split_once('/').unwrap_or((location, ""));
        let (mut hosts, rest) = (Vec::new(), rest.join("&"));
        for host in names.split(',') {
            let url = format!("postgres://{user}{host}/{database}?{rest}");
            let mut config: Config = url.parse().map_err(describe)?;
            if config.get_hosts().is_empty() {
                return Err("names no host: write postgres://USER:PASSWORD@HOST/NAME".into());
            }
            let is_socket = matches!(config.get_hosts(), [Host::Unix(_)]);
            config.ssl_mode(if is_socket { SslMode::Disable } else { mode });
            hosts.push(config);
        }
        Ok(Self {
            hosts,
            location: format!("postgres://{location}"),
            accepted,
            root_file,
            connections: DEFAULT_CONNECTIONS,
        })
    }
}

fn ssl_mode(value: &str) -> Result<(SslMode, Accepted), String> {
    Ok(match value {
        "disable" => (SslMode::Disable, Accepted::Any),
        // `allow` tries without TLS first; trying TLS first is no worse.
        "allow" | "prefer" => (SslMode::Prefer, Accepted::Any),
        "require" => (SslMode::Require, Accepted::Any),
        "verify-ca" => (SslMode::Require, Accepted::Trusted),
        "verify-full" => (SslMode::Require, Accepted::TrustedForHost),
        _ => {
            return Err("sslmode must be one of: disable, allow, prefer, require, \
                verify-ca, verify-full"
                .into());
        }
    })
}

/// The parser's messages name parameters, never values.
fn describe(error: tokio_postgres::Error) -> String {
    let why = std::error::Error::source(&error).map(ToString::to_string);
    format!("can't be read: {}", why.unwrap_or_default())
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

    fn url(text: &str) -> PostgresUrl {
        text.parse().unwrap_or_else(|why| panic!("{text}: {why}"))
    }

    #[test]
    fn each_of_several_hosts_has_its_own_port() {
        let url = url("postgres://me:p%40ss@one:5433,two/shop?target_session_attrs=read-write");
        let hosts = &url.hosts;
        assert_eq!(hosts.len(), 2);
        assert_eq!(hosts[0].get_hosts(), [Host::Tcp("one".into())]);
        assert_eq!(hosts[0].get_ports(), [5433]);
        assert_eq!(hosts[1].get_hosts(), [Host::Tcp("two".into())]);
        assert_eq!(hosts[1].get_ports(), [5432]);
        for host in hosts {
            assert_eq!(host.get_password(), Some("p@ss".as_bytes()));
            assert_eq!(host.get_dbname(), Some("shop"));
        }
        let shown = format!("{:?}", DatabaseUrl::Postgres(url));
        assert_eq!(shown, "postgres://one:5433,two/shop");
    }

    #[test]
    fn a_socket_in_the_file_system_is_a_host() {
        let url = url("postgres:///shop?host=/run/postgresql&port=5433&user=me");
        assert_eq!(
            url.hosts[0].get_hosts(),
            [Host::Unix("/run/postgresql".into())]
        );
        assert_eq!(url.hosts[0].get_ports(), [5433]);
    }

    #[test]
    fn a_wrong_address_is_told_in_one_line_without_its_password() {
        for (wrong, says) in [
            ("", "must begin"),
            ("mysql://h/d", "must begin"),
            ("sqlite://", "names no file"),
            ("sqlite::memory:", "must name a file"),
            ("sqlite://a?mode=ro", "a plain path"),
            ("postgres://me:s3cret@/d", "no host"),
            ("postgres://me:s3@cret@h/d", "%40"),
            ("postgres://me:s3cret@h/d?sslmode=always", "sslmode"),
            ("postgres://me:s3cret@h/d?pool=3", "`pool`"),
            ("postgres://me:s3cret@h:x/d", "port"),
        ] {
            let why = wrong.parse::<DatabaseUrl>().err().unwrap_or_default();
            assert!(why.contains(says), "{wrong}: {why}");
            assert!(!why.contains("cret") && !why.contains('\n'), "{why}");
        }
    }
}
