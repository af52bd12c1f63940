//! The client's address, directly or through a trusted proxy, and whether a form post comes from
//! our own pages.
//!
//! `X-Forwarded-For` grows to the right: each proxy appends the address it saw. The client is the
//! rightmost address that isn't one of our proxies; everything left of it could be forged.

use std::net::{IpAddr, SocketAddr};
use std::sync::Once;

use http::HeaderMap;
use http::header::{FORWARDED, HOST, HeaderName, ORIGIN};
use ipnet::IpNet;
use url::Url;

use crate::content::site;
use crate::listener::is_nearby;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
pub const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The proxies whose headers are trusted.
#[derive(Debug)]
pub struct Proxies {
    trusted: Vec<IpNet>,
    warning: Once,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    pub address: IpAddr,
    /// The visitor's own connection is encrypted.
    pub tls: bool,
    /// The request came through a trusted proxy.
    pub proxied: bool,
}

impl Proxies {
    pub fn new(networks: Vec<IpNet>) -> Self {
        Self {
            trusted: networks,
            warning: Once::new(),
        }
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.trusted
            .iter()
            .any(|network| network.contains(&address))
    }

    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> Client {
        let peer = peer.to_canonical();
        if !self.trusts(peer) {
            if is_unlisted_proxy(peer, headers) {
                self.warn_once(peer);
            }
            return Client {
                address: peer,
                tls: false,
                proxied: false,
            };
        }
        Client {
            address: self.forwarded_for(headers).unwrap_or(peer),
            tls: last_word(headers, &FORWARDED_PROTO)
                .is_some_and(|proto| proto.eq_ignore_ascii_case("https")),
            proxied: true,
        }
    }

    /// The proxy's address is the owner's own; visitors' addresses are never logged.
    fn warn_once(&self, proxy: IpAddr) {
        self.warning.call_once(|| {
            tracing::warn!(
                %proxy,
                "requests come through a proxy that isn't trusted: its visitors share one rate \
                 limit and get no HSTS; if it is yours, set FRONTDOOR_TRUSTED_PROXIES={proxy}"
            );
        });
    }

    fn forwarded_for(&self, headers: &HeaderMap) -> Option<IpAddr> {
        let lines = headers.get_all(FORWARDED_FOR).iter().rev();
        let entries = lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
        let mut nearest = None;
        for entry in entries {
            // Nothing left of an invalid entry can be trusted.
            let Some(address) = address(entry.trim()) else {
                return nearest;
            };
            nearest = Some(address);
            if !self.trusts(address) {
                return nearest;
            }
        }
        nearest
    }
}

/// Whether the peer is a nearby proxy that is missing from the settings. Behind one, all visitors
/// look like one client without TLS.
fn is_unlisted_proxy(peer: IpAddr, headers: &HeaderMap) -> bool {
    let is_forwarded = headers.contains_key(FORWARDED_FOR) || headers.contains_key(FORWARDED);
    is_forwarded && is_nearby(peer)
}

/// Whether a post comes from our own pages. Browsers send `Sec-Fetch-Site`; older browsers, and all
/// browsers over plain HTTP, send only `Origin`. A request with neither isn't from a browser form
/// and is accepted: there is no login that another site could abuse.
pub fn is_same_origin(headers: &HeaderMap, client: &Client) -> bool {
    if let Some(site) = headers.get(SEC_FETCH_SITE) {
        return matches!(site.as_bytes(), b"same-origin" | b"none");
    }
    let Some(origin) = headers.get(ORIGIN) else {
        return true;
    };
    let Some(origin) = origin.to_str().ok().and_then(|text| Url::parse(text).ok()) else {
        return false;
    };
    let asked_host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let proxy_host = last_word(headers, &FORWARDED_HOST).filter(|_| client.proxied);
    let is_ours = |own: Url| {
        own.host() == origin.host() && own.port_or_known_default() == origin.port_or_known_default()
    };
    let ours = [asked_host, proxy_host].into_iter().flatten();
    // A proxy may rewrite `Host`; the site's published URL is always ours.
    let mut ours = ours
        .filter_map(|host| Url::parse(&format!("{}://{host}", origin.scheme())).ok())
        .chain(Url::parse(&site().url));
    matches!(origin.scheme(), "http" | "https") && ours.any(is_ours)
}

