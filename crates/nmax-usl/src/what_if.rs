//! What if: the law with other coefficients, and an envelope over weeks of growth. Everything here is assumed.

use crate::analysis::wording::{list, number};
use crate::analysis::{Analysis, CANNOT_FIT};
use crate::gate::BEYOND;
use crate::ladder;
use crate::law::Usl;
use crate::model::Model;

mod wording;

#[cfg(test)]
mod tests;

/// What every value of an outlook has to be labelled.
pub const LABEL: &str = "assumed";
/// Weeks that may be looked ahead.
const WEEKS_MAX: usize = 520;
/// Points of a curve.
const POINTS: usize = 60;
/// Range of a curve when nothing was measured and the law has no peak.
const RANGE_WITHOUT_DATA: f64 = 100.0;

/// Coefficients that are assumed instead of the fitted ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Override {
    /// α.
    pub contention: Option<f64>,
    /// β.
    pub coherency: Option<f64>,
    /// γ, per second.
    pub unit_throughput: Option<f64>,
}

impl Override {
    /// The law with these coefficients in the place of its own.
    pub fn on(&self, law: &Usl) -> Usl {
        Usl {
            contention: self.contention.unwrap_or(law.contention),
            coherency: self.coherency.unwrap_or(law.coherency),
            unit_throughput: self.unit_throughput.unwrap_or(law.unit_throughput),
        }
    }

    /// Whether it leaves the law as it is.
    pub const fn is_empty(&self) -> bool {
        self.contention.is_none() && self.coherency.is_none() && self.unit_throughput.is_none()
    }

    fn describe(&self, law: &Usl) -> String {
        let coefficients = [
            ("α", self.contention, law.contention),
            ("β", self.coherency, law.coherency),
            ("γ", self.unit_throughput, law.unit_throughput),
        ];
        let changed = coefficients
            .into_iter()
            .filter_map(|(name, value, own)| Some(format!("{name} = {} instead of {}", number(value?), number(own))));
        list(changed)
    }
}

/// Load that grows week by week.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Growth per week as a share: .03 is 3 %.
    pub per_week: f64,
    /// Weeks to look ahead.
    pub weeks: usize,
    /// N today.
    pub load: f64,
}

/// What is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WhatIf {
    /// Coefficients to assume.
    pub assumed: Override,
    /// The better edge of the envelope.
    pub optimistic: Option<Override>,
    /// The edge that is rather expected.
    pub realistic: Option<Override>,
    /// Load over weeks.
    pub growth: Option<Growth>,
}

/// What was measured, which limits what may be said: twice either of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The largest N measured.
    pub n_hi: f64,
    /// The largest X measured, per second.
    pub x_max: f64,
    /// Whether the data bear a peak of the law, as its gate says; else that peak is not said.
    pub bears_peak: bool,
}

impl Measured {
    /// Of what was fitted.
    pub fn from_analysis(analysis: &Analysis) -> Self {
        let n_hi = analysis.observations.iter().map(|one| one.n).fold(0.0, f64::max);
        Self { n_hi, x_max: analysis.best.map_or(0.0, |(_, x)| x), bears_peak: analysis.peak.is_some() }
    }
}

/// The fitted law to begin with, else why there is none. A β below 0 is none of a system: Amdahl's curve takes its place.
pub fn base(analysis: &Analysis) -> Result<Usl, String> {
    if let Some(why) = analysis.blocked() {
        return Err(why);
    }
    let law = analysis.fit.as_ref().map(|fit| fit.law).filter(|law| law.coherency >= 0.0);
    let amdahl = || ladder::rung(&analysis.ladder, Model::Amdahl)?.curve.law();
    law.or_else(amdahl).ok_or_else(|| CANNOT_FIT.to_owned())
}

/// The answer. All of it is assumed, except the column of the law as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook {
    /// Always [`LABEL`].
    pub label: &'static str,
    /// The law as it was given.
    pub law: Usl,
    /// The law with the assumed coefficients.
    pub assumed: Usl,
    /// The law at the better edge.
    pub optimistic: Option<Usl>,
    /// The law at the edge that is rather expected.
    pub realistic: Option<Usl>,
    /// Peak of the law as it was (N, X), where it may be said.
    pub peak: Option<(f64, f64)>,
    /// Peak with the assumed coefficients, where it may be said.
    pub assumed_peak: Option<(f64, f64)>,
    /// Curves to twice the largest N measured.
    pub curve: Vec<CurvePoint>,
    /// Weeks of growth, from this one.
    pub weeks: Vec<Week>,
    /// What was assumed and what follows; each a sentence that says so.
    pub text: Vec<String>,
}

/// One N of the curves; throughput per second, `None` where it may not be said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// N.
    pub n: f64,
    /// By the law as it was.
    pub law: Option<f64>,
    /// With the assumed coefficients.
    pub assumed: Option<f64>,
    /// At the better edge.
    pub optimistic: Option<f64>,
    /// At the edge that is rather expected.
    pub realistic: Option<f64>,
}

/// One week of growth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Week {
    /// Weeks from now.
    pub week: usize,
    /// Throughput at the N of that week.
    pub place: CurvePoint,
}

/// A question that has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WhatIfError {
    /// A coefficient out of range.
    #[error("{name} = {value} cannot be assumed: {why}")]
    Coefficient {
        /// Which.
        name: &'static str,
        /// What was given.
        value: f64,
        /// Why not.
        why: &'static str,
    },
    /// The law would be infinite within the range.
    #[error("the {name} law has a pole at or below N = {n_max}: its α and β lie too far below 0")]
    Pole {
        /// Which law.
        name: &'static str,
        /// Where the range ends.
        n_max: f64,
    },
    /// Growth that cannot be followed.
    #[error(
        "growth of {per_week} a week from N = {load} over {weeks} weeks cannot be followed: growth must lie above -1, N be at least 1, and weeks be at most 520"
    )]
    Growth {
        /// Share per week.
        per_week: f64,
        /// N today.
        load: f64,
        /// Weeks.
        weeks: usize,
    },
}

