//! Whether the target can be reached at all, before any load: name resolved, connection accepted.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use nmax_http::{Origin, Url};
use nmax_plan::plan::{Plan, Step};

/// Longest wait for one address.
const CONNECT_MAX: Duration = Duration::from_secs(5);

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

/// Connects to each origin once. The error names the first that cannot be reached, and what to do.
pub fn reach(origins: &[Origin]) -> Result<(), String> {
    origins.iter().try_for_each(reach_one)
}

fn reach_one(origin: &Origin) -> Result<(), String> {
    let addresses: Vec<SocketAddr> = (origin.host.as_str(), origin.port)
        .to_socket_addrs()
        .map_err(|error| {
            let help = "check the spelling, or give the address";
            format!(
                "{origin}: the host name `{}` does not resolve (dns): {error}\n  help: {help}",
                origin.host
            )
        })?
        .collect();
    let mut last = None;
    for address in &addresses {
        match TcpStream::connect_timeout(address, CONNECT_MAX) {
            Ok(_) => return Ok(()),
            Err(error) => last = Some((address, error)),
        }
    }
    Err(match last {
        Some((address, error)) => format!(
            "{origin}: no connection to {address} (connect): {error}\n  \
             help: check that the server listens on this address and port, and that no firewall is between"
        ),
        None => format!(
            "{origin}: the host name `{}` has no address (dns)\n  help: give the address",
            origin.host
        ),
    })
}
