//! Who is calling, and how: straight, or through a proxy that we trust.
//!
//! `X-Forwarded-For` grows to the right; each proxy adds the address it saw.
//! The rightmost address that is not one of our proxies is the client: all
//! that stands left of it could be made up.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use http::HeaderMap;
use http::header::{FORWARDED, HeaderName};
use ipnet::IpNet;

use crate::listener::is_nearby;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// The proxies whose word counts.
#[derive(Debug, Default)]
pub struct Proxies {
    trusted: Vec<IpNet>,
    /// The owner has been told of one that is not among them.
    told: AtomicBool,
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
            told: AtomicBool::new(false),
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
            self.look_at_stranger(peer, headers);
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

    /// A proxy nearby of which nobody told us makes all visitors one, and
    /// their TLS none. Said once; its address is the owner's own, and other
    /// people's addresses are neither believed nor written down.
    fn look_at_stranger(&self, peer: IpAddr, headers: &HeaderMap) {
        if self.told.load(Ordering::Relaxed) || !is_nearby(peer) {
            return;
        }
        let forwarded = headers.contains_key(FORWARDED_FOR) || headers.contains_key(FORWARDED);
        if forwarded && !self.told.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                proxy = %peer,
                "requests come through a proxy that is not trusted: its visitors share one rate \
                 limit and get no HSTS; if it is yours, set FRONTDOOR_TRUSTED_PROXIES={peer}"
            );
        }
    }

    fn forwarded_for(&self, headers: &HeaderMap) -> Option<IpAddr> {
        let lines = headers.get_all(FORWARDED_FOR).iter().rev();
        let entries = lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
        let mut nearest = None;
        for entry in entries {
            // Beyond an entry that is no address nothing can be believed.
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

/// The host a trusted proxy was asked for.
pub fn forwarded_host(headers: &HeaderMap) -> Option<&str> {
    last_word(headers, &FORWARDED_HOST)
}

/// The last entry is the one our own proxy wrote.
fn last_word<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let line = headers.get_all(name).iter().next_back()?;
    line.to_str().ok()?.rsplit(',').next().map(str::trim)
}

/// An address as proxies write it: bare, in brackets, or with a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.parse::<IpAddr>().ok();
    let with_port = || {
        text.parse::<std::net::SocketAddr>()
            .ok()
            .map(|address| address.ip())
    };
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    bare.or_else(with_port)
        .or_else(bracketed)
        .map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn proxies() -> Proxies {
        Proxies::new(vec![
            "10.0.0.0/8".parse().unwrap(),
            "::1/128".parse().unwrap(),
        ])
    }

    fn client(peer: &str, forwarded: &str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(FORWARDED_FOR, forwarded.parse().unwrap());
        let client = proxies().client(peer.parse().unwrap(), &headers);
        client.address.to_string()
    }

    #[test]
    fn the_rightmost_untrusted_address_is_the_client() {
        assert_eq!(client("10.0.0.1", "1.1.1.1, 2.2.2.2, 10.9.9.9"), "2.2.2.2");
        assert_eq!(client("10.0.0.1", "2.2.2.2:4711"), "2.2.2.2");
        assert_eq!(client("::1", "[2001:db8::1]:80"), "2001:db8::1");
        assert_eq!(client("::1", "[2001:db8::1]"), "2001:db8::1");
        assert_eq!(client("::ffff:10.0.0.1", "3.3.3.3"), "3.3.3.3");
    }

    #[test]
    fn a_stranger_is_not_believed() {
        assert_eq!(client("9.9.9.9", "1.1.1.1"), "9.9.9.9");
    }

    #[test]
    fn nothing_is_believed_beyond_an_entry_that_is_no_address() {
        assert_eq!(client("10.0.0.1", "1.1.1.1, unknown"), "10.0.0.1");
        assert_eq!(client("10.0.0.1", "1.1.1.1, unknown, 10.2.2.2"), "10.2.2.2");
        assert_eq!(client("10.0.0.1", ""), "10.0.0.1");
    }

    #[test]
    fn tls_is_believed_from_a_trusted_proxy_only() {
        let mut headers = HeaderMap::new();
        headers.insert(FORWARDED_PROTO, "https".parse().unwrap());
        assert!(proxies().client("10.0.0.1".parse().unwrap(), &headers).tls);
        assert!(!proxies().client("9.9.9.9".parse().unwrap(), &headers).tls);
    }

    /// What is logged while these callers come by.
    fn logged(callers: &[(&str, &'static str)]) -> String {
        let (log, proxies) = (SharedLog::default(), proxies());
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone());
        tracing::subscriber::with_default(subscriber.finish(), || {
            for (peer, name) in callers {
                let mut headers = HeaderMap::new();
                headers.insert(*name, "203.0.113.77".parse().unwrap());
                proxies.client(peer.parse().unwrap(), &headers);
            }
        });
        log.text()
    }

    #[test]
    fn an_unknown_proxy_nearby_is_told_of_once_with_the_remedy() {
        for (peer, header) in [
            ("127.0.0.1", "x-forwarded-for"),
            ("192.168.3.4", "forwarded"),
            ("fd00::7", "x-forwarded-for"),
        ] {
            let log = logged(&[(peer, header), (peer, header), ("127.0.0.9", header)]);
            assert_eq!(log.matches("WARN").count(), 1, "{log}");
            assert!(
                log.contains(&format!("FRONTDOOR_TRUSTED_PROXIES={peer}")),
                "{log}"
            );
            assert!(!log.contains("203.0.113.77"), "no visitor's address: {log}");
        }
    }

    #[test]
    fn no_word_is_lost_on_strangers_trusted_proxies_and_direct_visitors() {
        let log = logged(&[
            ("198.51.100.9", "x-forwarded-for"),
            ("10.0.0.1", "x-forwarded-for"),
            ("127.0.0.1", "accept"),
        ]);
        assert_eq!(log, "");
    }

    #[derive(Clone, Default)]
    struct SharedLog(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

    impl SharedLog {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl std::io::Write for SharedLog {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    proptest! {
        #[test]
        fn any_forwarded_header_gives_some_address(text in "[ -~]{0,80}") {
            client("10.0.0.1", &text);
        }

        #[test]
        fn what_a_client_writes_left_of_our_proxy_changes_nothing(text in "[0-9a-f:., ]{0,40}") {
            prop_assert_eq!(client("10.0.0.1", &format!("{text}, 5.5.5.5")), "5.5.5.5");
        }
    }
}
