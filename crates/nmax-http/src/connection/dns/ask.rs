//! One lookup: the host's own table first, then name servers, over UDP and, for what does not fit, TCP.

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use nmax_metrics::{ErrorKind, Nanos};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::timeout;

use super::message::{self, Lack, RecordType, ResolvedAddresses, WireName};
use super::quota;
use super::system::{self, Resolver};
use super::{Answer, Question};
use crate::connection::Family;
use crate::connection::sockets::Room;
use crate::failure::Failure;

const HOSTS: &str = "/etc/hosts";
const RESOLV_CONF: &str = "/etc/resolv.conf";
/// The largest reply over UDP, without extensions.
const DATAGRAM_BYTES_MAX: usize = 512;
/// How long an entry of `/etc/hosts` holds: the file gives no lifetime.
const HOSTS_TTL: Nanos = Nanos::from_secs(60);

/// Why one name of one family has no address here.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Miss {
    /// The name does not exist.
    NoName,
    /// The name exists without such an address.
    NoAddress,
    /// The servers could not say: why, in words.
    Refused(Failure),
    /// No server was heard: why, in words.
    Silent(Failure),
}

/// The addresses of the question's name.
pub(super) async fn look_up(question: &Question) -> Result<Answer, Failure> {
    let host = question.host.as_str();
    let hosts = text_of(HOSTS);
    if let Some(addresses) = of_this_host(&hosts, host) {
        let addresses = of_family(addresses, question.family);
        if addresses.is_empty() {
            return Err(in_words(host, question.family, &Miss::NoAddress));
        }
        return Ok(Answer { addresses, ttl: HOSTS_TTL });
    }
    // As many as a lookup has open at once.
    let no_room = |error: io::Error| Failure::of_io(ErrorKind::Dns, host, &error);
    let _rooms = [room(question).map_err(no_room)?, room(question).map_err(no_room)?];
    let resolver = if question.servers.is_empty() {
        Resolver::parse(&text_of(RESOLV_CONF))
    } else {
        Resolver::of_servers(question.servers.clone())
    };
    by(&resolver, host, question.family).await
}

fn room(question: &Question) -> io::Result<Room> {
    Room::take(question.sockets.as_ref())
}

/// A small file, read on the thread of lookups. A missing one is an empty one, and a comment in Latin-1 does not take
/// the rest of its file with it.
fn text_of(path: &str) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}

/// Asks for every name that `host` may stand for, until one has addresses.
async fn by(resolver: &Resolver, host: &str, family: Family) -> Result<Answer, Failure> {
    let mut worst = Miss::NoName;
    for name in resolver.candidates(host) {
        let Some(name) = WireName::new(&name) else {
            continue;
        };
        match of_name(resolver, &name, family).await {
            Ok(found) => {
                return Ok(Answer { addresses: found.addresses, ttl: Nanos::from_secs(u64::from(found.ttl_s)) });
            }
            Err(Miss::NoName) => {}
            Err(Miss::NoAddress) if worst != Miss::NoName => {}
            Err(miss @ Miss::Silent(_)) => {
                worst = miss;
                break;
            }
            // Another search domain may know it.
            Err(miss) => worst = miss,
        }
    }
    Err(in_words(host, family, &worst))
}

/// The addresses that need no name server.
fn of_this_host(hosts: &str, host: &str) -> Option<Vec<IpAddr>> {
    let addresses = system::in_hosts(hosts, host);
    if !addresses.is_empty() {
        return Some(addresses);
    }
    system::is_localhost(host).then(|| vec![Ipv6Addr::LOCALHOST.into(), Ipv4Addr::LOCALHOST.into()])
}

fn of_family(mut addresses: Vec<IpAddr>, family: Family) -> Vec<IpAddr> {
    addresses.retain(|address| family.takes(*address));
    addresses
}

fn in_words(host: &str, family: Family, miss: &Miss) -> Failure {
    let text = match miss {
        Miss::NoName => format!("{host}: the name does not exist (NXDOMAIN)"),
        Miss::NoAddress => {
            let kind = match family {
                Family::Any => "",
                Family::V4 => "IPv4 ",
                Family::V6 => "IPv6 ",
            };
            format!("{host}: the name has no {kind}address")
        }
        Miss::Refused(failure) | Miss::Silent(failure) => {
            return Failure::new(failure.kind, format!("{host}: {}", failure.text));
        }
    };
    Failure::new(ErrorKind::Dns, text)
}

/// Both families at once; one that has addresses is enough.
async fn of_name(resolver: &Resolver, name: &WireName, family: Family) -> Result<ResolvedAddresses, Miss> {
    match family {
        Family::V4 => of_record(resolver, name, RecordType::A).await,
        Family::V6 => of_record(resolver, name, RecordType::Aaaa).await,
        Family::Any => {
            let (v4, v6) =
                tokio::join!(of_record(resolver, name, RecordType::A), of_record(resolver, name, RecordType::Aaaa));
            match (v4, v6) {
                (Ok(mut v4), Ok(v6)) => {
                    v4.addresses.extend(v6.addresses);
                    v4.ttl_s = v4.ttl_s.min(v6.ttl_s);
                    Ok(v4)
                }
                (Ok(found), Err(_)) | (Err(_), Ok(found)) => Ok(found),
                (Err(miss @ Miss::Silent(_)), _) | (_, Err(miss @ Miss::Silent(_))) => Err(miss),
                (Err(miss @ Miss::Refused(_)), _) | (_, Err(miss @ Miss::Refused(_))) => Err(miss),
                (Err(Miss::NoName), Err(Miss::NoName)) => Err(Miss::NoName),
                _ => Err(Miss::NoAddress),
            }
        }
    }
}

