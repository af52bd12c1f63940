//! The public address: answering, by TLS and by nothing else, under a certificate
//! that lasts, at the right time.

use std::error::Error;

use http::header::{DATE, HeaderMap, LOCATION, STRICT_TRANSPORT_SECURITY};
use jiff::fmt::rfc2822;
use jiff::{SignedDuration, Timestamp};
use reqwest::Response;
use reqwest::tls::TlsInfo;
use rustls::CertificateError;
use url::Url;
use x509_cert::Certificate;
use x509_cert::der::Decode as _;

use super::clock;
use super::site::PublicSite;
use super::verdict::{Verdict, bad, good, unsure};
use crate::calls::cause;

/// Authorities that renew by themselves do so a month before the end.
const SOON: i64 = 20;
const VERY_SOON: i64 = 7;
/// Half a year, below which browsers' lists take no site.
const LONG: u64 = 60 * 60 * 24 * 180;
const SAME_TIME: SignedDuration = SignedDuration::from_secs(60);

pub async fn look(site: &PublicSite) -> Vec<Verdict> {
    let mut verdicts = match site.get(site.url.clone()).await {
        Ok(answer) => answered(site, &answer),
        Err(error) => vec![unreachable(site, &error)],
    };
    verdicts.push(plain(site).await);
    verdicts
}

fn answered(site: &PublicSite, answer: &Response) -> Vec<Verdict> {
    let (url, status) = (&site.url, answer.status());
    let mut verdicts = vec![match status.is_success() {
        true => good("site", format!("{url} answers")),
        false => bad(
            "site",
            format!("{url} answers with status {}", status.as_u16()),
            "does the service run (systemctl status frontdoor), and does the proxy pass requests on to \
            where it listens?",
        ),
    }];
    if site.is_secure() {
        let certificate = answer.extensions().get::<TlsInfo>();
        let certificate = certificate.and_then(TlsInfo::peer_certificate);
        verdicts.push(lasting(certificate, Timestamp::now()));
        // What a proxy says in the server's place has no header of ours.
        verdicts.extend(status.is_success().then(|| hsts(answer.headers())));
    } else {
        verdicts.push(unsure(
            "TLS",
            format!("{url} is not encrypted"),
            "give the site a certificate, or check its https:// address with --url",
        ));
    }
    verdicts.extend(clock_of(answer.headers(), Timestamp::now()));
    verdicts
}

fn unreachable(site: &PublicSite, error: &reqwest::Error) -> Verdict {
    let url = &site.url;
    if let Some((fault, remedy)) = certificate_fault(error) {
        return bad("TLS", format!("{url}: {fault}"), remedy);
    }
    bad(
        "site",
        format!("{url} does not answer: {}", cause::words(error)),
        "look at the proxy, the firewall and the DNS records; another address: --url",
    )
}

