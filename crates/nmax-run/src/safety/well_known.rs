//! Proof by HTTP: the line `allow-load-test: HOST` in `/.well-known/nmax` of the target.

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use nmax_engine::runtime::real::RealClock;
use nmax_http::{Alarm, Allow, Client, Config, KeepBody, NameRules, Origin, Request, RequestText, Shared};
use nmax_plan::addresses::{Class, classify};
use tokio::time::timeout;

use super::policy::{Evidence, Proof};
use super::target::Host;

/// Where the proof is on the target.
const PATH: &str = "/.well-known/nmax";
/// The word before the host in a line of the proof.
const WORD: &str = "allow-load-test:";
/// The largest proof that is read.
const BODY_BYTES_MAX: usize = 64 * 1024;

/// Permits `host` at its public addresses, and `servers` to ask for its name; nothing else.
pub fn public_only(host: Host, servers: Vec<SocketAddr>) -> Allow {
    Arc::new(move |name: &str, ip: IpAddr| {
        let is_server = name.parse() == Ok(ip) && servers.iter().any(|server| server.ip() == ip);
        if is_server || Host::of_url(name) == host && classify(ip) == Class::Public {
            Ok(())
        } else {
            Err(format!("{name} ({ip}) is not a public address of {host}"))
        }
    })
}

/// Fetches the proof from `origin`, found by `names`, at addresses that `allow` permits, in at most `limit`; no redirect is followed.
///
/// The error says what was found in its place.
pub async fn prove(origin: &Origin, allow: Allow, names: NameRules, limit: Duration) -> Result<Proof, String> {
    let url = format!("{origin}{PATH}");
    let body = match timeout(limit, fetch(origin, allow, names)).await {
        Ok(fetched) => fetched.map_err(|reason| format!("{url}: {reason}"))?,
        Err(_) => return Err(format!("{url}: no complete reply within {limit:?}")),
    };
    let host = Host::of_url(&origin.host);
    if holds(&String::from_utf8_lossy(&body), &host) {
        Ok(Proof { host, found_at: url, of: Evidence::Machine })
    } else {
        Err(format!("{url}: has no line `{WORD} {host}`"))
    }
}

/// True when a line of `text` allows `host`, or every host that serves it.
fn holds(text: &str, host: &Host) -> bool {
    let named = text.lines().filter_map(|line| line.trim().strip_prefix(WORD));
    named.map(str::trim).any(|name| name == "*" || name.parse().as_ref() == Ok(host))
}

/// The body of the reply with status 200, or why there is none.
async fn fetch(origin: &Origin, allow: Allow, names: NameRules) -> Result<Vec<u8>, String> {
    let config = Config { body_limit: BODY_BYTES_MAX as u64, names, ..Config::new(allow) };
    let shared = Shared::new(config, RealClock::starting_now()).map_err(|error| error.to_string())?;
    let mut client = Client::new(Rc::new(shared), Alarm::default());
    let mut text = RequestText::new();
    text.begin(b"GET", PATH.as_bytes(), "HTTP/1.1");
    text.field("host", origin.authority().as_bytes());
    text.field("user-agent", concat!("nmax/", env!("CARGO_PKG_VERSION")).as_bytes());
    text.field("accept", b"text/plain");
    text.field("connection", b"close");
    text.end(&[]);
    let exchange = client
        .exchange(&Request {
            origin,
            text: &text,
            rest: &[],
            waits: false,
            is_head: false,
            idempotent: true,
            keep_alive: false,
            keep_body: KeepBody::UpTo(BODY_BYTES_MAX),
        })
        .await;
    match (exchange.error, client.reply().status()) {
        (Some(failure), _) => Err(failure.text.into_owned()),
        (None, Some(200)) => Ok(client.reply().body().to_vec()),
        (None, Some(status)) => Err(format!("status {status} in place of 200")),
        (None, None) => Err("no reply".into()),
    }
}

#[cfg(test)]
mod tests;
