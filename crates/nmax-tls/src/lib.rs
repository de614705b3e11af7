//! Whom a client believes over TLS: the machine's issuers, those of PEM files, a server's own certificate, or everybody.
//!
//! It decides. `nmax-http`, `nmax-observe` and `nmax-proxy` word the errors, each in its own place. Nothing here connects.

use std::sync::{Arc, OnceLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// The machine's own trust store, read once per process. What cannot be read is left out, as everybody does: a server that
/// needs it has an unknown issuer then.
pub fn machine_issuers() -> &'static [CertificateDer<'static>] {
    static ISSUERS: OnceLock<Vec<CertificateDer<'static>>> = OnceLock::new();
    ISSUERS.get_or_init(|| rustls_native_certs::load_native_certs().certs)
}

/// Why a PEM file gives no issuers.
#[derive(Debug, thiserror::Error)]
pub enum IssuersError {
    /// It is not PEM.
    #[error(transparent)]
    Pem(pem::Error),
    /// There is no certificate in it.
    #[error("it holds no certificate")]
    NoCertificate,
    /// A certificate cannot be that of an issuer.
    #[error(transparent)]
    Unfit(Error),
}

/// Every certificate of a PEM file, each fit to be an issuer.
///
/// # Errors
/// What is wrong with the first one that is of no use.
pub fn issuers(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, IssuersError> {
    let issuers: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).map(fit).collect();
    issuers.and_then(|issuers| if issuers.is_empty() { Err(IssuersError::NoCertificate) } else { Ok(issuers) })
}

fn fit(certificate: Result<CertificateDer<'static>, pem::Error>) -> Result<CertificateDer<'static>, IssuersError> {
    let certificate = certificate.map_err(IssuersError::Pem)?;
    RootCertStore::empty().add(certificate.clone()).map_err(IssuersError::Unfit)?;
    Ok(certificate)
}

/// Settings of a client that asks this verifier, and shows no certificate of its own.
pub fn client_config(verifier: Verifier) -> ClientConfig {
    ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("ring has the cipher suites of both versions")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth()
}

/// Where all cryptography of TLS comes from.
pub fn provider() -> Arc<CryptoProvider> {
    static PROVIDER: OnceLock<Arc<CryptoProvider>> = OnceLock::new();
    Arc::clone(PROVIDER.get_or_init(|| Arc::new(ring::default_provider())))
}

/// What is checked of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Anybody is believed, because the user asked for it.
    Nothing,
    /// Who made it, and when it is valid.
    Issuer,
    /// That, and for whom it was made.
    IssuerAndName,
}

/// Checks what shall be checked of a server's certificate.
#[derive(Clone, Debug)]
pub struct Verifier {
    check: Check,
    issuers: RootCertStore,
    /// Certificates of files that a person named. One of them may be the server's own, which vouches for itself: those are
    /// often made as those of an authority, which no server should show.
    given: Vec<CertificateDer<'static>>,
    /// What the client is told in place of the error.
    words: fn(Error, &CertificateDer<'_>) -> Error,
}

impl Verifier {
    /// Believes everybody.
    pub fn everybody() -> Self {
        Self::new(Check::Nothing, &[], Vec::new())
    }

    /// Believes these issuers, and those of `given`.
    pub fn new(check: Check, issuers: &[CertificateDer<'static>], given: Vec<CertificateDer<'static>>) -> Self {
        let mut all = RootCertStore::empty();
        all.add_parsable_certificates(issuers.iter().chain(&given).cloned());
        Self { check, issuers: all, given, words: |error, _| error }
    }

    /// Says in these words which certificate it does not believe, and why.
    pub fn with_words(self, words: fn(Error, &CertificateDer<'_>) -> Error) -> Self {
        Self { words, ..self }
    }

    fn checked(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        now: UnixTime,
    ) -> Result<(), Error> {
        let parsed = ParsedCertificate::try_from(certificate)?;
        let algorithms = provider().signature_verification_algorithms.all;
        let issued = verify_server_cert_signed_by_trust_anchor(&parsed, &self.issuers, intermediates, now, algorithms);
        match issued {
            Err(error) if is_about_time(&error) || !self.given.iter().any(|given| given == certificate) => {
                return Err(error);
            }
            _ => {}
        }
        if self.check == Check::IssuerAndName { verify_server_name(&parsed, name) } else { Ok(()) }
    }

    /// Whether the server holds the key of its certificate.
    fn signed(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
        verify: VerifySignature,
    ) -> Result<HandshakeSignatureValid, Error> {
        match self.check {
            // Anybody may have made the key as well; and certificates of an old kind cannot be read here.
            Check::Nothing => Ok(HandshakeSignatureValid::assertion()),
            _ => verify(message, certificate, signature, &provider().signature_verification_algorithms),
        }
    }
}

/// How one version of TLS checks a signature.
type VerifySignature = fn(
    &[u8],
    &CertificateDer<'_>,
    &DigitallySignedStruct,
    &WebPkiSupportedAlgorithms,
) -> Result<HandshakeSignatureValid, Error>;

/// Whether it is too late or too early for a certificate. This is looked at before who made it.
fn is_about_time(error: &Error) -> bool {
    matches!(
        error,
        Error::InvalidCertificate(
            CertificateError::Expired
                | CertificateError::ExpiredContext { .. }
                | CertificateError::NotValidYet
                | CertificateError::NotValidYetContext { .. }
        )
    )
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.check != Check::Nothing {
            let checked = self.checked(certificate, intermediates, name, now);
            checked.map_err(|error| (self.words)(error, certificate))?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signed(message, certificate, signature, verify_tls12_signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signed(message, certificate, signature, verify_tls13_signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        provider().signature_verification_algorithms.supported_schemes()
    }
}
