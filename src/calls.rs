//! Shared parts of outgoing calls to the webhook, the mail server, the database server and the
//! monitoring URL: trusted certificate authorities, the HTTP client, and wording for failures.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use lettre::transport::smtp;
use lettre::transport::smtp::client::{Certificate, CertificateStore, TlsParameters};
use reqwest::{ClientBuilder, redirect};
use rustls::pki_types::CertificateDer;
use rustls::{CertificateError as Fault, ClientConfig, RootCertStore, crypto::ring};

pub const UNKNOWN: &str = "the call failed";
pub const NO_SUCH_NAME: &str = "its name can't be resolved";

/// An HTTP client that follows no redirects and times out after `limit`, measured from
/// connecting to the last byte read.
pub fn http_client(limit: Duration) -> Result<ClientBuilder, rustls::Error> {
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(client_config(roots())?)
        .redirect(redirect::Policy::none())
        // The owner configures the URL; a proxy in the environment isn't meant for it.
        .no_proxy()
        .timeout(limit)
        .user_agent(concat!("frontdoor/", env!("CARGO_PKG_VERSION")));
    Ok(builder)
}

/// The default certificate authorities: the bundled ones, so the program works on a machine that
/// has none, and the machine's own, so that a private authority works too.
pub fn roots() -> RootCertStore {
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    roots.add_parsable_certificates(machine_roots());
    roots
}

/// A TLS configuration that trusts only these roots.
pub fn client_config(roots: RootCertStore) -> Result<ClientConfig, rustls::Error> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}

/// TLS for SMTP: the mail library accepts root certificates, but no finished configuration.
pub fn mail_tls(host: &str) -> Result<TlsParameters, smtp::Error> {
    let mut builder =
        TlsParameters::builder(host.to_owned()).certificate_store(CertificateStore::WebpkiRoots);
    for root in machine_roots() {
        builder = builder.add_root_certificate(Certificate::from_der(root.to_vec())?);
    }
    builder.build_rustls()
}

/// The machine's trusted roots. Unreadable ones are skipped, so that one bad file doesn't
/// invalidate the others.
fn machine_roots() -> Vec<CertificateDer<'static>> {
    let mut roots = rustls_native_certs::load_native_certs().certs;
    roots.retain(|root| RootCertStore::empty().add(root.clone()).is_ok());
    roots
}

/// Why a call failed, in fixed words. The error's own text may contain anything: a mail server's
/// reply repeats the visitor's address, a library's message the secret webhook URL. The result
/// ends a sentence such as "it could not be reached: …".
pub fn reason(error: &(dyn Error + 'static)) -> &'static str {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(reason) = known_reason(error) {
            return reason;
        }
        cause = error.source();
    }
    UNKNOWN
}

fn known_reason(error: &(dyn Error + 'static)) -> Option<&'static str> {
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        let rustls::Error::InvalidCertificate(fault) = error else {
            return Some("no secure connection could be made");
        };
        return Some(match fault {
            Fault::Expired | Fault::ExpiredContext { .. } => "its certificate has expired",
            Fault::NotValidYet | Fault::NotValidYetContext { .. } => {
                "its certificate isn't valid yet"
            }
            Fault::NotValidForName | Fault::NotValidForNameContext { .. } => {
                "its certificate is for another name"
            }
            _ => "its certificate isn't trusted",
        });
    }
    if let Some(error) = error.downcast_ref::<reqwest::Error>() {
        return error.is_timeout().then_some("it did not answer in time");
    }
    if let Some(error) = error.downcast_ref::<hyper::Error>() {
        return match (error.is_incomplete_message(), error.is_parse()) {
            (true, _) => Some("it closed the connection"),
            (_, true) => Some("its answer can't be read"),
            _ => None,
        };
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        let inner = error.get_ref().map(|inner| reason(inner));
        return inner
            .filter(|reason| *reason != UNKNOWN)
            .or_else(|| io_reason(error.kind()));
    }
    // The HTTP client has no type for this error.
    (error.to_string() == "dns error").then_some(NO_SUCH_NAME)
}

fn io_reason(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::ConnectionRefused => Some("it refuses connections"),
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => {
            Some("it can't be reached")
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
    use super::*;

    #[test]
    fn a_known_cause_is_found_behind_any_number_of_wrappers() {
        let refused = io::Error::from(ErrorKind::ConnectionRefused);
        assert_eq!(reason(&refused), "it refuses connections");
        let certificate = rustls::Error::InvalidCertificate(Fault::UnknownIssuer);
        let wrapped = io::Error::other(io::Error::other(certificate));
        assert_eq!(reason(&wrapped), "its certificate isn't trusted");
    }

    #[test]
    fn what_is_not_known_says_nothing_of_its_own() {
        let leaky = io::Error::other("ada@example.org");
        assert_eq!(reason(&leaky), UNKNOWN);
    }
}
