//! What is watched beside the load.

use std::time::Duration;

use super::ProcessRef;
use nmax_secrets::masked_url;
use nmax_sources::Figure;

/// The injector's own host in results; a target on loopback is this host too.
pub const INJECTOR: &str = "injector";
/// From one reading to the next, where the plan says nothing.
pub const EVERY_DEFAULT: Duration = Duration::from_secs(1);

/// What is watched beside the injector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    /// Memory, CPU time, threads and open files of processes of this host.
    Process {
        /// Its name in the results.
        name: String,
        /// The process.
        process: ProcessRef,
    },
    /// Anything else that can be read.
    Source(ObservedSource),
}

impl Observed {
    /// Its name in the results.
    pub fn name(&self) -> &str {
        match self {
            Self::Process { name, .. } => name,
            Self::Source(source) => &source.name,
        }
    }

    /// The word of the plan for what it is.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Process { .. } => "process",
            Self::Source(source) => source.kind.word(),
        }
    }

    /// The host that its figures belong to.
    pub fn host(&self) -> &str {
        match self {
            Self::Process { .. } => INJECTOR,
            Self::Source(source) => &source.host,
        }
    }

    /// What it is and whose, as messages call it.
    pub fn title(&self) -> String {
        let (word, name, host) = (self.word(), self.name(), self.host());
        match host == INJECTOR || host == name {
            true => format!("{word} {name}"),
            false => format!("{word} {name} on {host}"),
        }
    }
}

/// A source of readings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedSource {
    /// Host that its figures belong to.
    pub host: String,
    /// Its name in the results, without the word of its kind.
    pub name: String,
    /// From one reading to the next.
    pub every: Duration,
    /// What is read.
    pub kind: SourceKind,
}

/// What is read, and from where. URLs and tokens may hold secrets: [`nmax_secrets::masked_url`] before they are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// `nmax agent` on another host.
    Agent {
        /// Who asks whom.
        reach: AgentReach,
        /// What the other side must know; `None` on loopback only, or where the agent wants none.
        token: Option<String>,
        /// Names of processes that it watches besides its host.
        processes: Vec<String>,
    },
    /// A page in the text format of Prometheus or OpenMetrics.
    Prometheus {
        /// `http://` or `https://`, perhaps with user and password.
        url: String,
        /// Sent as `authorization: Bearer TOKEN`.
        token: Option<String>,
        /// Canonical resources that are made of its metrics.
        resources: Vec<MappedResource>,
    },
    /// A PostgreSQL server: `postgres://user:password@host:port/database`, with `sslmode` and `sslrootcert` as libpq has them.
    Postgres {
        /// The URL.
        url: String,
    },
    /// A Redis server: `redis://user:password@host:port`, always with a port; `rediss` over TLS, with `?ca=FILE` for issuers
    /// of one's own.
    Redis {
        /// The URL.
        url: String,
    },
    /// A memcached server.
    Memcached {
        /// `host:port`
        address: String,
    },
    /// The `stub_status` page of nginx.
    Nginx {
        /// The URL.
        url: String,
    },
    /// A log of this host, followed during the run.
    Log {
        /// The file.
        file: String,
        /// Format of its lines; `None`: found by itself.
        format: Option<String>,
        /// What it is a log of; `None`: found by itself.
        kind: Option<LogKind>,
        /// Access logs of one layer are added together; `None`: told by their numbers of requests.
        layer: Option<String>,
    },
}

impl SourceKind {
    /// The word of the plan for it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Agent { .. } => "agent",
            Self::Prometheus { .. } => "prometheus",
            Self::Postgres { .. } => "postgres",
            Self::Redis { .. } => "redis",
            Self::Memcached { .. } => "memcached",
            Self::Nginx { .. } => "nginx",
            Self::Log { .. } => "log",
        }
    }

    /// Where it is, as it may be shown: without user and password.
    pub fn place(&self) -> String {
        match self {
            Self::Agent { reach, .. } => match reach {
                AgentReach::Pull(url) => masked_url(url),
                AgentReach::Listen(address) => format!("that calls at {address}"),
            },
            Self::Prometheus { url, .. } | Self::Postgres { url } | Self::Redis { url } | Self::Nginx { url } => {
                masked_url(url)
            }
            Self::Memcached { address } => address.clone(),
            Self::Log { file, .. } => file.clone(),
        }
    }
}

/// Who asks whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentReach {
    /// The run asks the agent at this URL: `http://db1:9797`.
    Pull(String),
    /// The agent calls at this address of the injector: `0.0.0.0:9798`.
    Listen(String),
}

/// What is written in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogKind {
    /// A line for each request.
    Access,
    /// What an application says of itself.
    Application,
}

/// A resource whose figures have names of their own at their source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedResource {
    /// Its name: `orders`.
    pub name: String,
    /// What it is.
    pub kind: MappedKind,
    /// Each with the metric that it is made of, perhaps with labels: `hikaricp_connections_active{pool="orders"}`. What is per
    /// second or a ratio is made of a counter.
    pub figures: Vec<(Figure, String)>,
}

/// What a mapped resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappedKind {
    /// Things that are lent: connections, threads, slots.
    Pool,
    /// A lock.
    Lock,
    /// A service that the system asks.
    Dependency,
    /// A database.
    Database,
    /// Garbage collection.
    Gc,
}

impl MappedKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Pool, Self::Lock, Self::Dependency, Self::Database, Self::Gc];

    /// The word of the plan and of readings: `pool orders`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pool => "pool",
            Self::Lock => "lock",
            Self::Dependency => "dependency",
            Self::Database => "database",
            Self::Gc => "gc",
        }
    }
}
