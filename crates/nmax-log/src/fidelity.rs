//! How like its source the traffic of a run was: mix, arrivals, sessions, pauses, popularity, sizes, latency.
//!
//! Each row compares one thing and says *alike*, *near* or *unlike*. Two samples of the same traffic differ too, so a
//! distance is *alike* as long as it is below what chance makes (one in a hundred such pairs differ more), or below a
//! tolerance, whichever is larger; *near* up to three tolerances above that.
//!
//! ```text
//! mix             TV = ½ Σ |pᵢ − qᵢ|                        alike ≤ max(0.02, chance)   near ≤ 0.06 + chance
//! statuses        the same, of replies                      alike ≤ max(0.02, chance)   near ≤ 0.02 + chance
//! distributions   KS = sup |F(x) − G(x)|                    alike ≤ max(0.05, chance)   near ≤ 0.15 + chance
//! ratios          r = run / source                          alike within 5 % + chance   near within 15 % + chance
//! burstiness      r = run / source                          alike within 20 % + chance  near within 30 % + chance
//! ```
//!
//! Statuses have less room than the mix: a few percent of other replies are visitors who could not do what they wanted. Where
//! chance makes more than a half, a difference is *not known*: too little was seen.
//!
//! Chance: for KS 1.63·√(1/n + 1/m), the 99 % point of the two-sample test of Smirnov; for TV the mean
//! Σ √(pᵢ(1 − pᵢ)·(1/n + 1/m)/(2π)) of independent draws and 2.33 standard deviations, at most √((1/n + 1/m)/4) each; for ratios 2.58
//! standard errors. Steps of one session depend on each other, so n and m are sessions where a session is what is drawn.
//!
//! Sizes that differ by less than 3 % and 16 B count as equal: logs count what frames a body (chunks) as well, or heads.
//!
//! Latency is no matter of likeness: it is what the run wants to know. Its rows say *faster*, *slower* or *alike*.

mod shares;

use nmax_text::number::decimals_of;
use serde::{Deserialize, Serialize};

use crate::traffic::{Dispersion, Dist, Profile, RequestType};
use shares::{mix, statuses};

/// Tolerances: what nobody would call a difference.
const MIX_TOLERANCE: f64 = 0.02;
const MIX: Tolerance = Tolerance::wide(MIX_TOLERANCE);
const STATUSES: Tolerance = Tolerance { alike: MIX_TOLERANCE, near: MIX_TOLERANCE };
const KS: Tolerance = Tolerance::wide(0.05);
/// An exponent is no scale: a tenth changes the share of the first few targets by some percent.
const EXPONENT: Tolerance = Tolerance::wide(0.1);
const RATIO_TOLERANCE: f64 = 0.05;
const BURST_TOLERANCE: f64 = 0.15;
/// Times the tolerance up to which something is near.
const NEAR: f64 = 3.0;
/// What chance makes, from which on a run is too short to tell a likeness from a difference.
const CHANCE_MAX: f64 = 0.5;
/// 99 % point of the two-sample distribution of Smirnov, times √(nm/(n+m)).
const KS_99: f64 = 1.63;
/// 99 % of a normal law lie within so many standard deviations.
const Z99: f64 = 2.58;
/// Request types whose sizes and latency have a row.
const TYPES_MAX: usize = 20;
/// Requests that a row about one type needs, on both sides.
const COUNT_MIN: u64 = 20;
/// Bytes by which sizes may differ, and the share of them.
const FRAMING_BYTES: u64 = 16;
const FRAMING_SHARE: f64 = 0.03;
/// Share by which a quantile of latency must differ to be another one.
const LATENCY_TOLERANCE: f64 = 0.1;

/// How a distance is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Half the sum of the differences of shares, 0 to 1.
    TotalVariation,
    /// Largest distance of the distribution functions, 0 to 1.
    KolmogorovSmirnov,
    /// Run over source.
    Ratio,
}

