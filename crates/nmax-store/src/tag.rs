//! Tags of histograms in `latency.hlog`: `r3.ok.resp`, `r3.connect`, `r3.s404`, `r3.s_40P01` (response times of a status), `s0.iter`, `t0.time`, `p0.time` (page), `x0.time`
//! (transition), `l0.exchange`, `l0.iteration`, `l0.page` (location), `m0.pos`, `m0.neg` (metric),
//! `inj.lag`, `cens.age`, `sock.held`, `inj.pickup`, `user.unserved`, each with
//! `.out` outside hold.
//!
//! A tag names one histogram of an aggregate; [`visit`] walks over all of them, [`locate`] finds the one of a tag.

use std::fmt::Write as _;

use nmax_metrics::{Aggregate, Code, Declared, Group, Histogram, LatencySet, LoadStats, NameId, Phases, Section};

/// Outcomes in tags, in the order of `RequestStats::outcomes`.
const OUTCOMES: [&str; 3] = ["ok", "failed", "error"];
const OUTSIDE: &str = ".out";

/// How many names of each sort the catalog has; larger ids are refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) requests: usize,
    pub(crate) groups: [usize; Group::ALL.len()],
}

impl Limits {
    /// How many names a group has.
    pub(crate) fn for_group(self, group: Group) -> usize {
        self.groups[group as usize]
    }
}

/// Calls `see` with the tag and histogram of everything that is not empty, always in the same order.
pub(crate) fn visit<E>(aggregate: &Aggregate, mut see: impl FnMut(&str, &Histogram) -> Result<(), E>) -> Result<(), E> {
    let mut tag = String::new();
    for section in Section::ALL {
        let suffix = suffix_of(section);
        let mut offer = |name: std::fmt::Arguments, histogram: &Histogram| {
            if histogram.is_empty() {
                return Ok(());
            }
            tag.clear();
            write!(tag, "{name}{suffix}").expect("a string takes all text");
            see(&tag, histogram)
        };
        for (name, stats) in aggregate.requests(section) {
            let id = name.0;
            for (outcome, set) in OUTCOMES.iter().zip(&stats.outcomes) {
                let Some(set) = set else { continue };
                for time in LatencySet::TIMES {
                    offer(format_args!("r{id}.{outcome}.{}", time.word), (time.get)(set))?;
                }
            }
            for (status, histogram) in &stats.status_times {
                let mark = if status.number().is_some() { "" } else { "_" };
                offer(format_args!("r{id}.s{mark}{status}"), histogram)?;
            }
            let Some(phases) = &stats.phases else { continue };
            for time in Phases::TIMES {
                offer(format_args!("r{id}.{}", time.word), (time.get)(phases))?;
            }
        }
        for group in Group::ALL {
            let (table, letter) = (aggregate.table(group), group.letter());
            let words = table.distribution_names();
            for index in 0..table.len() {
                for (place, word) in words.iter().enumerate() {
                    let Some(histogram) = table.time(section, index, place) else { continue };
                    offer(format_args!("{letter}{index}.{word}"), histogram)?;
                }
            }
        }
        for time in LoadStats::TIMES {
            offer(format_args!("{}", time.word), (time.get)(aggregate.load(section)))?;
        }
    }
    Ok(())
}

/// The histogram that a tag names, created if need be; `None` for an unknown tag or an id without a name.
pub(crate) fn locate<'a>(aggregate: &'a mut Aggregate, tag: &str, limits: Limits) -> Option<&'a mut Histogram> {
    let (tag, section) = match tag.strip_suffix(OUTSIDE) {
        Some(tag) => (tag, Section::Outside),
        None => (tag, Section::Hold),
    };
    if let Some(time) = LoadStats::TIMES.iter().find(|time| time.word == tag) {
        return Some((time.get_mut)(aggregate.load_mut(section)));
    }
    let (owner, what) = tag.split_once('.')?;
    let of_group = |group: Group| Some((group, owner.strip_prefix(group.letter())?));
    if let Some((group, index)) = Group::ALL.into_iter().find_map(of_group) {
        let index = number(index, limits.for_group(group))?;
        let table = aggregate.table_mut(group);
        let place = table.distribution_names().iter().position(|word| *word == what)?;
        return table.time_mut(section, index, place);
    }
    let index = number(owner.strip_prefix('r')?, limits.requests)?;
    let name = NameId(u32::try_from(index).ok()?);
    if let Some(time) = Phases::TIMES.iter().find(|time| time.word == what) {
        return Some((time.get_mut)(aggregate.request_mut(section, name).phases.get_or_insert_default()));
    }
    if let Some(status) = what.strip_prefix('s').filter(|_| !what.contains('.')) {
        let text = status.strip_prefix('_');
        let code = Code::parse(text.unwrap_or(status)).filter(|code| code.number().is_none() == text.is_some())?;
        return aggregate.request_mut(section, name).times_of(code);
    }
    let (outcome, measure) = what.split_once('.')?;
    let outcome = OUTCOMES.iter().position(|known| *known == outcome)?;
    let measure = LatencySet::TIMES.iter().find(|time| time.word == measure)?;
    Some((measure.get_mut)(aggregate.request_mut(section, name).outcomes[outcome].get_or_insert_default()))
}

/// The suffix of tags of a section.
fn suffix_of(section: Section) -> &'static str {
    match section {
        Section::Hold => "",
        Section::Outside => OUTSIDE,
    }
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

    const LIMITS: Limits = Limits { requests: 4, groups: [2, 1, 1, 2, 1, 2, 2, 1] };

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
        fn strange_tags_are_refused(tag in "[rstpxlm]?[0-9+]{0,12}\\.?(ok|iter|time|page|dns|pos|x)?\\.?(resp|y)?(\\.out)?") {
            let mut aggregate = Aggregate::default();
            let known = locate(&mut aggregate, &tag, Limits::default()).is_some();
            prop_assert!(!known, "{tag} needs a name");
        }
    }

    #[test]
    fn tags_of_unknown_names_are_refused() {
        let mut aggregate = Aggregate::default();
        for tag in [
            "r4.ok.resp", "r01.ok.resp", "s2.iter", "r0.ok", "r0.ok.p99", "r0.good.resp", "r4.dns", "r0.dns.p99",
            "r0.s_404", "r0.s40P01", "r0.s_", "t1.time", "t0.iter", "p2.time", "p0.page", "x1.time", "l2.page",
            "l0.time", "m2.pos", "m0.time", "sock", "", ".out",
        ] {
            assert!(locate(&mut aggregate, tag, LIMITS).is_none(), "{tag:?}");
        }
    }
}
