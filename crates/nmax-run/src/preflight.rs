//! Before any load: whether the target may be loaded, and whether it can be reached.
//!
//! Both questions go the way of the run's own exchanges: the addresses that the plan gives to names, its name servers,
//! its source addresses, its proxy. Nothing connects before the safety policy is decided, and then only where it lets
//! connections go.

use std::collections::HashSet;
use std::net::{IpAddr, UdpSocket};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use nmax_engine::http::network;
use nmax_engine::runtime::real::RealClock;
use nmax_http::{Allow, Config, Failure, Origin, Shared, Url};
use nmax_metrics::ErrorKind;
use nmax_observe::remote_sources::remote_sources;
use nmax_plan::addresses::is_absolute;
use nmax_plan::plan::{Action, Address, Plan, Scenario};
use nmax_plan::units::format_duration;

use crate::safety::policy::{Evidence, Proof};
use crate::safety::{self, Consent, Policy, Role};
use crate::session;
use crate::{Exit, Trouble};

/// A target that may be loaded and can be reached.
pub struct Cleared {
    /// Asked again for every address of every connection.
    pub allow: Allow,
    /// On whose authority, in words for the manifest.
    pub authorization: Option<String>,
    /// What a person should know before the load.
    pub notes: Vec<String>,
}

/// Every origin that the plan names, the target first. Where scripts go to is unknown: each of their connections is
/// asked for as it is made ([`Cleared::allow`]).
pub fn origins(plan: &Plan) -> Result<Vec<Origin>, String> {
    let parse = |text: &str| {
        Url::parse(text).map_err(|error| {
            format!("target `{text}`: {error}\n  help: write it as http://host:port, for example http://127.0.0.1:8080")
        })
    };
    let mut origins = vec![parse(&plan.target)?.origin];
    let requests = plan.all_scenarios().flat_map(Scenario::calls);
    let urls = requests.flat_map(|request| request.addresses(&plan.defaults)).filter_map(|address| match address {
        Address::Url(url) => Some(url),
        Address::Target | Address::Host(_) | Address::Unknown => None,
    });
    let calls = plan.timeline.iter().flat_map(|item| std::iter::once(&item.action).chain(&item.undo));
    let calls = calls.filter_map(|action| match action {
        Action::Http { url, .. } if is_absolute(url) => Some(url.as_str()),
        Action::Http { .. } | Action::Command(_) | Action::Signal { .. } => None,
    });
    for text in urls.chain(calls) {
        let origin = parse(text)?.origin;
        if !origins.contains(&origin) {
            origins.push(origin);
        }
    }
    Ok(origins)
}

/// Origins of the hosts from which pages may fetch what they name. They may be loaded like those that the plan names;
/// whether a page leads there is not known, so none of them has to answer.
fn guests(plan: &Plan, origins: &[Origin]) -> Result<Vec<Origin>, String> {
    let scheme = nmax_text::url::split(&plan.target).scheme;
    let mut guests: Vec<Origin> = Vec::new();
    for address in plan.all_scenarios().flat_map(Scenario::calls).flat_map(|call| call.addresses(&plan.defaults)) {
        let Address::Host(host) = address else { continue };
        let url = Url::parse(&format!("{scheme}://{host}"));
        let origin = url.map_err(|error| format!("host `{host}` of a page's resources: {error}"))?.origin;
        let is_known = |known: &Origin| known.host.eq_ignore_ascii_case(&origin.host);
        if !origins.iter().chain(&guests).any(is_known) {
            guests.push(origin);
        }
    }
    Ok(guests)
}

