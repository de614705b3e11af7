//! Sessions: what one visitor asks for without a long break, as steps with pauses between them.
//!
//! Memory is that of the visitors of the last hour (or of the break that ends a session, when that is longer), at most
//! [`VISITORS_MAX`], plus tables of fixed size.
//!
//! # Layout
//! - this file: who is there, and what belongs to which session
//! - `totals`: the sums of sessions that ended; `pauses`: the law of the pauses in them

mod pauses;
mod totals;

pub(crate) use pauses::Pauses;
pub(crate) use totals::{Pair, Totals};

use super::hash::{IdMap, pair};
use super::order::{Event, Ordered};
use super::paths::TypeId;
use super::profile::Period;
use super::sample::Stride;

/// Breaks for which sessions are counted besides the chosen one, in s.
pub(crate) const BREAKS_S: [u64; 3] = [15 * 60, 30 * 60, 60 * 60];
/// Visitors that are kept at a time; beyond, the one who was quiet for the longest time leaves early.
const VISITORS_MAX: usize = 1_000_000;
/// Steps of a session: one that goes on is cut, so that nothing of it is lost. Who goes on for so long is a program, or many
/// behind one address.
const STEPS_MAX: usize = 500;
/// Steps of all sessions that are kept at a time; beyond, a session is cut after [`STEPS_FEW`].
const STEPS_WAITING_MAX: usize = 16_000_000;
const STEPS_FEW: usize = 64;
/// A resource that comes within this time after its page or the resource before belongs to the page.
const RESOURCE_GAP_US: i64 = 1_000_000;
/// Pairs of types that are told apart.
const PAIRS_MAX: usize = 50_000;
/// Shortest pause, in µs; logarithms need one.
const PAUSE_MIN_US: i64 = 1_000;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Page {
    target: u64,
    kind: TypeId,
    /// End of the page and its resources so far.
    end_us: i64,
    /// Latest arrival of the page and its resources.
    active_us: i64,
}

#[derive(Debug, Default)]
struct Visitor {
    key: u64,
    newer: u32,
    older: u32,
    first_us: i64,
    last_us: i64,
    /// Break before the session; `None` for a new visitor.
    break_us: Option<i64>,
    /// Breaks within the session, by [`Visits::breaks_us`].
    breaks: [u32; 4],
    requests: u64,
    resources: u64,
    is_robot: bool,
    page: Option<Page>,
    page_before: Option<Page>,
    steps: Vec<Stride>,
}

/// What is settled at the beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) timeout_us: i64,
    /// Sessions that begin in it count; all of them without one.
    pub(crate) period: Option<Period>,
    pub(crate) seed: u64,
}

/// Sessions, open and summed.
#[derive(Debug)]
pub(crate) struct Visits {
    rules: Rules,
    breaks_us: [i64; 4],
    horizon_us: i64,
    by_key: IdMap<u32>,
    visitors: Vec<Visitor>,
    free: Vec<u32>,
    /// The visitor who was quiet for the longest time, and the one who came last.
    oldest: u32,
    newest: u32,
    now_us: i64,
    /// Shortest distance that two stamps can show, in µs.
    pub(crate) resolution_us: u32,
    waiting: usize,
    pub(crate) totals: Totals,
}

impl Visits {
    pub(crate) fn new(rules: Rules) -> Self {
        let us = |s: u64| s as i64 * 1_000_000;
        let breaks_us = [us(BREAKS_S[0]), us(BREAKS_S[1]), us(BREAKS_S[2]), rules.timeout_us];
        Self {
            rules,
            breaks_us,
            horizon_us: breaks_us.into_iter().max().unwrap_or(0),
            by_key: IdMap::default(),
            visitors: Vec::new(),
            free: Vec::new(),
            oldest: NONE,
            newest: NONE,
            now_us: i64::MIN,
            resolution_us: 1,
            waiting: 0,
            totals: Totals::new(rules.seed),
        }
    }

