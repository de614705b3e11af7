//! Simulated measurements of a known law, for tests and for the coverage program.

use nmax_usl::design::{Campaign, Outcome, Precision, Rules, Step, Stop, TimeLeft};
use nmax_usl::random::Random;
use nmax_usl::{Estimate, Fit, Method, Observation, Usl, fit};

/// A law with contention `alpha` whose peak lies at `peak`.
pub(crate) fn law_with_peak(alpha: f64, peak: f64) -> Usl {
    Usl { contention: alpha, coherency: (1.0 - alpha) / (peak * peak), unit_throughput: 100.0 }
}

/// One run at each of `levels`, with lognormal noise of relative deviation `sd`.
pub(crate) fn runs_at(law: &Usl, levels: &[f64], sd: f64, random: &mut Random) -> Vec<Observation> {
    let observe = |(index, &n): (usize, &f64)| Observation {
        n,
        x: law.throughput_at(n) * random.lognormal(sd),
        r_s: None,
        weight: 1.0,
        row: index + 1,
        count: None,
    };
    levels.iter().enumerate().map(observe).collect()
}

/// `count` levels at equal distances from 1 to `high`.
pub(crate) fn even_levels(high: f64, count: usize) -> Vec<f64> {
    (0..count).map(|step| 1.0 + (high - 1.0) * step as f64 / (count - 1) as f64).collect()
}

/// How often intervals of nominal 95 % held the truth.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Coverage {
    /// Data sets that gave a fit.
    pub(crate) fits: usize,
    /// Those with β̂ > 0.
    pub(crate) positive: usize,
    peaks: usize,
    contention: usize,
    coherency: usize,
    unit_throughput: usize,
    band_at_peak: usize,
    peak_concurrency: usize,
    peak_throughput: usize,
}

impl Coverage {
    /// Names of [`Self::shares`].
    pub(crate) const NAMES: [&str; 6] = ["α", "β", "ln γ", "X̂ at peak", "N_peak", "X_peak"];

    /// Counts a fit of data from `truth`.
    pub(crate) fn count(&mut self, fit: &Fit, truth: &Usl) {
        self.fits += 1;
        self.positive += usize::from(fit.law.coherency > 0.0);
        let holds = |value: &Estimate, truth: f64| {
            usize::from(value.low.is_none_or(|low| low <= truth) && value.high.is_none_or(|high| truth <= high))
        };
        self.contention += holds(&fit.contention, truth.contention);
        self.coherency += holds(&fit.coherency, truth.coherency);
        self.unit_throughput += holds(&fit.unit_throughput, truth.unit_throughput);
        // A law without a peak has its band judged at twice the largest N.
        let at = truth.peak_concurrency().unwrap_or(128.0);
        if let Some((low, high)) = fit.band_at(at) {
            let x = truth.throughput_at(at);
            self.band_at_peak += usize::from(low <= x && x <= high);
        }
        let truth = truth.peak_concurrency().zip(truth.peak_throughput());
        if let (Some((n, x)), Some((n_true, x_true))) = (fit.peak(), truth) {
            self.peaks += 1;
            self.peak_concurrency += holds(&n, n_true);
            self.peak_throughput += holds(&x, x_true);
        }
    }

    /// Shares of the intervals that held the truth, 0 to 1: α, β, γ and the band over all fits, N_peak and X_peak over
    /// those with a peak.
    pub(crate) fn shares(&self) -> [f64; 6] {
        let of = |count: usize, all: usize| count as f64 / all as f64;
        [
            of(self.contention, self.fits),
            of(self.coherency, self.fits),
            of(self.unit_throughput, self.fits),
            of(self.band_at_peak, self.fits),
            of(self.peak_concurrency, self.peaks),
            of(self.peak_throughput, self.peaks),
        ]
    }
}

/// Coverage over `sets` data sets of one run at each of `levels`.
pub(crate) fn coverage(law: &Usl, levels: &[f64], sd: f64, sets: usize, seed: u64) -> Coverage {
    let mut random = Random::new(seed);
    let mut coverage = Coverage::default();
    for _ in 0..sets {
        if let Ok(fit) = fit(&runs_at(law, levels, sd, &mut random), Method::Log) {
            coverage.count(&fit, law);
        }
    }
    coverage
}

/// What came of a campaign.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The runs that count.
    pub(crate) observations: Vec<Observation>,
    /// Why it ended.
    pub(crate) stop: Stop,
}

/// Rules with the usual precision, on whole numbers from 1.
pub(crate) fn rules(max: f64, runs_max: usize, seed: u64) -> Rules {
    let precision = Precision::default();
    Rules { min: 1.0, max, integer: true, levels: None, replicates: 3, runs_max, precision, seed }
}

/// Runs a campaign on a system whose throughput at N is `throughput`, with lognormal noise of deviation `sd`.
pub(crate) fn campaign(rules: Rules, sd: f64, random: &mut Random, throughput: impl Fn(f64) -> f64) -> Ended {
    let mut campaign = Campaign::new(rules).expect("the rules are good");
    loop {
        match campaign.next(TimeLeft::Unlimited) {
            Step::Run(trial) => {
                let x = throughput(trial.level) * random.lognormal(sd);
                campaign.record(&trial, Outcome::Measured { n: trial.level, x, r_s: None, count: None });
            }
            Step::Stop(stop) => {
                return Ended { observations: campaign.observations(), stop };
            }
        }
    }
}

/// Runs that a fixed ladder needs until its intervals are as narrow as `precision` asks: `rounds` of it at least, each
/// with one run of every level. `None` when `runs_max` do not suffice.
pub(crate) fn ladder_runs(
    (law, levels, sd): (&Usl, &[f64], f64),
    rounds: usize,
    precision: Precision,
    runs_max: usize,
    random: &mut Random,
) -> Option<usize> {
    let half = |value: Estimate| Some((value.high? / value.low?).sqrt() - 1.0);
    let mut observations = Vec::new();
    for round in 1..=runs_max / levels.len() {
        observations.extend(runs_at(law, levels, sd, random));
        let peak = fit(&observations, Method::Log).ok().and_then(|fit| fit.peak());
        let widths = peak.and_then(|(n, x)| Some((half(n)?, half(x)?)));
        let precise = widths.is_some_and(|(n, x)| n <= precision.concurrency && x <= precision.throughput);
        if round >= rounds && precise {
            return Some(observations.len());
        }
    }
    None
}
