//! Counts and times of requests.

use nmax_analysis::QUANTILES;
use nmax_analysis::summary::{self, PHASES};
use nmax_json::{JsonFrom, Keyed, Keys, Map, Ms, records};
use nmax_metrics::RequestStats;

records! {
    #[schemars(rename = "stats")]
    shared Stats(stats: &summary::Stats) {
        count: u64, "ok + failed + errors";
        ok: u64;
        failed: u64, "Valid replies that were not ok.";
        errors: u64, "Exchanges without a valid reply.";
        rate_per_s: Option<nmax_json::Micro>;
        #[serde(flatten)] sums: Keyed<Sums, u64> = stats.sums().collect::<Keyed<_, _>>();
        body_bytes_min: Option<u64> = Some(stats.sums.body_bytes_min).filter(|bytes| *bytes > 0),
            "Of the smallest body that was not empty, content codings undone; null without one.";
        body_bytes_max: Option<u64> = Some(stats.sums.body_bytes_max).filter(|bytes| *bytes > 0), "Of the largest body.";
        status: Map<u64>;
        error_kinds: Map<u64>;
        #[serde(flatten)] times: Times;
        by_outcome: ByOutcome;
        phases: Keyed<Phases, Phase> = phases(&stats.phases),
            "Milliseconds in the exchanges that had the phase; a phase that took no time in any is absent.";
    }
    #[schemars(rename = "times")]
    shared Times(times: &summary::Times) {
        response_time_ms: Dist = &times.response;
        service_time_ms: Dist = &times.service;
        send_lag_ms: Dist = &times.send_lag;
        ttfb_ms: Dist = &times.ttfb;
    }
    pub(crate) struct ByOutcome(times: &[summary::Times; 3]) {
        ok: Times = &times[0];
        failed: Times = &times[1];
        error: Times = &times[2];
    }
    pub(crate) struct Phase(row: &summary::PhaseTime) {
        count: u64 = row.time.count, "Exchanges in which it took time.";
        mean: Option<Ms> = row.time.mean_ns;
        p95: Option<Ms> = row.time.p95();
        max: Option<Ms> = row.time.max_ns;
    }
    #[schemars(rename = "dist")]
    shared Dist(dist: &summary::Dist) {
        count: u64;
        mean: Option<Ms> = dist.mean_ns;
        min: Option<Ms> = dist.min_ns;
        max: Option<Ms> = dist.max_ns;
        #[serde(flatten)] quantiles: Keyed<Quantiles, Option<Ms>> = quantiles(dist.quantiles_ns, JsonFrom::json_from);
        ci95: Option<Keyed<Quantiles, Option<[Ms; 2]>>> =
            dist.intervals_ns.iter().any(Result::is_ok).then(|| quantiles(dist.intervals_ns, |one| JsonFrom::json_from(one.ok()))),
            "Within-run 95 % intervals, which allow for exchanges that depend on each other; null where there are none.";
        ci95_missing: Option<Keyed<Quantiles, Option<Why>>> =
            (dist.count > 0).then(|| quantiles(dist.intervals_ns, |one| one.err().map(|why| Why::json_from(why.text())))),
            "Why a quantile has no interval: too few values; fewer than ten windows; exchanges depend too much on those \
             before them; dependence is only looked at in response times of all outcomes.";
        clamped: u64, "Values above one hour, counted as one hour.";
    }
}

nmax_json::words!(pub(crate) Why: ["too few values", "too short", "too dependent", "not examined"]);

/// Sums over exchanges, by their table.
pub(crate) struct Sums;
impl Keys for Sums {
    fn keys() -> Vec<(&'static str, &'static str)> {
        RequestStats::sums().map(|sum| (sum.name, sum.about)).collect()
    }
}

/// Quantiles of a distribution.
pub(crate) struct Quantiles;
impl Keys for Quantiles {
    fn keys() -> Vec<(&'static str, &'static str)> {
        QUANTILES.map(|(name, _)| (name, "")).to_vec()
    }
}

/// Phases of an exchange.
pub(crate) struct Phases;
impl Keys for Phases {
    const REQUIRED: bool = false;
    fn keys() -> Vec<(&'static str, &'static str)> {
        PHASES.map(|name| (name, "")).to_vec()
    }
}

fn phases(rows: &[summary::PhaseTime]) -> Keyed<Phases, Phase> {
    rows.iter().map(|row| (row.name, Phase::json_from(row))).collect()
}

fn quantiles<S: Copy, V>(values: [S; QUANTILES.len()], one: impl Fn(S) -> V) -> Keyed<Quantiles, V> {
    QUANTILES.iter().zip(values).map(|((name, _), value)| (name, one(value))).collect()
}
