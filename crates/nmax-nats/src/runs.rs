//! How far the runs of a fleet came, as their records say: those of the last days, and new ones.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use nmax_fleet::records::{Policy, Spec, Start, decode};
use nmax_metrics::Nanos;

use crate::broker::{Broker, Task, lock};
use crate::feed::{Message, feed};
use crate::streams::CONTROL;

/// Runs that are known at the same time; the oldest ones are forgotten.
const RUNS_MAX: usize = 1024;

/// What the records of a run say.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownRun {
    /// When it was offered, ns since 1970 on the broker's clock.
    pub at: Nanos,
    /// As it was offered.
    pub spec: Spec,
    /// How it begins, once that is decided, without the values of its setup.
    pub start: Option<Start>,
    /// Parts that came to their end.
    pub ended: BTreeSet<u32>,
}

/// The runs of a fleet.
#[derive(Debug)]
pub struct Runs {
    known: Arc<Mutex<BTreeMap<String, KnownRun>>>,
    _task: Task,
}

impl KnownRun {
    /// Whether an injector that comes now may be needed: to begin with the others, or to take over what one loses.
    pub fn is_open(&self) -> bool {
        match (&self.start, self.spec.policy) {
            (None, _) => true,
            (Some(Start::Go { .. }), Policy::Takeover { .. }) => self.ended.len() < self.spec.shards.len(),
            (Some(_), _) => false,
        }
    }
}

impl Runs {
    /// Those that are kept, and those that come.
    pub fn new(broker: &Broker) -> Self {
        let known = Arc::new(Mutex::new(BTreeMap::new()));
        let of = known.clone();
        let task = feed(broker, CONTROL, "nmax.ctl.>".into(), move |message| came(&mut lock(&of), &message));
        Self { known, _task: task }
    }

    /// Those that are known now, the newest first.
    pub fn list(&self) -> Vec<KnownRun> {
        let mut runs: Vec<KnownRun> = lock(&self.known).values().cloned().collect();
        runs.sort_by(|one, other| other.at.cmp(&one.at).then_with(|| other.spec.run.cmp(&one.spec.run)));
        runs
    }

    /// Those that were offered at this instant of the broker's clock or later, the oldest first.
    pub fn offered_since(&self, at: Nanos) -> Vec<KnownRun> {
        let mut runs: Vec<KnownRun> = lock(&self.known).values().filter(|run| run.at >= at).cloned().collect();
        runs.sort_by_key(|run| run.at);
        runs
    }

    /// One of them.
    pub fn get(&self, run: &str) -> Option<KnownRun> {
        lock(&self.known).get(run).cloned()
    }
}

/// A record came. That of a run whose spec is not known says nothing.
fn came(known: &mut BTreeMap<String, KnownRun>, message: &Message) {
    let Some((run, key)) = message.subject.strip_prefix("nmax.ctl.").and_then(|rest| rest.split_once('.')) else {
        return;
    };
    let Some(bytes) = &message.bytes else { return };
    if key == "spec" {
        let Ok(spec) = decode::<Spec>("spec", bytes) else { return };
        if spec.run == run {
            let new = KnownRun { at: message.at, spec, start: None, ended: BTreeSet::new() };
            known.entry(run.to_owned()).or_insert(new);
        }
        if known.len() > RUNS_MAX
            && let Some(oldest) = known.iter().min_by_key(|(_, run)| run.at).map(|(run, _)| run.clone())
        {
            known.remove(&oldest);
        }
        return;
    }
    let Some(run) = known.get_mut(run) else { return };
    match key.strip_prefix("ended.").map(str::parse::<u32>) {
        Some(Ok(shard)) => drop(run.ended.insert(shard)),
        Some(Err(_)) => {}
        None if key == "start" => {
            run.start = decode::<Start>("start", bytes).ok().map(|start| match start {
                Start::Go { origin_ns, weights, .. } => Start::Go { origin_ns, weights, values: Vec::new() },
                refused => refused,
            });
        }
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use nmax_fleet::records::{PROTOCOL, Policy, encode};

    use super::*;

    fn spec(run: &str) -> Spec {
        Spec {
            protocol: PROTOCOL,
            version: "1".into(),
            run: run.into(),
            plan: "0".into(),
            bundle: None,
            shards: vec![None; 2],
            policy: Policy::Continue,
            window_ns: 1,
            end_ns: 2,
            hard_stop_ns: 3,
            workers: None,
            lead_ns: 1,
            skew_max_ns: 1,
            warrant: None,
        }
    }

    #[test]
    fn records_say_how_far_a_run_came() {
        let mut known = BTreeMap::new();
        let mut say = |subject: &str, bytes: Option<Vec<u8>>, at: u64| {
            let (subject, at) = (format!("nmax.ctl.{subject}"), Nanos(at));
            came(&mut known, &Message { subject, bytes, has_expired: false, at });
        };
        let start = |values| Start::Go { origin_ns: 7, weights: vec![1, 1], values };
        say("a.ended.0", Some(Vec::new()), 0);
        say("a.spec", Some(encode(&spec("a"))), 1);
        say("a.spec", Some(encode(&spec("a"))), 2);
        say("a.start", Some(encode(&start(vec!["a secret".into()]))), 3);
        say("a.ended.1", Some(Vec::new()), 4);
        say("a.ended.x", Some(Vec::new()), 4);
        say("a.ended.0", None, 4);
        say("a.claim.0", Some(b"injector".to_vec()), 4);
        // Nothing of the kind that it should be.
        say("b.spec", Some(encode(&spec("another"))), 5);
        say("c.spec", Some(b"{".to_vec()), 6);
        say("drain-x.cmd.0", Some(b"x".to_vec()), 7);
        let a = KnownRun { at: Nanos(1), spec: spec("a"), start: Some(start(Vec::new())), ended: BTreeSet::from([1]) };
        assert_eq!(known, BTreeMap::from([("a".to_owned(), a)]));
        for run in 0..RUNS_MAX as u64 {
            let subject = format!("nmax.ctl.r{run}.spec");
            let bytes = Some(encode(&spec(&format!("r{run}"))));
            came(&mut known, &Message { subject, bytes, has_expired: false, at: Nanos(100 + run) });
        }
        assert_eq!(known.len(), RUNS_MAX);
        assert!(!known.contains_key("a"), "the oldest one is forgotten");
    }
}
