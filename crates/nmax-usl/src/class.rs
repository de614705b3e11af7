//! Signs of the coefficients, and the class of a system.

use crate::analysis::levels::Level;
use crate::analysis::spread::Spread;
use crate::analysis::wording::{interval, list, number, percent};
use crate::fit::{Estimate, Fit, Regression};
use crate::ladder::{LEAD, Rung, Winner, leads, least};
use crate::model::{Curve, Model};

/// Share of D at the largest N that a coefficient may add and still be called negligible.
pub const NEGLIGIBLE_SHARE: f64 = 0.05;
/// Share of D at the largest N that is rounding.
const ROUNDING_SHARE: f64 = 1e-6;
/// Places tried for the run that would decide.
const PLACES: usize = 200;

/// Whether a coefficient with its interval is no more than rounding of the arithmetic: no measurement sees a millionth of
/// D(N_hi). `share` is what a value of it adds to D(N_hi), as a share of D(N_hi).
pub(crate) fn is_rounding(estimate: &Estimate, share: impl Fn(f64) -> f64) -> bool {
    let ends = [Some(estimate.estimate), estimate.low, estimate.high];
    ends.into_iter().flatten().all(|end| share(end).abs() <= ROUNDING_SHARE)
}

/// What an interval says about a coefficient. `share` is what a value of it adds to D(N_hi), as a share of D(N_hi).
pub fn sign(estimate: &Estimate, share: impl Fn(f64) -> f64) -> Option<Sign> {
    let low = estimate.low?;
    let sign = match estimate.high {
        Some(_) if is_rounding(estimate, &share) => Sign::Negligible,
        _ if low > 0.0 => Sign::Positive,
        Some(high) if high < 0.0 => Sign::Negative,
        Some(high) if share(high) <= NEGLIGIBLE_SHARE => Sign::Negligible,
        _ => Sign::Undetermined,
    };
    Some(sign)
}

/// What may be said about the class.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judged {
    pub contention: Option<Sign>,
    pub coherency: Option<Sign>,
    pub class: Option<Class>,
    pub text: String,
}

/// A coefficient that is judged.
struct Coefficient<'a> {
    name: &'static str,
    index: usize,
    estimate: &'a Estimate,
    share_high: f64,
    sign: Sign,
}

