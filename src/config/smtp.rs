//! The mail server's address: where it is, how safe the way to it must be,
//! and who we are there.
//!
//! `smtps://` is TLS from the first byte, `smtp://` is made as safe as can be
//! expected: on this machine plain, elsewhere STARTTLS where offered, and with
//! a password STARTTLS or nothing. `?tls=required` and `?tls=opportunistic`
//! say it outright.

use std::net::IpAddr;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use url::Url;

use super::Secret;

const PLAIN_PORT: u16 = 25;
const SUBMISSION_PORT: u16 = 587;
const SUBMISSIONS_PORT: u16 = 465;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    None,
    Opportunistic,
    Required,
    FromTheFirstByte,
}

#[derive(Debug, Clone)]
pub struct SmtpServer {
    pub host: String,
    pub port: u16,
    pub security: Security,
    pub login: Option<Login>,
}

#[derive(Debug, Clone)]
pub struct Login {
    pub user: Secret<String>,
    pub password: Secret<String>,
}

impl FromStr for SmtpServer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url = Url::parse(text)
            .ok()
            .filter(|url| matches!(url.scheme(), "smtp" | "smtps"))
            .ok_or("must be an address that starts with smtp:// or smtps://")?;
        let host = host(&url).ok_or("must name the mail server, like smtp://mail.example.org")?;
        let login = login(&url)?;
        let security = security(&url, &host, login.is_some())?;
        let usual_port = match security {
            Security::FromTheFirstByte => SUBMISSIONS_PORT,
            Security::Required | Security::Opportunistic => SUBMISSION_PORT,
            Security::None => PLAIN_PORT,
        };
        Ok(Self {
            host,
            port: url.port().unwrap_or(usual_port),
            security,
            login,
        })
    }
}

fn security(url: &Url, host: &str, login: bool) -> Result<Security, String> {
    let mut tls = None;
    for (name, value) in url.query_pairs() {
        match &*name {
            "tls" => tls = Some(value),
            _ => return Err("has a parameter that is not known: `tls` is the only one".into()),
        }
    }
    match (url.scheme(), tls.as_deref()) {
        ("smtps", None) => Ok(Security::FromTheFirstByte),
        ("smtps", _) => Err("must not have `tls` where smtps:// says it already".into()),
        (_, Some("required")) => Ok(Security::Required),
        (_, Some("opportunistic")) => Ok(Security::Opportunistic),
        (_, Some(_)) => Err("must have `required` or `opportunistic` as its `tls`".into()),
        (_, None) if is_this_machine(host) => Ok(Security::None),
        (_, None) if login => Ok(Security::Required),
        (_, None) => Ok(Security::Opportunistic),
    }
}

fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

fn host(url: &Url) -> Option<String> {
    // A socket address wants an IPv6 address without its brackets.
    let host = url.host_str()?.trim_matches(['[', ']']);
    (!host.is_empty()).then(|| host.to_owned())
}

fn login(url: &Url) -> Result<Option<Login>, String> {
    let Some(password) = url.password() else {
        return match url.username() {
            "" => Ok(None),
            _ => Err("names a user without a password".into()),
        };
    };
    let plain = |text| {
        let decoded = percent_decode_str(text).decode_utf8();
        decoded.map_err(|_| "has a password that is not UTF-8 text")
    };
    Ok(Some(Login {
        user: Secret::new(plain(url.username())?.into_owned()),
        password: Secret::new(plain(password)?.into_owned()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> (String, u16, Security) {
        let server: SmtpServer = url.parse().unwrap();
        (server.host, server.port, server.security)
    }

    #[test]
    fn the_address_decides_on_port_and_encryption() {
        for (url, host, port, security) in [
            (
                "smtps://mail.example",
                "mail.example",
                465,
                Security::FromTheFirstByte,
            ),
            (
                "smtp://user:word@mail.example",
                "mail.example",
                587,
                Security::Required,
            ),
            (
                "smtp://mail.example",
                "mail.example",
                587,
                Security::Opportunistic,
            ),
            (
                "smtp://127.0.0.1?tls=required",
                "127.0.0.1",
                587,
                Security::Required,
            ),
            ("smtp://localhost:2525", "localhost", 2525, Security::None),
            ("smtp://user:word@[::1]", "::1", 25, Security::None),
        ] {
            assert_eq!(parsed(url), (host.to_owned(), port, security), "{url}");
        }
    }

    #[test]
    fn an_address_that_cannot_be_used_is_refused_without_repeating_it() {
        for bad in [
            "",
            "mail.secret",
            "http://mail.secret",
            "smtp://",
            "smtp://mail.secret?tls=maybe",
            "smtps://mail.secret?tls=required",
            "smtp://mail.secret?timeout=5",
            "smtp://secret@mail.example",
            "smtp://user:secret%FF@mail.example",
        ] {
            let problem = bad.parse::<SmtpServer>().unwrap_err();
            assert!(!problem.contains("secret"), "{problem}");
        }
    }

    #[test]
    fn a_password_is_decoded_keeps_its_plus_sign_and_is_never_shown() {
        let server: SmtpServer = "smtp://me%40x:a%40b+c%2Fd@h".parse().unwrap();
        assert!(!format!("{server:?}").contains("a@b"));
        let login = server.login.unwrap();
        assert_eq!(login.user.reveal(), "me@x");
        assert_eq!(login.password.reveal(), "a@b+c/d");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "(smtps?://)?\\PC*") {
            let _ = text.parse::<SmtpServer>();
        }
    }
}
