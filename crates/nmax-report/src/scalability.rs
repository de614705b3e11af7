//! What is said about scalability: the law fitted to a table ([`FitView`]), a campaign that measured one
//! ([`ScaleView`]), versions side by side ([`CompareView`]), predictions ([`PredictView`]) and assumptions
//! ([`WhatIfView`]).
//!
//! Every number comes from an [`Analysis`]; the outputs print it and decide nothing.

use nmax_usl::predict::By;
use nmax_usl::{Analysis, Basis, Comparison, Difference, Dimension, Outlook, Prediction, Usl, WhatIf};

mod frame;
mod loess;
mod overlay;
pub mod wording;

pub(crate) use frame::{Frame, Mark, SMOOTHER};
pub use loess::loess;
pub use overlay::{Overlay, Series};

/// Unit of X where what is counted has no name.
pub(crate) const PER_S: &str = "1/s";

/// A fit of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct FitView {
    /// What was measured: a name of a file, a plan, a version.
    pub title: String,
    /// How it was read, or where it comes from; may be empty.
    pub subtitle: String,
    /// What N counts, in words; empty for the name of the dimension.
    pub n_label: String,
    /// Unit of X, such as `requests/s`; empty for `1/s`.
    pub x_unit: String,
    /// Version of nmax.
    pub nmax_version: String,
    /// The answer.
    pub analysis: Analysis,
}

impl FitView {
    /// What N counts, in words.
    pub fn n_label(&self) -> &str {
        n_label(&self.n_label, self.analysis.options.dimension)
    }

    /// Unit of X.
    pub fn x_unit(&self) -> &str {
        if self.x_unit.is_empty() { PER_S } else { &self.x_unit }
    }
}

/// What N counts, in words: as given, else the name of the dimension.
fn n_label(given: &str, dimension: Dimension) -> &str {
    match (given, dimension) {
        ("", Dimension::Vus) => "virtual users",
        ("", Dimension::InFlight) => "exchanges in flight",
        ("", Dimension::Rate) => "arrivals per second",
        ("", Dimension::Workers) => "workers",
        ("", Dimension::Injectors) => "injectors",
        ("", Dimension::Nodes) => "nodes",
        ("", Dimension::Threads) => "threads",
        ("", Dimension::Other) => "concurrency",
        (label, _) => label,
    }
}

/// A campaign: levels that were measured, and the law fitted to them.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaleView {
    /// The law over the first axis; with a second one that of its first value, and `versions` has them all.
    pub fit: FitView,
    /// Identity and origin.
    pub info: ScaleInfo,
    /// Every level in the order in which they were run, also those that were not used.
    pub levels: Vec<Level>,
    /// Which rule ended the campaign, as a sentence.
    pub stopped: String,
    /// Warnings and notes that belong to no level.
    pub notes: Vec<String>,
    /// The highest level that holds an objective.
    pub find: Option<FindResult>,
    /// Settings of the system under test, each with its best usable throughput.
    pub knobs: Vec<Knob>,
    /// Laws of the grid: one per value of the second axis.
    pub versions: Vec<Version>,
    /// The two laws of `versions` side by side: N injectors of one thread each, and one injector of N threads.
    pub sides: Option<CompareView>,
}

impl ScaleView {
    /// With a second axis: the law of each of its values, by its name. Without one there is none.
    pub(crate) fn laws(&self) -> Vec<(&str, FitView)> {
        let law = |version: &Version| FitView {
            title: self.fit.title.clone(),
            subtitle: version.name.clone(),
            n_label: self.fit.n_label.clone(),
            x_unit: self.fit.x_unit.clone(),
            nmax_version: self.fit.nmax_version.clone(),
            analysis: version.analysis.clone(),
        };
        let versions = self.versions.iter();
        versions.map(|version| (version.name.as_str(), law(version))).collect()
    }
}

/// Identity and origin of a campaign.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScaleInfo {
    /// Id of the campaign.
    pub id: String,
    /// Name of the plan.
    pub name: String,
    /// Address of the system under test.
    pub target: String,
    /// Beginning, RFC 3339 UTC.
    pub started_at: String,
    /// Of every choice.
    pub seed: u64,
    /// What is varied, as on the command line: `vus`, `rate`, `nodes`.
    pub axes: Vec<String>,
    /// What X counts: `requests`, `iterations`, `transaction:NAME`.
    pub count: String,
    /// Length of the measured part of a level, seconds.
    pub level_s: Option<f64>,
    /// Time that was given, seconds.
    pub budget_s: Option<f64>,
    /// Time that was taken, seconds.
    pub elapsed_s: Option<f64>,
    /// SHA-256 of the plan, if there is one.
    pub plan_sha256: String,
    /// Facts about the machine that ran it.
    pub machine: Vec<(String, String)>,
    /// Whether it was ended by a person before its own end.
    pub interrupted: bool,
}

