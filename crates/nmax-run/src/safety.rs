//! What may be loaded: loopback freely, private addresses when allowed, public hosts with proof or the user's word.
//!
//! [`establish`] looks at the targets and the name servers of a plan before a run and opens what the user may load in a
//! [`Policy`]. The policy is asked again for every address at every connection, and for a name server at every lookup, so
//! redirects, absolute URLs and names that change their address meet the same rules. Metadata services of clouds are never
//! loaded.
//!
//! # Layout
//! - pure: [`target`] (hosts and networks as written) and [`policy`] (the decision); what an address leads to is in
//!   `nmax_plan::addresses`
//! - shell: [`config`] (the user's allow list), [`well_known`] and [`txt`] (the two proofs)

use std::collections::HashSet;
use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use nmax_engine::runtime::real::RealClock;
use nmax_http::{Origin, Scheme, Shared};

pub mod config;
pub mod policy;
pub mod target;
pub mod txt;
pub mod well_known;

pub use policy::Policy;

use crate::{Exit, Trouble};
use config::ConfigError;
use policy::{Allowed, Given, Proof, Refusal, RefusalReason};
use target::{Host, Pattern};

/// The longest wait for `/.well-known/nmax` of an origin.
const FETCH_LIMIT: Duration = Duration::from_secs(5);
/// The longest wait for a name server.
const DNS_LIMIT: Duration = Duration::from_secs(2);

/// Which targets the user opens.
#[derive(Clone, Debug, Default)]
pub struct Consent {
    /// Private targets that may be loaded.
    pub allow_target: Vec<Pattern>,
    /// Public hosts that the user says to be authorized to load.
    pub authorized: Vec<Host>,
    /// Others order the load, so this host's loopback is not free.
    pub is_for_others: bool,
}

/// Why a run must not start.
#[derive(Debug, thiserror::Error)]
pub enum SafetyError {
    /// The user's configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A target has no address.
    #[error("{host}: the name has no address: {error}\n  help: check its spelling, or your DNS")]
    Unresolved {
        /// The name.
        host: Host,
        /// What the system says.
        error: String,
    },
    /// Targets that may not be loaded, at least one.
    #[error("{}", joined(.0))]
    Refused(Vec<Refused>),
}

impl SafetyError {
    /// How the program ends: a name without address is a target that cannot be reached.
    pub const fn exit(&self) -> Exit {
        match self {
            Self::Config(_) | Self::Refused(_) => Exit::Usage,
            Self::Unresolved { .. } => Exit::Unreachable,
        }
    }
}

impl From<SafetyError> for Trouble {
    fn from(error: SafetyError) -> Self {
        Self { text: error.to_string(), exit: error.exit() }
    }
}

/// What the hosts are that are decided about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Loaded, or a proxy.
    Target,
    /// Asked for addresses, by the plan's `dns.servers`.
    NameServer,
}

/// A target or name server that may not be loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// What it is for.
    pub role: Role,
    /// What, why, and what to do.
    pub refusal: Refusal,
    /// Where proof was looked for, and what was there.
    pub looked: Vec<String>,
}

fn joined(refused: &[Refused]) -> String {
    let mut text = String::new();
    for (index, one) in refused.iter().enumerate() {
        let separator = if index > 0 { "\n" } else { "" };
        let role = if one.role == Role::NameServer { "name server of the plan: " } else { "" };
        let _ = write!(text, "{separator}{role}{}", one.refusal);
        for found in &one.looked {
            let _ = write!(text, "\n  looked for proof: {found}");
        }
    }
    text
}

/// What the user opens by flags and configuration.
pub fn policy(consent: &Consent) -> Result<Policy, SafetyError> {
    let flags = consent.allow_target.iter().map(|what| Allowed { what: what.clone(), given: Given::Flag });
    let mut allow: Vec<Allowed> = flags.collect();
    if let Some(path) = config::path(|name| std::env::var_os(name)) {
        allow.extend(config::load(&path)?);
    }
    let policy = Policy::new(allow, consent.authorized.clone(), Vec::new());
    Ok(if consent.is_for_others { policy.for_others() } else { policy })
}

/// Decides whether `origins` may be loaded; a proof that is found becomes part of the policy. The words say on whose
/// authority, each once, for the run's manifest.
///
/// Resolves every host as `client` will, so that the addresses that a plan gives to names are those that are decided
/// about, and looks for proof only at public hosts that no flag names. Needs a runtime with timers and sockets.
pub async fn establish(
    policy: &mut Policy,
    origins: &[Origin],
    role: Role,
    client: &Shared<RealClock>,
) -> Result<Vec<String>, SafetyError> {
    authorize(policy, origins, role, &Network(client)).await
}

/// The plan's name servers as origins: where proof of control would be looked for.
pub fn origins_of_servers(servers: &[SocketAddr]) -> Vec<Origin> {
    let mut ips: Vec<IpAddr> = servers.iter().map(|server| server.ip().to_canonical()).collect();
    ips.sort_unstable();
    ips.dedup();
    let origin = |ip: IpAddr| Origin { scheme: Scheme::Http, host: ip.to_string(), port: 80 };
    ips.into_iter().map(origin).collect()
}

