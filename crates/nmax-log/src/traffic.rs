//! The traffic behind the lines, in memory bounded by the sessions that are open.
//!
//! [`Traffic`] takes records in any order and hands out a [`Profile`]. What does not depend on order is summed at once
//! (`kinds`, `season`, `heavy`); the rest is put into the order of each visitor's lines (`sequence`) and goes through a window
//! that sorts (`order`) into sessions (`visits`), of which a
//! sample stays for the scenarios (`clusters`). The same records in the same order give the same profile.
//!
//! It takes about a microsecond per record, and nothing is allocated once tables are warm.

mod arrivals;
mod clusters;
mod distribution;
mod finish;
mod hash;
mod heavy;
mod kinds;
mod order;
mod paths;
mod profile;
mod sample;
mod scenarios;
mod season;
mod sequence;
mod shape;
mod strays;
mod templates;
mod visits;
mod warnings;

pub use distribution::Dist;
pub(crate) use heavy::zipf_over;
pub use kinds::Types;
pub(crate) use paths::OTHER;
pub use profile::*;
pub(crate) use scenarios::{short_name, unused};
pub use season::SeasonCounter;
pub(crate) use sequence::Last;
pub(crate) use shape::encoded;
pub use templates::Templates;

use crate::record::Record;
use hash::{IdMap, hash, mix};
use heavy::TopK;
use kinds::{Kinds, Seen};
use order::{Event, Order};
use paths::Paths;
use sequence::Sequence;
use shape::ClientKind;
use visits::{Rules, Visits};

/// Clients, agents and paths that are kept while counting.
const HEAVY_MAX: usize = 1_024;
/// Hosts that are kept while counting.
const HOSTS_MAX: usize = 64;
/// Agents of which it is remembered who they are.
const AGENTS_MAX: usize = 50_000;
/// Records before a period whose sessions may reach into it, and after it, in µs.
const BEFORE_US: i64 = 2 * 3_600_000_000;
const AFTER_US: i64 = 6 * 3_600_000_000;

/// The end of the year 9999, in µs: stamps beyond are wrong, and could not be subtracted from each other.
const STAMP_US_MAX: i64 = 253_402_300_800_000_000;

/// What a caller decides.
#[derive(Clone, Debug)]
pub struct Options {
    /// Break that ends a session, in s.
    pub session_timeout_s: u64,
    /// The time that the profile is about; all of it by default. The season is of all records nevertheless.
    pub period: Option<Period>,
    /// Only records of this host.
    pub host: Option<String>,
    /// Robots and load tests count as visitors.
    pub with_robots: bool,
    /// Hours and days of the season are those of UTC and so many s.
    pub utc_offset_s: i32,
    /// Paths whose segments that are `*` are identifiers, as in `/products/*`.
    pub templates: Vec<String>,
    /// Start of what is drawn: the sample of sessions, the first centers of clusters.
    pub seed: u64,
    /// The request types, where they are known: those of the source that a run is compared with.
    pub types: Option<Types>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            session_timeout_s: 30 * 60,
            period: None,
            host: None,
            with_robots: false,
            utc_offset_s: 0,
            templates: Vec::new(),
            seed: 1,
            types: None,
        }
    }
}

/// Sums up records.
#[derive(Debug)]
pub struct Traffic {
    options: Options,
    paths: Paths,
    kinds: Kinds,
    season: SeasonCounter,
    sequence: Sequence,
    order: Order,
    visits: Visits,
    clients: TopK,
    agents: TopK,
    /// Paths that robots ask for; those of visitors are known from the types.
    robot_paths: TopK,
    hosts: TopK,
    agents_known: IdMap<ClientKind>,
    apart: Apart,
    by_status: Vec<u64>,
    by_method: Vec<u64>,
    by_identity: [u64; 3],
    requests: u64,
    bytes: u64,
    first_us: i64,
    last_us: i64,
    /// First and last arrival of all, in the period or not.
    span_us: (i64, i64),
    has_durations: bool,
    resolution_us: u32,
}

/// How a visitor is told from others.
const IDENTITIES: [&str; 3] = ["session", "user", "client and agent"];

impl Traffic {
    /// Nothing yet.
    pub fn new(options: Options) -> Self {
        let timeout_us = i64::try_from(options.session_timeout_s.clamp(1, 7 * 86_400)).unwrap_or(1_800) * 1_000_000;
        Self {
            paths: options
                .types
                .as_ref()
                .map_or_else(|| Paths::with_holes(&options.templates), |types| types.paths.clone()),
            kinds: Kinds::default(),
            season: SeasonCounter::new(options.utc_offset_s),
            sequence: Sequence::default(),
            order: Order::new(),
            visits: Visits::new(Rules { timeout_us, period: options.period, seed: options.seed }),
            clients: TopK::new(HEAVY_MAX),
            agents: TopK::new(HEAVY_MAX),
            robot_paths: TopK::new(HEAVY_MAX),
            hosts: TopK::new(HOSTS_MAX),
            agents_known: IdMap::default(),
            apart: Apart::default(),
            by_status: vec![0; 1_000],
            by_method: Vec::new(),
            by_identity: [0; 3],
            requests: 0,
            bytes: 0,
            first_us: i64::MAX,
            last_us: i64::MIN,
            span_us: (i64::MAX, i64::MIN),
            has_durations: false,
            resolution_us: 0,
            options,
        }
    }

    /// Visitors that are kept in memory: those of the last hour, or of the break that ends a session when it is longer.
    pub fn retained(&self) -> usize {
        self.visits.retained()
    }

