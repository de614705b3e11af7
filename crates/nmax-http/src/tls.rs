//! TLS settings: which certificates are trusted, and one ticket cache per visitor.

use std::cell::OnceCell;
use std::sync::{Arc, OnceLock};

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::Resumption;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// Servers whose TLS tickets one visitor remembers.
const TICKETS_MAX: usize = 16;

/// Settings that no client can be built from.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file of certificates that is not PEM.
    #[error("certificate file {number} is not valid PEM: {reason}")]
    Pem {
        /// Which one, from 1, in the order given.
        number: usize,
        /// What the parser says.
        reason: String,
    },
    /// A PEM file without a certificate.
    #[error("certificate file {number} holds no certificate: give a PEM file with `BEGIN CERTIFICATE`")]
    NoCertificate {
        /// Which one, from 1, in the order given.
        number: usize,
    },
    /// A certificate that cannot be trusted as an issuer.
    #[error("certificate file {number} cannot be trusted as an issuer: {reason}")]
    Issuer {
        /// Which one, from 1, in the order given.
        number: usize,
        /// What the verifier says.
        reason: String,
    },
    /// The TLS library refuses the settings.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] Error),
}

/// The TLS settings of a worker, without tickets.
#[derive(Debug)]
pub(crate) struct Settings {
    provider: Arc<CryptoProvider>,
    issuers: Vec<CertificateDer<'static>>,
    insecure: bool,
    /// Made at the first `https` connection: reading the host's roots takes longer than many runs of plain HTTP.
    config: OnceCell<ClientConfig>,
}

impl Settings {
    /// Trusts the host's own roots and the issuers in `ca_pem`; or everyone when `insecure`.
    pub(crate) fn new(ca_pem: &[Vec<u8>], insecure: bool) -> Result<Self, ConfigError> {
        let provider = Arc::new(ring::default_provider());
        ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
        let issuers = issuers(ca_pem)?;
        Ok(Self {
            provider,
            issuers,
            insecure,
            config: OnceCell::new(),
        })
    }

    /// A connector for one visitor, who has no ticket yet.
    pub(crate) fn visitor(&self) -> TlsConnector {
        let mut config = self.config.get_or_init(|| self.build()).clone();
        config.resumption = Resumption::in_memory_sessions(TICKETS_MAX);
        TlsConnector::from(Arc::new(config))
    }

    fn build(&self) -> ClientConfig {
        let builder = ClientConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_safe_default_protocol_versions()
            .expect("the same call succeeded when the settings were made");
        let mut config = if self.insecure {
            let everyone = TrustEveryone {
                provider: Arc::clone(&self.provider),
            };
            builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(everyone))
                .with_no_client_auth()
        } else {
            let mut roots = native_roots().clone();
            roots.add_parsable_certificates(self.issuers.iter().cloned());
            builder.with_root_certificates(roots).with_no_client_auth()
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        config
    }
}

/// Every certificate of the files, each fit to be an issuer.
fn issuers(ca_pem: &[Vec<u8>]) -> Result<Vec<CertificateDer<'static>>, ConfigError> {
    let mut issuers = Vec::new();
    for (index, pem) in ca_pem.iter().enumerate() {
        let number = index + 1;
        let before = issuers.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| ConfigError::Pem {
                number,
                reason: error.to_string(),
            })?;
            RootCertStore::empty()
                .add(certificate.clone())
                .map_err(|error| ConfigError::Issuer {
                    number,
                    reason: error.to_string(),
                })?;
            issuers.push(certificate);
        }
        if issuers.len() == before {
            return Err(ConfigError::NoCertificate { number });
        }
    }
    Ok(issuers)
}

/// The host's own roots, read once per process. Unreadable ones are left out, as everyone does:
/// a server that needs them then fails with an unknown issuer.
fn native_roots() -> &'static RootCertStore {
    static ROOTS: OnceLock<RootCertStore> = OnceLock::new();
    ROOTS.get_or_init(|| {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        roots
    })
}

/// Takes any certificate for any host, because the user asked for it.
#[derive(Debug)]
struct TrustEveryone {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for TrustEveryone {
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
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
