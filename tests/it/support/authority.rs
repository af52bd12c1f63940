//! A private certificate authority.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rcgen::{BasicConstraints, Certificate, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;

pub struct Authority {
    /// Its certificate, for `SSL_CERT_FILE`.
    pub root: PathBuf,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub fn new(folder: &Path) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let root = folder.join("root.pem");
        std::fs::write(&root, params.self_signed(&key).unwrap().pem()).unwrap();
        Self {
            root,
            issuer: Issuer::new(params, key),
        }
    }

    /// A certificate for this name or address, valid between these times.
    pub fn sign(
        &self,
        name: &str,
        begin: Option<Timestamp>,
        end: Option<Timestamp>,
    ) -> (Certificate, KeyPair) {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let time = |time: Timestamp| {
            let since = Duration::try_from(time.duration_since(Timestamp::UNIX_EPOCH));
            rcgen::date_time_ymd(1970, 1, 1) + since.unwrap()
        };
        params.not_before = begin.map_or(params.not_before, time);
        params.not_after = end.map_or(params.not_after, time);
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap(), key)
    }

    /// The TLS settings of a server with this name.
    pub fn server(&self, name: &str) -> Arc<ServerConfig> {
        let (certificate, key) = self.sign(name, None, None);
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key);
        Arc::new(config.unwrap())
    }
}
