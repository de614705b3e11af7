//! A certificate authority and a server certificate, made at start and kept in memory.
//!
//! Clients trust the authority's certificate (`ca_pem`); both private keys die with the process.

use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::server::Error;

/// The target's own certificates.
#[derive(Clone)]
pub struct Certificates {
    ca_pem: String,
    config: Arc<ServerConfig>,
}

impl Certificates {
    /// Makes an authority and a certificate for `localhost`, the loopback addresses and `names`.
    ///
    /// A name is a host name or an IP address.
    pub fn generate(names: &[String]) -> Result<Self, Error> {
        let tls = |source: rcgen::Error| Error::Tls { problem: source.to_string() };
        let ca = CertifiedIssuer::self_signed(ca_params(), KeyPair::generate().map_err(tls)?).map_err(tls)?;
        let mut all = ["localhost", "127.0.0.1", "::1"].map(String::from).to_vec();
        all.extend(names.iter().filter(|name| !all.contains(name)).cloned().collect::<Vec<_>>());
        let mut params = CertificateParams::new(all).map_err(tls)?;
        params.distinguished_name.push(DnType::CommonName, "nmax target");
        params.use_authority_key_identifier_extension = true;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate().map_err(tls)?;
        let leaf = params.signed_by(&key, &ca).map_err(tls)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = server_config(leaf.der().clone(), key)?;
        Ok(Self { ca_pem: ca.pem(), config: Arc::new(config) })
    }

    /// The authority's certificate in PEM, for clients to trust.
    pub fn ca_pem(&self) -> &str {
        &self.ca_pem
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.config))
    }
}

fn ca_params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "nmax target authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

fn server_config(leaf: CertificateDer<'static>, key: PrivateKeyDer<'static>) -> Result<ServerConfig, Error> {
    let tls = |source: tokio_rustls::rustls::Error| Error::Tls { problem: source.to_string() };
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(tls)?
        .with_no_client_auth()
        .with_single_cert(vec![leaf], key)
        .map_err(tls)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
