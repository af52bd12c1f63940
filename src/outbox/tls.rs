//! TLS for calls out: the roots in the binary, so that it works on a machine
//! without any, and the machine's own, so that a private authority works too.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore, crypto::ring};

pub fn client_config() -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}