    /// Takes a record.
    pub fn add(&mut self, record: &Record) {
        if self.options.host.as_ref().is_some_and(|host| !record.host.eq_ignore_ascii_case(host.as_bytes())) {
            self.apart.other_hosts += 1;
            return;
        }
        let at_us = record.arrival_us.clamp(-STAMP_US_MAX, STAMP_US_MAX);
        self.season.add(at_us);
        self.span_us = (self.span_us.0.min(at_us), self.span_us.1.max(at_us));
        let counts = self.options.period.is_none_or(|period| period.contains(at_us));
        if !counts {
            self.apart.out_of_period += 1;
            let near = self.options.period.is_some_and(|period| {
                at_us >= period.from_us.saturating_sub(BEFORE_US) && at_us < period.to_us.saturating_add(AFTER_US)
            });
            if !near {
                return;
            }
        }
        let sent = encoded(record.target);
        let record = &Record { target: sent.as_bytes(), ..*record };
        let (path, query) = shape::split(record.target);
        let method = self.paths.method(record.method);
        if counts {
            self.totals(record, method);
        }
        let Some(method) = method.filter(|_| path.first() == Some(&b'/')) else {
            self.apart.without_request += u64::from(counts);
            return;
        };
        let is_missing = matches!(record.status, 400 | 404 | 405 | 410 | 414 | 501);
        let kind = self.paths.place(method, path, is_missing);
        if self.paths.has_joined() {
            for (from, into) in self.paths.take_joined() {
                self.kinds.join(from, into);
            }
        }
        let is_resource = shape::is_static(path);
        let hashes = (hash(record.client), hash(record.agent));
        let (identity, visitor) = identity(record, hashes);
        let who = self.client_kind(record.agent, hashes.1);
        let is_robot = who != ClientKind::Visitor;
        let target = hash(shape::path_of_url(record.target));
        if counts {
            self.tally(record, hashes);
            if is_robot {
                self.robot_paths.add(hash(path), cut(path), true);
            }
            self.by_identity[identity] += u64::from(!is_robot);
            self.apart.robots += u64::from(who == ClientKind::Robot);
            self.apart.load_tests += u64::from(who == ClientKind::LoadTest);
            let seen = Seen {
                target: shape::path_of_url(record.target),
                target_hash: target,
                query,
                status: record.status,
                bytes: record.bytes,
                time_us: record.duration_us.or(record.upstream_us),
                is_resource,
                is_robot,
            };
            self.kinds.add(self.paths.find(kind), &seen);
        }
        if is_robot {
            return;
        }
        let event = Event {
            arrival_us: self.sequence.arrival(visitor, at_us, record.resolution_us),
            visitor,
            target,
            referer: if is_resource && !record.referer.is_empty() { referer(record.referer) } else { 0 },
            duration_us: u32::try_from(record.duration_us.unwrap_or(0)).unwrap_or(u32::MAX),
            kind,
            is_resource,
            is_robot: !self.options.with_robots && path == b"/robots.txt",
        };
        let visits = &mut self.visits;
        self.order.push(event, &mut |ordered| visits.take(ordered));
    }

    /// What counts for every record of the period.
    fn totals(&mut self, record: &Record, method: Option<u8>) {
        self.requests += 1;
        if let Some(method) = method.map(usize::from) {
            if method >= self.by_method.len() {
                self.by_method.resize(method + 1, 0);
            }
            self.by_method[method] += 1;
        }
        self.first_us = self.first_us.min(record.arrival_us.clamp(-STAMP_US_MAX, STAMP_US_MAX));
        self.last_us = self.last_us.max(record.arrival_us.clamp(-STAMP_US_MAX, STAMP_US_MAX));
        self.by_status[usize::from(record.status).min(999)] += 1;
        self.bytes += record.bytes.unwrap_or(0);
        self.has_durations |= record.duration_us.is_some();
        if record.resolution_us > self.resolution_us {
            self.resolution_us = record.resolution_us;
            self.visits.resolution_us = record.resolution_us;
        }
    }

    fn tally(&mut self, record: &Record, (client, agent): (u64, u64)) {
        if !record.client.is_empty() {
            self.clients.add(client, cut(record.client), true);
        }
        if !record.agent.is_empty() {
            self.agents.add(agent, cut(record.agent), true);
        }
        if !record.host.is_empty() {
            self.hosts.add(hash(record.host), cut(record.host), true);
        }
    }

    /// Who asks. Where robots count as visitors, everybody is one.
    fn client_kind(&mut self, agent: &[u8], key: u64) -> ClientKind {
        if agent.is_empty() || self.options.with_robots {
            return ClientKind::Visitor;
        }
        if let Some(known) = self.agents_known.get(&key) {
            return *known;
        }
        let who = shape::client_kind(agent);
        if self.agents_known.len() < AGENTS_MAX {
            self.agents_known.insert(key, who);
        }
        who
    }

    /// The profile of all that came.
    pub fn finish(mut self) -> Profile {
        let visits = &mut self.visits;
        self.order.finish(&mut |ordered| visits.take(ordered));
        self.visits.close_all();
        finish::profile(self)
    }
}

/// Longest text that is kept of a heavy hitter.
const TEXT_BYTES_MAX: usize = 512;

fn cut(text: &[u8]) -> &[u8] {
    &text[..text.len().min(TEXT_BYTES_MAX)]
}

/// Who made a request: by the session's id, else the user, else address and agent.
fn identity(record: &Record, (client, agent): (u64, u64)) -> (usize, u64) {
    if !record.session.is_empty() {
        (0, mix(hash(record.session), 1))
    } else if !record.user.is_empty() {
        (1, mix(hash(record.user), 2))
    } else {
        (2, mix(client, agent))
    }
}

/// Hash of the path and query of a referer.
fn referer(text: &[u8]) -> u64 {
    let target = shape::path_of_url(text);
    let end = memchr::memchr(b'#', target).unwrap_or(target.len());
    hash(&target[..end])
}