/// The last entry of a list header: the one that our own proxy wrote.
fn last_word<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let line = headers.get_all(name).iter().next_back()?;
    line.to_str().ok()?.rsplit(',').next().map(str::trim)
}

/// Parses an address as proxies write it: bare, in brackets, or with a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.parse::<IpAddr>().ok();
    let with_port = || text.parse().ok().map(|address: SocketAddr| address.ip());
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    bare.or_else(with_port)
        .or_else(bracketed)
        .map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, lines: &[(&'static str, &str)]) -> Client {
        let proxies = ["10.0.0.0/8", "::1/128"].map(|network| network.parse().unwrap());
        Proxies::new(proxies.into()).client(peer.parse().unwrap(), &headers(lines))
    }

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let lines = lines.iter();
        let lines = lines.map(|(name, value)| (HeaderName::from_static(name), value));
        lines
            .map(|(name, value)| (name, value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn the_rightmost_untrusted_address_is_the_client() {
        for (peer, forwarded, expected) in [
            ("10.0.0.1", "1.1.1.1, 2.2.2.2, 10.9.9.9", "2.2.2.2"),
            ("10.0.0.1", "2.2.2.2:4711", "2.2.2.2"),
            ("::1", "[2001:db8::1]:80", "2001:db8::1"),
            ("::1", "[2001:db8::1]", "2001:db8::1"),
            ("::ffff:10.0.0.1", "3.3.3.3", "3.3.3.3"),
            // Headers from an untrusted peer are ignored.
            ("9.9.9.9", "1.1.1.1", "9.9.9.9"),
            // So is everything left of an invalid entry.
            ("10.0.0.1", "1.1.1.1, unknown", "10.0.0.1"),
            ("10.0.0.1", "1.1.1.1, unknown, 10.2.2.2", "10.2.2.2"),
            ("10.0.0.1", "", "10.0.0.1"),
        ] {
            let client = client(peer, &[("x-forwarded-for", forwarded)]);
            assert_eq!(client.address.to_string(), expected, "{peer}: {forwarded}");
        }
    }

    #[test]
    fn a_post_is_from_our_own_pages_if_the_browser_or_its_origin_says_so() {
        let (at, origin) = (("host", "shop.example:8080"), "origin");
        let proxy_host = ("x-forwarded-host", "shop.example");
        for (peer, lines, expected) in [
            ("::2", &[("sec-fetch-site", "same-origin")][..], true),
            ("::2", &[("sec-fetch-site", "none")], true),
            ("::2", &[("sec-fetch-site", "same-site")], false),
            ("::2", &[("sec-fetch-site", "cross-site")], false),
            ("::2", &[("sec-fetch-site", "")], false),
            ("::2", &[at, (origin, "http://shop.example:8080")], true),
            (
                "::2",
                &[("host", "a.example:443"), (origin, "https://a.example")],
                true,
            ),
            ("::2", &[at, (origin, "http://shop.example")], false),
            ("::2", &[at, (origin, "http://evil.example:8080")], false),
            ("::2", &[at, (origin, "null")], false),
            ("::2", &[at, (origin, "file://")], false),
            (
                "::1",
                &[at, proxy_host, (origin, "https://shop.example")],
                true,
            ),
            (
                "::2",
                &[at, proxy_host, (origin, "https://shop.example")],
                false,
            ),
            ("::2", &[at, (origin, &site().url)], true),
            ("::2", &[], true),
        ] {
            let client = client(peer, lines);
            assert_eq!(
                is_same_origin(&headers(lines), &client),
                expected,
                "{lines:?}"
            );
        }
    }

    #[test]
    fn a_proxy_nearby_that_forwards_for_others_is_noticed() {
        for (peer, name, expected) in [
            ("127.0.0.1", "x-forwarded-for", true),
            ("192.168.3.4", "forwarded", true),
            ("::ffff:10.1.2.3", "forwarded", true),
            ("fd00::7", "forwarded", true),
            ("fe80::1", "forwarded", true),
            ("198.51.100.9", "x-forwarded-for", false),
            ("172.32.0.1", "x-forwarded-for", false),
            ("2001:db8::1", "x-forwarded-for", false),
            ("127.0.0.1", "accept", false),
        ] {
            let headers = headers(&[(name, "203.0.113.77")]);
            let is_noticed = is_unlisted_proxy(peer.parse().unwrap(), &headers);
            assert_eq!(is_noticed, expected, "{peer} {name}");
        }
    }
}