    /// Visitors that are remembered.
    pub(crate) fn retained(&self) -> usize {
        self.by_key.len()
    }

    pub(crate) fn take(&mut self, ordered: Ordered) {
        match ordered {
            Ordered::Next(event) => self.next(event),
            Ordered::Late(event) => self.totals.late += u64::from(self.counts(event.arrival_us)),
            Ordered::Restart => {
                self.close_all();
                self.totals.restarts += 1;
                self.totals.request_bursts.restart();
                self.totals.session_bursts.restart();
            }
        }
    }

    fn counts(&self, at_us: i64) -> bool {
        self.rules.period.is_none_or(|period| period.contains(at_us))
    }

    fn next(&mut self, event: &Event) {
        self.now_us = event.arrival_us;
        self.let_go();
        if self.counts(event.arrival_us) {
            self.totals.request_bursts.add(event.arrival_us);
        }
        let at = match self.by_key.get(&event.visitor) {
            Some(at) => self.come_back(*at, event),
            None => self.welcome(event),
        };
        self.visitors[at as usize].is_robot |= event.is_robot;
        if event.is_resource && self.attach(at, event) {
            return;
        }
        self.step(at, event);
    }

    /// Forgets visitors who were quiet for longer than any break.
    fn let_go(&mut self) {
        while self.oldest != NONE {
            let last_us = self.visitors[self.oldest as usize].last_us;
            let is_crowded = self.by_key.len() > VISITORS_MAX;
            if !is_crowded && self.now_us - last_us <= self.horizon_us {
                break;
            }
            self.totals.left_early += u64::from(is_crowded);
            self.dismiss(self.oldest);
        }
    }

    fn dismiss(&mut self, at: u32) {
        self.close(at);
        self.unlink(at);
        self.by_key.remove(&self.visitors[at as usize].key);
        self.free.push(at);
    }

    pub(crate) fn close_all(&mut self) {
        while self.oldest != NONE {
            self.dismiss(self.oldest);
        }
    }

    fn welcome(&mut self, event: &Event) -> u32 {
        let visitor = Visitor {
            key: event.visitor,
            newer: NONE,
            older: NONE,
            first_us: event.arrival_us,
            last_us: event.arrival_us,
            requests: 1,
            ..Visitor::default()
        };
        let at = match self.free.pop() {
            Some(at) => {
                let steps = std::mem::take(&mut self.visitors[at as usize].steps);
                self.visitors[at as usize] = Visitor { steps, ..visitor };
                at
            }
            None => {
                self.visitors.push(visitor);
                (self.visitors.len() - 1) as u32
            }
        };
        self.by_key.insert(event.visitor, at);
        self.link(at);
        self.session_begins(event.arrival_us);
        at
    }

    fn session_begins(&mut self, at_us: i64) {
        if self.counts(at_us) {
            self.totals.session_bursts.add(at_us);
        }
    }

    fn come_back(&mut self, at: u32, event: &Event) -> u32 {
        self.unlink(at);
        self.link(at);
        let gap_us = event.arrival_us - self.visitors[at as usize].last_us;
        if gap_us > self.rules.timeout_us {
            self.begin_again(at, event.arrival_us, gap_us);
        } else {
            let visitor = &mut self.visitors[at as usize];
            for (count, break_us) in visitor.breaks.iter_mut().zip(self.breaks_us) {
                *count += u32::from(gap_us > break_us);
            }
        }
        let visitor = &mut self.visitors[at as usize];
        visitor.last_us = event.arrival_us;
        visitor.requests += 1;
        at
    }

