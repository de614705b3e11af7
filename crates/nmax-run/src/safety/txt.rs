//! Proof by DNS: the TXT record `_nmax.HOST` with the text `allow-load-test`.
//!
//! It proves that the user controls the name, and nothing of the machine at the address that the name has.

use std::net::SocketAddr;
use std::time::Duration;

use nmax_http::{Lack, WireName, texts};
use tokio::time::timeout;

use super::policy::{Evidence, Proof};
use super::target::Host;

/// The text of the record.
const TEXT: &[u8] = b"allow-load-test";

/// Looks for the record of `host`, asking one server after the other until one answers, each for at most `limit`.
///
/// The error says what was found in its place.
pub async fn prove(host: &Host, servers: &[SocketAddr], limit: Duration) -> Result<Proof, String> {
    let name = format!("_nmax.{host}");
    let failed = |reason: &dyn std::fmt::Display| format!("DNS TXT record {name}: {reason}");
    let asked = WireName::new(&name).ok_or_else(|| failed(&"the name is too long"))?;
    let mut reason = String::from("no name server to ask");
    for &server in servers {
        match timeout(limit, texts(server, &asked)).await {
            Ok(Ok(Ok(texts))) => {
                return if texts.iter().any(|text| text.trim_ascii() == TEXT) {
                    Ok(Proof { host: host.clone(), found_at: format!("the DNS TXT record {name}"), of: Evidence::Name })
                } else {
                    Err(failed(&"none with the text `allow-load-test`"))
                };
            }
            Ok(Ok(Err(Lack::NoName))) => return Err(failed(&Lack::NoName)),
            Ok(Ok(Err(error))) => reason = format!("{error} from {server}"),
            Ok(Err(error)) => reason = format!("{server}: {error}"),
            Err(_) => reason = format!("no answer from {server} within {limit:?}"),
        }
    }
    Err(failed(&reason))
}

#[cfg(test)]
mod tests;