/// One level of a campaign: a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// Place in the order of runs, from 1.
    pub number: usize,
    /// Why it was run: `ramp`, `refine`, `replicate`, `choice`, `repeat`.
    pub purpose: String,
    /// Setting of the second axis or of the knob; empty without.
    pub setting: String,
    /// What was asked for.
    pub level: f64,
    /// What the law is fitted over; `None` when it was not measured.
    pub n: Option<f64>,
    /// Throughput in the steady part, per second.
    pub x: Option<f64>,
    /// Mean response time, ms.
    pub r_ms: Option<f64>,
    /// `pass`, `fail`, `invalid`, or `refused` when the system broke down.
    pub verdict: String,
    /// Whether it was fitted.
    pub used: bool,
    /// Why it was not used, or what is to be kept in mind; may be empty.
    pub why: String,
    /// Resources that were full in the run, with how full; empty where none was, or nothing was observed.
    pub full: String,
    /// Directory of the run, below that of the campaign.
    pub run: String,
}

/// The answer to `--find`.
#[derive(Clone, Debug, PartialEq)]
pub struct FindResult {
    /// The objective as it was written.
    pub objective: String,
    /// Highest level that holds it; `None` when none did.
    pub level: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Throughput there, per second.
    pub x: Option<f64>,
    /// Runs that were made for it.
    pub runs: usize,
    /// The answer as a sentence.
    pub text: String,
}

/// A setting of the system under test with its best usable throughput.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knob {
    /// Name and value of each axis, such as `nodes` and `4`.
    pub values: Vec<(String, String)>,
    /// Load at which the throughput was best.
    pub load: Option<f64>,
    /// Best usable throughput, per second.
    pub x: Option<f64>,
    /// Mean response time there, ms.
    pub r_ms: Option<f64>,
    /// Runs that the throughput is the mean of.
    pub runs: usize,
    /// Price per hour, in whatever money was given.
    pub price_per_h: Option<f64>,
    /// Price of a million usable completions.
    pub price_per_million: Option<f64>,
    /// Why there is no throughput, or what is to be kept in mind; may be empty.
    pub why: String,
}

/// A named analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// Its name.
    pub name: String,
    /// What is said about it.
    pub analysis: Analysis,
}

/// Versions side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareView {
    /// What is compared.
    pub title: String,
    /// Version of nmax.
    pub nmax_version: String,
    /// What N counts, in words; empty for the name of the dimension.
    pub n_label: String,
    /// From the first to the last.
    pub versions: Vec<Version>,
    /// Each later version against the first.
    pub differences: Vec<Difference>,
    /// What makes the versions hard to compare; each a sentence.
    pub caveats: Vec<String>,
}

/// A measured law beside assumed ones.
#[derive(Clone, Debug, PartialEq)]
pub struct WhatIfView {
    /// What is assumed about.
    pub title: String,
    /// Version of nmax.
    pub nmax_version: String,
    /// The law that is known.
    pub base: Usl,
    /// Largest N that may be shown.
    pub n_max: f64,
    /// The assumed laws with their names, such as `assumed`, or `optimistic` and `realistic`.
    pub assumed: Vec<(String, Usl)>,
    /// What the law is measured from, if from a table.
    pub measured: Option<Analysis>,
    /// The load to come, week by week.
    pub weeks: Vec<Week>,
    /// What follows, and what is assumed, as sentences.
    pub notes: Vec<String>,
    /// N and X of the peak of the known law, where it may be said.
    pub peak: Option<(f64, f64)>,
    /// The same with the assumed coefficients.
    pub assumed_peak: Option<(f64, f64)>,
}

/// A week of growth.
#[derive(Clone, Debug, PartialEq)]
pub struct Week {
    /// From 0.
    pub week: u32,
    /// Load that is expected then.
    pub n: f64,
    /// Throughput by the known law and by each assumed one, per second; `None` beyond what may be shown.
    pub x: Vec<Option<f64>>,
}

impl Week {
    /// Which week it is, and its load.
    pub(crate) fn load(&self) -> String {
        format!("week {}: {}", self.week, wording::plain(self.n))
    }
}

/// Answers of a curve between the measurements, and a little beyond them.
#[derive(Clone, Debug)]
pub struct PredictView {
    /// The measurements, or the coefficients as given.
    pub name: String,
    /// Version of nmax.
    pub nmax_version: String,
    /// Where the answers come from.
    pub basis: Basis,
    /// In the order of the questions.
    pub predictions: Vec<Prediction>,
    /// How far to trust the answers; each a sentence.
    pub notes: Vec<String>,
}

impl PredictView {
    /// What stands behind the answers, in words.
    pub(crate) fn by(&self) -> String {
        match self.basis.by {
            By::Given => "the given coefficients".into(),
            By::Law(method) => format!("the law, fitted by {}", method.name()),
            By::Asked(model) => format!("the model {}, as asked for", model.name()),
            By::Leader(model) => format!("the model {}, which leads the law by more than 4 in AICc", model.name()),
            By::Collapsed(model) => format!("the model {}: the law's β is below 0, which no system has", model.name()),
        }
    }
}

