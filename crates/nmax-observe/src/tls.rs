//! TLS of conversations over sockets: which servers are believed, and in words why one is not.

use std::cell::OnceCell;
use std::fs;
use std::io;
use std::sync::{Arc, OnceLock};

use nmax_sources::service::Wrong;
use nmax_sources::tls::{CertificateCheck, Encryption, TlsOptions};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{self, WebPkiSupportedAlgorithms};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    AlertDescription, CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, Error, InvalidMessage,
    OtherError, RootCertStore, SignatureScheme,
};

use crate::Trouble;
use crate::reach::{Asked, Broken, Link, Service, plain};

/// What the checker calls certificates of version 1, which it cannot read.
const OLD_VERSION: &str = "UnsupportedCertVersion";
/// Largest file of issuers.
const FILE_BYTES_MAX: u64 = 8 << 20;

/// How one service is reached over TLS.
pub(crate) struct Tls {
    options: TlsOptions,
    /// Option of its URL that names a file of issuers.
    option: &'static str,
    /// Made at the first connection: constructors read no files.
    config: OnceCell<Arc<ClientConfig>>,
}

impl Tls {
    /// What the URL of `service` says, as `read` understands its query; what is wrong there is a trouble of its place.
    pub(crate) fn of(
        service: &mut Service,
        option: &'static str,
        read: impl Fn(&[(String, String)]) -> Result<TlsOptions, Wrong>,
    ) -> Self {
        let read = service.place.as_ref().ok().map(|place| read(&place.query));
        let options = match read {
            Some(Ok(options)) => options,
            Some(Err(error)) => {
                service.place = Err(Trouble::lasting(format!("{}: {}", error.message, error.remedy)));
                TlsOptions::NEVER
            }
            None => TlsOptions::NEVER,
        };
        Self { options, option, config: OnceCell::new() }
    }

    /// When connections are encrypted.
    pub(crate) fn encryption(&self) -> Encryption {
        self.options.encryption
    }

    /// Encrypts a connection to `host` from now on.
    pub(crate) fn begin(&self, link: &mut Link, host: &str) -> Result<(), Asked> {
        let config = Arc::clone(self.config()?);
        let name = ServerName::try_from(host.to_owned()).map_err(|_| {
            let host = nmax_text::shown(host);
            Trouble::lasting(format!("no certificate is made out to `{host}`; connect by another name"))
        })?;
        let session = ClientConnection::new(config, name).map_err(|error| self.trouble(&error))?;
        link.encrypt(session).map_err(|error| match reason(&error) {
            Some(error) => Asked::Barred(self.trouble(error)),
            None => Broken::from(error).into(),
        })
    }

    fn config(&self) -> Result<&Arc<ClientConfig>, Trouble> {
        if let Some(config) = self.config.get() {
            return Ok(config);
        }
        let own = match &self.options.issuers {
            Some(file) => certificates(file)
                .map_err(|what| Trouble::lasting(format!("the file of `{}`, {file}, {what}", self.option)))?,
            None => Vec::new(),
        };
        let mut issuers = RootCertStore::empty();
        issuers.add_parsable_certificates(match (self.options.check, &self.options.issuers) {
            (CertificateCheck::Nothing, _) => Vec::new(),
            (_, Some(_)) => own.clone(),
            (_, None) => machine_issuers().to_vec(),
        });
        let provider = Arc::new(crypto::ring::default_provider());
        let verifier = Verifier {
            check: self.options.check,
            issuers,
            own,
            algorithms: provider.signature_verification_algorithms,
        };
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| self.trouble(&error))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        Ok(self.config.get_or_init(|| Arc::new(config)))
    }

    /// Why a server is not believed, and what to do about it.
    fn trouble(&self, error: &Error) -> Trouble {
        let Error::InvalidCertificate(reason) = error else {
            return Trouble::passing(in_words(error));
        };
        let option = self.option;
        let why = in_words(error);
        Trouble::lasting(match (reason, &self.options.issuers) {
            (CertificateError::Other(reason), _) if is_old(reason) => why,
            (
                CertificateError::UnknownIssuer | CertificateError::BadSignature | CertificateError::Other(_),
                Some(file),
            ) => {
                format!("{why}; in {file} is no issuer of it: let `{option}` name a file with the one who made it")
            }
            (CertificateError::UnknownIssuer | CertificateError::BadSignature | CertificateError::Other(_), None) => {
                format!(
                    "{why}; this machine knows no issuer of it: add `{option}=FILE` to the URL, the certificate of the one who made it"
                )
            }
            (CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }, _) => {
                format!("{why}; connect by a name that it is made out to")
            }
            _ => why,
        })
    }
}

