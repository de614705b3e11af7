//! Where the next connection to a host goes: its addresses, by which to try them, kept as long as they hold.
//!
//! Connections go over all addresses in turn: over all that a person gave, and over those of one family that a name
//! server gave; its other family is there for when the first one fails. The turn is counted per host: one count for all hosts would give a
//! host that is loaded every second time the same address always. Addresses are sorted first: a server that itself
//! turns its answers would otherwise undo ours. Workers start at different addresses, so that many clients of one
//! connection each spread as evenly as one client of many.
//!
//! Many visitors who ask for one name at once wait for one lookup. Failures are kept for a second.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, UdpSocket};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use nmax_metrics::{Clock, ErrorKind, Nanos};
use tokio::sync::OnceCell;

use crate::connection::dns::{self, Question};
use crate::connection::sockets::SocketBudget;
use crate::connection::{Family, HostOverride, NameRules};
use crate::failure::Failure;
use crate::url::Origin;

#[cfg(test)]
mod tests;

/// Names that are remembered; beyond that all are forgotten and asked for again.
const NAMES_MAX: usize = 1024;
/// How long a failed lookup is believed.
const FAILURE_TTL: Nanos = Nanos::from_secs(1);

/// An address and the port that replaces the URL's.
type TargetAddress = (IpAddr, Option<u16>);

/// Where one connection may go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    /// What to try, one after another; at least one.
    pub(crate) places: Vec<SocketAddr>,
    /// Which source address to leave from, modulo their number. It moves on when all places had their turn, so
    /// that each source meets each place.
    pub(crate) source_turn: usize,
    /// How long the addresses hold; `None` when nobody was asked.
    pub(crate) ttl: Option<Nanos>,
}

/// Answers of name servers, kept by a worker or, where each asks for itself, by a visitor.
#[derive(Debug, Default)]
pub(crate) struct Answers(RefCell<HashMap<String, Rc<OnceCell<CacheEntry>>>>);

#[derive(Debug)]
struct CacheEntry {
    result: Result<Rc<Ranked>, Failure>,
    ttl: Nanos,
    /// When it is asked for again.
    until: Nanos,
}

/// Places by rank: the second family is there for when the first one fails.
#[derive(Debug, PartialEq, Eq)]
struct Ranked {
    first: Vec<TargetAddress>,
    second: Vec<TargetAddress>,
}

/// The names of a worker.
#[derive(Debug)]
pub(crate) struct Names {
    rules: NameRules,
    sources: Vec<IpAddr>,
    sockets: Option<Arc<SocketBudget>>,
    /// The addresses of `rules.hosts`.
    given: Vec<Rc<Ranked>>,
    answers: Rc<Answers>,
    /// Connections so far, by host.
    turns: RefCell<HashMap<String, usize>>,
    /// Where this worker's turns start.
    start: usize,
}

impl Names {
    /// Names after these rules, for connections that leave from `sources`; lookups take their sockets from a budget.
    pub(crate) fn new(rules: NameRules, sources: Vec<IpAddr>, sockets: Option<Arc<SocketBudget>>) -> Self {
        static WORKERS: AtomicUsize = AtomicUsize::new(0);
        let names = Self::starting_at(WORKERS.fetch_add(1, Ordering::Relaxed), rules, sources);
        Self { sockets, ..names }
    }

    fn starting_at(start: usize, rules: NameRules, sources: Vec<IpAddr>) -> Self {
        let given = rules.hosts.iter();
        let given = given.map(|host| Rc::new(equal(host.addresses.clone(), rules.family, &sources)));
        Self {
            given: given.collect(),
            answers: Rc::default(),
            turns: RefCell::default(),
            start,
            sockets: None,
            sources,
            rules,
        }
    }

    /// True when the way to `origin` takes a lookup, or its answer out of the cache.
    pub(crate) fn is_name(&self, origin: &Origin) -> bool {
        self.given(origin).is_none() && origin.host.parse::<IpAddr>().is_err()
    }

    /// The answers that a new visitor uses: the worker's, or its own.
    pub(crate) fn answers_of_visitor(&self) -> Rc<Answers> {
        if self.rules.per_visitor { Rc::default() } else { Rc::clone(&self.answers) }
    }

    /// The answers of the worker.
    pub(crate) fn answers(&self) -> &Answers {
        &self.answers
    }

    /// Where the next connection to `origin` may go; counts a turn.
    pub(crate) async fn route(&self, origin: &Origin, answers: &Answers, clock: &impl Clock) -> Result<Route, Failure> {
        let (ranked, ttl) = match (self.given(origin), origin.host.parse::<IpAddr>()) {
            (Some(given), _) => (Rc::clone(given), None),
            (None, Ok(address)) if self.sources.is_empty() => {
                return Ok(Route { places: vec![SocketAddr::new(address, origin.port)], source_turn: 0, ttl: None });
            }
            (None, Ok(address)) => (Rc::new(Ranked::single(address)), None),
            (None, Err(_)) => {
                let (ranked, ttl) = self.ask(&origin.host, answers, clock).await?;
                (ranked, Some(ttl))
            }
        };
        if ranked.first.is_empty() {
            let text = format!("{}: no address given for it is of the wanted family", origin.host);
            return Err(Failure::new(ErrorKind::Dns, text));
        }
        let (places, source_turn) = ranked.in_turn(self.turn(&origin.host), origin.port);
        Ok(Route { places, source_turn, ttl })
    }

