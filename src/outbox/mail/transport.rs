//! The connection to the mail server.

use std::error::Error;
use std::time::Duration;

use anyhow::Context as _;
use lettre::transport::smtp;
use lettre::{AsyncSmtpTransport, Tokio1Executor};
use url::{Host, Url};

pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// `smtps://` is TLS from the first byte, `smtp://` is made as safe as can be
/// expected: on this machine plain, elsewhere STARTTLS where offered, and with
/// a password STARTTLS or nothing. `?tls=required` and `?tls=opportunistic`
/// say it outright.
pub fn open(url: &str) -> anyhow::Result<AsyncSmtpTransport<Tokio1Executor>> {
    let url = with_tls_choice(url)?;
    let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.as_str())
        .context("the mail server's address cannot be used")?;
    Ok(builder.timeout(Some(CONNECT_TIMEOUT)).build())
}

/// The address with its `tls` parameter spelt out.
pub fn with_tls_choice(url: &str) -> anyhow::Result<Url> {
    let mut url = Url::parse(url).context("the mail server's address cannot be read")?;
    let chosen = url.query_pairs().any(|(name, _)| name == "tls");
    if url.scheme() == "smtp" && !chosen && !is_this_machine(&url) {
        let tls = match url.password() {
            Some(_) => "required",
            None => "opportunistic",
        };
        url.query_pairs_mut().append_pair("tls", tls);
    }
    Ok(url)
}

fn is_this_machine(url: &Url) -> bool {
    // In an `smtp:` URL the host is plain text even when it is an address.
    match url.host() {
        Some(Host::Domain(name)) => {
            name == "localhost"
                || name
                    .parse()
                    .is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
        }
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

/// The status only: a mail server's words often repeat the address.
pub fn reason(error: &smtp::Error) -> String {
    if let Some(code) = error.status() {
        return format!("the mail server answered {code}");
    }
    let mut cause: &(dyn Error + 'static) = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let cause: String = cause.to_string().chars().take(200).collect();
    format!("the mail could not be handed over: {cause}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_recognised_in_every_spelling() {
        let here = |url| is_this_machine(&Url::parse(url).unwrap());
        assert!(here("smtp://localhost:2525"));
        assert!(here("smtp://127.0.0.1"));
        assert!(here("smtp://user:word@[::1]:25"));
        assert!(!here("smtp://mail.example.org"));
    }

    #[tokio::test]
    async fn an_address_that_cannot_be_used_is_refused_at_start() {
        for bad in [
            "",
            "mail.example.org",
            "http://mail.example.org",
            "smtp://h?tls=maybe",
        ] {
            assert!(open(bad).is_err(), "{bad}");
        }
        assert!(open("smtp://user:word@mail.example.org:587").is_ok());
        assert!(open("smtps://mail.example.org").is_ok());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "(smtps?://)?\\PC*") {
            let _ = open(&text);
        }
    }
}
