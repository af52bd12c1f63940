//! `postgres://USER:PASSWORD@HOST1:PORT,HOST2/NAME?…`, read as libpq reads it.
//!
//! What the driver does not know, or knows in part, is taken out first: how
//! TLS is used, and which of several hosts will do.

use std::path::PathBuf;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, LoadBalanceHosts};

/// What to do about TLS, in libpq's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SslMode {
    Disable,
    /// Without it, and with it where that is refused.
    Allow,
    /// With it where the server has it.
    Prefer,
    /// Encrypted, whoever it is.
    Require,
    /// A certificate of somebody we trust.
    VerifyCa,
    /// The same, for the very host.
    VerifyFull,
}

/// The address of a PostgreSQL database, checked. It may carry a password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    /// With every host; [`Self::hosts`] has one for each.
    pub(super) config: Box<Config>,
    pub(super) ssl_mode: SslMode,
    /// Whom to trust, in place of the machine's roots.
    pub(super) root_file: Option<PathBuf>,
    /// At most so many connections at once.
    pub(super) connections: usize,
}

const DEFAULT_CONNECTIONS: usize = 8;

impl FromStr for PostgresUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.matches('@').count() > 1 {
            // Otherwise the rest of a password would count as a host's name,
            // and be shown.
            return Err("has more than one @: within user and password it is written %40".into());
        }
        let (address, parameters) = text.split_once('?').unwrap_or((text, ""));
        let mut url = Self {
            config: Box::default(),
            ssl_mode: SslMode::Prefer,
            root_file: None,
            connections: DEFAULT_CONNECTIONS,
        };
        let mut rest = Vec::new();
        for parameter in parameters.split('&').filter(|each| !each.is_empty()) {
            if !url.take(parameter)? {
                rest.push(parameter);
            }
        }
        *url.config = read(&format!("{address}?{}", rest.join("&")))?;
        if url.root_file.is_some() && url.ssl_mode == SslMode::Require {
            // So does libpq.
            url.ssl_mode = SslMode::VerifyCa;
        }
        Ok(url)
    }
}