/// Decides whether the origins of a plan, and its proxy, may be loaded; then connects to each origin once. The error
/// names the first that is refused or cannot be reached, and what to do.
pub fn clear(consent: &Consent, plan: &Arc<Plan>, origins: &[Origin]) -> Result<Cleared, Trouble> {
    let decided: Arc<OnceLock<Allow>> = Arc::default();
    let settings = session::settings(plan, &ask(&decided))?;
    local(&plan.defaults.source_addresses)?;
    let guests = guests(plan, origins)?;
    let config = network::config(&settings).map_err(|error| error.to_string())?;
    let proxy = config.proxy.as_ref().map(|proxy| proxy.origin.clone());
    let start = |config: Config| {
        let client = Shared::new(config, RealClock::starting_now());
        client.map_err(|error| nmax_engine::StartError::Tls(error.to_string()))
    };
    let mut policy = safety::policy(consent)?;
    let reactor = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let reactor = reactor.map_err(Trouble::internal)?;
    reactor.block_on(async {
        let named: Vec<Origin> = origins.iter().cloned().chain(guests).collect();
        let loaded: Vec<Origin> = named.iter().cloned().chain(proxy.clone()).collect();
        let limits = Limits::from_plan(plan);
        // Before the first question: name servers are hosts of others too.
        let servers = safety::origins_of_servers(&config.names.servers);
        let client = start(config.clone())?;
        let of_servers = safety::establish(&mut policy, &servers, Role::NameServer, &client).await?;
        let client = start(Config { allow: Arc::new(policy.clone()).hook(), ..config.clone() })?;
        let way = |client| ConnectionProbe { client, proxy: proxy.as_ref(), limits };
        let mut places = 1;
        for origin in proxy.iter().chain(&named) {
            places = places.max(way(&client).resolve(origin).await?);
        }
        let mut authorization = safety::establish(&mut policy, &loaded, Role::Target, &client).await?;
        authorization.extend(of_servers);
        let notes = not_proved(&policy);
        let allow = decided.get_or_init(|| Arc::new(policy).hook());
        // One address that is silent leaves the others their share of the limit.
        let client = start(Config { connect_timeout: Some(limits.connect / places), ..config })?;
        for origin in origins {
            way(&client).reach(origin).await?;
        }
        let mut told = HashSet::new();
        authorization.retain(|words| told.insert(words.clone()));
        let authorization = (!authorization.is_empty()).then(|| authorization.join("; "));
        Ok(Cleared { allow: Arc::clone(allow), authorization, notes })
    })
}

/// A person who has proved a name only should know it before the load.
fn not_proved(policy: &Policy) -> Vec<String> {
    let of_names = policy.proofs().iter().filter(|proof| proof.of == Evidence::Name);
    let note = |proof: &Proof| {
        format!(
            "{} proves that you control the name {}, and not the machine at its address: make sure that the address is yours",
            proof.found_at, proof.host
        )
    };
    of_names.map(note).collect()
}

/// The question of clients whose policy is still to be decided; until then nothing may be loaded.
fn ask(decided: &Arc<OnceLock<Allow>>) -> Allow {
    let decided = Arc::clone(decided);
    Arc::new(move |host, address| match decided.get() {
        Some(allow) => allow(host, address),
        None => Err(format!("{host} ({address}): asked before it was decided what may be loaded")),
    })
}

/// Which other hosts the plan's sources read, for a person. The error names one that may not be read, whatever the flags.
pub fn observed(plan: &Plan) -> Result<Option<String>, String> {
    let elsewhere = remote_sources(&plan.observe);
    if let Some(trouble) = elsewhere.iter().find_map(|one| one.forbidden.as_ref()) {
        return Err(format!("`observe`: {trouble}"));
    }
    let named = elsewhere.iter().map(|one| format!("{} at {one}", plan.observe[one.index].title()));
    let named: Vec<String> = named.collect();
    Ok((!named.is_empty()).then(|| format!("the run reads sources beyond this host: {}", named.join("; "))))
}

/// Complains about a source address that this host does not have.
fn local(sources: &[IpAddr]) -> Result<(), String> {
    for source in sources {
        // Nothing is sent: only the address is asked for.
        if let Err(error) = UdpSocket::bind((*source, 0)) {
            let help = "give addresses of this host; `ip address` lists them";
            return Err(format!("source address {source}: {error}\n  help: {help}"));
        }
    }
    Ok(())
}

