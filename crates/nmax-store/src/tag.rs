//! Tags of histograms in `latency.hlog`: `r3.ok.resp`, `r3.connect`, `r3.s404` (response times of a status), `s0.iter`, `t0.time`, `p0.time` (page), `x0.time`
//! (transition), `l0.exchange`, `l0.iteration`, `l0.page` (location), `inj.lag`, `cens.age`, `sock.held`, `inj.pickup`, `user.unserved`, each with
//! `.out` outside hold.
//!
//! A tag names one histogram of an aggregate; [`visit`] walks over all of them, [`locate`] finds the one of a tag.

use std::fmt::Write as _;

use nmax_metrics::{Aggregate, Histogram, LatencySet, LoadStats, NameId, Phases, Section, TransactionStats};

/// Outcomes in tags, in the order of `RequestStats::outcomes`.
const OUTCOMES: [&str; 3] = ["ok", "failed", "error"];
/// Measures of one outcome in tags.
const MEASURES: [&str; 4] = ["resp", "serv", "lag", "ttfb"];
/// Distributions that a run has once.
const SINGLE: [&str; 5] = ["inj.lag", "cens.age", "sock.held", "inj.pickup", "user.unserved"];
/// Distributions of a location.
const LOCATION_PARTS: [&str; 3] = ["exchange", "iteration", "page"];
const OUTSIDE: &str = ".out";

/// How many names of each sort the catalog has; larger ids are refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) requests: usize,
    pub(crate) scenarios: usize,
    pub(crate) checks: usize,
    pub(crate) transactions: usize,
    pub(crate) pages: usize,
    pub(crate) transitions: usize,
    pub(crate) locations: usize,
}

/// Calls `see` with the tag and histogram of everything that is not empty, always in the same order.
pub(crate) fn visit<E>(aggregate: &Aggregate, mut see: impl FnMut(&str, &Histogram) -> Result<(), E>) -> Result<(), E> {
    let mut tag = String::new();
    for section in Section::ALL {
        let suffix = suffix_of(section);
        let mut offer = |tag: &str, histogram: &Histogram| {
            if histogram.is_empty() { Ok(()) } else { see(tag, histogram) }
        };
        for (name, stats) in aggregate.requests(section) {
            for (outcome, set) in OUTCOMES.iter().zip(&stats.outcomes) {
                let Some(set) = set else { continue };
                for (measure, histogram) in MEASURES.iter().zip(measures(set)) {
                    tag.clear();
                    write!(tag, "r{}.{outcome}.{measure}{suffix}", name.0).expect("a string takes all text");
                    offer(&tag, histogram)?;
                }
            }
            for (status, histogram) in &stats.status_times {
                tag.clear();
                write!(tag, "r{}.s{status}{suffix}", name.0).expect("a string takes all text");
                offer(&tag, histogram)?;
            }
            let Some(phases) = &stats.phases else { continue };
            for (phase, histogram) in Phases::NAMES.iter().zip(phases.all()) {
                tag.clear();
                write!(tag, "r{}.{phase}{suffix}", name.0).expect("a string takes all text");
                offer(&tag, histogram)?;
            }
        }
        for index in 0..aggregate.scenario_count() {
            let Some(stats) = aggregate.scenario(section, index) else {
                continue;
            };
            tag.clear();
            write!(tag, "s{index}.iter{suffix}").expect("a string takes all text");
            offer(&tag, &stats.iteration_time)?;
        }
        for (owner, index, what, stats) in named(aggregate, section) {
            tag.clear();
            write!(tag, "{owner}{index}.{what}{suffix}").expect("a string takes all text");
            offer(&tag, &stats.time)?;
        }
        let LoadStats { injector_lag, censored, held, pickup_delay, unserved, .. } = aggregate.load(section);
        for (name, histogram) in SINGLE.iter().zip([injector_lag, censored, held, pickup_delay, unserved]) {
            offer(&format!("{name}{suffix}"), histogram)?;
        }
    }
    Ok(())
}

/// What is counted by name and has a time each: letter, index, word and figures.
fn named(
    aggregate: &Aggregate,
    section: Section,
) -> impl Iterator<Item = (char, usize, &'static str, &TransactionStats)> {
    let transactions = (0..aggregate.transaction_count())
        .filter_map(move |index| Some(('t', index, "time", aggregate.transaction(section, index)?)));
    let pages = (0..aggregate.page_count())
        .filter_map(move |index| Some(('p', index, "time", &aggregate.page(section, index)?.pages)));
    let transitions = (0..aggregate.transition_count())
        .filter_map(move |index| Some(('x', index, "time", aggregate.transition(section, index)?)));
    let locations = (0..aggregate.location_count())
        .filter_map(move |index| Some((index, aggregate.location(section, index)?)))
        .flat_map(|(index, stats)| {
            let parts = [&stats.exchanges, &stats.iterations, &stats.pages];
            LOCATION_PARTS.into_iter().zip(parts).map(move |(what, stats)| ('l', index, what, stats))
        });
    transactions.chain(pages).chain(transitions).chain(locations)
}

