//! Who may be loaded: a pure decision from a host name and one of its addresses.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use nmax_http::Allow;
use nmax_plan::addresses::{Class, classify};

use super::target::{Host, Pattern};

/// A private target that the user allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allowed {
    /// What may be loaded.
    pub what: Pattern,
    /// Where the user said so.
    pub given: Given,
}

/// Where the user allowed a private target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Given {
    /// `--allow-target`
    Flag,
    /// `allow_targets` in this file.
    Config(String),
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.given {
            Given::Flag => write!(f, "--allow-target {}", self.what),
            Given::Config(file) => write!(f, "allow_targets of {file}: {}", self.what),
        }
    }
}

/// Evidence that the user controls a public host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The host that it is for.
    pub host: Host,
    /// Where it was found: a URL, or the name of a DNS record.
    pub found_at: String,
    /// What it is evidence of.
    pub of: Evidence,
}

/// What a proof is evidence of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// A machine that answers under the name holds it.
    Machine,
    /// Only the name: whoever owns one may point it at any address.
    Name,
}

/// Why a connection is permitted; prints as the authorization of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Permit<'a> {
    /// The target is this host.
    Loopback,
    /// A private address that the user allowed.
    Allowed(&'a Allowed),
    /// A public host that the user may test, by the user's word.
    Authorized(&'a Host),
    /// A public host that the user controls.
    Proved(&'a Proof),
}

impl fmt::Display for Permit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loopback => f.write_str("loopback"),
            Self::Allowed(allowed) => allowed.fmt(f),
            Self::Authorized(host) => write!(f, "--i-am-authorized-to-test {host}"),
            Self::Proved(proof) => write!(f, "proved by {}", proof.found_at),
        }
    }
}

impl Permit<'_> {
    /// The authorization of a run for `ip`. One that proves only the name says so, and for which address.
    pub fn at(&self, ip: IpAddr) -> String {
        match self {
            Self::Proved(Proof { of: Evidence::Name, host, .. }) => {
                format!("{self}, a proof of the name {host} and not of its address {}", ip.to_canonical())
            }
            _ => self.to_string(),
        }
    }
}

/// Why a connection is refused; prints what, why, and which flag to use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The name under which the address was found.
    pub host: Host,
    /// The address.
    pub ip: IpAddr,
    /// Why.
    pub why: RefusalReason,
}

/// Why a connection is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefusalReason {
    /// A cloud's metadata service, which nothing opens.
    Metadata,
    /// Not the address of a host, which nothing opens.
    NoHost,
    /// This host's own, which is not free for what others order.
    Loopback,
    /// Private, and not allowed; `is_authorized` when the host was opened as a public one.
    Private {
        /// The user has the right to, or control of, the host of that name.
        is_authorized: bool,
    },
    /// Public, and neither authorized nor proved; `is_allowed` when it is in an allow list.
    Public {
        /// An allow list covers it.
        is_allowed: bool,
    },
}

impl RefusalReason {
    /// True when no flag and no proof opens the address.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Metadata | Self::NoHost)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, ip, why } = self;
        write!(f, "{host}")?;
        if host.address().is_none() {
            write!(f, " ({ip})")?;
        }
        match why {
            RefusalReason::Metadata => f.write_str(
                " is a cloud's metadata address and is never loaded, whatever the flags: \
                 it hands out credentials; choose another target",
            ),
            RefusalReason::NoHost => {
                f.write_str(" is a multicast, broadcast or reserved address, not a host; choose another target")
            }
            RefusalReason::Loopback => {
                f.write_str(" is on this injector itself, and the plan is another's: if it may be loaded, ")?;
                write!(f, "join with `--allow-target {host}`")
            }
            RefusalReason::Private { is_authorized } => {
                write!(f, " is a private address: if you may load it, pass `--allow-target {host}`")?;
                let note = ", because `--i-am-authorized-to-test` and proofs open public addresses only";
                f.write_str(if *is_authorized { note } else { "" })
            }
            RefusalReason::Public { is_allowed } => {
                write!(f, " is a public address: if you may load it, pass `--i-am-authorized-to-test {host}`")?;
                f.write_str(" or prove that you control it (docs/how-to/allow-a-target.md)")?;
                let note = "; `--allow-target` and `allow_targets` open private addresses only";
                f.write_str(if *is_allowed { note } else { "" })
            }
        }
    }
}

/// What may be loaded. Decides about one address at a time, so that it can be asked at every connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    allow: Vec<Allowed>,
    authorized: Vec<Host>,
    proved: Vec<Proof>,
    /// Who orders the load is another than whose host this is.
    is_for_others: bool,
}

impl Policy {
    /// Loopback, `allow` among private addresses, `authorized` and `proved` among public ones.
    pub fn new(allow: Vec<Allowed>, authorized: Vec<Host>, proved: Vec<Proof>) -> Self {
        Self { allow, authorized, proved, is_for_others: false }
    }

    /// The same for plans that others order: what listens on this host's loopback is not theirs, so it must be allowed too.
    #[must_use]
    pub fn for_others(self) -> Self {
        Self { is_for_others: true, ..self }
    }

    /// Opens the public addresses of a host that the user controls.
    pub fn add(&mut self, proof: Proof) {
        self.proved.push(proof);
    }

    /// The proofs that were found.
    pub fn proofs(&self) -> &[Proof] {
        &self.proved
    }

    /// Says whether `host` may be loaded at `ip`, one of its addresses.
    pub fn decide(&self, host: &str, ip: IpAddr) -> Result<(), Refusal> {
        // The common case, without copying the name.
        if classify(ip) == Class::ThisHost && !self.is_for_others {
            return Ok(());
        }
        self.permit(&Host::of_url(host), ip).map(drop)
    }

    /// As [`Policy::decide`], with the reason why it is permitted. O(entries).
    pub fn permit(&self, host: &Host, ip: IpAddr) -> Result<Permit<'_>, Refusal> {
        let allowed = || self.allow.iter().find(|allowed| allowed.what.covers(host, ip));
        let (permit, why) = match classify(ip) {
            Class::ThisHost if self.is_for_others => (allowed().map(Permit::Allowed), RefusalReason::Loopback),
            Class::ThisHost => return Ok(Permit::Loopback),
            Class::Metadata => (None, RefusalReason::Metadata),
            Class::NoHost => (None, RefusalReason::NoHost),
            Class::Private => {
                let is_authorized = self.authority(host).is_some();
                (allowed().map(Permit::Allowed), RefusalReason::Private { is_authorized })
            }
            Class::Public => {
                let is_allowed = allowed().is_some();
                (self.authority(host), RefusalReason::Public { is_allowed })
            }
        };
        permit.ok_or_else(|| Refusal { host: host.clone(), ip: ip.to_canonical(), why })
    }

    /// Why the public addresses of `host` are open, if they are.
    fn authority(&self, host: &Host) -> Option<Permit<'_>> {
        let authorized = self.authorized.iter().find(|name| *name == host).map(Permit::Authorized);
        authorized.or_else(|| self.proved.iter().find(|proof| proof.host == *host).map(Permit::Proved))
    }

    /// The question that HTTP clients ask before each connection.
    pub fn hook(self: Arc<Self>) -> Allow {
        Arc::new(move |host, ip| self.decide(host, ip).map_err(|refusal| refusal.to_string()))
    }
}

#[cfg(test)]
mod tests;
