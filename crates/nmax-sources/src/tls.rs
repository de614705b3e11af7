//! How databases and caches that are observed are reached over TLS, as the query of their URL says it.
//!
//! PostgreSQL has the words of libpq (its documentation, *SSL Support*). Other than libpq this reads no files that nobody
//! named: where no issuers are given, those of the machine are trusted.

use nmax_text::percent;

use crate::service::Wrong;

/// In the place of a file of issuers: those of the machine.
const SYSTEM: &str = "system";
/// Option of a PostgreSQL URL that names a file of issuers.
pub const POSTGRES_ISSUERS: &str = "sslrootcert";
/// Option of a Redis URL that names a file of issuers.
pub const REDIS_ISSUERS: &str = "ca";

/// When a connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// Never.
    Never,
    /// When the server lets nobody in without it.
    IfDemanded,
    /// When the server can.
    IfOffered,
    /// Always.
    Always,
}

/// What of a server's certificate is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateCheck {
    /// Nothing: the line is encrypted, to whoever answers.
    Nothing,
    /// That an issuer vouches for it who is trusted.
    Issuer,
    /// The same, and that it is made out to the host of the URL.
    IssuerAndName,
}

/// How a service is reached over TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsOptions {
    /// When a connection is encrypted.
    pub encryption: Encryption,
    /// What of the server's certificate is checked.
    pub check: CertificateCheck,
    /// PEM file with the issuers that are trusted; `None`: those of the machine.
    pub issuers: Option<String>,
}

impl TlsOptions {
    /// No TLS.
    pub const NEVER: Self = Self { encryption: Encryption::Never, check: CertificateCheck::Nothing, issuers: None };

    /// What names and values in the query of a PostgreSQL URL say.
    pub fn of_postgres(query: &[(String, String)]) -> Result<Self, Wrong> {
        let of_tls = query.iter().map(|(name, _)| name.as_str());
        let known = ["sslmode", POSTGRES_ISSUERS];
        let mut of_tls = of_tls.filter(|name| name.starts_with("ssl"));
        if let Some(name) = of_tls.find(|name| !known.contains(name)) {
            let remedy = "write `sslmode=verify-full` and, for issuers of your own, `sslrootcert=FILE`; there are no other options of TLS";
            return Err(Wrong::new(unknown(name), remedy));
        }
        let issuers = file(query, POSTGRES_ISSUERS)?;
        let is_system = issuers == Some(SYSTEM);
        let mode = only(query, "sslmode")?.unwrap_or(if is_system { "verify-full" } else { "prefer" });
        if is_system && mode != "verify-full" {
            let message = format!("`sslrootcert=system` and `sslmode={}`", nmax_text::shown(mode));
            let remedy = "write `sslmode=verify-full`: an issuer whom everybody trusts vouches for everybody";
            return Err(Wrong::new(message, remedy));
        }
        let (encryption, check) = match mode {
            "disable" => (Encryption::Never, CertificateCheck::Nothing),
            "allow" => (Encryption::IfDemanded, CertificateCheck::Nothing),
            "prefer" => (Encryption::IfOffered, CertificateCheck::Nothing),
            "require" => (Encryption::Always, CertificateCheck::Nothing),
            "verify-ca" => (Encryption::Always, CertificateCheck::Issuer),
            "verify-full" => (Encryption::Always, CertificateCheck::IssuerAndName),
            other => {
                let message = format!("`{}` is not an `sslmode`", nmax_text::shown(other));
                let remedy = "write `disable`, `allow`, `prefer`, `require`, `verify-ca` or `verify-full`";
                return Err(Wrong::new(message, remedy));
            }
        };
        let is_given = issuers.is_some() && check == CertificateCheck::Nothing;
        Ok(Self {
            encryption,
            check: if is_given { CertificateCheck::Issuer } else { check },
            issuers: issuers.filter(|_| !is_system).map(str::to_owned),
        })
    }

    /// What scheme and query of a Redis URL say: `rediss` is TLS with everything checked.
    pub fn of_redis(scheme: &str, query: &[(String, String)]) -> Result<Self, Wrong> {
        let is_encrypted = scheme == "rediss";
        if let Some((name, _)) = query.iter().find(|(name, _)| name != REDIS_ISSUERS) {
            let remedy = "leave it out; `ca=FILE` of a `rediss://` URL is the one option";
            return Err(Wrong::new(unknown(name), remedy));
        }
        let issuers = file(query, REDIS_ISSUERS)?;
        if issuers.is_some() && !is_encrypted {
            let message = "`ca` says nothing about a connection without TLS".to_owned();
            return Err(Wrong::new(message, "write `rediss://` for TLS, or leave it out"));
        }
        if !is_encrypted {
            return Ok(Self::NEVER);
        }
        Ok(Self {
            encryption: Encryption::Always,
            check: CertificateCheck::IssuerAndName,
            issuers: issuers.map(str::to_owned),
        })
    }
}

fn unknown(name: &str) -> String {
    format!("`{}` is not an option of this URL", nmax_text::shown(name))
}

/// The value of an option, which stands there once at most.
fn only<'a>(query: &'a [(String, String)], name: &str) -> Result<Option<&'a str>, Wrong> {
    let mut values = query.iter().filter(|(key, _)| key == name).map(|(_, value)| value);
    let first = values.next().map(String::as_str);
    match values.next() {
        Some(_) => Err(Wrong::new(format!("`{name}` stands there twice"), "keep one of them")),
        None => Ok(first),
    }
}

fn file<'a>(query: &'a [(String, String)], name: &str) -> Result<Option<&'a str>, Wrong> {
    let file = only(query, name)?;
    if file.is_some_and(|file| file.trim().is_empty() || file.contains('\0')) {
        let remedy = "name a PEM file with the certificates of issuers";
        return Err(Wrong::new(format!("`{name}` names no file"), remedy));
    }
    Ok(file)
}

/// Lets `change` change the name of the file of issuers in a URL, which `option` gives.
pub fn change_issuers(url: &mut String, option: &str, change: &mut dyn FnMut(&mut String)) {
    let Some((place, rest)) = url.split_once('?') else {
        return;
    };
    let (query, fragment) = rest.split_at(rest.find('#').unwrap_or(rest.len()));
    let pairs: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((name, value)) if percent::decode_lossy(name) == option => {
                let mut file = percent::decode_lossy(value);
                if option != POSTGRES_ISSUERS || file != SYSTEM {
                    change(&mut file);
                }
                format!(
                    "{name}={}",
                    percent::encode_but(file.as_bytes(), |byte| percent::is_unreserved(byte) || byte == b'/')
                )
            }
            _ => pair.to_owned(),
        })
        .collect();
    *url = format!("{place}?{}{fragment}", pairs.join("&"));
}

#[cfg(test)]
mod tests;