/// What is said of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No more apart than two samples of the same traffic, or than anybody would mind.
    Alike,
    /// A little apart.
    Near,
    /// Apart.
    Unlike,
    /// The run was faster than the log; latency only.
    Faster,
    /// The run was slower than the log; latency only.
    Slower,
    /// Too little is known to tell.
    Unknown,
}

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    /// Shares of the request types.
    Mix,
    /// Shares of the statuses.
    Statuses,
    /// Rates and bursts.
    Arrivals,
    /// Steps of sessions.
    Sessions,
    /// Pauses.
    Think,
    /// How requests spread over targets.
    Popularity,
    /// Bytes of replies.
    Sizes,
    /// How long the server took.
    Latency,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What it is about.
    pub topic: Topic,
    /// What is compared: `mix of requests`, `think time`, `latency p95 of GET /item/{id}`.
    pub what: String,
    /// The source's figure.
    pub source: String,
    /// The run's figure.
    pub run: String,
    /// How far they are apart; `None` when one of them is unknown.
    pub distance: Option<f64>,
    /// How that is measured.
    pub measure: Measure,
    /// What is said of it.
    pub verdict: Verdict,
    /// Why, in words.
    pub why: String,
}

/// Compares a run with its source. Both are profiles made by the same [`Traffic`](crate::traffic::Traffic), the run's with
/// the types of the source. Request types that the plan leaves out are left out of the source's mix.
pub fn compare(source: &Profile, run: &Profile) -> Vec<Row> {
    let mut rows = vec![mix(source, run), statuses(source, run)];
    rows.extend(arrivals(source, run));
    rows.extend(sessions(source, run));
    rows.push(distribution(
        (Topic::Think, "think time"),
        (&source.think.dist_ms, &run.think.dist_ms),
        (source.sessions.count, run.sessions.count),
        milliseconds,
    ));
    let pairs = pairs(source, run);
    rows.extend(pairs.iter().filter_map(|(source, run)| popularity(source, run)));
    rows.extend(pairs.iter().filter_map(|(source, run)| sizes(source, run)));
    rows.extend(pairs.iter().flat_map(|(source, run)| latency(source, run)));
    rows
}

/// Types that both have, most frequent in the source first.
fn pairs<'a>(source: &'a Profile, run: &'a Profile) -> Vec<(&'a RequestType, &'a RequestType)> {
    let own = |kind: &&RequestType| run.types.iter().find(|run| run.name == kind.name);
    let pairs = source.types.iter().filter_map(|kind| Some((kind, own(&kind)?)));
    pairs.filter(|(source, run)| source.count.min(run.count) >= COUNT_MIN).take(TYPES_MAX).collect()
}

/// Spread of a difference of two samples of n and m: √(1/n + 1/m); infinite when one is empty.
fn spread(n: u64, m: u64) -> f64 {
    if n == 0 || m == 0 { f64::INFINITY } else { (1.0 / n as f64 + 1.0 / m as f64).sqrt() }
}

/// Distances that nobody would call a difference, and that are near, without what chance makes.
#[derive(Clone, Copy, Debug)]
struct Tolerance {
    alike: f64,
    near: f64,
}

impl Tolerance {
    const fn wide(alike: f64) -> Self {
        Self { alike, near: NEAR * alike }
    }
}

