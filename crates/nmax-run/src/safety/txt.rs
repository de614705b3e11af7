//! Proof by DNS: the TXT record `_nmax.HOST` with the text `allow-load-test`.
//!
//! It proves that the user controls the name, and nothing of the machine at the address that the name has.

use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::time::timeout;

use super::dns::{ReplyError, answers, question};
use super::policy::{Evidence, Proof};
use super::target::Host;

/// The text of the record.
const TEXT: &[u8] = b"allow-load-test";
/// Name servers that are asked, as the system's own resolver does.
const SERVERS_MAX: usize = 3;
/// Bytes of a reply that are read; without extensions a server sends at most 512.
const REPLY_BYTES_MAX: usize = 4096;

/// The first name servers of a `resolv.conf`; this host when there are none, as `resolv.conf(5)` says.
pub fn name_servers(resolv_conf: &str) -> Vec<SocketAddr> {
    let address = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        (words.next() == Some("nameserver")).then(|| words.next()?.parse::<IpAddr>().ok())?
    };
    let mut servers: Vec<IpAddr> = resolv_conf.lines().filter_map(address).take(SERVERS_MAX).collect();
    if servers.is_empty() {
        servers.push(Ipv4Addr::LOCALHOST.into());
    }
    servers.into_iter().map(|ip| SocketAddr::new(ip, 53)).collect()
}

/// Looks for the record of `host`, asking one server after the other until one answers, each for at most `limit`.
///
/// The error says what was found in its place.
pub async fn prove(host: &Host, servers: &[SocketAddr], limit: Duration) -> Result<Proof, String> {
    let name = format!("_nmax.{host}");
    let failed = |reason: &dyn std::fmt::Display| format!("DNS TXT record {name}: {reason}");
    let mut reason = String::from("no name server to ask");
    for &server in servers {
        // Seeded by the system, so that nobody can guess it.
        let id = (RandomState::new().hash_one(&name) & 0xffff) as u16;
        let message = question(id, &name).ok_or_else(|| failed(&"the name is too long"))?;
        match timeout(limit, ask(server, &message)).await {
            Ok(Ok(Ok(texts))) => {
                return if texts.iter().any(|text| text.trim_ascii() == TEXT) {
                    Ok(Proof { host: host.clone(), found_at: format!("the DNS TXT record {name}"), of: Evidence::Name })
                } else {
                    Err(failed(&"none with the text `allow-load-test`"))
                };
            }
            Ok(Ok(Err(ReplyError::NoName))) => return Err(failed(&ReplyError::NoName)),
            Ok(Ok(Err(error))) => reason = format!("{error} from {server}"),
            Ok(Err(error)) => reason = format!("{server}: {error}"),
            Err(_) => reason = format!("no answer from {server} within {limit:?}"),
        }
    }
    Err(failed(&reason))
}

/// Asks one server; replies to other questions are passed over.
async fn ask(server: SocketAddr, message: &[u8]) -> io::Result<Result<Vec<Vec<u8>>, ReplyError>> {
    let any: IpAddr = match server {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0)).await?;
    socket.connect(server).await?;
    socket.send(message).await?;
    let mut reply = vec![0; REPLY_BYTES_MAX];
    loop {
        let length = socket.recv(&mut reply).await?;
        match answers(&reply[..length], message) {
            Err(ReplyError::Foreign) => {}
            answered => return Ok(answered),
        }
    }
}

#[cfg(test)]
mod tests;
