//! The request that takes most of the time of all requests, where one does.

use nmax_metrics::Section;

use super::SlowRequest;
use crate::Evidence;

/// Share of all time from which a request is the answer.
const SHARE_MIN: f64 = 0.5;
/// How many times slower than the mean of all it must be: one that is only frequent is not slow.
const SLOWER_MIN: f64 = 2.0;

/// Shares of the sum of service times (done − sent), by request name; `None` with a single name.
pub(super) fn find(evidence: &Evidence) -> Option<SlowRequest> {
    let times = |stats: &nmax_metrics::RequestStats| {
        let service = stats.latencies().service;
        (service.count() as f64, service.exact().sum_ns as f64 / 1e9)
    };
    let each: Vec<_> = evidence.totals.requests(Section::Hold).map(|(id, stats)| (id, times(stats))).collect();
    let (count, sum_s) = each.iter().fold((0.0, 0.0), |(n, s), (_, (count, sum_s))| (n + count, s + sum_s));
    let (id, (own, own_s)) = each.iter().filter(|(_, (own, _))| *own > 0.0).max_by(|a, b| a.1.1.total_cmp(&b.1.1))?;
    let (mean_s, share) = (own_s / own, own_s / sum_s);
    let is_slow = each.len() > 1 && share >= SHARE_MIN && mean_s >= SLOWER_MIN * sum_s / count;
    is_slow.then(|| SlowRequest {
        name: evidence.catalog.requests.name(*id).to_owned(),
        rate_per_s: own / evidence.hold_s(),
        mean_s,
        share,
    })
}
