//! Verifies a database server's certificate, depending on `sslmode`.

use std::path::Path;
use std::sync::Arc;

use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::url::Accepted;
use crate::calls;

/// `Err` is the reason in one line.
pub fn connector(accepted: Accepted, root: Option<&Path>) -> Result<MakeRustlsConnect, String> {
    let roots = match root {
        Some(file) => {
            read_roots(file).map_err(|why| format!("sslrootcert {}: {why}", file.display()))?
        }
        None => calls::roots(),
    };
    let to_text = |error: Error| error.to_string();
    let mut config = calls::client_config(roots.clone()).map_err(to_text)?;
    if accepted != Accepted::TrustedForHost {
        let provider = Arc::new(ring::default_provider());
        let strict = WebPkiServerVerifier::builder_with_provider(roots.into(), provider);
        let verifier = Arc::new(AnyName {
            strict: strict.build().map_err(|error| error.to_string())?,
            checks_issuer: accepted == Accepted::Trusted,
        });
        config.dangerous().set_certificate_verifier(verifier);
    }
    // PostgreSQL servers from version 17 on require ALPN for direct TLS.
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(MakeRustlsConnect::new(config))
}

fn read_roots(file: &Path) -> Result<RootCertStore, String> {
    let to_text = |error: rustls::pki_types::pem::Error| error.to_string();
    let mut roots = RootCertStore::empty();
    for root in CertificateDer::pem_file_iter(file).map_err(to_text)? {
        let added = roots.add(root.map_err(to_text)?);
        added.map_err(|error| error.to_string())?;
    }
    if roots.is_empty() {
        Err("there is no certificate in it".into())
    } else {
        Ok(roots)
    }
}

/// Verifies that the server has the certificate's key; the name in it isn't checked.
#[derive(Debug)]
struct AnyName {
    strict: Arc<WebPkiServerVerifier>,
    checks_issuer: bool,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verdict = self.strict.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        match verdict {
            Err(_) if !self.checks_issuer => Ok(ServerCertVerified::assertion()),
            // The name is checked last, so everything else is valid.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verdict => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.strict.verify_tls12_signature(message, cert, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.strict.verify_tls13_signature(message, cert, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.strict.supported_verify_schemes()
    }
}