    /// Gives a resource to its page: the one that its referer names, else the last one if it is recent.
    fn attach(&mut self, at: u32, event: &Event) -> bool {
        let visitor = &mut self.visitors[at as usize];
        let names = |page: &&mut Page| event.referer != 0 && page.target == event.referer;
        let recent = |page: &&mut Page| event.arrival_us - page.active_us <= RESOURCE_GAP_US;
        let page = match (visitor.page.as_mut(), visitor.page_before.as_mut()) {
            (Some(page), _) if names(&page) => page,
            (_, Some(page)) if names(&page) => page,
            (Some(page), _) if recent(&page) => page,
            _ => return false,
        };
        page.end_us = page.end_us.max(event.arrival_us + i64::from(event.duration_us));
        page.active_us = page.active_us.max(event.arrival_us);
        let key = pair(page.kind, event.kind);
        let kind = page.kind;
        visitor.resources += 1;
        if self.rules.period.is_none_or(|period| period.contains(event.arrival_us)) {
            self.totals.resources += 1;
            let is_full = self.totals.attached.len() >= PAIRS_MAX;
            if let Some(entry) = self.totals.attached.get_mut(&key) {
                entry.2 += 1;
            } else if !is_full {
                self.totals.attached.insert(key, (kind, event.kind, 1));
            }
        }
        true
    }

    fn step(&mut self, at: u32, event: &Event) {
        let most = if self.waiting > STEPS_WAITING_MAX { STEPS_FEW } else { STEPS_MAX };
        if self.visitors[at as usize].steps.len() >= most {
            self.totals.cuts += 1;
            // The request at hand belongs to what comes.
            let visitor = &mut self.visitors[at as usize];
            visitor.requests = visitor.requests.saturating_sub(1);
            self.begin_again(at, event.arrival_us, 0);
            self.visitors[at as usize].requests = 1;
        }
        let visitor = &mut self.visitors[at as usize];
        let pause_us = visitor.page.map_or(0, |page| {
            // Two stamps of one second are a third of a second apart, on average.
            let least = PAUSE_MIN_US.max(i64::from(self.resolution_us) / 3);
            (event.arrival_us - page.end_us).max(least)
        });
        let pause_ms = u32::try_from(pause_us / 1_000).unwrap_or(u32::MAX);
        visitor.steps.push((event.kind, pause_ms));
        self.waiting += 1;
        visitor.page_before = visitor.page;
        visitor.page = Some(Page {
            target: event.target,
            kind: event.kind,
            end_us: event.arrival_us + i64::from(event.duration_us),
            active_us: event.arrival_us,
        });
    }

    /// Ends the session of a visitor, whose next one begins at `at_us`, a break after the last request.
    fn begin_again(&mut self, at: u32, at_us: i64, break_us: i64) {
        self.close(at);
        let visitor = &mut self.visitors[at as usize];
        visitor.first_us = at_us;
        visitor.break_us = Some(break_us);
        visitor.requests = 0;
        visitor.resources = 0;
        visitor.breaks = [0; 4];
        visitor.is_robot = false;
        (visitor.page, visitor.page_before) = (None, None);
        self.session_begins(at_us);
    }

    /// Sums up the session of a visitor.
    fn close(&mut self, at: u32) {
        let visitor = &mut self.visitors[at as usize];
        let mut steps = std::mem::take(&mut visitor.steps);
        self.waiting -= steps.len();
        let counts = self.rules.period.is_none_or(|period| period.contains(visitor.first_us));
        if visitor.is_robot {
            self.totals.robots += visitor.requests;
        } else if counts && !steps.is_empty() {
            self.totals.add(visitor, &steps, self.breaks_us);
        }
        steps.clear();
        self.visitors[at as usize].steps = steps;
    }

    fn link(&mut self, at: u32) {
        let newest = self.newest;
        let visitor = &mut self.visitors[at as usize];
        (visitor.newer, visitor.older) = (NONE, newest);
        match newest {
            NONE => self.oldest = at,
            newest => self.visitors[newest as usize].newer = at,
        }
        self.newest = at;
    }

    fn unlink(&mut self, at: u32) {
        let Visitor { newer, older, .. } = self.visitors[at as usize];
        match older {
            NONE => self.oldest = newer,
            older => self.visitors[older as usize].newer = newer,
        }
        match newer {
            NONE => self.newest = older,
            newer => self.visitors[newer as usize].older = older,
        }
    }
}
