//! The JSON of fits and predictions. Numbers keep all their digits; unknown = null.

use nmax_json::{Map, Version, Word, records};
use nmax_usl::gate::BEYOND;
use nmax_usl::predict::By;
use nmax_usl::{Code, Dimension, Effect, Fit, Method, Model, Question, Reading, Regression, Sign, Zone};
use serde_json::Value;

use crate::scalability::{FitView, PredictView, wording};

/// Points of a document at most: a million of them would be hundreds of megabytes.
const POINTS_MAX: usize = 10_000;

/// What all answers about fits have in common.
pub(super) const ABOUT: &str = "Throughputs are per second, times milliseconds. Unknown is null, never 0.";

/// The answer of `nmax usl fit`; [`usl_schema`] describes it.
pub fn usl(view: &FitView) -> Value {
    nmax_json::value::<Usl, _>(view)
}

/// The schema of `nmax usl fit --json`. Every key is required; what is unknown is null.
pub fn usl_schema() -> Value {
    nmax_json::schema::<Usl>("The law of scalability, fitted by nmax", ABOUT)
}

/// A model that was asked for by name, beside the law: the value of `asked_model`. `None` where it cannot be fitted.
pub fn asked_model(analysis: &nmax_usl::Analysis, model: Model) -> Value {
    nmax_json::value::<Option<Rung>, _>(analysis.ladder.iter().find(|rung| rung.model == model))
}

/// The answer of `nmax usl predict`; [`usl_predict_schema`] describes it.
pub fn predict(view: &PredictView) -> Value {
    nmax_json::value::<Predict, _>(view)
}

/// The schema of `nmax usl predict --json`.
pub fn usl_predict_schema() -> Value {
    nmax_json::schema::<Predict>("nmax usl predict", "")
}

