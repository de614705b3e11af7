//! Whom the recorder believes as a client: the machine's roots and what it was given, or everybody; and what exactly is
//! wrong with a certificate that it does not believe.
//!
//! What it is given may be the server's own certificate. Those that vouch for themselves are often made as those of an
//! authority, which no server should show; one that a person named by its file is taken all the same, for its names and
//! as long as it is valid.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio_rustls::{TlsConnector, rustls};

use crate::settings::{Settings, StartError};

/// Connectors for each kind of connection.
#[derive(Clone)]
pub(crate) struct Trust {
    /// Offers HTTP/2 and HTTP/1.1.
    pub(crate) any: TlsConnector,
    /// For what only HTTP/1.1 can: upgrades.
    pub(crate) http1: TlsConnector,
}

impl Trust {
    pub(crate) fn new(settings: &Settings) -> Result<Self, StartError> {
        let verifier = Arc::new(if settings.insecure {
            Verifier { inner: None, given: Vec::new() }
        } else {
            let given = given(settings)?;
            Verifier { inner: Some(web_pki(&given)?), given }
        });
        let connector = |protocols: &[&[u8]]| {
            let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
                .with_safe_default_protocol_versions()
                .map_err(|error| StartError::Certificates(error.to_string()))?
                .dangerous()
                .with_custom_certificate_verifier(Arc::clone(&verifier) as Arc<dyn ServerCertVerifier>)
                .with_no_client_auth();
            config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
            Ok(TlsConnector::from(Arc::new(config)))
        };
        Ok(Self { any: connector(&[b"h2", b"http/1.1"])?, http1: connector(&[b"http/1.1"])? })
    }
}

/// The certificates of the given files; each of use.
fn given(settings: &Settings) -> Result<Vec<CertificateDer<'static>>, StartError> {
    let mut given = Vec::new();
    for (index, pem) in settings.upstream_ca.iter().enumerate() {
        let number = index + 1;
        let issuers = |reason: String| StartError::Issuers { number, reason };
        let before = given.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| issuers(error.to_string()))?;
            let is_usable = RootCertStore::empty().add(certificate.clone());
            is_usable.map_err(|error| issuers(in_words(&error)))?;
            given.push(certificate);
        }
        if given.len() == before {
            return Err(issuers("it holds no certificate".into()));
        }
    }
    Ok(given)
}

/// The machine's roots and what was given. A machine without any root still records plain HTTP.
fn web_pki(given: &[CertificateDer<'static>]) -> Result<Arc<WebPkiServerVerifier>, StartError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots.add_parsable_certificates(given.iter().cloned());
    if roots.is_empty() {
        // The library refuses an empty list; our own authority signs no server.
        let reason = "this machine has no trusted roots".to_owned();
        let own = rcgen::generate_simple_self_signed(["nobody.invalid".to_owned()]);
        let own = own.map_err(|_| StartError::Certificates(reason.clone()))?;
        roots.add(own.cert.der().clone()).map_err(|_| StartError::Certificates(reason))?;
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::new(default_provider()))
        .build()
        .map_err(|error| StartError::Certificates(error.to_string()))
}

/// Believes as told, and says which certificate it does not believe.
#[derive(Debug)]
struct Verifier {
    /// `None` = everybody.
    inner: Option<Arc<WebPkiServerVerifier>>,
    /// One of them may be the server's own, which vouches for itself.
    given: Vec<CertificateDer<'static>>,
}

impl Verifier {
    /// Whether a certificate was given by the person, and its fault is not that it is too old or too new. Its times are
    /// looked at before who made it, its names after that.
    fn is_given(&self, certificate: &CertificateDer<'_>, error: &Error) -> bool {
        let is_about_time = matches!(
            error,
            Error::InvalidCertificate(
                CertificateError::Expired
                    | CertificateError::ExpiredContext { .. }
                    | CertificateError::NotValidYet
                    | CertificateError::NotValidYetContext { .. }
            )
        );
        !is_about_time && self.given.iter().any(|given| given.as_ref() == certificate.as_ref())
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(inner) = &self.inner else {
            return Ok(ServerCertVerified::assertion());
        };
        let checked = match inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            Err(error) if self.is_given(end_entity, &error) => ParsedCertificate::try_from(end_entity)
                .and_then(|parsed| verify_server_name(&parsed, server_name))
                .map(|()| ServerCertVerified::assertion()),
            checked => checked,
        };
        checked.map_err(|error| Error::General(reason(&error, end_entity)))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match &self.inner {
            Some(inner) => inner.verify_tls12_signature(message, cert, dss),
            None => Ok(HandshakeSignatureValid::assertion()),
        }
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match &self.inner {
            Some(inner) => inner.verify_tls13_signature(message, cert, dss),
            None => Ok(HandshakeSignatureValid::assertion()),
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        default_provider().signature_verification_algorithms.supported_schemes()
    }
}

/// In words, with the names in the certificate.
fn reason(error: &Error, certificate: &CertificateDer<'_>) -> String {
    let problem = in_words(error);
    let names = common_names(certificate);
    let of = match names.as_slice() {
        [issuer, subject, ..] => format!("the certificate of `{subject}`, issued by `{issuer}`"),
        [one] => format!("the certificate that names `{one}`"),
        [] => "its certificate".to_owned(),
    };
    format!("{of}: {problem}")
}

/// What is wrong with a certificate.
fn in_words(error: &Error) -> String {
    let Error::InvalidCertificate(error) = error else {
        return error.to_string();
    };
    match error {
        // An issuer of the same name with another key is another one.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => "its issuer is not trusted".into(),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "it has expired".into(),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet, or the clock of this machine is slow".into()
        }
        CertificateError::NotValidForNameContext { presented, .. } if presented.is_empty() => {
            "it names no host: make one with a subjectAltName".into()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "it is for another name".into()
        }
        // As the checker calls it; it has no name of its own here.
        CertificateError::Other(reason) => match reason.to_string().as_str() {
            "CaUsedAsEndEntity" => "it vouches for itself, as that of an authority".into(),
            "UnsupportedCertVersion" => "it is too old to be checked: make one of version 3 of X.509".into(),
            other => format!("it cannot be checked ({other})"),
        },
        other => other.to_string(),
    }
}

/// The common names in a certificate, the issuer's first as it stands first: the texts after the object identifier
/// 2.5.4.3. Not a parser; what it finds is only shown.
fn common_names(certificate: &[u8]) -> Vec<String> {
    const COMMON_NAME: [u8; 5] = [0x06, 0x03, 0x55, 0x04, 0x03];
    let mut names = Vec::new();
    let mut rest = certificate;
    while let Some(at) = rest.windows(COMMON_NAME.len()).position(|part| part == COMMON_NAME) {
        rest = &rest[at + COMMON_NAME.len()..];
        let [tag, length, text @ ..] = rest else { break };
        let is_text = matches!(tag, 0x0c | 0x13 | 0x14 | 0x16);
        if let Some(text) = text.get(..usize::from(*length)).filter(|_| is_text && *length < 128) {
            let text = String::from_utf8_lossy(text);
            names.push(text.chars().filter(|c| !c.is_control()).collect());
        }
    }
    names
}

#[cfg(test)]
mod tests;
