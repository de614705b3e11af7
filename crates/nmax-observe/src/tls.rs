//! TLS of conversations over sockets: which servers are believed, and in words why one is not.

use std::cell::OnceCell;
use std::fs;
use std::io;
use std::sync::Arc;

use nmax_sources::service::Wrong;
use nmax_sources::tls::{CertificateCheck, Encryption, TlsOptions};
use nmax_tls::{Check, Verifier};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{AlertDescription, CertificateError, ClientConfig, ClientConnection, Error, InvalidMessage, OtherError};

use crate::Trouble;
use crate::reach::{Broken, Link, QueryError, Service, plain};

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
    pub(crate) fn for_service(
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
    pub(crate) fn begin(&self, link: &mut Link, host: &str) -> Result<(), QueryError> {
        let config = Arc::clone(self.config()?);
        let name = ServerName::try_from(host.to_owned()).map_err(|_| {
            let host = nmax_text::shown(host);
            Trouble::lasting(format!("no certificate is made out to `{host}`; connect by another name"))
        })?;
        let session = ClientConnection::new(config, name).map_err(|error| self.trouble(&error))?;
        link.encrypt(session).map_err(|error| match reason(&error) {
            Some(error) => QueryError::Barred(self.trouble(error)),
            None => Broken::from(error).into(),
        })
    }

    fn config(&self) -> Result<&Arc<ClientConfig>, Trouble> {
        if let Some(config) = self.config.get() {
            return Ok(config);
        }
        let (issuers, given) = match &self.options.issuers {
            Some(file) => {
                let wrong = |what| Trouble::lasting(format!("the file of `{}`, {file}, {what}", self.option));
                (&[][..], certificates(file).map_err(wrong)?)
            }
            None => (nmax_tls::machine_issuers(), Vec::new()),
        };
        let check = match self.options.check {
            CertificateCheck::Nothing => Check::Nothing,
            CertificateCheck::Issuer => Check::Issuer,
            CertificateCheck::IssuerAndName => Check::IssuerAndName,
        };
        let config = nmax_tls::client_config(Verifier::new(check, issuers, given));
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
                format!(
                    "{why}; no CA in {file} signed the server's certificate: set `{option}` to a file with the issuing CA"
                )
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
        return Err("is not a file: name a PEM file with the certificates of issuers".into());
    }
    if about.len() > FILE_BYTES_MAX {
        return Err(format!("is larger than {} MiB: name a file with certificates only", FILE_BYTES_MAX >> 20));
    }
    let pem = fs::read(file).map_err(cannot)?;
    // Not a word of what stands there is repeated: it may be a key.
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match found {
        Err(_) => Err("is not valid PEM: name a file with `BEGIN CERTIFICATE`".into()),
        Ok(found) if found.is_empty() => Err("holds no certificate: name a PEM file with `BEGIN CERTIFICATE`".into()),
        Ok(found) => Ok(found),
    }
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

#[cfg(test)]
mod tests;
