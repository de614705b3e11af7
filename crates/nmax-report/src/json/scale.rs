//! The JSON of a campaign: that of its fit, with the levels behind it.

use nmax_json::{JsonFrom, Map, records};
use serde_json::Value;

use super::usl::{ABOUT, Analysis, Head};
use super::versions::Difference;
use crate::scalability::{self, CompareView, ScaleInfo, ScaleView, wording};

/// `scale.json` and the answer of `nmax scale`; [`scale_schema`] describes it.
pub fn scale(view: &ScaleView) -> Value {
    nmax_json::value::<Scale, _>(view)
}

/// The schema of `scale.json` and `nmax scale --json`: that of a fit, with the levels behind it.
pub fn scale_schema() -> Value {
    nmax_json::schema::<Scale>("scale.json of nmax", ABOUT)
}

/// A line of `levels.jsonl`, and an entry of `levels`.
pub fn level(level: &scalability::Level) -> Value {
    nmax_json::value::<Level, _>(level)
}

records! {
    struct Scale(view: &ScaleView) {
        #[serde(flatten)] head: Head = &view.fit;
        #[serde(flatten)] analysis: Analysis = analysis(view);
        run: Run = &view.info;
        stopped: String, "Which rule ended the campaign.";
        notes: Vec<String>;
        find: Option<FindAnswer>, "The answer to --find.";
        knobs: Vec<Knob>;
        versions: Vec<Version>, "One law per value of the second axis.";
        sides: Option<Sides> = view.sides.as_ref().map(|of| (wording::sides(view).unwrap_or_default(), of)),
            "N injectors of one thread each against one injector of N threads; null where these were not compared.";
        levels: Vec<Level>, "In the order in which they were run.";
    }
    struct Sides(of: (String, &CompareView)) {
        text: String = of.0;
        differences: Vec<Difference> = &of.1.differences, "Of one injector's threads from injectors.";
        caveats: Vec<String> = &of.1.caveats;
    }
    struct Run(info: &ScaleInfo) {
        id: String;
        name: String;
        target: String;
        started_at: String;
        seed: u64;
        axes: Vec<String>;
        count: String, "What X counts.";
        level_s: Option<f64>;
        budget_s: Option<f64>;
        elapsed_s: Option<f64>;
        plan_sha256: String;
        machine: Map<String>;
        interrupted: bool;
    }
    struct FindAnswer(found: &scalability::FindResult) {
        objective: String;
        level: Option<f64>, "Highest level that holds it; null when none did.";
        low: Option<f64>;
        high: Option<f64>;
        x: Option<f64>;
        runs: u64;
        text: String;
    }
    struct Knob(knob: &scalability::Knob) {
        values: Map<String>;
        load: Option<f64>, "At which the throughput was best.";
        x: Option<f64>;
        r_ms: Option<f64>;
        runs: u64;
        price_per_h: Option<f64>;
        price_per_million: Option<f64>, "Of a million usable completions.";
        why: String;
    }
    pub(super) struct Version(version: &scalability::Version) {
        name: String;
        #[serde(flatten)] analysis: Analysis;
    }
    struct Level(level: &scalability::Level) {
        number: u64;
        purpose: String;
        setting: String;
        level: f64, "What was asked for.";
        n: Option<f64>, "What the law is fitted over.";
        x: Option<f64>;
        r_ms: Option<f64>;
        verdict: String;
        used: bool, "Whether it was fitted.";
        why: String;
        full: String, "Resources that were full in the run; empty where none was, or nothing was observed.";
        run: String;
    }
}

/// With a second axis the law is that of its first value, and its sentence says so.
fn analysis(view: &ScaleView) -> Analysis {
    let analysis = Analysis::json_from(&view.fit.analysis);
    match view.versions.first() {
        Some(first) => analysis.of_one(&first.name),
        None => analysis,
    }
}
