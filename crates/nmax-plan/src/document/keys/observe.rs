//! Keys of what is observed.

use nmax_sources::{Figure, figures};

use super::{PROCESS_REF, Shape, Table, Words, key, required, words};
use crate::plan::{LogKind, MappedKind};

/// What a followed log is.
pub(crate) const LOG_KIND: Words<LogKind> = &[("access", LogKind::Access), ("application", LogKind::Application)];
/// What a resource is that is made of metrics.
pub(crate) const MAPPED_KIND: Words<MappedKind> = &[
    ("pool", MappedKind::Pool),
    ("lock", MappedKind::Lock),
    ("dependency", MappedKind::Dependency),
    ("database", MappedKind::Database),
    ("gc", MappedKind::Gc),
];
/// Which keys a resource of a kind has, and the metric of readings that each becomes.
pub(crate) const MAPPED_FIGURES: [(MappedKind, &str, Figure); 15] = [
    (MappedKind::Pool, "in_use", figures::IN_USE_COUNT),
    (MappedKind::Pool, "waiting", figures::WAITING_COUNT),
    (MappedKind::Pool, "limit", figures::LIMIT_COUNT),
    (MappedKind::Pool, "timeouts", figures::TIMEOUTS_PER_S),
    (MappedKind::Lock, "waiting", figures::WAITING_COUNT),
    (MappedKind::Lock, "holding", figures::HOLDING_COUNT),
    (MappedKind::Dependency, "in_flight", figures::IN_FLIGHT_COUNT),
    (MappedKind::Dependency, "calls", figures::CALLS_PER_S),
    (MappedKind::Dependency, "errors", figures::ERRORS_PER_S),
    (MappedKind::Database, "active", figures::ACTIVE_COUNT),
    (MappedKind::Database, "running", figures::RUNNING_COUNT),
    (MappedKind::Database, "connections", figures::CONNECTIONS_COUNT),
    (MappedKind::Database, "limit", figures::CONNECTIONS_LIMIT_COUNT),
    (MappedKind::Gc, "pause", figures::PAUSE_RATIO),
    (MappedKind::Gc, "pauses", figures::PAUSES_PER_S),
];
/// Keys of a resource that name a metric.
pub(crate) const MAPPED_KEYS: [&str; 13] = [
    "in_use",
    "waiting",
    "limit",
    "timeouts",
    "holding",
    "in_flight",
    "calls",
    "errors",
    "active",
    "running",
    "connections",
    "pause",
    "pauses",
];
/// Keys of an item that say what is observed.
pub(crate) const OBSERVED_KINDS: [&str; 8] =
    ["process", "agent", "prometheus", "postgres", "redis", "memcached", "nginx", "log"];

pub(crate) static OBSERVED: Table = Table {
    what: "an item of `observe`",
    keys: &[
        key(
            "process",
            PROCESS_REF,
            "Name of processes of this host; or `{ pid: 123 }`, or `{ pid_file: /run/x.pid }`.",
        ),
        key(
            "agent",
            Shape::Either(&[Shape::Text, Shape::Object(&AGENT)]),
            "URL of `nmax agent` on a server, such as `http://db1:9797`; or `{ listen: \"0.0.0.0:9798\" }` for one that calls here.",
        ),
        key("prometheus", Shape::Text, "URL of metrics in the format of Prometheus or OpenMetrics."),
        key("postgres", Shape::Text, "PostgreSQL server, such as `postgres://monitor@db1/shop`."),
        key("redis", Shape::Text, "Redis server, such as `127.0.0.1:6379` or `redis://:PASSWORD@db1`."),
        key("memcached", Shape::Text, "memcached server, such as `127.0.0.1:11211`."),
        key("nginx", Shape::Text, "URL of nginx's `stub_status`."),
        key(
            "log",
            Shape::Text,
            "Access or application log of this host, relative to the plan; followed during the run.",
        ),
        key(
            "name",
            Shape::Text,
            "Its name in the results; by default the process, the database, the file, or where it is.",
        ),
        key(
            "host",
            Shape::Text,
            "Whose figures they are; by default the host of the URL, and `injector` for this one.",
        ),
        key("every", Shape::Duration, "From one reading to the next, 100ms to 1m; 1s by default."),
        key(
            "token",
            Shape::Text,
            "What an agent or a page of metrics wants to be told, such as `${env.NMAX_AGENT_TOKEN}`.",
        ),
        key("processes", Shape::List(&Shape::Text), "Names of processes that the agent watches besides its host."),
        key(
            "resources",
            Shape::Map(&Shape::Object(&MAPPED)),
            "Pools, locks, dependencies, databases and collectors that are made of its metrics, by name.",
        ),
        key(
            "format",
            Shape::Text,
            "Format of the log's lines, as `nmax import log --format` has it; found by itself by default.",
        ),
        key("kind", Shape::OneOf(|| words(LOG_KIND)), "What the log holds; found by itself by default."),
        key(
            "layer",
            Shape::Text,
            "Access logs with the same layer are added together, as of servers side by side; told by their numbers of requests by default.",
        ),
    ],
    later: &[],
};

pub(crate) static AGENT: Table = Table {
    what: "`agent`",
    keys: &[required("listen", Shape::Text, "Address of this host at which the agent calls, such as `0.0.0.0:9798`.")],
    later: &[],
};

pub(crate) static MAPPED: Table = Table {
    what: "a resource",
    keys: &[
        required("kind", Shape::OneOf(|| words(MAPPED_KIND)), "What it is."),
        key("in_use", Shape::Text, "Pool: how many are lent."),
        key("waiting", Shape::Text, "Pool, lock: how many wait for it."),
        key("limit", Shape::Text, "Pool: how many there are; database: most connections."),
        key("timeouts", Shape::Text, "Pool: counter of those who gave up waiting."),
        key("holding", Shape::Text, "Lock: how many hold it."),
        key("in_flight", Shape::Text, "Dependency: calls under way."),
        key("calls", Shape::Text, "Dependency: counter of calls."),
        key("errors", Shape::Text, "Dependency: counter of calls that failed."),
        key("active", Shape::Text, "Database: sessions that have a statement."),
        key("running", Shape::Text, "Database: those of them that do not wait."),
        key("connections", Shape::Text, "Database: sessions."),
        key("pause", Shape::Text, "Collector: counter of the seconds that it stopped the program."),
        key("pauses", Shape::Text, "Collector: counter of its pauses."),
    ],
    later: &[],
};