/// What is wrong with it, in more words than other calls out need, and what to do.
fn certificate_fault(error: &(dyn Error + 'static)) -> Option<(&'static str, &'static str)> {
    let mut next = Some(error);
    while let Some(error) = next {
        // A library puts it inside an I/O error.
        let inner = error.downcast_ref::<std::io::Error>();
        let inner = inner.and_then(std::io::Error::get_ref);
        let found = error
            .downcast_ref::<rustls::Error>()
            .or_else(|| inner?.downcast_ref());
        if let Some(rustls::Error::InvalidCertificate(fault)) = found {
            return Some(match fault {
                CertificateError::Expired | CertificateError::ExpiredContext { .. } => (
                    "the certificate has expired",
                    "renew it and let the proxy read it anew; or is this machine's clock wrong \
                    (date)?",
                ),
                CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => (
                    "the certificate is not valid yet",
                    "is this machine's clock wrong (date)? timedatectl set-ntp true",
                ),
                CertificateError::NotValidForName
                | CertificateError::NotValidForNameContext { .. } => (
                    "the certificate is for another name",
                    "get one for this very name; or does the name lead to another machine?",
                ),
                CertificateError::UnknownIssuer => (
                    "nobody known has signed the certificate",
                    "get one of an authority that browsers know; the proxy's log says why it has none",
                ),
                _ => (
                    "the certificate cannot be trusted",
                    "renew it and let the proxy read it anew",
                ),
            });
        }
        next = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

fn lasting(certificate: Option<&[u8]>, now: Timestamp) -> Verdict {
    let certificate = certificate.and_then(|der| Certificate::from_der(der).ok());
    let end = certificate.map(|certificate| certificate.tbs_certificate.validity.not_after);
    let end = end.and_then(|end| Timestamp::try_from(end.to_system_time()).ok());
    let Some(end) = end else {
        return unsure(
            "TLS",
            "the certificate cannot be read",
            "look at it in a browser",
        );
    };
    let days = end.duration_since(now).as_hours() / 24;
    let what = format!("the certificate is trusted, {days} days are left");
    let remedy = "it is not renewed by itself: look at the proxy's log";
    match days {
        ..VERY_SOON => bad("TLS", what, remedy),
        VERY_SOON..SOON => unsure("TLS", what, remedy),
        _ => good("TLS", what),
    }
}

fn hsts(headers: &HeaderMap) -> Verdict {
    let header = headers.get(STRICT_TRANSPORT_SECURITY);
    let header = header.and_then(|value| value.to_str().ok());
    let seconds = header.and_then(|value| {
        let mut parts = value.split(';').map(str::trim);
        parts.find_map(|part| {
            part.strip_prefix("max-age=")?
                .trim_matches('"')
                .parse::<u64>()
                .ok()
        })
    });
    match seconds {
        Some(LONG..) => good("HSTS", "browsers insist on TLS"),
        Some(_) => unsure(
            "HSTS",
            "browsers insist on TLS for less than half a year",
            "let the proxy pass our own header on: max-age=31536000",
        ),
        None => bad(
            "HSTS",
            "answers over TLS do not carry Strict-Transport-Security",
            "the server adds it when a proxy of FRONTDOOR_TRUSTED_PROXIES says X-Forwarded-Proto: \
            https",
        ),
    }
}

/// Whether plain HTTP leads to TLS.
async fn plain(site: &PublicSite) -> Verdict {
    if !site.is_secure() || site.url.port().is_some() {
        return unsure(
            "HTTP to HTTPS",
            "not known: the address is not https:// on its usual port",
            "check the public address",
        );
    }
    let mut url = site.url.clone();
    if url.set_scheme("http").is_err() {
        return unsure("HTTP to HTTPS", "not known", "check it in a browser");
    }
    let remedy = "let the proxy redirect http:// to https://";
    match site.get(url.clone()).await {
        Ok(answer) if leads_to_tls(&answer, &url) => {
            good("HTTP to HTTPS", format!("{url} redirects"))
        }
        Ok(answer) => {
            let status = answer.status().as_u16();
            bad(
                "HTTP to HTTPS",
                format!("{url} answers with status {status}"),
                remedy,
            )
        }
        Err(error) => unsure(
            "HTTP to HTTPS",
            format!("{url} does not answer: {}", cause::words(&error)),
            "open port 80 and redirect there, for visitors who type the name alone",
        ),
    }
}

fn leads_to_tls(answer: &Response, from: &Url) -> bool {
    let location = answer.headers().get(LOCATION);
    let location = location.and_then(|location| from.join(location.to_str().ok()?).ok());
    let host = |url: &Url| {
        url.host_str()
            .map(|host| host.trim_start_matches("www.").to_owned())
    };
    answer.status().is_redirection()
        && location.is_some_and(|to| to.scheme() == "https" && host(&to) == host(from))
}

fn clock_of(headers: &HeaderMap, now: Timestamp) -> Option<Verdict> {
    let date = headers.get(DATE)?.to_str().ok()?;
    let there = rfc2822::DateTimeParser::new().parse_timestamp(date).ok()?;
    Some(clock::compare("the site's answers", now, there, SAME_TIME))
}
