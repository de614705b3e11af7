//! Bottlenecks of known kind, as pure values: which resource a request needs, and how much of it.
//!
//! Unlike a service time, which is waited for, a bottleneck is real: threads burn processor time, hold a lock, write to a
//! disk, touch memory, ask another server. What the system feels is therefore what a system with that bottleneck feels.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use crate::spec::{Fields, SpecError, parse_size, parse_span};

const REMEDY: &str = "`cpu:work=10ms`, `lock:held=10ms`, `disk:bytes=64kB,writes=10,dir=/var/tmp`, `pool:size=4,held=20ms`, \
     `memory:bytes=300MB,touch=4MB`, `network:bytes_per_s=2MB` or `dependency:url=http://127.0.0.1:9000/`";

/// Threads of a bottleneck when nothing is said.
const THREADS: usize = 32;
/// Most threads of a bottleneck.
const THREADS_MAX: usize = 256;
/// Longest work of one request, in nanoseconds: the end of the target waits for it.
const SPAN_MAX_NS: u64 = 10_000_000_000;
/// Most memory of a bottleneck, and most bytes of one write.
const BYTES_MAX: u64 = 1 << 30;
/// Most writes of one request.
const WRITES_MAX: usize = 10_000;
/// Most slots of a pool.
const SLOTS_MAX: usize = 10_000;

/// What requests need and what there is of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Scarce {
    /// `cpu:work=10ms,threads=32`: processor time, burnt by threads.
    Cpu {
        /// Processor time of each request, in nanoseconds.
        work_ns: u64,
        /// Threads that burn it.
        threads: usize,
    },
    /// `lock:held=10ms,threads=32,name=orders`: a mutex that a thread holds while it sleeps.
    Lock {
        /// How long each request holds it, in nanoseconds.
        held_ns: u64,
        /// Threads that want it.
        threads: usize,
    },
    /// `disk:bytes=64kB,writes=10,dir=/var/tmp,threads=32`: writes that are on the disk before the next one begins.
    Disk {
        /// Bytes of each write, rounded up to whole blocks of 4096.
        bytes: usize,
        /// Writes of each request, one after the other.
        writes: u64,
        /// Where the files lie; they have no name, so nothing stays.
        dir: PathBuf,
        /// Threads that write, each into a file of its own.
        threads: usize,
    },
    /// `pool:size=4,held=20ms,timeout=1s,name=orders`: slots that are lent; one is given back with the reply.
    Pool {
        /// Slots.
        size: usize,
        /// How long a slot is used without doing anything, in nanoseconds; bottlenecks after the pool are passed with it.
        held_ns: u64,
        /// Who waits longer is sent away with 503, in nanoseconds.
        timeout_ns: Option<u64>,
    },
    /// `memory:bytes=300MB,touch=4MB,threads=32`: memory that is written to, here and there.
    Memory {
        /// Memory in use from the start.
        bytes: usize,
        /// How much of it each request writes to, in whole pages.
        touch_bytes: usize,
        /// Threads that write.
        threads: usize,
    },
    /// `network:bytes_per_s=2MB`: bytes per second and direction, for all connections together.
    Network {
        /// Bytes per second.
        bytes_per_s: u64,
    },
    /// `dependency:url=http://127.0.0.1:9000/,name=stock`: another server's reply.
    Dependency {
        /// The other server.
        address: SocketAddr,
        /// What is asked of it.
        path: String,
    },
}

/// Something scarce that the requests of some paths need: `/orders=pool:size=4`, or `pool:size=4` for all.
#[derive(Clone, Debug, PartialEq)]
pub struct Bottleneck {
    /// Start of the path; empty matches every path.
    pub prefix: String,
    /// How it is called in `/metrics`.
    pub name: String,
    /// What is scarce.
    pub scarce: Scarce,
}

