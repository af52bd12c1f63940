//! Where the site is reached, and by whom.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;

use super::parse::{Parsed, switch};
use super::setting::settings;

settings! {
    NetworkArgs in "Network" => NetworkSettings {
        /// Address and port of the public site
        #[arg(env = "FRONTDOOR_LISTEN", value_name = "ADDRESS")]
        listen => listen: SocketAddr = address, or "127.0.0.1:8080";

        /// Address and port of health checks and metrics, never to be made
        /// public; `off` turns them off
        #[arg(env = "FRONTDOOR_OPS_LISTEN", value_name = "ADDRESS|off")]
        ops_listen => ops_listen: Option<SocketAddr> = address_or_off, or "127.0.0.1:9090";

        /// Form posts a minute for one client address; the links in newsletter mails
        /// may be visited six times as often; 0: no limit
        #[arg(env = "FRONTDOOR_RATE_LIMIT", value_name = "NUMBER")]
        rate_limit => rate_limit: u32 = rate_limit, or "10";

        /// Addresses or networks, separated by commas, whose X-Forwarded-For and
        /// X-Forwarded-Proto are believed
        #[arg(env = "FRONTDOOR_TRUSTED_PROXIES", value_name = "LIST")]
        trusted_proxies => trusted_proxies: Vec<IpNet> = networks, or "" as "none";

        /// Whether visitors' browsers shall insist on TLS for every subdomain of
        /// the site too, for a year: `on` or `off`. Only for answers that reach
        /// the visitor by TLS through a trusted proxy
        #[arg(env = "FRONTDOOR_HSTS_SUBDOMAINS", value_name = "on|off")]
        hsts_subdomains => hsts_subdomains: bool = switch, or "off";
    }
}

impl NetworkSettings {
    /// Many people share an address when their company's programs look at all links,
    /// or their mail provider unsubscribes them.
    pub fn link_limit(&self) -> u32 {
        self.rate_limit.saturating_mul(6)
    }
}

fn address(text: &str) -> Parsed<SocketAddr> {
    text.replace("localhost:", "127.0.0.1:")
        .parse()
        .map_err(|_| "must be an address and a port, like 127.0.0.1:8080 or [::]:8080".into())
}

fn address_or_off(text: &str) -> Parsed<Option<SocketAddr>> {
    if text == "off" {
        return Ok(None);
    }
    let parsed = address(text).map(Some);
    parsed.map_err(|problem| format!("{problem}, or `off`"))
}

fn rate_limit(text: &str) -> Parsed<u32> {
    let number = text.parse().ok().filter(|number| *number <= 1_000_000);
    number.ok_or_else(|| "must be a whole number from 0 (no limit) to 1000000".into())
}

fn networks(text: &str) -> Parsed<Vec<IpNet>> {
    let entries = text
        .split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty());
    entries.map(network).collect()
}

fn network(text: &str) -> Parsed<IpNet> {
    let network = text.parse::<IpNet>().ok();
    let address = || text.parse::<IpAddr>().ok().map(IpNet::from);
    network
        .or_else(address)
        .ok_or_else(|| "must be addresses or networks, like 10.0.0.1,192.168.0.0/16".into())
}