fn verdict(distance: f64, tolerance: Tolerance, chance: f64) -> Verdict {
    let is_known = distance.is_finite() && chance.is_finite();
    let Tolerance { alike, near } = tolerance;
    let may_be_chance = chance > CHANCE_MAX && distance > near && distance <= near + chance;
    if !is_known || may_be_chance {
        Verdict::Unknown
    } else if distance <= alike.max(chance) {
        Verdict::Alike
    } else if distance <= near + chance {
        Verdict::Near
    } else {
        Verdict::Unlike
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn chance_in_words(chance: f64) -> String {
    let too_short = if chance > CHANCE_MAX { ": too little was seen to tell" } else { "" };
    format!("; chance alone makes up to {chance:.3}{too_short}")
}

/// Rates, and how bursty arrivals are.
fn arrivals(source: &Profile, run: &Profile) -> Vec<Row> {
    let (from, of_run) = (&source.arrivals, &run.arrivals);
    let per_s = |rate: f64| format!("{}/s", number(rate));
    let mut rows = vec![ratio(
        (Topic::Arrivals, "rate of sessions".to_owned()),
        (from.sessions_per_s, of_run.sessions_per_s),
        Z99 * spread(source.sessions.count, run.sessions.count),
        per_s,
    )];
    let burstiness = |source: &[Dispersion], run: &[Dispersion], what: &str| -> Vec<Row> {
        let both = source.iter().filter_map(|at| Some((at, run.iter().find(|run| run.width_s == at.width_s)?)));
        both.map(|(source, run)| dispersion(what, source, run)).collect()
    };
    rows.extend(burstiness(&from.sessions, &of_run.sessions, "sessions"));
    rows.extend(burstiness(&from.requests, &of_run.requests, "requests"));
    rows
}

fn dispersion(what: &str, source: &Dispersion, run: &Dispersion) -> Row {
    // The error of a Poisson process, as a share of its index. Sessions make requests come in clusters that overlap
    // several windows, which makes the index noisier: the tolerance is wider here.
    let chance = Z99 * source.error.hypot(run.error);
    let mut row = ratio(
        (Topic::Arrivals, format!("burstiness of {what} in {} s", source.width_s)),
        (source.index, run.index),
        BURST_TOLERANCE + chance,
        number,
    );
    row.why = format!("index of dispersion, 1 = Poisson{}", chance_in_words(chance));
    row
}

/// Compares two figures by their ratio; `chance`: share by which they may differ without a reason.
fn ratio((topic, what): (Topic, String), (source, run): (f64, f64), chance: f64, text: impl Fn(f64) -> String) -> Row {
    let is_known = source > 0.0 && run > 0.0;
    let ratio = is_known.then(|| run / source);
    // Half and twice are equally far.
    let apart = ratio.map_or(f64::NAN, |ratio| ratio.max(1.0 / ratio) - 1.0);
    let tolerance = Tolerance { alike: RATIO_TOLERANCE + chance, near: NEAR * RATIO_TOLERANCE };
    Row {
        topic,
        what,
        source: text(source),
        run: text(run),
        distance: ratio,
        measure: Measure::Ratio,
        verdict: ratio.map_or(Verdict::Unknown, |_| verdict(apart, tolerance, chance)),
        why: match ratio {
            Some(ratio) => format!("{} times the source{}", number(ratio), chance_in_words(chance)),
            None => "one of them is unknown".to_owned(),
        },
    }
}

fn sessions(source: &Profile, run: &Profile) -> Vec<Row> {
    let counts = (source.sessions.count, run.sessions.count);
    let steps = distribution(
        (Topic::Sessions, "steps of a session"),
        (&source.sessions.steps, &run.sessions.steps),
        counts,
        |steps| steps.to_string(),
    );
    let duration = distribution(
        (Topic::Sessions, "length of a session"),
        (&source.sessions.duration_ms, &run.sessions.duration_ms),
        counts,
        milliseconds,
    );
    vec![steps, duration]
}

/// Compares two distributions drawn `counts` times.
fn distribution(
    about: (Topic, &str),
    (source, run): (&Dist, &Dist),
    counts: (u64, u64),
    text: impl Fn(u64) -> String,
) -> Row {
    distribution_apart((about, (source, run)), source.distance(run), counts, text)
}

/// The same where the distance is known.
fn distribution_apart(
    ((topic, what), (source, run)): ((Topic, &str), (&Dist, &Dist)),
    distance: Option<f64>,
    counts: (u64, u64),
    text: impl Fn(u64) -> String,
) -> Row {
    let middle = |dist: &Dist| {
        let quantiles = dist.quantile(0.5).zip(dist.quantile(0.95));
        quantiles.map_or_else(|| "-".to_owned(), |(p50, p95)| format!("p50 {}, p95 {}", text(p50), text(p95)))
    };
    let chance = KS_99 * spread(counts.0.min(source.count()), counts.1.min(run.count()));
    Row {
        topic,
        what: what.to_owned(),
        source: middle(source),
        run: middle(run),
        distance,
        measure: Measure::KolmogorovSmirnov,
        verdict: distance.map_or(Verdict::Unknown, |distance| verdict(distance, KS, chance)),
        why: match distance {
            Some(_) => format!("largest distance of the distribution functions{}", chance_in_words(chance)),
            None => "one of them is empty".to_owned(),
        },
    }
}

fn popularity(source: &RequestType, run: &RequestType) -> Option<Row> {
    let both = |kind: &RequestType| Some((kind.popularity.exponent?, kind.popularity.exponent_error?));
    let ((from, from_error), (of_run, run_error)) = (both(source)?, both(run)?);
    let chance = Z99 * from_error.hypot(run_error);
    let distance = (of_run - from).abs();
    Some(Row {
        topic: Topic::Popularity,
        what: format!("Zipf's exponent of {}", source.name),
        source: format!("{from:.2}"),
        run: format!("{of_run:.2}"),
        distance: (from > 0.0).then(|| of_run / from),
        measure: Measure::Ratio,
        verdict: verdict(distance, EXPONENT, chance),
        why: format!("{distance:.2} apart{}", chance_in_words(chance)),
    })
}

fn sizes(source: &RequestType, run: &RequestType) -> Option<Row> {
    if source.bytes.count().min(run.bytes.count()) < COUNT_MIN {
        return None;
    }
    let bytes = |bytes: u64| format!("{bytes} B");
    let counts = (source.bytes.count(), run.bytes.count());
    let what = format!("bytes of {}", source.name);
    let slack = |bytes: u64| FRAMING_BYTES + (bytes as f64 * FRAMING_SHARE) as u64;
    let distance = source.bytes.distance_within(&run.bytes, slack);
    let row = ((Topic::Sizes, what.as_str()), (&source.bytes, &run.bytes));
    Some(distribution_apart(row, distance, counts, bytes))
}

/// Latency at p50 and p95: the log's beside the run's.
fn latency(source: &RequestType, run: &RequestType) -> Vec<Row> {
    if source.time_us.count().min(run.time_us.count()) < COUNT_MIN {
        return Vec::new();
    }
    let row = |(q, name): (f64, &str)| {
        let (from, of_run) = (source.time_us.quantile(q)?, run.time_us.quantile(q)?);
        // Below what the log resolves, as 0 of its milliseconds.
        let is_known = from > 0;
        let ratio = of_run.max(1) as f64 / from.max(1) as f64;
        let verdict = match ratio {
            _ if !is_known => Verdict::Unknown,
            _ if ratio > 1.0 + LATENCY_TOLERANCE => Verdict::Slower,
            _ if ratio < 1.0 / (1.0 + LATENCY_TOLERANCE) => Verdict::Faster,
            _ => Verdict::Alike,
        };
        Some(Row {
            topic: Topic::Latency,
            what: format!("latency {name} of {}", source.name),
            source: microseconds(from),
            run: microseconds(of_run),
            distance: is_known.then_some(ratio),
            measure: Measure::Ratio,
            verdict,
            why: if is_known {
                "the log's is measured at the server, the run's at the client".to_owned()
            } else {
                "shorter than what the log resolves".to_owned()
            },
        })
    };
    [(0.5, "p50"), (0.95, "p95")].into_iter().filter_map(row).collect()
}

fn milliseconds(ms: u64) -> String {
    microseconds(ms * 1_000)
}

fn microseconds(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{} ms", number(us as f64 / 1e3)),
        _ => format!("{} s", number(us as f64 / 1e6)),
    }
}

/// A number with three digits that count.
fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    format!("{value:.*}", decimals_of(value.abs(), 3).min(6))
}
