//! The certificate authority of one recording.
//!
//! Its key lives in memory and dies with the process. It is valid for a day, has a name of its own, and is constrained to
//! the hosts that are recorded: a client that was told to trust it trusts it for nothing else. One key serves all leaf
//! certificates, because making keys takes longer than signing.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, CidrSubnet, DnType, ExtendedKeyUsagePurpose, GeneralSubtree,
    IsCa, KeyPair, KeyUsagePurpose, NameConstraints, PublicKeyData, SanType, date_time_ymd,
};
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::clock::Clock;
use crate::hosts::{Hosts, is_name, is_within};
use crate::settings::StartError;

/// How long its certificates are valid.
const VALID: Duration = Duration::from_secs(24 * 3600);
/// How far a client's clock may be behind.
const SKEW: Duration = Duration::from_secs(3600);
/// Leaf certificates that are remembered.
const LEAVES_MAX: usize = 1_000;

/// What clients may know of the authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ca {
    /// Its certificate, for clients that import or are given a file.
    pub pem: String,
    /// The same in DER, as phones like it.
    pub der: Vec<u8>,
    /// SHA-256 of its public key (SPKI) in base64, as Chromium's `--ignore-certificate-errors-spki-list` takes it.
    pub spki_sha256: String,
}

/// Makes certificates on request.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    /// The key of every leaf.
    key: KeyPair,
    until: Duration,
    since: Duration,
    /// By host.
    leaves: Mutex<HashMap<String, Arc<ServerConfig>>>,
}

impl Authority {
    /// A new one for these hosts, valid from now on.
    pub(crate) fn new(hosts: &Hosts, clock: &Clock) -> Result<Self, StartError> {
        let problem = |error: rcgen::Error| StartError::Certificates(error.to_string());
        let key = KeyPair::generate().map_err(problem)?;
        let now = Duration::from_secs(clock.origin_s());
        let (since, until) = (now.saturating_sub(SKEW), now + VALID);
        let mut params = params(since, until);
        // The fingerprint of a new key is as unique as a name can be.
        let serial = ring::digest::digest(&ring::digest::SHA256, &key.subject_public_key_info());
        let serial: String = serial.as_ref()[..6].iter().map(|byte| format!("{byte:02x}")).collect();
        params.distinguished_name.push(DnType::CommonName, format!("nmax recording {serial}"));
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        params.name_constraints = Some(constraints(hosts));
        Ok(Self {
            issuer: CertifiedIssuer::self_signed(params, key).map_err(problem)?,
            key: KeyPair::generate().map_err(problem)?,
            since,
            until,
            leaves: Mutex::default(),
        })
    }

    /// What clients may know of it.
    pub(crate) fn ca(&self) -> Ca {
        let spki = self.issuer.key().subject_public_key_info();
        Ca {
            pem: self.issuer.pem(),
            der: self.issuer.der().to_vec(),
            spki_sha256: STANDARD.encode(ring::digest::digest(&ring::digest::SHA256, &spki)),
        }
    }

    /// TLS settings with a certificate for this host; `None` when there can be none.
    pub(crate) fn config_for(&self, host: &str) -> Option<Arc<ServerConfig>> {
        let mut leaves = self.leaves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = leaves.get(host) {
            return Some(Arc::clone(known));
        }
        let made = Arc::new(self.make(host)?);
        if leaves.len() >= LEAVES_MAX {
            leaves.clear();
        }
        leaves.insert(host.to_owned(), Arc::clone(&made));
        Some(made)
    }

    fn make(&self, host: &str) -> Option<ServerConfig> {
        let name = match host.parse::<IpAddr>() {
            Ok(address) => SanType::IpAddress(address),
            Err(_) if is_name(host) => SanType::DnsName(host.try_into().ok()?),
            Err(_) => return None,
        };
        let mut params = params(self.since, self.until);
        // With spaces, so that nobody takes it for a host name and holds it against the constraints.
        params.distinguished_name.push(DnType::CommonName, "recorded by nmax");
        params.subject_alt_names = vec![name];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        let leaf = params.signed_by(&self.key, &self.issuer).ok()?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(self.key.serialize_der()));
        // The issuer goes along: Chromium looks for the fingerprint that it was given in what the server sends.
        let chain = vec![leaf.der().clone(), self.issuer.der().clone()];
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .ok()?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .ok()?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Some(config)
    }
}

fn params(since: Duration, until: Duration) -> CertificateParams {
    let mut params = CertificateParams::default();
    let epoch = date_time_ymd(1970, 1, 1);
    params.not_before = epoch + since;
    params.not_after = epoch + until;
    params.distinguished_name = rcgen::DistinguishedName::new();
    params
}

/// Only these hosts. A kind of name that no host has is excluded as a whole: constraints hold for the kinds that they
/// name, and for no other (RFC 5280, 4.2.1.10). A permitted name permits all below it; what is below a host that stands
/// alone is excluded by the dot that checkers of certificates understand as "below", unless some of it is recorded, too.
fn constraints(hosts: &Hosts) -> NameConstraints {
    let names = hosts.exact_name().into_iter().chain(hosts.names().iter().map(String::as_str));
    let names = names.map(|name| GeneralSubtree::DnsName(name.to_owned()));
    let addresses = hosts.addresses().iter().map(|&address| {
        let bits = if address.is_ipv4() { 32 } else { 128 };
        GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(address, bits))
    });
    let mut excluded = Vec::new();
    if let Some(alone) = hosts.exact_name()
        && !hosts.names().iter().any(|name| is_within(name, alone))
    {
        excluded.push(GeneralSubtree::DnsName(format!(".{alone}")));
    }
    if hosts.names().is_empty() && hosts.exact_name().is_none() {
        excluded.push(GeneralSubtree::DnsName(String::new()));
    }
    if hosts.addresses().is_empty() {
        excluded.push(GeneralSubtree::IpAddress(CidrSubnet::V4([0; 4], [0; 4])));
        excluded.push(GeneralSubtree::IpAddress(CidrSubnet::V6([0; 16], [0; 16])));
    }
    NameConstraints { permitted_subtrees: names.chain(addresses).collect(), excluded_subtrees: excluded }
}

#[cfg(test)]
mod tests;
