//! Where requests meet the [`Bottleneck`]s: real threads, locks, files, memory and calls.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hyper::StatusCode;

use crate::bottleneck::{Bottleneck, Scarce};
use crate::random::Random;
use crate::timers::Timers;

mod dependency;
mod lock;
mod pool;
mod thread_pool;
mod work;

use dependency::Dependency;
use lock::Lock;
use pool::{Pool, Slot};
use thread_pool::ThreadPool;

/// Longest wait for another server's reply.
const REPLY_MAX: Duration = Duration::from_secs(10);

/// A bottleneck that cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot make the bottleneck {what}: {source}")]
pub(crate) struct Unmade {
    what: String,
    source: io::Error,
}

/// Why a request got nothing, and the status that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) status: StatusCode,
    pub(crate) text: String,
}

impl Refused {
    fn busy(text: &str) -> Self {
        Self { status: StatusCode::SERVICE_UNAVAILABLE, text: text.to_owned() }
    }
}

/// What a request holds until its reply is made.
#[must_use = "slots are given back when it is dropped"]
#[derive(Default)]
pub(crate) struct Passage<'a> {
    _slots: Vec<Slot<'a>>,
}

/// All bottlenecks of a target, in the order given.
pub(crate) struct Stations {
    list: Vec<Station>,
}

struct Station {
    prefix: String,
    name: String,
    label: &'static str,
    means: Means,
}

enum Means {
    ThreadPool(ThreadPool),
    Lock(Lock),
    Pool(Pool),
    Dependency(Dependency),
}

impl Stations {
    /// Makes everything that the bottlenecks need. That of the network is elsewhere: see `throttle`.
    pub(crate) fn new(bottlenecks: &[Bottleneck], random: Random) -> Result<Self, Unmade> {
        let mut list = Vec::new();
        for (place, bottleneck) in bottlenecks.iter().enumerate() {
            let is_same = |other: &Bottleneck| other.name == bottleneck.name && label(other) == label(bottleneck);
            if !label(bottleneck).is_empty() && bottlenecks[..place].iter().any(is_same) {
                return Err(Unmade {
                    what: described(bottleneck),
                    source: io::Error::other("another one has the same name; give each a `name=`"),
                });
            }
            let means = means(bottleneck, random).map_err(|source| Unmade { what: described(bottleneck), source })?;
            list.extend(means.map(|means| Station {
                prefix: bottleneck.prefix.clone(),
                name: bottleneck.name.clone(),
                label: label(bottleneck),
                means,
            }));
        }
        Ok(Self { list })
    }

    /// Whether no request meets a bottleneck.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes request `number` for `path` through its bottlenecks, one after the other.
    pub(crate) async fn pass(&self, timers: &Timers, path: &str, number: u64) -> Result<Passage<'_>, Refused> {
        let mut slots = Vec::new();
        for station in self.list.iter().filter(|station| path.starts_with(&station.prefix)) {
            match &station.means {
                Means::ThreadPool(pool) => pool.work(number).await?,
                Means::Lock(lock) => lock.pass(number).await?,
                Means::Pool(pool) => slots.push(pool.enter(timers).await?),
                Means::Dependency(dependency) => dependency.ask().await?,
            }
        }
        Ok(Passage { _slots: slots })
    }

    /// What can be seen of them from outside: metric, label, name, value.
    pub(crate) fn figures(&self) -> Vec<Figure<'_>> {
        let figures = self.list.iter().map(|station| {
            let figures: Vec<(&'static str, u64)> = match &station.means {
                Means::ThreadPool(_) => Vec::new(),
                Means::Lock(lock) => lock.figures().into(),
                Means::Pool(pool) => pool.figures().into(),
                Means::Dependency(dependency) => dependency.figures().into(),
            };
            let (label, name) = (station.label, station.name.as_str());
            figures.into_iter().map(move |(what, value)| Figure { label, name, what, value })
        });
        figures.flatten().collect()
    }
}

/// One figure of a bottleneck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Figure<'a> {
    /// `pool`, `lock`, `dependency`.
    pub(crate) label: &'static str,
    /// Which one.
    pub(crate) name: &'a str,
    /// `in_use`, `waiting`; counters end in `_total`.
    pub(crate) what: &'static str,
    /// Value.
    pub(crate) value: u64,
}

fn means(bottleneck: &Bottleneck, random: Random) -> io::Result<Option<Means>> {
    Ok(Some(match &bottleneck.scarce {
        Scarce::Cpu { work_ns, threads } => {
            Means::ThreadPool(ThreadPool::start("cpu", (0..*threads).map(|_| work::burning(*work_ns)).collect())?)
        }
        Scarce::Disk { bytes, writes, dir, threads } => {
            let works: io::Result<Vec<_>> =
                (0..*threads).map(|index| work::writing(dir, index, *bytes, *writes)).collect();
            Means::ThreadPool(ThreadPool::start("disk", works?)?)
        }
        Scarce::Memory { bytes, touch_bytes, threads } => {
            Means::ThreadPool(ThreadPool::start("memory", work::touching(*bytes, *touch_bytes, *threads, random))?)
        }
        Scarce::Lock { held_ns, threads } => Means::Lock(Lock::new(*held_ns, *threads)?),
        Scarce::Pool { size, held_ns, timeout_ns } => Means::Pool(Pool::new(*size, *held_ns, *timeout_ns)),
        Scarce::Dependency { address, path } => Means::Dependency(Dependency::new(*address, path, REPLY_MAX)),
        Scarce::Network { .. } => return Ok(None),
    }))
}

fn described(bottleneck: &Bottleneck) -> String {
    match &bottleneck.scarce {
        Scarce::Disk { dir, .. } => format!("with files in {}", dir.display()),
        _ => format!("`{}`", bottleneck.name),
    }
}

/// What figures of it are labelled with in `/metrics`; empty: it has none.
fn label(bottleneck: &Bottleneck) -> &'static str {
    match bottleneck.scarce {
        Scarce::Lock { .. } => "lock",
        Scarce::Pool { .. } => "pool",
        Scarce::Dependency { .. } => "dependency",
        _ => "",
    }
}

/// A number of those who are somewhere at this moment.
#[derive(Debug, Default)]
struct Gauge(AtomicU64);

impl Gauge {
    fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// One more, until it is dropped.
    fn enter(&self) -> Inside<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Inside(&self.0)
    }
}

struct Inside<'a>(&'a AtomicU64);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