impl PostgresUrl {
    /// Whether it is one of ours.
    fn take(&mut self, parameter: &str) -> Result<bool, String> {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = percent_decode_str(value).decode_utf8_lossy();
        match name {
            "sslmode" => self.ssl_mode = ssl_mode(&value)?,
            "sslrootcert" if value == "system" => self.root_file = None,
            "sslrootcert" => self.root_file = Some(PathBuf::from(&*value)),
            "target_session_attrs" => writable(&value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    #[must_use]
    pub fn with_connections(mut self, most: usize) -> Self {
        self.connections = most;
        self
    }

    /// One configuration for each host, in the order they are tried.
    pub(super) fn hosts(&self) -> Vec<Config> {
        let count = self.config.get_hosts().len();
        let count = count.max(self.config.get_hostaddrs().len());
        (0..count).map(|nth| self.only(nth)).collect()
    }

    fn only(&self, nth: usize) -> Config {
        let all = &self.config;
        let mut one = Config::new();
        match all.get_hosts().get(nth) {
            Some(Host::Tcp(name)) => drop(one.host(name)),
            Some(Host::Unix(folder)) => drop(one.host_path(folder)),
            None => {}
        }
        if let Some(address) = all.get_hostaddrs().get(nth) {
            one.hostaddr(*address);
            if all.get_hosts().is_empty() {
                // A certificate may be made out for it.
                one.host(address.to_string());
            }
        }
        let ports = all.get_ports();
        if let Some(port) = ports.get(nth).or(ports.first()) {
            one.port(*port);
        }
        if let Some(user) = all.get_user() {
            one.user(user);
        }
        if let Some(password) = all.get_password() {
            one.password(password);
        }
        if let Some(name) = all.get_dbname() {
            one.dbname(name);
        }
        one.ssl_negotiation(all.get_ssl_negotiation());
        one.channel_binding(all.get_channel_binding());
        one
    }

    /// For people: without user and password.
    pub fn place(&self) -> String {
        let hosts: Vec<_> = self.hosts().iter().map(host_and_port).collect();
        let name = self.config.get_dbname().or(self.config.get_user());
        let name = name.unwrap_or_default();
        format!("postgres://{}/{name}", hosts.join(","))
    }
}

fn host_and_port(one: &Config) -> String {
    let host = match one.get_hosts() {
        [Host::Tcp(name)] => name.clone(),
        [Host::Unix(folder), ..] => folder.display().to_string(),
        _ => String::new(),
    };
    match one.get_ports() {
        [] | [5432] => host,
        ports => format!("{host}:{}", ports[0]),
    }
}

fn ssl_mode(value: &str) -> Result<SslMode, String> {
    Ok(match value {
        "disable" => SslMode::Disable,
        "allow" => SslMode::Allow,
        "prefer" => SslMode::Prefer,
        "require" => SslMode::Require,
        "verify-ca" => SslMode::VerifyCa,
        "verify-full" => SslMode::VerifyFull,
        _ => {
            return Err("sslmode must be one of: disable, allow, prefer, require, \
                verify-ca, verify-full"
                .into());
        }
    })
}

/// Whatever is asked for, only a server that takes writes will do.
fn writable(value: &str) -> Result<(), String> {
    match value {
        "any" | "read-write" | "primary" => Ok(()),
        _ => Err("target_session_attrs must be read-write: leads are written".into()),
    }
}

fn read(text: &str) -> Result<Config, String> {
    use std::error::Error as _;
    let config: Config = text.parse().map_err(|error: tokio_postgres::Error| {
        // Its texts name parameters, never values.
        let why = error.source().map(ToString::to_string);
        format!("cannot be read: {}", why.unwrap_or_default())
    })?;
    let (hosts, addresses) = (config.get_hosts().len(), config.get_hostaddrs().len());
    if hosts == 0 && addresses == 0 {
        return Err("names no host: write postgres://USER:PASSWORD@HOST/NAME".into());
    }
    if hosts != 0 && addresses != 0 && hosts != addresses {
        return Err("must have as many hosts as hostaddrs".into());
    }
    if config.get_ports().len() > 1 && config.get_ports().len() != hosts.max(addresses) {
        return Err("must have one port, or one for each host".into());
    }
    if config.get_load_balance_hosts() == LoadBalanceHosts::Random {
        return Err("load_balance_hosts must be disable: one host takes the writes".into());
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> PostgresUrl {
        text.parse().unwrap_or_else(|why| panic!("{text}: {why}"))
    }

    #[test]
    fn each_of_several_hosts_has_its_own_port() {
        let url = url("postgres://me:p%40ss@one:5433,two/shop?target_session_attrs=read-write");
        let hosts = url.hosts();
        assert_eq!(hosts.len(), 2);
        assert_eq!(hosts[0].get_hosts(), [Host::Tcp("one".into())]);
        assert_eq!(hosts[0].get_ports(), [5433]);
        assert_eq!(hosts[1].get_hosts(), [Host::Tcp("two".into())]);
        assert_eq!(hosts[1].get_ports(), [5432]);
        for host in hosts {
            assert_eq!(host.get_password(), Some("p@ss".as_bytes()));
            assert_eq!(host.get_dbname(), Some("shop"));
        }
        assert_eq!(url.place(), "postgres://one:5433,two/shop");
    }

    #[test]
    fn a_socket_in_the_file_system_is_a_host() {
        let url = url("postgres:///shop?host=/run/postgresql&port=5433&user=me");
        assert_eq!(
            url.hosts()[0].get_hosts(),
            [Host::Unix("/run/postgresql".into())]
        );
        assert_eq!(url.hosts()[0].get_ports(), [5433]);
    }

    #[test]
    fn tls_is_used_as_libpq_would() {
        assert_eq!(url("postgres://h/d").ssl_mode, SslMode::Prefer);
        for (word, mode) in [
            ("disable", SslMode::Disable),
            ("allow", SslMode::Allow),
            ("require", SslMode::Require),
            ("verify-ca", SslMode::VerifyCa),
            ("verify-full", SslMode::VerifyFull),
        ] {
            let url = url(&format!("postgres://h/d?sslmode={word}"));
            assert_eq!(url.ssl_mode, mode);
        }
        let url = url("postgres://h/d?sslmode=require&sslrootcert=%2Fetc%2Froot.pem");
        assert_eq!(url.ssl_mode, SslMode::VerifyCa);
        assert_eq!(url.root_file, Some("/etc/root.pem".into()));
    }

    #[test]
    fn a_wrong_address_is_told_in_one_line_without_its_password() {
        for (wrong, says) in [
            ("postgres://me:s3cret@/d", "no host"),
            ("postgres://me:s3@cret@h/d", "%40"),
            ("postgres://me:s3cret@h/d?sslmode=always", "sslmode"),
            (
                "postgres://me:s3cret@h/d?target_session_attrs=standby",
                "read-write",
            ),
            ("postgres://me:s3cret@h/d?pool=3", "`pool`"),
            ("postgres://me:s3cret@h:x/d", "port"),
            ("postgres://me:s3cret@h,i,j/d?port=1", "port"),
            (
                "postgres://me:s3cret@h/d?load_balance_hosts=random",
                "load_balance_hosts",
            ),
        ] {
            let why = wrong.parse::<PostgresUrl>().err().unwrap_or_default();
            assert!(why.contains(says), "{wrong}: {why}");
            assert!(!why.contains("cret") && !why.contains('\n'), "{why}");
        }
    }
}
