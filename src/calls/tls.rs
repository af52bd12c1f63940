//! TLS for calls out, to the webhook, the mail server and a database server
//! alike: the roots in the binary, so that it works on a machine without any,
//! and the machine's own, so that a private authority works too.

use std::sync::Arc;

use lettre::transport::smtp;
use lettre::transport::smtp::client::{Certificate, CertificateStore, TlsParameters};
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore, crypto::ring};

/// For HTTPS.
pub fn client_config() -> Result<ClientConfig, rustls::Error> {
    client_config_with(roots())
}

/// Whom we trust unless told otherwise.
pub fn roots() -> RootCertStore {
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    roots.add_parsable_certificates(machine_roots());
    roots
}

/// For who trusts these and no others.
pub fn client_config_with(roots: RootCertStore) -> Result<ClientConfig, rustls::Error> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}

/// For SMTP. The mail library takes roots, but no finished configuration.
pub fn mail_parameters(host: &str) -> Result<TlsParameters, smtp::Error> {
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