/// Judges signs and class. `blocked` names the findings that forbid any conclusion.
pub(crate) fn judge(
    fit: Option<&Fit>,
    levels: &[Level],
    ladder: &[Rung],
    winner: Winner,
    blocked: &[&'static str],
) -> Judged {
    let undecided = |text: String| Judged { contention: None, coherency: None, class: None, text };
    let (Some(fit), Some(last)) = (fit, levels.last()) else {
        return undecided("Without a fit of the law there is no class.".to_owned());
    };
    let (n, d) = (last.n, fit.law.denominator_at(last.n));
    let shares = [|v: f64, n: f64, d: f64| v * (n - 1.0) / d, |v, n, d| v * n * (n - 1.0) / d];
    let coefficient = |index: usize, name, estimate| {
        let share = |value| shares[index](value, n, d);
        Some(Coefficient { name, index, estimate, share_high: share(estimate.high?), sign: sign(estimate, share)? })
    };
    let alpha = coefficient(0, "contention α", &fit.contention);
    let beta = coefficient(1, "coherency β", &fit.coherency);
    let (Some(alpha), Some(beta)) = (alpha, beta) else {
        let why = if fit.n <= fit.k {
            "at least 4 runs are needed"
        } else if fit.at_bound.is_empty() {
            "the data do not determine the coefficients"
        } else {
            "a bound decided a coefficient"
        };
        return undecided(format!("Without intervals of α and β there is no class: {why}."));
    };
    let (class, text) = if fit.regression == Regression::ResponseTime {
        let text = "No class is said: R was fitted on X, and no other model is held against the law.";
        (None, text.to_owned())
    } else if blocked.is_empty() {
        decide(fit, n, &alpha, &beta, ladder, winner)
    } else {
        (None, format!("No class is said, since the data forbid it: {}.", blocked.join(", ")))
    };
    Judged { contention: Some(alpha.sign), coherency: Some(beta.sign), class, text }
}

fn decide(
    fit: &Fit,
    n_hi: f64,
    alpha: &Coefficient,
    beta: &Coefficient,
    ladder: &[Rung],
    winner: Winner,
) -> (Option<Class>, String) {
    if winner == Winner::One(Model::Knee) {
        return (None, capped(ladder));
    }
    let open = [alpha, beta].into_iter().filter(|one| one.sign == Sign::Undetermined);
    let open: Vec<&Coefficient> = open.collect();
    if !open.is_empty() {
        return (None, open_text(fit, n_hi, &open));
    }
    let class = match (alpha.sign, beta.sign) {
        (Sign::Negative, _) | (_, Sign::Negative) => return (None, negative_text(alpha, beta)),
        (Sign::Negligible, Sign::Negligible) => Class::A,
        (Sign::Positive, Sign::Negligible) => Class::B,
        (Sign::Negligible, _) => Class::C,
        (_, _) => Class::D,
    };
    if family_leads(class, ladder) {
        return (Some(class), class_text(class).to_owned());
    }
    let text = format!(
        "The intervals of α and β would make it class {class:?}, but another model explains the data about as well \
         (no lead of more than {LEAD} in AICc). Runs at more and at larger N tell them apart."
    );
    (None, text)
}

/// Whether the models of a class lead all others.
///
/// A richer model that contains the simpler one cannot trail it by more than the price of a coefficient, which AICc
/// puts below the lead from about a dozen runs on. Such a model must only not lead: the interval has already called what
/// it adds negligible.
fn family_leads(class: Class, ladder: &[Rung]) -> bool {
    let (family, richer): (&[Model], &[Model]) = match class {
        Class::A => (&[Model::Linear], &[Model::Amdahl, Model::Usl, Model::Ln, Model::Knee]),
        Class::B => (&[Model::Amdahl], &[Model::Usl, Model::Ln]),
        Class::C | Class::D => (&[Model::Usl, Model::Ln], &[]),
    };
    let own = least(ladder, |model| family.contains(&model));
    let rivals = |model| !family.contains(&model) && !richer.contains(&model);
    own.is_finite() && leads(ladder, family, rivals) && own <= least(ladder, |model| richer.contains(&model))
}

fn capped(ladder: &[Rung]) -> String {
    match crate::ladder::rung(ladder, Model::Knee).map(|rung| rung.curve) {
        Some(Curve::Knee { cap, .. }) => format!(
            "Unclassified: throughput is capped at {}/s by one resource. The law does not model a hard cap.",
            number(cap)
        ),
        _ => String::new(),
    }
}

fn open_text(fit: &Fit, n_hi: f64, open: &[&Coefficient]) -> String {
    let each = open.iter().map(|coefficient| {
        format!(
            "{} is {}{}; its upper end would add {} to D at N = {}",
            coefficient.name,
            number(coefficient.estimate.estimate),
            interval(coefficient.estimate),
            percent(coefficient.share_high),
            number(n_hi),
        )
    });
    let mut deciding: Vec<f64> = open.iter().filter_map(|one| deciding_n(fit, n_hi, one.index)).collect();
    deciding.dedup();
    let more = match deciding.as_slice() {
        [] => String::new(),
        [n] => {
            format!(" One more run at N = {} narrows {} most.", number(*n), if open.len() > 1 { "them" } else { "it" })
        }
        several => format!(" One more run each at N = {} narrows them most.", list(several.iter().map(|n| number(*n)))),
    };
    format!("Undetermined: {}.{more}", each.collect::<Vec<_>>().join(". "))
}

fn negative_text(alpha: &Coefficient, beta: &Coefficient) -> String {
    if beta.sign == Sign::Negative {
        return "No class: coherency β lies below 0, which no system has; the data bend upwards at large N.".to_owned();
    }
    debug_assert_eq!(alpha.sign, Sign::Negative);
    "No class: contention α lies below 0, so efficiency rises above 100 % before it falls (superlinear).".to_owned()
}

const fn class_text(class: Class) -> &'static str {
    match class {
        Class::A => "Class A: neither contention nor coherency can be seen, as in shared-nothing systems.",
        Class::B => "Class B: contention without coherency, as in messaging and transaction monitors.",
        Class::C => "Class C: coherency without contention, as in scientific computing and analytics.",
        Class::D => "Class D: contention and coherency, as in systems with shared writes.",
    }
}

/// The N up to twice the largest at which one more run shrinks the variance of a coefficient most.
///
/// ```text
/// reduction(N) = (uᵀ·C·f(N))² / (s² + f(N)ᵀ·C·f(N))
/// ```
///
/// - C: covariance of the coefficients; f(N): gradient of the fitted value; u: unit vector of the coefficient
pub(crate) fn deciding_n(fit: &Fit, n_hi: f64, index: usize) -> Option<f64> {
    let spread = Spread::from_fit(fit)?;
    let reduction = |n: f64| {
        let f = spread.scale.gradient(&fit.law, n);
        spread.covariance_with(index, f).powi(2) / (spread.variance + spread.variance_of(f))
    };
    let places = (0..=PLACES).map(|i| (2.0 * n_hi).powf(i as f64 / PLACES as f64));
    let candidates = places.map(|n| if n_hi >= 2.0 { n.floor() } else { n });
    candidates.filter(|n| reduction(*n).is_finite()).max_by(|a, b| reduction(*a).total_cmp(&reduction(*b)))
}

nmax_text::named! {
    /// What an interval says about a coefficient.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Sign {
        /// The interval lies above 0.
        Positive = "positive",
        /// The interval lies below 0.
        Negative = "negative",
        /// The interval contains 0, and its upper end adds at most 5 % to D at the largest N measured.
        Negligible = "negligible",
        /// Anything else.
        Undetermined = "undetermined",
    }
    /// Its name in results.
    name
}

nmax_text::named! {
    /// Class of a system, from the signs of α and β.
    ///
    /// Source: N. J. Gunther, slides of 2010, 41.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Class {
        /// Neither contention nor coherency: shared-nothing.
        A = "A",
        /// Contention: messaging, transaction monitors.
        B = "B",
        /// Coherency: scientific computing, analytics.
        C = "C",
        /// Both: shared writes.
        D = "D",
    }
    /// Its name in results.
    name
}