records! {
    struct Usl(view: &FitView) {
        #[serde(flatten)] head: Head = view;
        #[serde(flatten)] analysis: Analysis;
        asked_model: Option<Rung> = None::<&nmax_usl::Rung>,
            "The model that `--model` asked for; null when none was, or when it cannot be fitted.";
    }
    pub(super) struct Head(view: &FitView) {
        schema_version: Version = Version;
        nmax_version: String;
        title: String;
        subtitle: String, "How the data were read, or where they come from.";
        n_label: String = view.n_label(), "What N counts, in words.";
        x_unit: String = view.x_unit(), "Unit of X, per second.";
    }
    pub(super) struct Analysis(of: &nmax_usl::Analysis) {
        model: Word = wording::winner(of.winner), in [&Model::ALL.map(Model::name)[..], &["not_distinguishable"]].concat(),
            "The model that leads every other by more than 4 AICc.";
        method: Word = of.options.method.name(), in Method::ALL.map(Method::name);
        regression: Word = of.options.regression.name(), in Regression::ALL.map(Regression::name),
            "What was fitted: X on N, or R on X where the load was open and N is X·(R + Z).";
        dimension: Word = of.options.dimension.name(), in Dimension::ALL.map(Dimension::name);
        think_ms: f64 = of.options.think_s * 1e3;
        n: u64 = of.observations.len(), "Observations fitted.";
        alpha: Option<Estimate> = of.fit.as_ref().map(|fit| &fit.contention),
            "Contention, by the chosen method, whichever model leads.";
        beta: Option<Estimate> = of.fit.as_ref().map(|fit| &fit.coherency), "Coherency.";
        gamma: Option<Estimate> = of.fit.as_ref().map(|fit| &fit.unit_throughput), "Throughput of one unit.";
        alpha_sign: Option<Word> = of.contention_sign.map(Sign::name), in Sign::ALL.map(Sign::name);
        beta_sign: Option<Word> = of.coherency_sign.map(Sign::name), in Sign::ALL.map(Sign::name);
        at_bound: Vec<Word> = of.fit.as_ref().map_or(vec![], |fit| fit.at_bound.clone()),
            "Coefficients that a bound decided.";
        converged: Option<bool> = of.fit.as_ref().map(|fit| fit.converged);
        rss: Option<f64> = of.fit.as_ref().map(|fit| fit.rss),
            "Residual sum of squares, of ln X by the method `log`, else of X.";
        residual_sd: Option<f64> = of.fit.as_ref().and_then(Fit::residual_sd);
        r_squared: Option<f64> = of.fit.as_ref().map(|fit| fit.r_squared), "Of X; it decides nothing.";
        best: Option<At> = of.best, "The largest throughput measured.";
        observed_peak: Option<ObservedPeak>, "The largest throughput, when N on both sides was lower beyond noise.";
        peak: Option<Peak>, "Of the law; null when a condition for it fails.";
        peak_refused: Vec<String> = refused(of), "Why there is no peak of the law.";
        gate: Vec<Hold>;
        limit: Option<Estimate> = &of.roof, "Gamma over alpha: the roof without coherency.";
        optimum: Option<Estimate>, "1 over alpha: where the linear line meets the roof.";
        class: Word = wording::class(of.class), in ["A", "B", "C", "D", "undetermined"];
        class_text: String;
        demand: Option<Demand> = &of.options.demand, "Busy time per completion of the most demanding resource.";
        ceiling: Option<Ceiling>, "The law beside the most demanding resource.";
        ladder: Vec<Rung>;
        findings: Vec<Finding>;
        left_out: Vec<u64>, "Rows that were not fitted, from 1.";
        headline: String = of.headline.text.as_str(), "What was found, in one line.";
        advice: String = of.headline.advice.as_str(), "The load to run at, or how to find it.";
        meaning: Vec<String> = of.meaning.to_vec(), "Three sentences.";
        points_total: u64 = of.points.len(), "Points that there are.";
        points: Vec<Point> = shown(&of.points).collect::<Vec<_>>(), "In the order of N; of more than 10,000 every few, \
            the first and the last among them. The CSV file has all.";
    }
    #[schemars(rename = "estimate")]
    shared Estimate(of: &nmax_usl::Estimate) {
        estimate: f64;
        low: Option<f64>, "Lower end of the 95 % interval; null without one.";
        high: Option<f64>;
        at_bound: bool, "A bound decided the value, and not the data.";
    }
    pub(super) struct At(at: (f64, f64)) {
        concurrency: f64 = at.0;
        throughput: f64 = at.1;
    }
    pub(super) struct ObservedPeak(peak: &nmax_usl::ObservedPeak) {
        concurrency: f64;
        throughput: f64;
        between: [f64; 2] = peak.between;
    }
    pub(super) struct Peak(peak: &nmax_usl::LawPeak) {
        concurrency: Estimate;
        throughput: Estimate;
        integer: At = peak.integer, "The better of the integers beside it.";
        alternative: Option<At> = peak.alternative,
            "Peak of the ln-variant, when it explains the data nearly as well.";
        alternative_is_beyond: bool, "The ln-variant does, and puts its peak beyond twice what was measured.";
    }
    pub(super) struct Hold(hold: &nmax_usl::Hold) {
        name: Word;
        holds: bool;
        text: String;
    }
    pub(super) struct Demand(demand: &nmax_usl::Demand) {
        name: String;
        ms: Estimate = &in_ms(&demand.seconds);
    }
    pub(super) struct Ceiling(ceiling: &nmax_usl::Ceiling) {
        name: String;
        throughput: Estimate;
        reading: Option<Word> = ceiling.reading.map(Reading::name), in Reading::ALL.map(Reading::name);
        text: String;
    }
    pub(super) struct Rung(rung: &nmax_usl::Rung) {
        model: Word = rung.model.name(), in Model::ALL.map(Model::name);
        k: u64, "Parameters, the variance included.";
        aicc: Option<f64> = Some(rung.aicc), "Null when there are too few observations.";
        delta: Option<f64> = Some(rung.delta), "Distance to the best.";
        rss: Option<f64> = Some(rung.rss), "Residual sum of squares of ln X.";
        coefficients: Map<Option<f64>> =
            rung.curve.coefficients().into_iter().map(|(name, value)| (name.name(), Some(value))).collect::<Map<_>>();
    }
    pub(super) struct Finding(finding: &nmax_usl::Finding) {
        code: Word = finding.code.name(), in Code::ALL.map(Code::name);
        effect: Word = finding.effect.name(), in Effect::ALL.map(Effect::name);
        rows: Vec<u64>, "From 1.";
        text: String;
    }
    pub(super) struct Point(point: &nmax_usl::Point) {
        row: u64, "Of the data, from 1.";
        n: Option<f64> = Some(point.n);
        x: Option<f64> = Some(point.x);
        r: Option<f64> = point.r_s.map(|s| s * 1e3),
            "Mean response time, ms; N/X less the think time when it was not measured.";
        capacity: Option<f64>, "X over X(1).";
        efficiency: Option<f64>, "X over N X(1); null when X(1) was not measured.";
        efficiency_of_law: Option<f64>, "X over gamma N.";
        fitted: Option<f64>, "X by the law.";
        band: Option<[f64; 2]> = point.band, "95 % band of the law's mean.";
        residual: Option<f64>, "Of ln X by the method `log`, else of X.";
        zone: Option<Word> = point.zone.map(Zone::name), in Zone::ALL.map(Zone::name), "Above, on or below the Amdahl bound.";
    }
    struct Predict(view: &PredictView) {
        schema_version: Version = Version;
        nmax_version: String;
        name: String, "The measurements, or the coefficients as given.";
        model: Word = model(view.basis.by), in Model::ALL.map(Model::name);
        method: Option<Word> = if let By::Law(method) = view.basis.by { Some(method.name()) } else { None },
            in Method::ALL.map(Method::name), "Of the fit; null where no fit of the law is used.";
        by: String = view.by(), "The same in words.";
        coefficients: Map<Estimate> =
            view.basis.coefficients().iter().map(|(name, value)| (name.name(), Estimate::json_from(value))).collect::<Map<_>>(),
            "`alpha`, `beta`, `gamma` or `cap`, as the model has them.";
        think_time_ms: f64 = view.basis.think_s * 1e3;
        measured: Option<Measured> = &view.basis.measured, "Null where the coefficients were given.";
        predictions: Vec<Prediction>, "In the order of the questions.";
        notes: Vec<String>;
    }
    struct Measured(measured: &nmax_usl::what_if::Measured) {
        concurrency: f64 = measured.n_hi, "Largest N measured.";
        throughput: f64 = measured.x_max;
        concurrency_limit: f64 = BEYOND * measured.n_hi, "Nothing is predicted beyond it.";
        throughput_limit: f64 = BEYOND * measured.x_max;
    }
    struct Prediction(of: &nmax_usl::Prediction) {
        asked: Map<f64> = [asked(&of.asked)].into_iter().collect::<Map<_>>(),
            "One of `concurrency`, `throughput` and `response_time_ms`.";
        concurrency: Option<Estimate> = &of.n;
        throughput: Option<Estimate> = &of.x;
        response_time_ms: Option<Estimate> = of.r_s.as_ref().map(in_ms).as_ref();
        efficiency: Option<Estimate>, "X over γN, 1 where each unit adds as much as the first.";
        also_at: Option<f64>, "The other N with this throughput, behind the peak.";
        refused: Option<String>, "Why nothing is predicted; null when something is.";
    }
}