impl CompareView {
    /// Versions compared with the first.
    pub fn new(versions: Vec<Version>, nmax_version: String) -> Self {
        Self::with(versions, nmax_version, "", |analysis| analysis)
    }

    /// Two ways to grow, whose N counts different things by intent.
    ///
    /// - `n_label`: what it counts, in words
    pub fn sides(versions: Vec<Version>, nmax_version: String, n_label: &str) -> Self {
        Self::with(versions, nmax_version, n_label, |mut analysis| {
            analysis.options.dimension = Dimension::Other;
            analysis
        })
    }

    fn with(versions: Vec<Version>, nmax_version: String, n_label: &str, of: fn(Analysis) -> Analysis) -> Self {
        let names: Vec<&str> = versions.iter().map(|version| version.name.as_str()).collect();
        let title = names.join(" against ");
        let pair = |version: &Version| (version.name.clone(), of(version.analysis.clone()));
        let Comparison { differences, caveats, .. } = nmax_usl::compare(&versions.iter().map(pair).collect::<Vec<_>>());
        Self { title, nmax_version, n_label: n_label.into(), versions, differences, caveats }
    }

    /// What N counts, in words.
    pub fn n_label(&self) -> &str {
        let first = self.versions.first().map(|version| version.analysis.options.dimension);
        n_label(&self.n_label, first.unwrap_or_default())
    }
}

impl WhatIfView {
    /// The answer to a question about a law that was measured, or given.
    pub fn new(
        title: String,
        nmax_version: String,
        outlook: &Outlook,
        measured: Option<Analysis>,
        question: &WhatIf,
    ) -> Self {
        let assumed = (!question.assumed.is_empty()).then_some(("assumed", outlook.assumed));
        let edges = [("optimistic", outlook.optimistic), ("realistic", outlook.realistic)];
        let edges = edges.into_iter().filter_map(|(name, law)| Some((name, law?)));
        let week = |week: &nmax_usl::Week| {
            let place = week.place;
            let own = (!question.assumed.is_empty()).then_some(place.assumed);
            let edges = [outlook.optimistic.map(|_| place.optimistic), outlook.realistic.map(|_| place.realistic)];
            Week {
                week: u32::try_from(week.week).unwrap_or(u32::MAX),
                n: place.n,
                x: std::iter::once(place.law).chain(own).chain(edges.into_iter().flatten()).collect(),
            }
        };
        Self {
            title,
            nmax_version,
            base: outlook.law,
            n_max: outlook.curve.last().map_or(1.0, |place| place.n),
            assumed: assumed.into_iter().chain(edges).map(|(name, law)| (name.into(), law)).collect(),
            measured,
            weeks: outlook.weeks.iter().map(week).collect(),
            notes: outlook.text.clone(),
            peak: outlook.peak,
            assumed_peak: outlook.assumed_peak,
        }
    }

    /// What N counts, in words.
    pub fn n_label(&self) -> &str {
        let measured = self.measured.as_ref().map(|analysis| analysis.options.dimension);
        n_label("", measured.unwrap_or_default())
    }

    /// What is known, then what is assumed; the names of assumptions say so.
    pub fn laws(&self) -> Vec<(String, Usl)> {
        let base = if self.measured.is_some() { "fitted" } else { "given" };
        let assumed = self.assumed.iter().map(|(name, law)| {
            let name = if name.contains("assumed") { name.clone() } else { format!("{name} (assumed)") };
            (name, *law)
        });
        std::iter::once((base.to_owned(), self.base)).chain(assumed).collect()
    }

    /// Throughput of a law at a load, per second; `None` where it may not be shown: beyond twice the largest one
    /// measured.
    pub fn throughput_at(&self, law: &Usl, n: f64) -> Option<f64> {
        let most = self.measured.as_ref().and_then(|analysis| Some(2.0 * analysis.best?.1));
        let is_shown = |x: &f64| x.is_finite() && *x >= 0.0 && most.is_none_or(|most| *x <= most);
        Some(law.throughput_at(n)).filter(is_shown)
    }

    /// Whole N, and the throughput by the known law and by each assumed one, per second, over the range that may be
    /// shown.
    pub fn curves(&self) -> Vec<(f64, Vec<Option<f64>>)> {
        const PLACES: f64 = 40.0;
        let laws = self.laws();
        let at = |n: f64| {
            let x = laws.iter().map(|(_, law)| self.throughput_at(law, n));
            (n, x.collect())
        };
        let last = self.n_max.max(1.0);
        let step = ((last - 1.0) / PLACES).ceil().max(1.0);
        let whole = (0..=PLACES as u32).map(|index| 1.0 + f64::from(index) * step);
        whole.take_while(|n| *n < last).chain([last]).map(at).collect()
    }
}
