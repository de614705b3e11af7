//! The slowest exchanges of which the system was asked to keep the trace.

use std::sync::Arc;

use nmax_metrics::{Catalog, RawSample};
use nmax_plan::plan::{Plan, Trace};

/// How many are named.
const SLOWEST: usize = 5;

/// The plan in the run of this id, which its traces begin with.
pub(super) fn in_run(plan: &Arc<Plan>, id: &str) -> Arc<Plan> {
    let Some(trace) = &plan.defaults.trace else { return Arc::clone(plan) };
    let mut of_run = Plan::clone(plan);
    of_run.defaults.trace = Some(trace.in_run(id));
    Arc::new(of_run)
}

/// The slowest so far, of those that were kept one by one: each window keeps its slowest.
pub(super) struct SlowTraces {
    trace: Option<Trace>,
    seed: u64,
    /// Slowest first, each of another trace.
    slowest: Vec<RawSample>,
}

impl SlowTraces {
    pub(super) fn new(plan: &Plan) -> Self {
        Self { trace: plan.defaults.trace.clone(), seed: plan.seed, slowest: Vec::new() }
    }

    pub(super) fn window(&mut self, kept: &[RawSample]) {
        let Some(trace) = &self.trace else { return };
        let key = |raw: &RawSample| (raw.vu, raw.iteration);
        for raw in kept.iter().filter(|raw| trace.context(self.seed, raw.vu, raw.iteration).is_sampled) {
            let place = self.slowest.partition_point(|one| one.sample.response_time() >= raw.sample.response_time());
            if place < SLOWEST && self.slowest[..place].iter().all(|slower| key(slower) != key(raw)) {
                self.slowest.insert(place, *raw);
                let mut seen = Vec::new();
                self.slowest.retain(|one| {
                    !seen.contains(&key(one)) && {
                        seen.push(key(one));
                        true
                    }
                });
                self.slowest.truncate(SLOWEST);
            }
        }
    }

    /// A sentence for each, slowest first.
    pub(super) fn told(&self, catalog: &Catalog) -> Vec<String> {
        let Some(trace) = &self.trace else { return Vec::new() };
        let sentence = |raw: &RawSample| {
            let (name, ms) = (catalog.requests.name(raw.sample.name), raw.sample.response_time().as_millis_f64());
            let place = trace.place(trace.context(self.seed, raw.vu, raw.iteration));
            format!("{name} took {ms:.1} ms, due at {:.3} s: {place}", raw.sample.intended.as_secs_f64())
        };
        self.slowest.iter().map(sentence).collect()
    }
}

#[cfg(test)]
mod tests {
    use nmax_metrics::{KeepReason, NameId, Nanos, Network, Outcome, Sample};

    use super::*;

    fn raw(iteration: u64, ms: u64) -> RawSample {
        let intended = Nanos::from_secs(1);
        let sample = Sample {
            name: NameId(0),
            scenario: 0,
            outcome: Outcome::Ok,
            status: None,
            intended,
            sent: None,
            first_byte: None,
            done: intended + Nanos::from_millis(ms),
            network: Network::default(),
            send: Nanos::ZERO,
            slot_wait: Nanos::ZERO,
            bytes_received: 0,
            bytes_sent: 0,
            bytes_decoded: 0,
        };
        RawSample { sample, worker: 0, vu: 1, iteration, why: KeepReason::Slow }
    }

    /// Law: the slowest of each trace, slowest first, in whatever order they come; only traces that the system keeps.
    #[test]
    fn the_slowest_of_each_trace_are_named() {
        let trace = Trace { share: 0.5, link: Some("https://t.test/{trace_id}".into()), run: 3 };
        let mut plan = Plan::minimal("http://a.test");
        plan.defaults.trace = Some(trace.clone());
        let all: Vec<RawSample> = (0..60).map(|n| raw(n / 2, 10 + (n * 37) % 61)).collect();
        let mut want: Vec<&RawSample> = Vec::new();
        let mut sorted: Vec<&RawSample> = all.iter().collect();
        sorted.sort_by_key(|raw| std::cmp::Reverse(raw.sample.response_time()));
        for raw in sorted.into_iter().filter(|raw| trace.context(plan.seed, 1, raw.iteration).is_sampled) {
            if want.iter().all(|known| known.iteration != raw.iteration) && want.len() < SLOWEST {
                want.push(raw);
            }
        }
        let mut traces = SlowTraces::new(&plan);
        all.chunks(7).for_each(|window| traces.window(window));
        let found: Vec<u64> = traces.slowest.iter().map(|raw| raw.iteration).collect();
        assert_eq!(found, want.iter().map(|raw| raw.iteration).collect::<Vec<_>>());
        let told = traces.told(&Catalog::default());
        let id = trace.context(plan.seed, 1, found[0]).to_string();
        assert!(told[0].ends_with(&format!("https://t.test/{id}")) && told.len() == SLOWEST, "{told:?}");
        plan.defaults.trace = None;
        let mut none = SlowTraces::new(&plan);
        none.window(&all);
        assert!(none.told(&Catalog::default()).is_empty());
    }
}