/// Answers a question about a law; with `measured`, nothing is said beyond twice what was measured.
///
/// All errors at once. Law: `capacity_of_changed_coefficients` (published values), `nothing_beyond_twice_the_data`.
pub fn what_if(law: &Usl, measured: Option<Measured>, question: &WhatIf) -> Result<Outlook, Vec<WhatIfError>> {
    let assumed = question.assumed.on(law);
    let optimistic = question.optimistic.map(|edge| edge.on(law));
    let realistic = question.realistic.map(|edge| edge.on(law));
    let laws =
        [("given", Some(*law)), ("assumed", Some(assumed)), ("optimistic", optimistic), ("realistic", realistic)];
    let mut errors: Vec<WhatIfError> = laws.iter().filter_map(|(_, law)| law.as_ref()).flat_map(coefficients).collect();
    errors.dedup();
    errors.extend(question.growth.and_then(growth_error));
    if !errors.is_empty() {
        return Err(errors);
    }
    let n_max = range(measured, [Some(*law), Some(assumed), optimistic, realistic]);
    let poles = laws.iter().filter(|(_, law)| law.is_some_and(|law| law.has_pole(n_max)));
    let poles: Vec<WhatIfError> = poles.map(|(name, _)| WhatIfError::Pole { name, n_max }).collect();
    if !poles.is_empty() {
        return Err(poles);
    }
    let limit = Limit { n_max, x_max: measured.map_or(f64::INFINITY, |measured| BEYOND * measured.x_max) };
    let place = |n: f64| CurvePoint {
        n,
        law: limit.throughput(law, n),
        assumed: limit.throughput(&assumed, n),
        optimistic: optimistic.and_then(|law| limit.throughput(&law, n)),
        realistic: realistic.and_then(|law| limit.throughput(&law, n)),
    };
    let weeks: Vec<Week> = question.growth.map_or_else(Vec::new, |growth| {
        let load = |week: usize| growth.load * (1.0 + growth.per_week).powi(week as i32);
        (0..=growth.weeks).map(|week| Week { week, place: place(load(week)) }).collect()
    });
    let mut outlook = Outlook {
        label: LABEL,
        law: *law,
        assumed,
        optimistic,
        realistic,
        peak: limit.peak(law).filter(|_| bears_peak(measured, &Override::default())),
        assumed_peak: limit.peak(&assumed).filter(|_| bears_peak(measured, &question.assumed)),
        curve: (0..=POINTS).map(|i| place(1.0 + (n_max - 1.0) * i as f64 / POINTS as f64)).collect(),
        weeks,
        text: Vec::new(),
    };
    outlook.text = wording::text(&outlook, measured, question);
    Ok(outlook)
}

fn coefficients(law: &Usl) -> Vec<WhatIfError> {
    let checks = [
        ("α", law.contention, law.contention.is_finite() && law.contention <= 1.0, "it is a share, at most 1"),
        ("β", law.coherency, law.coherency.is_finite() && law.coherency >= 0.0, "a cost is not below 0"),
        (
            "γ",
            law.unit_throughput,
            law.unit_throughput.is_finite() && law.unit_throughput > 0.0,
            "one unit does some work, per second",
        ),
    ];
    let wrong = checks.into_iter().filter(|(_, _, is_right, _)| !is_right);
    wrong.map(|(name, value, _, why)| WhatIfError::Coefficient { name, value, why }).collect()
}

fn growth_error(growth: Growth) -> Option<WhatIfError> {
    let Growth { per_week, weeks, load } = growth;
    let last = load * (1.0 + per_week).powi(weeks.min(WEEKS_MAX) as i32);
    let is_right = per_week > -1.0 && weeks <= WEEKS_MAX && load >= 1.0 && last.is_finite();
    (!is_right).then_some(WhatIfError::Growth { per_week, load, weeks })
}

/// Twice the largest N measured; without data twice the farthest peak.
fn range(measured: Option<Measured>, laws: [Option<Usl>; 4]) -> f64 {
    match measured {
        Some(measured) => (BEYOND * measured.n_hi).max(1.0),
        None => {
            let peaks = laws.into_iter().flatten().filter_map(|law| law.peak_concurrency());
            let farthest = peaks.filter(|n| n.is_finite()).fold(0.0, f64::max);
            if farthest > 1.0 { BEYOND * farthest } else { RANGE_WITHOUT_DATA }
        }
    }
}

/// Whether the peak of the law with these changes may be said: it rests on β above all, so either the data bear it, or
/// β is assumed. With no changes it is the peak of the law as it was.
fn bears_peak(measured: Option<Measured>, changes: &Override) -> bool {
    changes.coherency.is_some() || measured.is_none_or(|measured| measured.bears_peak)
}

/// How far one may speak.
struct Limit {
    n_max: f64,
    x_max: f64,
}

impl Limit {
    fn throughput(&self, law: &Usl, n: f64) -> Option<f64> {
        let x = (1.0..=self.n_max).contains(&n).then(|| law.throughput_at(n))?;
        (x > 0.0 && x <= self.x_max && x.is_finite()).then_some(x)
    }

    fn peak(&self, law: &Usl) -> Option<(f64, f64)> {
        let n = law.peak_concurrency()?;
        Some((n, self.throughput(law, n)?))
    }
}
