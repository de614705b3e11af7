//! One replay of a scenario, reduced to what proofs look at.

use std::collections::{BTreeMap, BTreeSet};

use nmax_extract::{Extractor, GaveUp, ReplyContent};
use nmax_plan::plan::MatchPick;

use super::sites::{Site, whose};
use crate::structure::{Reply, Structure};

/// What a replay showed.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// Structures of the replies to each request, after so many redirects.
    pub replies: BTreeMap<(usize, usize), Vec<Structure>>,
    /// Resources that were not ok.
    pub lost: BTreeSet<String>,
    /// What was not ok, in order.
    pub failures: Vec<Failure>,
    /// What each site found, by its position in the list of sites; every match where any of them may be taken.
    pub found: BTreeMap<usize, Vec<String>>,
    /// Cookies that were set or sent.
    pub jar: BTreeMap<String, Cookie>,
}

/// What was not ok.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Number of the request; `None` when it was something else.
    pub request: Option<usize>,
    /// What examples of it are grouped by: `status 403`, ``extract `csrf` ``, ..
    pub kind: String,
    /// In words.
    pub text: String,
}

/// A cookie on its way.
#[derive(Clone, Debug, Default)]
pub struct Cookie {
    /// Number of the request whose reply set it first.
    pub set_by: Option<usize>,
    /// Requests that carried it.
    pub sent: u64,
}

/// An exchange of a replay of a [`numbered`](super::numbered) plan, as it went.
#[derive(Clone, Debug)]
pub struct Exchange<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether it was ok.
    pub is_ok: bool,
    /// Headers as sent.
    pub sent: Vec<(&'a str, &'a [u8])>,
    /// Status of the reply; `None` when there was none.
    pub status: Option<u16>,
    /// Headers of the reply.
    pub came: Vec<(&'a str, &'a [u8])>,
    /// The beginning of its body, decoded.
    pub body: &'a [u8],
    /// Whether that is all of it.
    pub is_whole: bool,
}

impl Replay {
    /// What exchanges of a scenario showed, in the order of their ends; `origin` is that of the plan's target.
    pub fn from_exchanges<'a>(
        exchanges: impl IntoIterator<Item = Exchange<'a>>,
        origin: &str,
        scenario: usize,
        sites: &[Site],
    ) -> Self {
        let mut replay = Self::default();
        let mut last: BTreeMap<usize, Exchange<'_>> = BTreeMap::new();
        for exchange in exchanges {
            let whose = whose(exchange.name);
            replay.note_cookies(&exchange, whose.map(|(request, _)| request));
            let Some((request, hop)) = whose else {
                if !exchange.is_ok {
                    replay.lost.insert(exchange.name.to_owned());
                }
                continue;
            };
            let Some(status) = exchange.status else { continue };
            let body = exchange.is_whole.then_some(exchange.body);
            let structure = Structure::from_reply(&Reply { status, origin, headers: &exchange.came, body });
            replay.replies.entry((request, hop)).or_default().push(structure);
            last.insert(request, exchange);
        }
        for (number, site) in sites.iter().enumerate().filter(|(_, site)| site.scenario == scenario) {
            if let Some(exchange) = last.get(&site.request) {
                replay.found.insert(number, matches(site, exchange));
            }
        }
        replay
    }

    /// Notes what was not ok: the name of its exchange, what it is grouped by, and words.
    pub fn fail(&mut self, name: &str, kind: &str, text: &str) {
        self.failures.push(Failure {
            request: whose(name).map(|(request, _)| request),
            kind: kind.to_owned(),
            text: text.to_owned(),
        });
    }

    /// Whether everything went as the plan says.
    pub(super) fn is_ok(&self) -> bool {
        self.failures.is_empty()
    }

    fn note_cookies(&mut self, exchange: &Exchange<'_>, request: Option<usize>) {
        let name = |pair: &str| pair.split('=').next().unwrap_or_default().trim().to_owned();
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        for (header, value) in &exchange.sent {
            if header.eq_ignore_ascii_case("cookie") {
                for pair in text(value).split(';') {
                    self.jar.entry(name(pair)).or_default().sent += 1;
                }
            }
        }
        for (header, value) in &exchange.came {
            if header.eq_ignore_ascii_case("set-cookie") {
                let cookie = self.jar.entry(name(&text(value))).or_default();
                cookie.set_by = cookie.set_by.or(request);
            }
        }
    }
}

/// What an extractor finds in a reply.
fn matches(site: &Site, exchange: &Exchange<'_>) -> Vec<String> {
    let Ok(extractor) = Extractor::new(&site.extract.source) else {
        return Vec::new();
    };
    let page = ReplyContent::new(&exchange.came, exchange.body);
    // A reply that is given up fails its exchange, which is told there.
    let one = |found: Result<Option<String>, GaveUp>| found.ok().flatten().into_iter().collect();
    match site.extract.pick {
        MatchPick::Random => extractor.matches(&page).unwrap_or_default(),
        MatchPick::First => one(extractor.nth(&page, 0)),
        MatchPick::Last => one(extractor.last(&page)),
        MatchPick::Nth(number) => one(extractor.nth(&page, number.saturating_sub(1))),
    }
}