/// The histogram that a tag names, created if need be; `None` for an unknown tag or an id without a name.
pub(crate) fn locate<'a>(aggregate: &'a mut Aggregate, tag: &str, limits: Limits) -> Option<&'a mut Histogram> {
    let (tag, section) = match tag.strip_suffix(OUTSIDE) {
        Some(tag) => (tag, Section::Outside),
        None => (tag, Section::Hold),
    };
    if let Some(single) = SINGLE.iter().position(|known| *known == tag) {
        let load = aggregate.load_mut(section);
        let all =
            [&mut load.injector_lag, &mut load.censored, &mut load.held, &mut load.pickup_delay, &mut load.unserved];
        return all.into_iter().nth(single);
    }
    let (owner, what) = tag.split_once('.')?;
    if let Some(index) = owner.strip_prefix('s') {
        let index = number(index, limits.scenarios)?;
        return (what == "iter").then(|| &mut aggregate.scenario_mut(section, index).iteration_time);
    }
    if let Some(index) = owner.strip_prefix('t') {
        let index = number(index, limits.transactions)?;
        return (what == "time").then(|| &mut aggregate.transaction_mut(section, index).time);
    }
    if let Some(index) = owner.strip_prefix('p') {
        let index = number(index, limits.pages)?;
        return (what == "time").then(|| &mut aggregate.page_mut(section, index).pages.time);
    }
    if let Some(index) = owner.strip_prefix('x') {
        let index = number(index, limits.transitions)?;
        return (what == "time").then(|| &mut aggregate.transition_mut(section, index).time);
    }
    if let Some(index) = owner.strip_prefix('l') {
        let index = number(index, limits.locations)?;
        let part = LOCATION_PARTS.iter().position(|known| *known == what)?;
        let stats = aggregate.location_mut(section, index);
        let parts = [&mut stats.exchanges, &mut stats.iterations, &mut stats.pages];
        return parts.into_iter().nth(part).map(|stats| &mut stats.time);
    }
    let index = number(owner.strip_prefix('r')?, limits.requests)?;
    let name = NameId(u32::try_from(index).ok()?);
    if let Some(phase) = Phases::NAMES.iter().position(|known| *known == what) {
        let phases = aggregate.request_mut(section, name).phases.get_or_insert_default();
        return phases.all_mut().into_iter().nth(phase);
    }
    if let Some(status) = what.strip_prefix('s').filter(|status| status.len() == 3) {
        let status = number(status, 1_000).filter(|status| *status >= 100)?;
        return aggregate.request_mut(section, name).times_of(status as u16);
    }
    let (outcome, measure) = what.split_once('.')?;
    let outcome = OUTCOMES.iter().position(|known| *known == outcome)?;
    let measure = MEASURES.iter().position(|known| *known == measure)?;
    let set = aggregate.request_mut(section, name).outcomes[outcome].get_or_insert_default();
    Some(match measure {
        0 => &mut set.response,
        1 => &mut set.service,
        2 => &mut set.send_lag,
        _ => &mut set.ttfb,
    })
}

/// The suffix of tags of a section.
fn suffix_of(section: Section) -> &'static str {
    match section {
        Section::Hold => "",
        Section::Outside => OUTSIDE,
    }
}

fn measures(set: &LatencySet) -> [&Histogram; 4] {
    [&set.response, &set.service, &set.send_lag, &set.ttfb]
}

/// A canonical decimal number below `limit`.
fn number(text: &str, limit: usize) -> Option<usize> {
    let number: usize = text.parse().ok()?;
    (number < limit && number.to_string() == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    const LIMITS: Limits =
        Limits { requests: 4, scenarios: 2, checks: 1, transactions: 1, pages: 2, transitions: 1, locations: 2 };

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Law: the histogram found under a tag is the one that was visited with it, and tags differ.
        #[test]
        fn locate_inverts_visit(window in testing::window(0)) {
            let mut copy = window.aggregate.clone();
            let mut seen = std::collections::HashSet::new();
            visit::<TestCaseError>(&window.aggregate, |tag, histogram| {
                prop_assert!(seen.insert(tag.to_owned()), "{tag} twice");
                prop_assert!(hdrhistogram::serialization::interval_log::Tag::new(tag).is_some());
                prop_assert_eq!(locate(&mut copy, tag, LIMITS).map(|found| &*found), Some(histogram));
                Ok(())
            })?;
            prop_assert_eq!(&copy, &window.aggregate, "locating creates nothing new");
        }

        /// No text makes it panic or grow.
        #[test]
        fn strange_tags_are_refused(tag in "[rstpxl]?[0-9+]{0,12}\\.?(ok|iter|time|page|dns|x)?\\.?(resp|y)?(\\.out)?") {
            let mut aggregate = Aggregate::default();
            let known = locate(&mut aggregate, &tag, Limits::default()).is_some();
            prop_assert!(!known, "{tag} needs a name");
        }
    }

    #[test]
    fn tags_of_unknown_names_are_refused() {
        let mut aggregate = Aggregate::default();
        for tag in [
            "r4.ok.resp",
            "r01.ok.resp",
            "s2.iter",
            "r0.ok",
            "r0.ok.p99",
            "r0.good.resp",
            "r4.dns",
            "r0.dns.p99",
            "t1.time",
            "t0.iter",
            "p2.time",
            "p0.page",
            "x1.time",
            "l2.page",
            "l0.time",
            "sock",
            "",
            ".out",
        ] {
            assert!(locate(&mut aggregate, tag, LIMITS).is_none(), "{tag:?}");
        }
    }
}
