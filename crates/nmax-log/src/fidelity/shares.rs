//! Shares of request types and of statuses, by total variation.

use std::collections::BTreeMap;

use super::{MIX, Measure, Row, STATUSES, Tolerance, Topic, Verdict, chance_in_words, percent, spread, verdict};
use crate::traffic::{Profile, RequestType};

/// How often something came in the source and in the run.
type Both = (f64, f64);

/// What is compared of two profiles: steps of types that the plan sends. Static content is left out where there is anything
/// else: whether it belongs to a page depends on microseconds, and then it is no step.
struct Compared<'a> {
    source: &'a Profile,
    run: &'a Profile,
    has_pages: bool,
}

impl<'a> Compared<'a> {
    fn new(source: &'a Profile, run: &'a Profile) -> Self {
        Self { source, run, has_pages: source.types.iter().any(|kind| !kind.is_resource && kind.steps > 0) }
    }

    fn is_left_out(&self, kind: &RequestType) -> bool {
        self.source.left_out.contains(&kind.name)
    }

    fn is_compared(&self, kind: &RequestType) -> bool {
        let belongs_to_a_page = self.has_pages && kind.is_resource;
        kind.steps > 0 && !belongs_to_a_page && !self.is_left_out(kind)
    }

    /// Types of the source, then of the run.
    fn types(&self) -> [impl Iterator<Item = &RequestType>; 2] {
        [self.source, self.run].map(|profile| profile.types.iter().filter(|kind| self.is_compared(kind)))
    }

    /// The row of what was counted.
    fn row<K: Ord>(
        &self,
        (topic, what, one): (Topic, &str, &str),
        tolerance: Tolerance,
        counts: &BTreeMap<K, Both>,
        why: impl Fn(&K, Both) -> String,
    ) -> Row {
        let total = counts.values().fold((0.0, 0.0), |sum, both| (sum.0 + both.0, sum.1 + both.1));
        let row = |source, run, distance, verdict, why| Row {
            topic,
            what: what.to_owned(),
            source,
            run,
            distance,
            measure: Measure::TotalVariation,
            verdict,
            why,
        };
        if total.0 <= 0.0 || total.1 <= 0.0 {
            let why = "one of them has none".to_owned();
            return row("-".into(), "-".into(), None, Verdict::Unknown, why);
        }
        let spread = spread(self.source.sessions.count, self.run.sessions.count);
        let (mut distance, mut mean, mut variance) = (0.0, 0.0, 0.0);
        let mut most: Option<(&K, Both)> = None;
        for (key, (source, run)) in counts {
            let (p, q) = (source / total.0, run / total.1);
            distance += 0.5 * (p - q).abs();
            let pooled = 0.5 * (p + q);
            let deviation = (pooled * (1.0 - pooled)).sqrt() * spread;
            mean += 0.5 * deviation * (2.0 / std::f64::consts::PI).sqrt();
            variance += 0.25 * deviation * deviation * (1.0 - 2.0 / std::f64::consts::PI);
            if (p - q).abs() > most.map_or(0.0, |(_, (p, q))| (p - q).abs()) {
                most = Some((key, (p, q)));
            }
        }
        let chance = mean + 2.33 * variance.sqrt();
        let why = most.map_or_else(|| "all have the same share".to_owned(), |(key, both)| why(key, both));
        let known = |pick: fn(&Both) -> f64| {
            let count = counts.values().filter(|both| pick(both) > 0.0).count();
            if count == 1 {
                format!("1 {one}")
            } else {
                format!("{count} {one}{}", if one.ends_with('s') { "es" } else { "s" })
            }
        };
        row(
            known(|both| both.0),
            known(|both| both.1),
            Some(distance),
            verdict(distance, tolerance, chance),
            why + &chance_in_words(chance),
        )
    }
}

/// Shares of the request types in the steps of sessions.
pub(super) fn mix(source: &Profile, run: &Profile) -> Row {
    let compared = Compared::new(source, run);
    let mut counts: BTreeMap<&str, Both> = BTreeMap::new();
    let [of_source, of_run] = compared.types();
    of_source.for_each(|kind| counts.entry(&kind.name).or_default().0 += kind.steps as f64);
    of_run.for_each(|kind| counts.entry(&kind.name).or_default().1 += kind.steps as f64);
    let left_out = source.types.iter().filter(|kind| compared.is_left_out(kind));
    let left_out: f64 = left_out.map(|kind| kind.steps as f64).sum();
    let total: f64 = counts.values().map(|both| both.0).sum();
    let without = if left_out > 0.0 {
        let share = percent(left_out / (left_out + total));
        format!("; without {share} of the source's steps that the plan leaves out")
    } else {
        String::new()
    };
    compared.row((Topic::Mix, "mix of requests", "type"), MIX, &counts, |name, (p, q)| {
        format!("most apart: {name}, {} and {}{without}", percent(p), percent(q))
    })
}

/// Shares of the statuses in the replies to steps. What a log does not know is left out; what got no reply is not.
pub(super) fn statuses(source: &Profile, run: &Profile) -> Row {
    let compared = Compared::new(source, run);
    let mut counts: BTreeMap<u16, Both> = BTreeMap::new();
    // By type, where most of a difference comes from.
    let mut by_type: BTreeMap<u16, BTreeMap<&str, Both>> = BTreeMap::new();
    let [of_source, of_run] = compared.types();
    for kind in of_source {
        for (status, count) in kind.statuses.iter().filter(|(status, _)| **status > 0) {
            counts.entry(*status).or_default().0 += *count as f64;
            by_type.entry(*status).or_default().entry(&kind.name).or_default().0 += *count as f64;
        }
    }
    for kind in of_run {
        for (status, count) in &kind.statuses {
            counts.entry(*status).or_default().1 += *count as f64;
            by_type.entry(*status).or_default().entry(&kind.name).or_default().1 += *count as f64;
        }
    }
    let total = counts.values().fold((0.0, 0.0), |sum, both| (sum.0 + both.0, sum.1 + both.1));
    compared.row((Topic::Statuses, "mix of statuses", "status"), STATUSES, &counts, |status, (p, q)| {
        let apart = |both: &Both| (both.0 / f64::max(total.0, 1.0) - both.1 / f64::max(total.1, 1.0)).abs();
        let most = by_type.get(status).and_then(|types| types.iter().max_by(|a, b| apart(a.1).total_cmp(&apart(b.1))));
        let at = most.map_or(String::new(), |(name, _)| format!(", most of it at {name}"));
        let status = match status {
            0 => "no reply".to_owned(),
            status => status.to_string(),
        };
        format!("most apart: {status}, {} and {}{at}", percent(p), percent(q))
    })
}
