//! Both sides over time, in a bounded number of stretches.

use std::collections::BTreeMap;

use nmax_metrics::Nanos;
use nmax_metrics::logged::Entry;

use super::layers::Layers;
use crate::breakdown::SidePoint;

/// Most stretches; a longer run gets wider ones.
const BINS_MAX: u64 = 240;

/// Sums of a stretch.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    count: u64,
    /// Requests with a time, and their sum, µs.
    time: (u64, u128),
    upstream: (u64, u128),
}

impl Sum {
    fn merge(&mut self, other: &Self) {
        let add = |a: (u64, u128), b: (u64, u128)| (a.0 + b.0, a.1 + b.1);
        self.count += other.count;
        self.time = add(self.time, other.time);
        self.upstream = add(self.upstream, other.upstream);
    }
}

/// Sums of stretches: the client's under `None`, those of logs under their numbers.
#[derive(Clone, Debug)]
pub(super) struct Bins {
    width: Nanos,
    sums: BTreeMap<(Option<u16>, u64), Sum>,
}

impl Default for Bins {
    fn default() -> Self {
        Self { width: Nanos::from_secs(1), sums: BTreeMap::new() }
    }
}

impl Bins {
    /// An exchange of the client.
    pub(super) fn client(&mut self, ended: Nanos, time: Nanos) {
        let sum = self.at(None, ended);
        sum.count += 1;
        sum.time = (sum.time.0 + 1, sum.time.1 + u128::from(time.0 / 1_000));
    }

    /// A request of a log.
    pub(super) fn server(&mut self, log: u16, ended: Nanos, entry: &Entry) {
        let sum = self.at(Some(log), ended);
        sum.count += 1;
        for (us, into) in [(entry.duration_us, &mut sum.time), (entry.upstream_us, &mut sum.upstream)] {
            if let Some(us) = us {
                *into = (into.0 + 1, into.1 + u128::from(us));
            }
        }
    }

    fn at(&mut self, side: Option<u16>, ended: Nanos) -> &mut Sum {
        // A clock that leaps must not make the stretches wider than the run.
        let ended = ended.min(Nanos::from_secs(366 * 86_400));
        while ended.0 / self.width.0 >= BINS_MAX {
            self.width = Nanos(self.width.0 * 2);
            for ((side, at), sum) in std::mem::take(&mut self.sums) {
                self.sums.entry((side, at / 2)).or_default().merge(&sum);
            }
        }
        self.sums.entry((side, ended.0 / self.width.0)).or_default()
    }

    /// The client's side beside those of the layers, until `end`.
    pub(super) fn points(&self, layers: &Layers, end: Nanos) -> Vec<SidePoint> {
        let mean_ms = |(count, us): (u64, u128)| (count > 0).then(|| us as f64 / count as f64 / 1e3);
        let sum = |side: Option<u16>, at: u64| self.sums.get(&(side, at)).copied().unwrap_or_default();
        let of_logs = |logs: &[u16], at: u64| {
            let mut all = Sum::default();
            logs.iter().for_each(|log| all.merge(&sum(Some(*log), at)));
            all
        };
        let width_s = self.width.as_secs_f64();
        let points = (0..=end.0 / self.width.0).map(|at| {
            let (client, server) = (sum(None, at), of_logs(&layers.front, at));
            SidePoint {
                start_s: at as f64 * width_s,
                width_s,
                client_count: client.count,
                server_count: server.count,
                client_ms: mean_ms(client.time),
                server_ms: mean_ms(server.time),
                upstream_ms: mean_ms(server.upstream).or_else(|| mean_ms(of_logs(&layers.behind, at).time)),
            }
        });
        points.filter(|point| point.client_count + point.server_count > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use nmax_metrics::logged::Sender;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Law: nothing is lost when stretches become wider, there are never too many, and the sides stay apart.
        #[test]
        fn stretches_keep_their_sums(times in proptest::collection::vec((0..100_000_u64, 1..10_000_u64), 1..60)) {
            let line = Entry {
                log: 0,
                seen: Nanos::ZERO,
                arrival_us: 0,
                is_arrival: true,
                resolution_us: 1,
                duration_us: Some(1_000),
                upstream_us: None,
                status: 200,
                agent: Sender::Run,
            };
            let mut bins = Bins::default();
            for (second, ms) in &times {
                bins.client(Nanos::from_secs(*second), Nanos::from_millis(*ms));
                bins.server(0, Nanos::from_secs(*second), &line);
            }
            let end = Nanos::from_secs(100_000);
            let front = Layers { front: vec![0], behind: Vec::new() };
            let points = bins.points(&front, end);
            prop_assert!(points.iter().all(|point| point.server_count == point.client_count && point.server_ms == Some(1.0)));
            let count: u64 = points.iter().map(|point| point.client_count).sum();
            let sum_ms: f64 = points.iter().map(|point| point.client_ms.unwrap() * point.client_count as f64).sum();
            prop_assert_eq!(count, times.len() as u64);
            let want: u64 = times.iter().map(|(_, ms)| ms).sum();
            prop_assert!((sum_ms - want as f64).abs() < 1e-6 * want as f64);
            prop_assert!(points.len() <= 240);
        }
    }
}