/// What deciding needs from outside.
trait Outside {
    /// The addresses of a host that connections to `origins` go to, at least one; else why there is none.
    async fn addresses(&self, host: &Host, origins: &[&Origin]) -> Result<Vec<IpAddr>, String>;
    /// Proof that the user controls `host`, which `origins` name; else what was found in its place.
    async fn proof(&self, host: &Host, origins: &[&Origin]) -> Result<Proof, Vec<String>>;
}

/// Decides about each host of `origins`; a proof that is found becomes part of the policy.
async fn authorize(
    policy: &mut Policy,
    origins: &[Origin],
    role: Role,
    outside: &impl Outside,
) -> Result<Vec<String>, SafetyError> {
    let (mut refused, mut authorization) = (Vec::new(), Vec::new());
    for (host, origins) in by_host(origins) {
        let addresses = match outside.addresses(&host, &origins).await {
            Ok(addresses) => addresses,
            Err(error) => return Err(SafetyError::Unresolved { host, error }),
        };
        let mut looked = Vec::new();
        if lacks_only_proof(policy, &host, &addresses) {
            match outside.proof(&host, &origins).await {
                Ok(proof) => policy.add(proof),
                Err(found) => looked = found,
            }
        }
        let mut refusals = Vec::new();
        for &ip in &addresses {
            match policy.permit(&host, ip) {
                Ok(permit) => authorization.push(permit.at(ip)),
                Err(refusal) => refusals.push(refusal),
            }
        }
        let refusals = telling(refusals).into_iter();
        refused.extend(refusals.map(|refusal| Refused { role, refusal, looked: std::mem::take(&mut looked) }));
    }
    if !refused.is_empty() {
        return Err(SafetyError::Refused(refused));
    }
    let mut told = HashSet::new();
    authorization.retain(|permit: &String| told.insert(permit.clone()));
    Ok(authorization)
}

/// The hosts in the order of their first origin, each with its different origins.
fn by_host(origins: &[Origin]) -> Vec<(Host, Vec<&Origin>)> {
    let mut hosts: Vec<(Host, Vec<&Origin>)> = Vec::new();
    for origin in origins {
        let host = Host::of_url(&origin.host);
        match hosts.iter_mut().find(|(known, _)| *known == host) {
            None => hosts.push((host, vec![origin])),
            Some((_, known)) if known.contains(&origin) => {}
            Some((_, known)) => known.push(origin),
        }
    }
    hosts
}

/// True when proof of control would open every address that is closed now.
fn lacks_only_proof(policy: &Policy, host: &Host, addresses: &[IpAddr]) -> bool {
    let closed = || addresses.iter().filter_map(|&ip| policy.permit(host, ip).err());
    closed().next().is_some() && closed().all(|refusal| matches!(refusal.why, RefusalReason::Public { .. }))
}

/// The refusals of one host that a user needs to read: those that nothing lifts, else one of each reason.
fn telling(mut refusals: Vec<Refusal>) -> Vec<Refusal> {
    if refusals.iter().any(|refusal| refusal.why.is_final()) {
        refusals.retain(|refusal| refusal.why.is_final());
    }
    let mut told: Vec<RefusalReason> = Vec::new();
    refusals.retain(|refusal| {
        let is_new = !told.contains(&refusal.why);
        told.push(refusal.why);
        is_new
    });
    refusals
}

/// The real outside, as the client of the run sees it.
struct Network<'a>(&'a Shared<RealClock>);

impl Network<'_> {
    /// Whether the plan gives addresses to this name.
    fn is_given(&self, host: &Host) -> bool {
        let mut given = self.0.config().names.hosts.iter();
        given.any(|given| Host::of_url(&given.host) == *host)
    }
}

impl Outside for Network<'_> {
    async fn addresses(&self, _: &Host, origins: &[&Origin]) -> Result<Vec<IpAddr>, String> {
        let mut addresses = Vec::new();
        for origin in origins {
            let found = self.0.addresses(origin).await.map_err(|failure| failure.text.into_owned())?;
            addresses.extend(found);
        }
        addresses.sort_unstable();
        addresses.dedup();
        Ok(addresses)
    }

    async fn proof(&self, host: &Host, origins: &[&Origin]) -> Result<Proof, Vec<String>> {
        let mut looked = Vec::new();
        for origin in origins {
            let names = self.0.config().names.clone();
            let allow = well_known::public_only(host.clone(), names.servers.clone());
            match well_known::prove(origin, allow, names, FETCH_LIMIT).await {
                Ok(proof) => return Ok(proof),
                Err(found) => looked.push(found),
            }
        }
        // Who controls a name controls no address that somebody else gave to it.
        if host.address().is_none() && !self.is_given(host) && self.0.config().names.servers.is_empty() {
            match txt::prove(host, &nmax_http::name_servers(), DNS_LIMIT).await {
                Ok(proof) => return Ok(proof),
                Err(found) => looked.push(found),
            }
        }
        Err(looked)
    }
}

#[cfg(test)]
mod tests;
