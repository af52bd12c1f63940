//! Whom a database server must prove to be, by `sslmode`.

use std::path::Path;
use std::sync::Arc;

use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::postgres_url::SslMode;
use crate::calls::tls;

/// `Err`: why not, in one line.
pub fn connector(mode: SslMode, root_file: Option<&Path>) -> Result<MakeRustlsConnect, String> {
    let provider = Arc::new(ring::default_provider());
    let cannot = |error: Error| error.to_string();
    let mut config = match mode {
        SslMode::VerifyFull => with_roots(root_file)?,
        SslMode::VerifyCa => {
            let verifier = AnyName(chain_verifier(roots(root_file)?, provider)?);
            relaxed(Arc::new(verifier)).map_err(cannot)?
        }
        _ => relaxed(Arc::new(Anybody(provider))).map_err(cannot)?,
    };
    // Servers from version 17 on want it where TLS begins with the first byte.
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(MakeRustlsConnect::new(config))
}

fn with_roots(root_file: Option<&Path>) -> Result<ClientConfig, String> {
    tls::client_config_with(roots(root_file)?).map_err(|error| error.to_string())
}

fn relaxed(verifier: Arc<dyn ServerCertVerifier>) -> Result<ClientConfig, Error> {
    let mut config = tls::client_config_with(RootCertStore::empty())?;
    config.dangerous().set_certificate_verifier(verifier);
    Ok(config)
}

fn chain_verifier(
    roots: RootCertStore,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, String> {
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
        .build()
        .map_err(|error| error.to_string())
}

fn roots(file: Option<&Path>) -> Result<RootCertStore, String> {
    let Some(file) = file else {
        return Ok(tls::roots());
    };
    let cannot = |why: String| format!("sslrootcert {}: {why}", file.display());
    let found = CertificateDer::pem_file_iter(file).map_err(|error| cannot(error.to_string()))?;
    let mut roots = RootCertStore::empty();
    for root in found {
        let root = root.map_err(|error| cannot(error.to_string()))?;
        let added = roots.add(root);
        added.map_err(|error| cannot(error.to_string()))?;
    }
    match roots.is_empty() {
        true => Err(cannot("there is no certificate in it".into())),
        false => Ok(roots),
    }
}

/// `verify-ca`: the chain counts, the name does not.
#[derive(Debug)]
struct AnyName(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verdict =
            self.0
                .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verdict {
            // The name is looked at last: everything else was right.
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
        self.0.verify_tls12_signature(message, cert, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, cert, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

/// `require` and less: encrypted, with whoever has the key of the certificate
/// that it shows.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, cert, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, cert, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let known = &self.0.signature_verification_algorithms;
        known.supported_schemes()
    }
}
