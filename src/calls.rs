//! Parts that all calls out share, to the webhook, the mail server and a database
//! server alike: trusted authorities, the HTTP client, and why a call failed.

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
pub const NO_SUCH_NAME: &str = "its name cannot be resolved";

/// Follows no redirects, and gives up after `patience`, from the connection to the
/// last byte read.
pub fn http_client(patience: Duration) -> Result<ClientBuilder, rustls::Error> {
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(client_config(roots())?)
        .redirect(redirect::Policy::none())
        // The owner says where to call; a proxy that happens to be in the
        // environment is not meant.
        .no_proxy()
        .timeout(patience)
        .user_agent(concat!("frontdoor/", env!("CARGO_PKG_VERSION")));
    Ok(builder)
}

/// The authorities we trust unless told otherwise: those in the binary, so that it
/// works on a machine without any, and the machine's own, so that a private one
/// works too.
pub fn roots() -> RootCertStore {
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    roots.add_parsable_certificates(machine_roots());
    roots
}

/// TLS that trusts these and no others.
pub fn client_config(roots: RootCertStore) -> Result<ClientConfig, rustls::Error> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}

/// For SMTP. The mail library takes roots, but no finished configuration.
pub fn mail_tls(host: &str) -> Result<TlsParameters, smtp::Error> {
    let mut builder =
        TlsParameters::builder(host.to_owned()).certificate_store(CertificateStore::WebpkiRoots);
    for root in machine_roots() {
        builder = builder.add_root_certificate(Certificate::from_der(root.to_vec())?);
    }
    builder.build_rustls()
}

/// The roots that this machine trusts, without those that can't be read: one odd file must
/// not cost all the others.
fn machine_roots() -> Vec<CertificateDer<'static>> {
    let mut roots = rustls_native_certs::load_native_certs().certs;
    roots.retain(|root| RootCertStore::empty().add(root.clone()).is_ok());
    roots
}

/// Why a call failed, in words of our own. An error's own text may hold anything: a
/// mail server's answer repeats the visitor's address, a library's message the
/// webhook's secret URL. Goes after "it could not be reached:" and the like.
pub fn reason(error: &(dyn Error + 'static)) -> &'static str {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(reason) = known(error) {
            return reason;
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
        let inner = error.get_ref().map(|inner| reason(inner));
        return inner
            .filter(|reason| *reason != UNKNOWN)
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
    use super::*;

    #[test]
    fn a_known_cause_is_found_behind_any_number_of_wrappers() {
        let refused = io::Error::from(ErrorKind::ConnectionRefused);
        assert_eq!(reason(&refused), "it refuses connections");
        let certificate = rustls::Error::InvalidCertificate(Fault::UnknownIssuer);
        let wrapped = io::Error::other(io::Error::other(certificate));
        assert_eq!(reason(&wrapped), "its certificate is not trusted");
    }

    #[test]
    fn what_is_not_known_says_nothing_of_its_own() {
        let leaky = io::Error::other("ada@example.org");
        assert_eq!(reason(&leaky), UNKNOWN);
    }
}
