//! Before any load: whether the target may be loaded, and whether it can be reached.
//!
//! Both questions go the way of the run's own exchanges: the addresses that the plan gives to names, its name servers,
//! its source addresses, its proxy. Nothing connects before the safety policy is decided, and then only where it lets
//! connections go.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use nmax_engine::network;
use nmax_engine::real::RealClock;
use nmax_http::{Allow, Config, Failure, Origin, Shared, Url};
use nmax_metrics::ErrorKind;
use nmax_plan::plan::{Plan, Step};

use crate::exit::Exit;
use crate::safety::{self, SafetyArgs};
use crate::session;

/// Longest wait for one address.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// Longest wait for an origin with all its addresses.
const REACH_MAX: Duration = Duration::from_secs(15);

/// A target that may be loaded and can be reached.
pub struct Cleared {
    /// Asked again for every address of every connection.
    pub allow: Allow,
    /// On whose authority, in words for the manifest.
    pub authorization: Option<String>,
}

/// Every origin that the plan names, the target first.
pub fn origins(plan: &Plan) -> Result<Vec<Origin>, String> {
    let parse = |text: &str| {
        Url::parse(text).map_err(|error| {
            format!("target `{text}`: {error}\n  help: write it as http://host:port, for example http://127.0.0.1:8080")
        })
    };
    let mut origins = vec![parse(&plan.target)?.origin];
    let steps = plan.scenarios.iter().flat_map(|scenario| &scenario.steps);
    for step in steps {
        if let Step::Request(request) = step
            && let Some(text) = request.url.as_constant()
            && text.contains("://")
        {
            let origin = parse(text)?.origin;
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
    }
    Ok(origins)
}

/// Decides whether the origins of a plan, and its proxy, may be loaded; then connects to each origin once. The error
/// names the first that is refused or cannot be reached, and what to do.
pub fn clear(args: &SafetyArgs, plan: &Arc<Plan>, origins: &[Origin]) -> Result<Cleared, (String, Exit)> {
    let decided: Arc<OnceLock<Allow>> = Arc::default();
    let usage = |error: &dyn std::fmt::Display| (error.to_string(), Exit::Usage);
    let internal = |error: &dyn std::fmt::Display| (error.to_string(), Exit::Internal);
    let settings = session::settings(plan, &ask(&decided)).map_err(|error| usage(&error))?;
    let config = Config {
        connect_timeout: Some(CONNECT_MAX),
        ..network::config(&settings).map_err(|error| usage(&error))?
    };
    let proxy = config.proxy.as_ref().map(|proxy| proxy.origin.clone());
    let client = Shared::new(config, RealClock::starting_now());
    let client = client.map_err(|error| usage(&nmax_engine::StartError::Tls(error.to_string())))?;
    let reactor = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let reactor = reactor.map_err(|error| internal(&error))?;
    reactor.block_on(async {
        let loaded: Vec<Origin> = origins.iter().cloned().chain(proxy).collect();
        let established = safety::establish(args, &loaded, &client).await;
        let (policy, authorization) = established.map_err(|error| (error.to_string(), error.exit()))?;
        let allow = decided.get_or_init(|| Arc::new(policy).hook());
        for origin in origins {
            reach(&client, origin).await?;
        }
        Ok(Cleared {
            allow: Arc::clone(allow),
            authorization,
        })
    })
}

/// The question of clients whose policy is still to be decided; until then nothing may be loaded.
fn ask(decided: &Arc<OnceLock<Allow>>) -> Allow {
    let decided = Arc::clone(decided);
    Arc::new(move |host, address| match decided.get() {
        Some(allow) => allow(host, address),
        None => Err(format!(
            "{host} ({address}): asked before it was decided what may be loaded"
        )),
    })
}

async fn reach(client: &Shared<RealClock>, origin: &Origin) -> Result<(), (String, Exit)> {
    let failure = match tokio::time::timeout(REACH_MAX, client.reach(origin)).await {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(failure)) => failure,
        Err(_) => Failure::new(ErrorKind::Connect, format!("no connection within {REACH_MAX:?}")),
    };
    let (help, exit) = match failure.kind {
        ErrorKind::Connect => (
            "check that the server listens on this address and port, and that no firewall is between",
            Exit::Unreachable,
        ),
        ErrorKind::Dns => (
            "check the spelling, or give its address by `--resolve`",
            Exit::Unreachable,
        ),
        ErrorKind::Blocked => ("see docs/how-to/allow-a-target.md", Exit::Usage),
        kind => (kind.remedy(), Exit::Unreachable),
    };
    let kind = failure.kind.name();
    Err((
        format!("{origin}: no connection ({kind}): {}\n  help: {help}", failure.text),
        exit,
    ))
}

#[cfg(test)]
mod tests;