    /// What the user gave for a host, in place of asking.
    fn given(&self, origin: &Origin) -> Option<&Rc<Ranked>> {
        let index = self.rules.hosts.iter().position(|given| given.covers(origin))?;
        Some(&self.given[index])
    }

    async fn ask(&self, host: &str, answers: &Answers, clock: &impl Clock) -> Result<(Rc<Ranked>, Nanos), Failure> {
        let cell = answers.cell(host, clock.now());
        let kept = cell.get_or_init(|| async {
            let question = Question {
                host: host.to_owned(),
                family: self.rules.family,
                servers: self.rules.servers.clone(),
                sockets: self.sockets.clone(),
            };
            let answer = dns::look_up(question).await;
            let ttl = match &answer {
                Ok(answer) => self.rules.ttl.unwrap_or(answer.ttl),
                Err(_) => FAILURE_TTL,
            };
            let places = |addresses: Vec<IpAddr>| addresses.into_iter().map(|address| (address, None)).collect();
            CacheEntry {
                result: answer.map(|answer| {
                    let places = places(answer.addresses);
                    Rc::new(rank(places, self.rules.family, &self.sources, has_route))
                }),
                ttl,
                until: clock.now() + ttl,
            }
        });
        let kept = kept.await;
        kept.result.clone().map(|ranked| (ranked, kept.ttl))
    }

    /// The number of the next connection to `host`, from where this worker starts.
    fn turn(&self, host: &str) -> usize {
        let mut turns = self.turns.borrow_mut();
        if let Some(turn) = turns.get_mut(host) {
            *turn = turn.wrapping_add(1);
            return *turn;
        }
        if turns.len() >= NAMES_MAX {
            turns.clear();
        }
        turns.insert(host.to_owned(), self.start);
        self.start
    }
}

impl Answers {
    /// The place of the answer for `host`: kept, being looked up, or new.
    fn cell(&self, host: &str, now: Nanos) -> Rc<OnceCell<CacheEntry>> {
        let mut answers = self.0.borrow_mut();
        if let Some(cell) = answers.get(host)
            && cell.get().is_none_or(|kept| now < kept.until)
        {
            return Rc::clone(cell);
        }
        if answers.len() >= NAMES_MAX {
            answers.clear();
        }
        let cell = Rc::new(OnceCell::new());
        answers.insert(host.to_owned(), Rc::clone(&cell));
        cell
    }
}

impl Ranked {
    fn single(address: IpAddr) -> Self {
        Self { first: vec![(address, None)], second: Vec::new() }
    }

    /// The places and the source of the `turn`-th connection: all places, from another one each time.
    fn in_turn(&self, turn: usize, port: u16) -> (Vec<SocketAddr>, usize) {
        let mut places = Vec::with_capacity(self.first.len() + self.second.len());
        for family in [&self.first, &self.second] {
            let start = turn % family.len().max(1);
            let (before, after) = family.split_at(start);
            let turned = after.iter().chain(before);
            places.extend(turned.map(|(address, other)| SocketAddr::new(*address, other.unwrap_or(port))));
        }
        (places, turn / self.first.len().max(1))
    }
}

impl HostOverride {
    /// Names are compared without case and closing dot.
    fn covers(&self, origin: &Origin) -> bool {
        let (mine, theirs) = (self.host.trim_end_matches('.'), origin.host.trim_end_matches('.'));
        mine.eq_ignore_ascii_case(theirs) && self.port.is_none_or(|port| port == origin.port)
    }
}

impl Family {
    /// True when addresses like this one are used.
    pub(crate) fn takes(self, address: IpAddr) -> bool {
        match self {
            Self::Any => true,
            Self::V4 => address.is_ipv4(),
            Self::V6 => address.is_ipv6(),
        }
    }
}

/// What a connection from `sources` may use.
fn usable(mut places: Vec<TargetAddress>, family: Family, sources: &[IpAddr]) -> Vec<TargetAddress> {
    places.retain(|(address, _)| family.takes(*address));
    let has_source = |address: IpAddr| sources.iter().any(|source| source.is_ipv4() == address.is_ipv4());
    if places.iter().any(|(address, _)| has_source(*address)) {
        places.retain(|(address, _)| has_source(*address));
    }
    places.sort_unstable();
    places.dedup();
    places
}

/// Addresses that a person gave: all of them have their turn, of whichever family.
fn equal(places: Vec<TargetAddress>, family: Family, sources: &[IpAddr]) -> Ranked {
    Ranked { first: usable(places, family, sources), second: Vec::new() }
}

/// Addresses that a name server gave: IPv6 first where the host has a route to it.
fn rank(
    places: Vec<TargetAddress>,
    family: Family,
    sources: &[IpAddr],
    has_route: impl Fn(Ipv6Addr) -> bool,
) -> Ranked {
    let places = usable(places, family, sources);
    let (v4, v6): (Vec<TargetAddress>, Vec<TargetAddress>) =
        places.into_iter().partition(|(address, _)| address.is_ipv4());
    let v6_first = v4.is_empty()
        || v6.iter().any(|(address, _)| match address {
            IpAddr::V6(address) => has_route(*address),
            IpAddr::V4(_) => false,
        });
    let (first, second) = if v6_first && !v6.is_empty() { (v6, v4) } else { (v4, v6) };
    Ranked { first, second }
}

/// True when the kernel knows a way there; asks without sending anything.
fn has_route(address: Ipv6Addr) -> bool {
    let connect = || UdpSocket::bind((Ipv6Addr::UNSPECIFIED, 0))?.connect((address, 9));
    connect().is_ok()
}
