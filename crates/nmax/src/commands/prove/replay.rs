//! One replay of a scenario, reduced to what proofs look at.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nmax_engine::run::once::{Rehearsal, Take, Traced, rehearse_take};
use nmax_engine::{Settings, StartError};
use nmax_extract::{Extractor, GaveUp, Page};
use nmax_http::HeadText;
use nmax_import::structure::{Reply, Structure};
use nmax_metrics::Outcome;
use nmax_plan::plan::{MatchPick, Plan};

use super::sites::{Site, Whose, numbered, whose};

/// Most bytes of a reply that are looked at; longer ones are compared by their heads.
const BODY_BYTES_MAX: usize = 4 << 20;
/// Most requests that are told apart.
const NAMES_MAX: usize = 20_000;
/// Feeders with fewer rows than that are read from their last one on, so that none is left out; from longer ones any
/// row of their last half is taken, so that a proof does not repeat what one before it did.
const ROWS_FEW: u64 = 2_000;

/// Replays scenarios of one plan, none like the one before.
pub(super) struct Replayer {
    settings: Settings,
    origin: String,
    /// What makes this proof differ from those before.
    moment: u64,
    /// Replays so far.
    pub(super) replays: u64,
}

/// What a replay showed.
#[derive(Clone, Debug, Default)]
pub(super) struct Replay {
    /// Structures of the replies to each request, after so many redirects.
    pub(super) replies: BTreeMap<(usize, usize), Vec<Structure>>,
    /// Resources that were not ok.
    pub(super) lost: BTreeSet<String>,
    /// What was not ok, in order.
    pub(super) failures: Vec<Failure>,
    /// What each site found, by its position in the list of sites; every match where any of them may be taken.
    pub(super) found: BTreeMap<usize, Vec<String>>,
    /// Cookies that were set or sent.
    pub(super) jar: BTreeMap<String, Cookie>,
}

/// What was not ok.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    /// Number of the request; `None` when it was something else.
    pub(super) request: Option<usize>,
    /// What examples of it are grouped by: `status 403`, ``extract `csrf` ``, ..
    pub(super) kind: String,
    /// In words.
    pub(super) text: String,
}

/// A cookie on its way.
#[derive(Clone, Debug, Default)]
pub(super) struct Cookie {
    /// Number of the request whose reply set it first.
    pub(super) set_by: Option<usize>,
    /// Requests that carried it.
    pub(super) sent: u64,
}

impl Replay {
    /// Whether everything went as the plan says.
    pub(super) fn is_ok(&self) -> bool {
        self.failures.is_empty()
    }
}

impl Replayer {
    /// Replays the plan of these settings; `moment` differs from proof to proof.
    pub(super) fn new(settings: Settings, moment: u64) -> Self {
        let plan = &settings.plan;
        let authority = plan.target.split_once("://").map_or("", |(_, rest)| rest);
        let end = authority.find(['/', '?']).unwrap_or(authority.len());
        let origin = plan.target[..plan.target.len() - authority.len() + end].to_owned();
        Self { settings: Settings { names_max: NAMES_MAX, ..settings }, origin, moment, replays: 0 }
    }

    /// Replays one scenario of a plan, which may be pinned somewhere.
    pub(super) fn replay(&mut self, plan: &Plan, scenario: usize, sites: &[Site]) -> Result<Replay, StartError> {
        let take = Take { scenario, number: self.number(plan, scenario), body_max: BODY_BYTES_MAX };
        self.replays += 1;
        let settings = Settings { plan: Arc::new(numbered(plan)), ..self.settings.clone() };
        let rehearsal = rehearse_take(&settings, take)?;
        Ok(self.look(&rehearsal, sites))
    }

    /// Number of the next iteration: each replay has rows of its own.
    fn number(&self, plan: &Plan, scenario: usize) -> u64 {
        let scenario = &plan.scenarios[scenario];
        match nmax_engine::program::rows_max(plan, scenario) {
            Some((rows, _)) if rows < ROWS_FEW => self.replays % rows.max(1),
            Some((rows, _)) => (self.moment + self.replays) % (rows / 2),
            None => self.moment + self.replays,
        }
    }

    fn look(&self, rehearsal: &Rehearsal, sites: &[Site]) -> Replay {
        let mut replay = Replay::default();
        let mut last: BTreeMap<usize, &Traced> = BTreeMap::new();
        for traced in &rehearsal.exchanges {
            let whose = whose(&traced.name);
            replay.note_cookies(traced, whose);
            let Whose::Request { request, hop } = whose else {
                if traced.measured.sample.outcome != Outcome::Ok {
                    replay.lost.insert(traced.name.clone());
                }
                continue;
            };
            if let Some(structure) = self.structure(traced) {
                replay.replies.entry((request, hop)).or_default().push(structure);
                last.insert(request, traced);
            }
        }
        for (number, site) in sites.iter().enumerate() {
            let of_scenario = site.scenario == rehearsal.scenario;
            if let Some(traced) = last.get(&site.request).filter(|_| of_scenario) {
                replay.found.insert(number, matches(site, traced));
            }
        }
        replay.failures = rehearsal
            .failures
            .iter()
            .map(|failure| Failure {
                request: match whose(&failure.name) {
                    Whose::Request { request, .. } => Some(request),
                    Whose::Resource => None,
                },
                kind: failure.kind.clone(),
                text: failure.text.clone(),
            })
            .collect();
        if replay.failures.is_empty() && !rehearsal.is_ok {
            replay.failures.push(Failure {
                request: None,
                kind: "end".into(),
                text: "the iteration did not come to its end".into(),
            });
        }
        replay
    }

    /// What a reply is; `None` when there was none.
    fn structure(&self, traced: &Traced) -> Option<Structure> {
        let is_whole = traced.reply_body_bytes == Some(traced.reply_body.len() as u64);
        Some(Structure::of(&Reply {
            status: traced.measured.sample.status?,
            origin: &self.origin,
            headers: &headers(&traced.reply),
            body: is_whole.then_some(traced.reply_body.as_slice()),
        }))
    }
}

impl Replay {
    fn note_cookies(&mut self, traced: &Traced, whose: Whose) {
        let request = match whose {
            Whose::Request { request, .. } => Some(request),
            Whose::Resource => None,
        };
        let name = |pair: &str| pair.split('=').next().unwrap_or_default().trim().to_owned();
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        for value in traced.request.fields().all("cookie") {
            for pair in text(value).split(';') {
                self.jar.entry(name(pair)).or_default().sent += 1;
            }
        }
        for value in traced.reply.fields().all("set-cookie") {
            let cookie = self.jar.entry(name(&text(value))).or_default();
            cookie.set_by = cookie.set_by.or(request);
        }
    }
}

/// What an extractor finds in a reply.
fn matches(site: &Site, traced: &Traced) -> Vec<String> {
    let Ok(extractor) = Extractor::new(&site.extract.source) else {
        return Vec::new();
    };
    let headers = headers(&traced.reply);
    let page = Page::new(&headers, &traced.reply_body);
    // A reply that is given up fails its exchange, which is told there.
    let one = |found: Result<Option<String>, GaveUp>| found.ok().flatten().into_iter().collect();
    match site.extract.pick {
        MatchPick::Random => extractor.matches(&page).unwrap_or_default(),
        MatchPick::First => one(extractor.nth(&page, 0)),
        MatchPick::Last => one(extractor.last(&page)),
        MatchPick::Nth(number) => one(extractor.nth(&page, number.saturating_sub(1))),
    }
}

fn headers(head: &HeadText) -> Vec<(&str, &[u8])> {
    head.fields().iter().collect()
}