/// Longest waits, as in the run.
#[derive(Clone, Copy, Debug)]
struct Limits {
    resolve: Duration,
    connect: Duration,
}

impl Limits {
    fn from_plan(plan: &Plan) -> Self {
        let limits = plan.defaults.phase_timeouts;
        let within = |limit: Option<Duration>| limit.unwrap_or(plan.defaults.timeout);
        Self { resolve: within(limits.dns), connect: within(limits.connect) }
    }
}

/// The way of the run's connections.
struct ConnectionProbe<'a> {
    client: &'a Shared<RealClock>,
    proxy: Option<&'a Origin>,
    limits: Limits,
}

impl ConnectionProbe<'_> {
    /// Finds the addresses of an origin, or of the proxy, and counts them. Nothing connects.
    async fn resolve(&self, origin: &Origin) -> Result<u32, Trouble> {
        let limit = self.limits.resolve;
        let failure = match tokio::time::timeout(limit, self.client.addresses(origin)).await {
            Ok(Ok(addresses)) => return Ok(addresses.len().max(1) as u32),
            Ok(Err(failure)) => failure,
            Err(_) => {
                Failure::new(ErrorKind::Dns, format!("{}: no answer within {}", origin.host, format_duration(limit)))
            }
        };
        let role = if self.proxy == Some(origin) { "proxy " } else { "" };
        Err(refused(&format!("{role}{origin}"), &failure, None))
    }

    /// Connects to an origin, or to the proxy in its place.
    async fn reach(&self, origin: &Origin) -> Result<(), Trouble> {
        let limit = self.limits.connect;
        let failure = match tokio::time::timeout(limit, self.client.reach(origin)).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(failure)) => failure,
            Err(_) => Failure::new(ErrorKind::Connect, format!("no answer within {}", format_duration(limit))),
        };
        Err(match self.proxy {
            Some(proxy) if failure.kind == ErrorKind::Connect => through(proxy, origin, &failure),
            _ => refused(&origin.to_string(), &failure, None),
        })
    }
}

/// Why nothing gets through a proxy: it is not there, it wants a password, or it refuses the server.
fn through(proxy: &Origin, origin: &Origin, failure: &Failure) -> Trouble {
    let help = if failure.text.contains("status 407") {
        "check the proxy's user name and password: `--proxy http://USER:PASSWORD@HOST:PORT`"
    } else if failure.text.contains("makes no tunnel") {
        "the proxy answers, but does not lead to the server: see its rules, and whether it reaches the server"
    } else {
        "check that the proxy listens on this address and port, and that no firewall is between"
    };
    refused(&format!("proxy {proxy}, for {origin}"), failure, Some(help))
}

fn refused(place: &str, failure: &Failure, help: Option<&'static str>) -> Trouble {
    let is_of_source = failure.text.contains("source address");
    let (usual, exit) = match failure.kind {
        ErrorKind::Connect => (
            "check that the server listens on this address and port, and that no firewall is between",
            Exit::Unreachable,
        ),
        ErrorKind::Dns => ("check the spelling, or give its address by `--resolve`", Exit::Unreachable),
        ErrorKind::Blocked => ("see docs/how-to/allow-a-target.md", Exit::Usage),
        ErrorKind::Injector if is_of_source => {
            ("give source addresses of this host and of the server's family; `ip address` lists them", Exit::Usage)
        }
        kind => (kind.remedy(), Exit::Unreachable),
    };
    let kind = failure.kind.name();
    let what = if failure.kind == ErrorKind::Dns { "no address" } else { "no connection" };
    let help = help.unwrap_or(usual);
    Trouble { exit, ..Trouble::usage(format_args!("{place}: {what} ({kind}): {}", failure.text), help) }
}

#[cfg(test)]
mod tests;
