//! The JSON of `nmax usl compare` and `nmax usl what-if`.

use nmax_json::{Map, Word, records};
use nmax_usl::{Change, Quantity, Usl};
use serde_json::Value;

use super::scale::Version;
use super::usl::{ABOUT, At};
use crate::scalability::{CompareView, Week, WhatIfView};

/// The answer of `nmax usl compare`.
pub fn compare(view: &CompareView) -> Value {
    nmax_json::value::<Compare, _>(view)
}

/// The schema of [`compare`]. Every key is required; what is unknown is null.
pub fn usl_compare_schema() -> Value {
    nmax_json::schema::<Compare>("nmax usl compare", ABOUT)
}

/// The answer of `nmax usl what-if`. Everything but `base` is assumed.
pub fn what_if(view: &WhatIfView) -> Value {
    nmax_json::value::<WhatIf, _>(view)
}

/// The schema of [`what_if`]. Every key is required; what is unknown is null.
pub fn usl_what_if_schema() -> Value {
    nmax_json::schema::<WhatIf>("nmax usl what-if", ABOUT)
}

const COEFFICIENTS: [&str; 4] = ["contention", "coherency", "unit throughput", "throughput"];

records! {
    struct Compare(view: &CompareView) {
        schema_version: nmax_json::Version = nmax_json::Version;
        nmax_version: String;
        title: String;
        versions: Vec<Version>, "The law of each, as of `nmax usl fit`.";
        differences: Vec<Difference>, "Of each later version from the first.";
        caveats: Vec<String>, "What makes the versions hard to compare.";
    }
    pub(super) struct Difference(of: &nmax_usl::Difference) {
        from: String, "The first version.";
        to: String, "A later one.";
        coefficient: Word = quantity(of.quantity).0, in COEFFICIENTS;
        value: Option<f64> = Some(of.difference.estimate + quantity(of.quantity).1),
            "Later less earlier of contention and coherency, later over earlier of throughputs.";
        low: Option<f64> = of.difference.low.map(|low| low + quantity(of.quantity).1),
            "Lower end of the 95 % interval; null without one.";
        high: Option<f64> = of.difference.high.map(|high| high + quantity(of.quantity).1);
        text: String;
        change: Word = of.change.name(), in Change::ALL.map(Change::name),
            "What the interval says; `not_seen`: it holds no difference.";
        before: Option<f64> = Some(of.before);
        after: Option<f64> = Some(of.after);
        degrees_of_freedom: Option<f64> = of.df, "Of the interval, by Welch and Satterthwaite.";
        #[serde(skip_serializing_if = "Option::is_none")] #[schemars(with = "f64")]
        at: Option<f64> = if let Quantity::ThroughputAt(n) = of.quantity { Some(n) } else { None },
            "N at which throughputs are compared; absent for coefficients.";
    }
    struct WhatIf(view: &WhatIfView) {
        schema_version: nmax_json::Version = nmax_json::Version;
        nmax_version: String;
        title: String;
        base: Law, "The law that was fitted, or given.";
        n_max: f64, "Largest N shown.";
        assumed: Vec<Assumed>, "Laws with other coefficients.";
        curves: Vec<Curve> = view.curves().into_iter().map(|(n, x)| (n, by_name(view, &x))).collect::<Vec<_>>();
        weeks: Vec<WeekRow> = view.weeks.iter().map(|week| (week, by_name(view, &week.x))).collect::<Vec<_>>(),
            "The load as it grows.";
        notes: Vec<String>;
        peak: Option<At> = view.peak, "Of the law; null where it must not be said, or there is none.";
        assumed_peak: Option<At> = view.assumed_peak, "The same of --alpha, --beta and --gamma.";
    }
    struct Law(law: &Usl) {
        alpha: f64 = law.contention;
        beta: f64 = law.coherency;
        gamma: f64 = law.unit_throughput;
    }
    struct Assumed(of: &(String, Usl)) {
        name: String = &of.0;
        law: Law = &of.1;
    }
    struct Curve(of: (f64, Map<Option<f64>>)) {
        n: f64 = of.0;
        x: Map<Option<f64>> = of.1, "X of `base` and of what is assumed, by name; null where nothing is said, beyond \
            twice what was measured.";
    }
    struct WeekRow(of: (&Week, Map<Option<f64>>)) {
        week: u64 = of.0.week;
        n: f64 = of.0.n;
        x: Map<Option<f64>> = of.1, "X of `base` and of what is assumed, by name; null where nothing is said, beyond \
            twice what was measured.";
    }
}

/// A coefficient, and what makes of its difference what is said: of throughputs, later over earlier.
const fn quantity(of: Quantity) -> (&'static str, f64) {
    match of {
        Quantity::Contention => ("contention", 0.0),
        Quantity::Coherency => ("coherency", 0.0),
        Quantity::UnitThroughput => ("unit throughput", 1.0),
        Quantity::ThroughputAt(_) => ("throughput", 1.0),
    }
}

fn by_name(view: &WhatIfView, x: &[Option<f64>]) -> Map<Option<f64>> {
    let names = std::iter::once("base").chain(view.assumed.iter().map(|(name, _)| name.as_str()));
    names.zip(x.iter().copied()).collect()
}
