//! Why a call out failed, in words of our own.
//!
//! An error's own text may hold anything: a mail server's answer repeats the
//! visitor's address, a library's message the webhook's secret URL. What goes
//! into the log and `last_error` is chosen here from a short list.

use std::error::Error;
use std::io::{self, ErrorKind};

use rustls::CertificateError as Fault;

pub const UNKNOWN: &str = "the call failed";
pub const NO_SUCH_NAME: &str = "its name cannot be resolved";

/// Goes after "it could not be reached:" and the like.
pub fn words(error: &(dyn Error + 'static)) -> &'static str {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(words) = known(error) {
            return words;
        }
        cause = error.source();
    }
    UNKNOWN
}

fn known(error: &(dyn Error + 'static)) -> Option<&'static str> {
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        let rustls::Error::InvalidCertificate(fault) = error else {
            return Some("no secure connection could be made");
        };
        return Some(match fault {
            Fault::Expired | Fault::ExpiredContext { .. } => "its certificate has expired",
            Fault::NotValidYet | Fault::NotValidYetContext { .. } => {
                "its certificate is not valid yet"
            }
            Fault::NotValidForName | Fault::NotValidForNameContext { .. } => {
                "its certificate is for another name"
            }
            _ => "its certificate is not trusted",
        });
    }
    if let Some(error) = error.downcast_ref::<reqwest::Error>() {
        return error.is_timeout().then_some("it did not answer in time");
    }
    if let Some(error) = error.downcast_ref::<hyper::Error>() {
        return match (error.is_incomplete_message(), error.is_parse()) {
            (true, _) => Some("it closed the connection"),
            (_, true) => Some("its answer cannot be read"),
            _ => None,
        };
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        let inner = error.get_ref().map(|inner| words(inner));
        return inner
            .filter(|words| *words != UNKNOWN)
            .or_else(|| of_kind(error.kind()));
    }
    // The HTTP client has no type for it.
    (error.to_string() == "dns error").then_some(NO_SUCH_NAME)
}

fn of_kind(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::ConnectionRefused => Some("it refuses connections"),
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => {
            Some("it cannot be reached")
        }
        ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => Some("it closed the connection"),
        ErrorKind::TimedOut => Some("it did not answer in time"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rustls::CertificateError;

    use super::*;

    #[test]
    fn a_known_cause_is_found_behind_any_number_of_wrappers() {
        let refused = io::Error::from(ErrorKind::ConnectionRefused);
        assert_eq!(words(&refused), "it refuses connections");
        let certificate = rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
        let wrapped = io::Error::other(io::Error::other(certificate));
        assert_eq!(words(&wrapped), "its certificate is not trusted");
    }

    #[test]
    fn what_is_not_known_says_nothing_of_its_own() {
        let leaky = io::Error::other("ada@example.org");
        assert_eq!(words(&leaky), UNKNOWN);
    }
}