impl FromStr for Bottleneck {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let error = |problem: &str| SpecError::new("bottleneck", text, problem, REMEDY);
        let (prefix, rest) = if text.starts_with('/') {
            text.split_once('=').ok_or_else(|| error("has a path but no `=`"))?
        } else {
            ("", text)
        };
        let (kind, list) = rest.split_once(':').ok_or_else(|| error("has no `:`"))?;
        let mut fields = Fields::parse("bottleneck", text, list, REMEDY)?;
        let name = fields.take("name").unwrap_or("main").to_owned();
        let known = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
        if !known || name.is_empty() {
            return Err(fields.error("the name has other characters than letters, digits, `_`, `-` and `.`"));
        }
        let scarce = match kind.trim() {
            "cpu" => Scarce::Cpu { work_ns: span_ns(&mut fields, "work")?, threads: threads(&mut fields)? },
            "lock" => Scarce::Lock { held_ns: span_ns(&mut fields, "held")?, threads: threads(&mut fields)? },
            "disk" => disk(&mut fields)?,
            "pool" => pool(&mut fields)?,
            "memory" => memory(&mut fields)?,
            "network" if prefix.is_empty() => network(&mut fields)?,
            "network" => return Err(error("has a path, but a network is for all paths")),
            "dependency" => dependency(&mut fields)?,
            _ => return Err(error("is not a known kind")),
        };
        fields.finish()?;
        Ok(Self { prefix: prefix.to_owned(), name, scarce })
    }
}

fn disk(fields: &mut Fields<'_>) -> Result<Scarce, SpecError> {
    let writes = fields.count("writes", 1, WRITES_MAX)? as u64;
    Ok(Scarce::Disk {
        bytes: size(fields, "bytes", BYTES_MAX)?,
        writes,
        dir: fields.take("dir").map_or_else(std::env::temp_dir, PathBuf::from),
        threads: threads(fields)?,
    })
}

fn pool(fields: &mut Fields<'_>) -> Result<Scarce, SpecError> {
    let slots = fields.number("size")?;
    Ok(Scarce::Pool {
        size: fields.within("size", slots, (1, SLOTS_MAX))?,
        timeout_ns: fields.take("timeout").map(parse_span).transpose()?,
        held_ns: match fields.take("held") {
            None => 0,
            Some(text) => bounded(fields, "held", parse_span(text)?)?,
        },
    })
}

fn memory(fields: &mut Fields<'_>) -> Result<Scarce, SpecError> {
    let bytes = size(fields, "bytes", BYTES_MAX)?;
    Ok(Scarce::Memory { bytes, touch_bytes: size(fields, "touch", bytes as u64)?, threads: threads(fields)? })
}

fn network(fields: &mut Fields<'_>) -> Result<Scarce, SpecError> {
    let bytes_per_s = size(fields, "bytes_per_s", u64::from(u32::MAX))?;
    Ok(Scarce::Network { bytes_per_s: bytes_per_s as u64 })
}

fn dependency(fields: &mut Fields<'_>) -> Result<Scarce, SpecError> {
    let url = fields.take("url").unwrap_or_default();
    let rest = url.strip_prefix("http://").unwrap_or_default();
    let (authority, path) = match rest.split_once('/') {
        None => (rest, "/".to_owned()),
        Some((authority, path)) => (authority, format!("/{path}")),
    };
    let authority = authority.replace("localhost", &Ipv4Addr::LOCALHOST.to_string());
    let is_sendable = path.bytes().all(|byte| byte.is_ascii_graphic());
    match authority.parse() {
        Ok(address) if is_sendable => Ok(Scarce::Dependency { address, path }),
        _ => Err(fields.error("url is not `http://`, an IP address, a port and a path")),
    }
}

fn span_ns(fields: &mut Fields<'_>, key: &str) -> Result<u64, SpecError> {
    let span_ns = fields.span_ns(key)?;
    bounded(fields, key, span_ns)
}

fn bounded(fields: &Fields<'_>, key: &str, span_ns: u64) -> Result<u64, SpecError> {
    if span_ns > SPAN_MAX_NS {
        return Err(fields.error(format!("{key} is more than 10 s")));
    }
    Ok(span_ns)
}

fn threads(fields: &mut Fields<'_>) -> Result<usize, SpecError> {
    fields.count("threads", THREADS, THREADS_MAX)
}

fn size(fields: &mut Fields<'_>, key: &str, max: u64) -> Result<usize, SpecError> {
    let text = fields.required(key)?;
    let bytes = parse_size(text).filter(|bytes| (1..=max).contains(bytes));
    bytes
        .and_then(|bytes| usize::try_from(bytes).ok())
        .ok_or_else(|| fields.error(format!("`{key}={text}` is not a size between 1 and {max} bytes, such as `64kB`")))
}

#[cfg(test)]
mod tests;
