//! Whether a form post comes from our own pages.
//!
//! Browsers say so themselves in `Sec-Fetch-Site`; older ones and plain HTTP
//! only in `Origin`. A request with neither comes from no browser form and is
//! let through: there is no login that another site could misuse.

use http::HeaderMap;
use http::header::{HOST, HeaderName, ORIGIN};
use url::Url;

use super::client::{Client, forwarded_host};
use crate::content::SITE;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

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
    let proxy_host = forwarded_host(headers).filter(|_| client.proxied);
    let ours = [asked_host, proxy_host].into_iter().flatten();
    // A proxy may rewrite `Host`; the published address is ours all the same.
    ours.filter_map(|host| Url::parse(&format!("{}://{host}", origin.scheme())).ok())
        .chain(Url::parse(&SITE.url))
        .any(|own| same_place(&own, &origin))
}

fn same_place(own: &Url, origin: &Url) -> bool {
    let is_web = matches!(origin.scheme(), "http" | "https");
    is_web
        && own.host() == origin.host()
        && own.port_or_known_default() == origin.port_or_known_default()
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use proptest::prelude::*;

    use super::*;

    fn verdict(lines: &[(&'static str, &str)], proxied: bool) -> bool {
        let pairs = lines
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()));
        let client = Client {
            address: Ipv4Addr::LOCALHOST.into(),
            tls: false,
            proxied,
        };
        is_same_origin(&pairs.collect(), &client)
    }

    #[test]
    fn the_browsers_own_word_decides() {
        for (site, expected) in [
            ("same-origin", true),
            ("none", true),
            ("same-site", false),
            ("cross-site", false),
            ("", false),
        ] {
            assert_eq!(
                verdict(&[("sec-fetch-site", site)], false),
                expected,
                "{site}"
            );
        }
    }

    #[test]
    fn without_it_the_origin_must_be_the_host_that_was_asked() {
        let host = ("host", "shop.example:8080");
        assert!(verdict(
            &[host, ("origin", "http://shop.example:8080")],
            false
        ));
        assert!(verdict(
            &[("host", "shop.example"), ("origin", "https://shop.example")],
            false
        ));
        assert!(verdict(
            &[
                ("host", "shop.example:443"),
                ("origin", "https://shop.example")
            ],
            false
        ));
        for strange in [
            "http://shop.example",
            "http://evil.example:8080",
            "null",
            "file://",
            "x",
        ] {
            assert!(!verdict(&[host, ("origin", strange)], false), "{strange}");
        }
    }

    #[test]
    fn a_trusted_proxy_may_name_the_host() {
        let lines = [
            ("host", "127.0.0.1:8080"),
            ("x-forwarded-host", "shop.example"),
            ("origin", "https://shop.example"),
        ];
        assert!(verdict(&lines, true));
        assert!(!verdict(&lines, false));
    }

    #[test]
    fn the_published_address_is_ours_and_no_header_is_no_browser() {
        assert!(verdict(
            &[("host", "127.0.0.1"), ("origin", &SITE.url)],
            false
        ));
        assert!(verdict(&[], false));
    }

    proptest! {
        #[test]
        fn any_headers_get_a_verdict(host in "[ -~]{0,30}", origin in "[ -~]{0,30}") {
            verdict(&[("host", &host), ("origin", &origin)], true);
        }
    }
}
