//! Which of several logs are the server's side.
//!
//! Logs of servers side by side, as behind a balancer, are a layer: each has a part of the run's requests, and they are
//! added together. Logs of servers in a row, as a proxy and what is behind it, are layers of which each has all. The plan
//! may name layers (`layer`); of the other logs one that has the run's number of requests is a layer by itself, and all
//! that have fewer are one together.

use std::collections::BTreeMap;

use nmax_plan::plan::{ObservedSource, Plan};
use nmax_sources::kinds::{LAYER, LOG};

use super::SideSums;

/// How far numbers of requests may be apart that are taken as the same, of the run's.
pub(super) const MISSING_MAX: f64 = 0.02;

/// A log that is followed, as the plan has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    /// As results call it.
    pub name: String,
    /// Whose it is.
    pub host: String,
    layer: Option<String>,
}

/// Every followed log, in the order of the plan, which is that of the numbers in a tap.
pub fn followed(plan: &Plan) -> Vec<Followed> {
    let logs = plan.observe.iter().filter_map(|observed| observed.source(&LOG));
    let is_alone = |log: &ObservedSource| logs.clone().filter(|other| other.name == log.name).count() == 1;
    let followed = logs.clone().map(|log| Followed {
        name: if is_alone(log) { log.name.clone() } else { format!("{} on {}", log.name, log.host) },
        host: log.host.clone(),
        layer: log.text(&LAYER).map(str::to_owned),
    });
    followed.collect()
}

/// The logs that stand for the server, and for what is behind it, by their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Layers {
    /// Of the server that the run talks to.
    pub(super) front: Vec<u16>,
    /// Of the servers behind it, where they have all requests and the front does not tell their times itself.
    pub(super) behind: Vec<u16>,
}

/// Logs that are added together.
struct Layer {
    logs: Vec<u16>,
    /// Requests of the run.
    own: u64,
    /// Whether it tells the times of the server behind it.
    tells_behind: bool,
    /// Mean of its times, ns.
    mean_ns: Option<f64>,
}

/// The layers of what was followed; `None` when no log said anything of requests.
///
/// The front is, of the layers that have the run's number of requests, the one that tells times of a server behind it, or
/// takes the longest, since its times have those of the others in them; where no layer has that number, the one that comes
/// nearest.
pub(super) fn layers(sides: &SideSums) -> Option<Layers> {
    let layers = candidates(sides);
    let whole = || layers.iter().filter(|layer| is_all(sides, layer.own));
    let nearest = || layers.iter().min_by_key(|layer| apart(sides, layer.own));
    let front = outermost(whole()).or_else(nearest)?;
    let is_other = |layer: &&Layer| !layer.logs.iter().any(|log| front.logs.contains(log));
    let behind = outermost(whole().filter(|layer| layer.mean_ns.is_some()).filter(is_other));
    Some(Layers {
        front: front.logs.clone(),
        behind: behind.filter(|_| !front.tells_behind).map(|layer| layer.logs.clone()).unwrap_or_default(),
    })
}

/// The layer in front of the others; of equal ones the first.
fn outermost<'a>(layers: impl Iterator<Item = &'a Layer>) -> Option<&'a Layer> {
    let mean_ns = |layer: &Layer| layer.mean_ns.unwrap_or(-1.0);
    layers.min_by(|a, b| {
        let tells_behind = b.tells_behind.cmp(&a.tells_behind);
        tells_behind.then_with(|| mean_ns(b).total_cmp(&mean_ns(a)))
    })
}

/// What may be a layer: those of the plan; each other log by itself; and those together that have fewer requests than the
/// run.
fn candidates(sides: &SideSums) -> Vec<Layer> {
    let is_seen = sides.logs.values().any(|log| log.own > 0);
    let seen = sides.logs.iter().filter(|(_, log)| log.own > 0 || !is_seen);
    let (mut named, mut alone): (BTreeMap<&str, Vec<u16>>, Vec<u16>) = Default::default();
    let mut parts = Vec::new();
    for (number, log) in seen {
        let followed = sides.followed.get(usize::from(*number));
        match followed.and_then(|followed| followed.layer.as_deref()) {
            Some(layer) => named.entry(layer).or_default().push(*number),
            None => {
                alone.push(*number);
                if log.own < sent(sides).1 && !is_all(sides, log.own) {
                    parts.push(*number);
                }
            }
        }
    }
    let mut all: Vec<Vec<u16>> = named.into_values().collect();
    all.extend(alone.into_iter().map(|number| vec![number]));
    if parts.len() > 1 {
        all.push(parts);
    }
    all.into_iter().map(|logs| layer(sides, logs)).collect()
}

fn layer(sides: &SideSums, logs: Vec<u16>) -> Layer {
    let (mut count, mut sum_ns, mut tells_behind) = (0, 0, false);
    for pair in sides.pairs.values() {
        for server in logs.iter().filter_map(|log| pair.servers.get(log)) {
            count += server.time.count();
            sum_ns += server.time.exact().sum_ns;
            tells_behind |= !server.upstream.is_empty();
            // A short run may have no others.
            for line in server.unsure.iter().flatten() {
                count += u64::from(line.duration_us.is_some());
                sum_ns += u128::from(line.duration_us.unwrap_or(0)) * 1_000;
                tells_behind |= line.upstream_us.is_some();
            }
        }
    }
    Layer {
        own: logs.iter().map(|log| sides.logs[log].own).sum(),
        tells_behind,
        mean_ns: (count > 0).then(|| sum_ns as f64 / count as f64),
        logs,
    }
}

/// Fewest and most requests that a server may have got of the run: one without a reply may have reached it or not.
fn sent(sides: &SideSums) -> (u64, u64) {
    let count = |is_counted: &dyn Fn(u16) -> bool| {
        let pairs = sides.pairs.iter().filter(|((_, status), _)| is_counted(*status));
        pairs.map(|(_, pair)| pair.all.0).sum()
    };
    (count(&|status| status > 0), count(&|_| true))
}

/// How many requests are missing of the run's, or are too many.
fn apart(sides: &SideSums, own: u64) -> u64 {
    let (fewest, most) = sent(sides);
    fewest.saturating_sub(own).max(own.saturating_sub(most))
}

/// Whether that many requests are all of the run's.
fn is_all(sides: &SideSums, own: u64) -> bool {
    apart(sides, own) as f64 <= MISSING_MAX * sent(sides).1 as f64
}
