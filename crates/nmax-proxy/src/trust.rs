//! Whom the recorder believes as a client: the machine's roots and what it was given, or everybody; and what exactly is
//! wrong with a certificate that it does not believe.
//!
//! What it is given may be the server's own certificate. Those that vouch for themselves are often made as those of an
//! authority, which no server should show; one that a person named by its file is taken all the same, for its names and
//! as long as it is valid.

use std::sync::Arc;

use nmax_tls::{Check, IssuersError, Verifier};
use rustls::pki_types::CertificateDer;
use rustls::{CertificateError, Error};
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
        let verifier = verifier(settings)?;
        let connector = |protocols: &[&[u8]]| {
            let mut config = nmax_tls::client_config(verifier.clone());
            config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
            TlsConnector::from(Arc::new(config))
        };
        Ok(Self { any: connector(&[b"h2", b"http/1.1"]), http1: connector(&[b"http/1.1"]) })
    }
}

/// Whom it believes, and how it says whom it does not.
fn verifier(settings: &Settings) -> Result<Verifier, StartError> {
    if settings.insecure {
        return Ok(Verifier::everybody());
    }
    let of_file = |(number, pem): (usize, &Vec<u8>)| {
        nmax_tls::issuers(pem).map_err(|error| StartError::Issuers {
            number,
            reason: match error {
                IssuersError::Unfit(error) => in_words(&error),
                error => error.to_string(),
            },
        })
    };
    let given: Result<Vec<_>, _> = (1..).zip(&settings.upstream_ca).map(of_file).collect();
    Ok(believing(given?.concat()))
}

/// Believes the machine's roots, if it has any, and what was given.
fn believing(given: Vec<CertificateDer<'static>>) -> Verifier {
    let words = |error: Error, certificate: &CertificateDer<'_>| Error::General(reason(&error, certificate));
    Verifier::new(Check::IssuerAndName, nmax_tls::machine_issuers(), given).with_words(words)
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