/// Asks server after server, as often as the settings say, until one knows.
async fn of_record(resolver: &Resolver, name: &WireName, kind: RecordType) -> Result<ResolvedAddresses, Miss> {
    let mut miss = Miss::NoAddress;
    for _ in 0..resolver.attempts {
        for &server in &resolver.servers {
            match ask(server, name, kind, resolver.timeout).await {
                Ok(Ok(found)) => return Ok(found),
                Ok(Err(Lack::NoName)) => return Err(Miss::NoName),
                Ok(Err(Lack::NoAddress)) => return Err(Miss::NoAddress),
                Ok(Err(lack)) => miss = Miss::Refused(Failure::new(ErrorKind::Dns, refusal(server, lack))),
                Err(Unasked::Limit) => return Err(Miss::Silent(limit(server))),
                Err(Unasked::Trouble(error)) => miss = Miss::Silent(trouble(server, &error)),
            }
        }
    }
    Err(miss)
}

/// Other servers are not asked in its place: the limit would be theirs next.
fn limit(server: SocketAddr) -> Failure {
    let text = format!(
        "name server {server} was asked {} times within a second, and nmax asks none more often: believe answers longer \
         (`dns.ttl`), or let VUs share them (`dns.cache: run`)",
        quota::QUESTIONS_PER_S_MAX
    );
    Failure::new(ErrorKind::Injector, text)
}

fn refusal(server: SocketAddr, lack: Lack) -> String {
    match lack {
        Lack::Server(1) => format!("name server {server} did not understand the question (FORMERR)"),
        Lack::Server(2) => format!("name server {server} failed to find out (SERVFAIL)"),
        Lack::Server(5) => format!("name server {server} refuses to answer (REFUSED)"),
        Lack::Server(code) => format!("name server {server} answered with error code {code}"),
        _ => format!("name server {server} sent a broken answer"),
    }
}

fn trouble(server: SocketAddr, error: &io::Error) -> Failure {
    if error.kind() == io::ErrorKind::TimedOut {
        return Failure::new(ErrorKind::Dns, format!("no answer from name server {server}"));
    }
    Failure::of_io(ErrorKind::Dns, &format!("name server {server}"), error)
}

/// Why a server said nothing.
enum Unasked {
    /// It has had its questions of this second.
    Limit,
    /// It was not heard.
    Trouble(io::Error),
}

impl From<io::Error> for Unasked {
    fn from(error: io::Error) -> Self {
        Self::Trouble(error)
    }
}

/// Takes the place of a question.
fn place(server: SocketAddr) -> Result<(), Unasked> {
    if quota::take(server.ip()) { Ok(()) } else { Err(Unasked::Limit) }
}

/// One question to one server.
async fn ask(
    server: SocketAddr,
    name: &WireName,
    kind: RecordType,
    limit: Duration,
) -> Result<Result<ResolvedAddresses, Lack>, Unasked> {
    let late = |_| io::Error::from(io::ErrorKind::TimedOut);
    let id = number(server);
    let question = message::question(id, name, kind);
    let read = |reply: &[u8]| message::answer(reply, id, name, kind);
    place(server)?;
    let found = timeout(limit, over_udp(server, &question, read)).await.map_err(late)??;
    if found == Err(Lack::Cut) {
        place(server)?;
        return Ok(timeout(limit, over_tcp(server, &question, read)).await.map_err(late)??);
    }
    Ok(found)
}

/// The number of a question: forged replies must guess it, and the port that the kernel chose.
fn number(server: SocketAddr) -> u16 {
    RandomState::new().hash_one(server) as u16
}

/// The name servers of this host.
pub fn name_servers() -> Vec<SocketAddr> {
    Resolver::parse(&text_of(RESOLV_CONF)).servers
}

/// The texts (TXT records) that a name server has for a name; asked once, without a limit on the time.
pub async fn texts(server: SocketAddr, name: &WireName) -> io::Result<Result<Vec<Vec<u8>>, Lack>> {
    let id = number(server);
    let question = message::question(id, name, RecordType::Txt);
    over_udp(server, &question, |reply| message::texts(reply, id, name)).await
}

async fn over_udp<T>(
    server: SocketAddr,
    question: &[u8],
    read: impl Fn(&[u8]) -> Result<T, Lack>,
) -> io::Result<Result<T, Lack>> {
    let any: IpAddr = match server {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0)).await?;
    socket.connect(server).await?;
    socket.send(question).await?;
    let mut reply = vec![0; DATAGRAM_BYTES_MAX];
    loop {
        let length = socket.recv(&mut reply).await?;
        match read(&reply[..length]) {
            // Late, forged, or not DNS: the right one may still come.
            Err(Lack::NotOurs) => {}
            answer => return Ok(answer),
        }
    }
}

async fn over_tcp<T>(
    server: SocketAddr,
    question: &[u8],
    read: impl Fn(&[u8]) -> Result<T, Lack>,
) -> io::Result<Result<T, Lack>> {
    let mut stream = TcpStream::connect(server).await?;
    let length = u16::try_from(question.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    stream.write_all(&[&length.to_be_bytes(), question].concat()).await?;
    let length = stream.read_u16().await?;
    let mut reply = vec![0; usize::from(length)];
    stream.read_exact(&mut reply).await?;
    Ok(read(&reply))
}

#[cfg(test)]
mod tests;