impl Analysis {
    /// With its sentence said of one of several.
    pub(super) fn of_one(mut self, name: &str) -> Self {
        self.meaning[0] = format!("{name}: {}", self.meaning[0]);
        self
    }
}

/// Points as far as a document has room for them: all, else every few in the order of N, the first and the last among
/// them. The CSV file has all.
fn shown(points: &[nmax_usl::Point]) -> impl Iterator<Item = &nmax_usl::Point> {
    let stride = points.len().div_ceil(POINTS_MAX).max(1);
    let last = points.len().saturating_sub(1);
    let chosen = points.iter().enumerate();
    chosen.filter(move |(index, _)| index % stride == 0 || *index == last).map(|(_, point)| point)
}

/// Why the peak of the law is not given; empty when it is.
fn refused(analysis: &nmax_usl::Analysis) -> Vec<String> {
    match (&analysis.peak, wording::refusals(analysis)) {
        (Some(_), _) => Vec::new(),
        (None, reasons) if reasons.is_empty() => vec!["no fit: the findings say why".into()],
        (None, reasons) => reasons,
    }
}

fn model(by: By) -> &'static str {
    match by {
        By::Given | By::Law(_) => "usl",
        By::Asked(model) | By::Leader(model) | By::Collapsed(model) => model.name(),
    }
}

fn asked(question: &Question) -> (&'static str, f64) {
    match question {
        Question::Concurrency(n) => ("concurrency", *n),
        Question::Throughput(x) => ("throughput", *x),
        Question::ResponseTime(r_s) => ("response_time_ms", r_s * 1e3),
    }
}

fn in_ms(of: &nmax_usl::Estimate) -> nmax_usl::Estimate {
    let ms = |end: Option<f64>| end.map(|end| end * 1e3);
    nmax_usl::Estimate { estimate: of.estimate * 1e3, low: ms(of.low), high: ms(of.high), at_bound: of.at_bound }
}
