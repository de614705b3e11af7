//! Where virtual users are: which location each iteration has, and the line that leads from there.
//!
//! A closed VU has the location of its number, an iteration of an open workload that of its own number, both by an
//! exact mix; a scenario that names a location takes its users there. A VU that changes its location loses its
//! connections: they would lead from somewhere else.
//!
//! Plans without locations have none of this: [`Locations::place`] is one comparison then.

use crate::iteration::LocationId;
use std::rc::Rc;

use nmax_http::line::{Line, LineRules};
use nmax_metrics::{Clock, Nanos};
use nmax_plan::choice::{Choice, derive};
use nmax_plan::mix::Mix;
use nmax_plan::plan::{Location, Plan, Workload};

use crate::iteration::VuSlot;

/// Keeps the choice of a location apart from that of a scenario.
const SEED_OF_PLACES: u64 = 0x6c6f_6361_7469_6f6e;
/// Keeps the jitter of lines apart from all other choices of a VU.
const JITTER_STEP: u64 = u64::MAX - 1;

/// The locations of a plan.
#[derive(Debug, Default)]
pub(crate) struct Locations {
    /// By the weights of the locations; `None` when no scenario leaves its location open.
    mix: Option<Mix>,
    seed: u64,
    /// Where the users of a scenario are, in place of the mix; empty without locations.
    of_scenario: Vec<Option<LocationId>>,
    /// What the line of a location does; `None` is not limited.
    rules: Vec<Option<LineRules>>,
}

impl Locations {
    /// The locations of a plan.
    pub(crate) fn new(plan: &Plan) -> Self {
        if plan.locations.is_empty() {
            return Self::default();
        }
        let weights: Vec<f64> = plan.locations.iter().map(|location| location.weight).collect();
        Self {
            mix: Mix::new(&weights).ok(),
            seed: derive(plan.seed, SEED_OF_PLACES),
            of_scenario: plan
                .scenarios
                .iter()
                .map(|scenario| scenario.location.map(|location| location as LocationId))
                .collect(),
            rules: plan.locations.iter().map(rules).collect(),
        }
    }

    /// Where the user is who runs a scenario: `number` is that of the VU in a closed workload, and that of the
    /// iteration in an open one; `source` tells which workload.
    #[inline]
    pub(crate) fn place(&self, scenario: usize, source: u32, number: u64) -> Option<LocationId> {
        if self.rules.is_empty() {
            return None;
        }
        self.choose(scenario, source, number)
    }

    fn choose(&self, scenario: usize, source: u32, number: u64) -> Option<LocationId> {
        let own = self.of_scenario.get(scenario).copied().flatten();
        own.or_else(|| {
            let mix = self.mix.as_ref()?;
            Some(mix.pick_open(derive(self.seed, u64::from(source)), number) as LocationId)
        })
    }

    /// A new line from a location for VU `vu`; `None` where nothing is limited.
    pub(crate) fn line(&self, location: LocationId, vu: u32, clock: impl Clock + 'static) -> Option<Rc<Line>> {
        let rules = (*self.rules.get(usize::from(location))?)?;
        let choice = Choice::new(self.seed, u64::from(vu), u64::from(location), JITTER_STEP);
        let mut draw = 0;
        let noise = move || {
            draw += 1;
            choice.normal(draw)
        };
        Some(Rc::new(Line::new(rules, clock, noise)))
    }
}

/// Locations that have a share of the users and get none of them: their index in the plan, and how many are enough.
///
/// `count` are the VUs of a closed workload and the iterations of an open one. The background is looked at as well, by
/// its VUs; an open one is taken to reach every location.
pub fn without_users(plan: &Plan, count: u64) -> Vec<(usize, u64)> {
    let locations = Locations::new(plan);
    let Some(mix) = &locations.mix else {
        return Vec::new();
    };
    let background = |scenario: usize| plan.background.iter().find(|beside| beside.scenario == scenario);
    let users = |scenario: usize| match background(scenario).map(|beside| &beside.workload) {
        None => count,
        Some(Workload::Closed { vus }) => u64::from(*vus),
        Some(Workload::Open { .. }) => u64::MAX,
    };
    let source = |scenario: usize| {
        let beside = plan.background.iter().position(|beside| beside.scenario == scenario);
        beside.map_or(0, |number| number as u32 + 1)
    };
    let cycle = u64::from(mix.cycle());
    let enough = |index: usize, scenario: usize| {
        let is_there =
            |number: &u64| locations.choose(scenario, source(scenario), *number) == Some(index as LocationId);
        (0..cycle).find(is_there).map(|number| number + 1)
    };
    let empty = (0..plan.locations.len()).filter(|index| mix.count(*index) > 0);
    empty
        .filter_map(|index| {
            let needed: Vec<(u64, usize)> =
                (0..plan.scenarios.len()).filter_map(|scenario| Some((enough(index, scenario)?, scenario))).collect();
            let has_users = needed.iter().any(|(needed, scenario)| users(*scenario) >= *needed);
            let least = needed.iter().map(|(needed, _)| *needed).min()?;
            (!has_users).then_some((index, least))
        })
        .collect()
}

fn rules(location: &Location) -> Option<LineRules> {
    let per_byte = |bits_per_s: Option<f64>| bits_per_s.map(|bits_per_s| bits_per_s / 8.0);
    let rules = LineRules {
        down_bytes_per_s: per_byte(location.down_bits_per_s),
        up_bytes_per_s: per_byte(location.up_bits_per_s),
        round_trip: Nanos::from(location.round_trip),
        jitter: Nanos::from(location.jitter),
    };
    rules.limits().then_some(rules)
}

/// VUs of an open workload without work, by where they are; the last one in is the first one out.
#[derive(Debug, Default)]
pub(crate) struct Idle {
    /// The first pool is of those without a location.
    pools: Vec<Vec<Rc<VuSlot>>>,
}

impl Idle {
    /// A VU has nothing to do.
    pub(crate) fn push(&mut self, vu: Rc<VuSlot>) {
        let pool = pool_of(vu.location.get());
        if self.pools.len() <= pool {
            self.pools.resize_with(pool + 1, Vec::new);
        }
        self.pools[pool].push(vu);
    }

    /// A VU that is at this location.
    #[inline]
    pub(crate) fn pop(&mut self, location: Option<LocationId>) -> Option<Rc<VuSlot>> {
        self.pools.get_mut(pool_of(location))?.pop()
    }

    /// VUs in it.
    pub(crate) fn count(&self) -> usize {
        self.pools.iter().map(Vec::len).sum()
    }

    /// A VU that must move: of the location that has most to spare.
    pub(crate) fn pop_any(&mut self) -> Option<Rc<VuSlot>> {
        self.pools.iter_mut().max_by_key(|pool| pool.len())?.pop()
    }
}

#[inline]
fn pool_of(location: Option<LocationId>) -> usize {
    location.map_or(0, |location| usize::from(location) + 1)
}

#[cfg(test)]
mod tests;
