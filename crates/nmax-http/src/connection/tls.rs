//! TLS settings: which certificates are trusted, which one is shown, and one ticket cache per visitor.
//!
//! A cache shared by visitors would let a new visitor resume another one's session, which saves the server its
//! dearest work: the load would look lighter than the same number of people make it.

use std::cell::OnceCell;
use std::sync::{Arc, OnceLock};

use nmax_tls::{IssuersError, Verifier};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::{ResolvesClientCert, Resumption};
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ClientConfig, ConfigBuilder, Error, RootCertStore, WantsVerifier};

use crate::connection::{ClientCertificate, Config};

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
    /// A client certificate that cannot be shown.
    #[error("client certificate: {0}")]
    Client(ClientProblem),
    /// A proxy that no connection can go through.
    #[error("proxy: {reason}")]
    Proxy {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The TLS library refuses the settings.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] Error),
}

/// Why a client certificate cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientProblem {
    /// The chain is not PEM.
    #[error("its file is not valid PEM: {0}")]
    Chain(String),
    /// The chain is empty.
    #[error("its file holds no certificate: give a PEM file with `BEGIN CERTIFICATE`")]
    NoCertificate,
    /// There is no key.
    #[error("its key file holds no private key: give a PEM file with `BEGIN PRIVATE KEY`")]
    NoKey,
    /// The key needs a password.
    #[error("its key is encrypted, which is not supported: decrypt it with `openssl pkey -in KEY -out PLAIN_KEY`")]
    Encrypted,
    /// The key is not PEM or of no known kind.
    #[error("its key cannot be used: {0}")]
    Key(String),
    /// The two belong to different pairs.
    #[error("its key does not match it: the certificate was made for another key")]
    Mismatch,
}

/// The TLS settings of a worker, without tickets.
#[derive(Debug)]
pub(crate) struct Settings {
    builder: ConfigBuilder<ClientConfig, WantsVerifier>,
    issuers: Vec<CertificateDer<'static>>,
    insecure: bool,
    /// What is shown to a server that asks.
    identity: Option<Arc<dyn ResolvesClientCert>>,
    /// Made at the first `https` connection: reading the host's roots takes longer than many runs of plain HTTP.
    config: OnceCell<ClientConfig>,
}

impl Settings {
    /// Trusts the host's own roots and the given issuers; or everyone when `insecure`.
    pub(crate) fn new(config: &Config) -> Result<Self, ConfigError> {
        let builder =
            ClientConfig::builder_with_provider(nmax_tls::provider()).with_safe_default_protocol_versions()?;
        let issuers = issuers(&config.ca_pem)?;
        let identity = config.client_certificate.as_ref();
        let identity = identity.map(|certificate| identity_of(certificate, builder.clone()));
        Ok(Self {
            builder,
            issuers,
            insecure: config.insecure,
            identity: identity.transpose().map_err(ConfigError::Client)?,
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
        let mut config = if self.insecure {
            nmax_tls::client_config(Verifier::everybody())
        } else {
            let mut roots = native_roots().clone();
            roots.add_parsable_certificates(self.issuers.iter().cloned());
            let builder = self.builder.clone();
            builder.with_root_certificates(roots).with_no_client_auth()
        };
        if let Some(identity) = &self.identity {
            config.client_auth_cert_resolver = Arc::clone(identity);
        }
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        config
    }
}

/// What to show a server, once it is known that the key belongs to the certificate.
fn identity_of(
    certificate: &ClientCertificate,
    builder: ConfigBuilder<ClientConfig, WantsVerifier>,
) -> Result<Arc<dyn ResolvesClientCert>, ClientProblem> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&certificate.chain_pem).collect();
    let chain = chain.map_err(|error| ClientProblem::Chain(error.to_string()))?;
    if chain.is_empty() {
        return Err(ClientProblem::NoCertificate);
    }
    let key = key_of(&certificate.key_pem)?;
    let config =
        builder.with_root_certificates(RootCertStore::empty()).with_client_auth_cert(chain, key).map_err(|error| {
            match error {
                Error::InconsistentKeys(_) => ClientProblem::Mismatch,
                Error::InvalidCertificate(_) => ClientProblem::Chain(error.to_string()),
                other => ClientProblem::Key(other.to_string()),
            }
        })?;
    Ok(config.client_auth_cert_resolver)
}

/// The first key of a PEM file: PKCS#8, PKCS#1 or SEC1.
fn key_of(pem: &[u8]) -> Result<PrivateKeyDer<'static>, ClientProblem> {
    let is_encrypted = || {
        let text = String::from_utf8_lossy(pem);
        text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED")
    };
    if is_encrypted() {
        return Err(ClientProblem::Encrypted);
    }
    PrivateKeyDer::from_pem_slice(pem).map_err(|error| match error {
        pem::Error::NoItemsFound => ClientProblem::NoKey,
        other => ClientProblem::Key(other.to_string()),
    })
}

/// Every certificate of the files, each fit to be an issuer.
fn issuers(ca_pem: &[Vec<u8>]) -> Result<Vec<CertificateDer<'static>>, ConfigError> {
    let of_file = |(number, pem): (usize, &Vec<u8>)| {
        nmax_tls::issuers(pem).map_err(|error| match error {
            IssuersError::Pem(error) => ConfigError::Pem { number, reason: error.to_string() },
            IssuersError::Unfit(error) => ConfigError::Issuer { number, reason: error.to_string() },
            IssuersError::NoCertificate => ConfigError::NoCertificate { number },
        })
    };
    let all: Result<Vec<_>, _> = (1..).zip(ca_pem).map(of_file).collect();
    all.map(|all| all.concat())
}

/// The host's own roots, made once per process.
fn native_roots() -> &'static RootCertStore {
    static ROOTS: OnceLock<RootCertStore> = OnceLock::new();
    ROOTS.get_or_init(|| {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(nmax_tls::machine_issuers().iter().cloned());
        roots
    })
}

#[cfg(test)]
mod tests;