/// The certificates of a PEM file, or why there are none.
fn certificates(file: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let cannot = |error: io::Error| format!("cannot be read: {}", plain(&error));
    // A pipe would be waited for.
    let about = fs::metadata(file).map_err(cannot)?;
    if !about.is_file() {
        return Err("is no file: name a PEM file with the certificates of issuers".into());
    }
    if about.len() > FILE_BYTES_MAX {
        return Err(format!("is larger than {} MiB: name a file with certificates only", FILE_BYTES_MAX >> 20));
    }
    let pem = fs::read(file).map_err(cannot)?;
    // Not a word of what stands there is repeated: it may be a key.
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match found {
        Err(_) => Err("is no valid PEM: name a file with `BEGIN CERTIFICATE`".into()),
        Ok(found) if found.is_empty() => Err("holds no certificate: name a PEM file with `BEGIN CERTIFICATE`".into()),
        Ok(found) => Ok(found),
    }
}

/// The machine's own trust store, read once. What cannot be read is left out, as everybody does: a server that needs it has
/// an unknown issuer then.
pub(crate) fn machine_issuers() -> &'static [CertificateDer<'static>] {
    static ISSUERS: OnceLock<Vec<CertificateDer<'static>>> = OnceLock::new();
    ISSUERS.get_or_init(|| rustls_native_certs::load_native_certs().certs)
}

/// The error of TLS within one of a socket.
pub(crate) fn reason(error: &io::Error) -> Option<&Error> {
    error.get_ref()?.downcast_ref()
}

/// An error of TLS in words.
pub(crate) fn in_words(error: &Error) -> String {
    match error {
        Error::InvalidCertificate(reason) => certificate_in_words(reason),
        Error::InvalidMessage(
            InvalidMessage::InvalidContentType
            | InvalidMessage::UnknownProtocolVersion
            | InvalidMessage::MessageTooLarge,
        ) => "it does not speak TLS on this port".into(),
        Error::AlertReceived(AlertDescription::HandshakeFailure) => {
            "it has no kind of TLS in common with nmax, or wants a certificate of its clients".into()
        }
        Error::AlertReceived(AlertDescription::ProtocolVersion) | Error::PeerIncompatible(_) => {
            "it speaks neither TLS 1.2 nor TLS 1.3 as nmax does".into()
        }
        Error::AlertReceived(AlertDescription::CertificateRequired) => {
            "it wants a certificate of its clients, and nmax shows none; let it in without".into()
        }
        other => format!("TLS: {other}"),
    }
}

fn certificate_in_words(reason: &CertificateError) -> String {
    match reason {
        // An issuer of the same name with another key is another one.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => "its certificate is not trusted".into(),
        CertificateError::Other(reason) if is_old(reason) => {
            "its certificate cannot be checked, as it is of version 1 of X.509; make one of version 3 with a subjectAltName"
                .into()
        }
        // As the checker names it: `CaUsedAsEndEntity`.
        CertificateError::Other(reason) => format!("its certificate is not trusted ({reason})"),
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            format!("its certificate is made out to another name ({reason})")
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "its certificate has expired".into(),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet".into()
        }
        other => format!("its certificate is not valid: {other}"),
    }
}

fn is_old(reason: &OtherError) -> bool {
    reason.to_string() == OLD_VERSION
}

/// Checks what shall be checked of a certificate.
#[derive(Debug)]
struct Verifier {
    check: CertificateCheck,
    issuers: RootCertStore,
    /// The certificates of the file. One of them may be the server's own, which vouches for itself.
    own: Vec<CertificateDer<'static>>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Verifier {
    fn check_issuer(
        &self,
        certificate: &CertificateDer<'_>,
        parsed: &ParsedCertificate<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<(), Error> {
        let algorithms = self.algorithms.all;
        let checked = verify_server_cert_signed_by_trust_anchor(parsed, &self.issuers, intermediates, now, algorithms);
        match checked {
            // Certificates that vouch for themselves are often those of an authority, which no server should show.
            Err(Error::InvalidCertificate(reason))
                if !is_about_time(&reason) && self.own.iter().any(|own| own.as_ref() == certificate.as_ref()) =>
            {
                Ok(())
            }
            checked => checked,
        }
    }
}

/// Whether it is too late or too early for a certificate. This is looked at before who made it.
fn is_about_time(reason: &CertificateError) -> bool {
    matches!(
        reason,
        CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. }
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
        if self.check != CertificateCheck::Nothing {
            let parsed = ParsedCertificate::try_from(certificate)?;
            self.check_issuer(certificate, &parsed, intermediates, now)?;
            if self.check == CertificateCheck::IssuerAndName {
                verify_server_name(&parsed, name)?;
            }
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match self.check {
            // Anybody may have made the key as well; and certificates of an old kind cannot be read here.
            CertificateCheck::Nothing => Ok(HandshakeSignatureValid::assertion()),
            _ => crypto::verify_tls12_signature(message, certificate, signature, &self.algorithms),
        }
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match self.check {
            CertificateCheck::Nothing => Ok(HandshakeSignatureValid::assertion()),
            _ => crypto::verify_tls13_signature(message, certificate, signature, &self.algorithms),
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests;
