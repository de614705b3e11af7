//! Versions side by side: did contention, coherency or the throughput of one unit change.

use crate::analysis::Analysis;
use crate::analysis::spread::Spread;
use crate::analysis::wording::{interval, list, number, percent};
use crate::class::Class;
use crate::finding::Effect;
use crate::fit::{Estimate, Fit, Scale};
use crate::gate::LawPeak;

#[cfg(test)]
mod tests;

/// Two-sided 95 %.
const P95: f64 = 0.975;

/// Several versions, and what changed from the first to each of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The versions, in the order given.
    pub versions: Vec<Version>,
    /// Differences of each later version from the first.
    pub differences: Vec<Difference>,
    /// What makes the versions hard to compare; each a sentence.
    pub caveats: Vec<String>,
}

/// What is known about a version: a row of the table of coefficients.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// Its name.
    pub name: String,
    /// Runs that were fitted.
    pub runs: usize,
    /// α, when there is a fit.
    pub contention: Option<Estimate>,
    /// β, when there is a fit.
    pub coherency: Option<Estimate>,
    /// γ, per second, when there is a fit.
    pub unit_throughput: Option<Estimate>,
    /// R² of the fit.
    pub r_squared: Option<f64>,
    /// Class, when it may be said.
    pub class: Option<Class>,
    /// N and X of the largest throughput measured.
    pub best: Option<(f64, f64)>,
    /// Peak of the law, when its gate holds.
    pub peak: Option<LawPeak>,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// α; the difference is α₂ − α₁.
    Contention,
    /// β; the difference is β₂ − β₁.
    Coherency,
    /// γ; the difference is γ₂/γ₁ − 1.
    UnitThroughput,
    /// X̂ at the largest N that all versions reach; the difference is X̂₂/X̂₁ − 1.
    ThroughputAt(f64),
}

impl Quantity {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contention => "alpha",
            Self::Coherency => "beta",
            Self::UnitThroughput => "gamma",
            Self::ThroughputAt(_) => "throughput",
        }
    }

    fn describe(self) -> String {
        match self {
            Self::Contention => "contention α".to_owned(),
            Self::Coherency => "coherency β".to_owned(),
            Self::UnitThroughput => "the throughput of one unit γ".to_owned(),
            Self::ThroughputAt(n) => format!("throughput at N = {} by the law", number(n)),
        }
    }

    const fn is_relative(self) -> bool {
        matches!(self, Self::UnitThroughput | Self::ThroughputAt(_))
    }
}

nmax_text::named! {
    /// What the interval of a difference says.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Change {
        /// The interval lies above 0.
        Rose = "rose",
        /// The interval lies below 0.
        Fell = "fell",
        /// The interval contains 0.
        NotSeen = "not_seen",
        /// There is no interval, or the data of one version forbid conclusions.
        Unknown = "unknown",
    }
    /// Its name in results.
    name
}

/// One quantity in two versions.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The first version.
    pub from: String,
    /// The later version.
    pub to: String,
    /// What is compared.
    pub quantity: Quantity,
    /// Its value in the first version.
    pub before: f64,
    /// Its value in the later version.
    pub after: f64,
    /// The difference as its quantity defines it, with its interval.
    pub difference: Estimate,
    /// Degrees of freedom of the interval, by Welch and Satterthwaite.
    pub df: Option<f64>,
    /// What the interval says.
    pub change: Change,
    /// The same as one sentence.
    pub text: String,
}

/// Compares versions with the first of them.
///
/// ```text
/// Var(d) = v₁ + v₂,  df = (v₁ + v₂)² / (v₁²/df₁ + v₂²/df₂),  interval = d ± t(.975, df)·√Var(d)
/// ```
///
/// - v: variances of a coefficient in two independent fits; for γ and X̂ those of their logarithms, so that the
///   difference is a ratio
///
/// Each interval holds by itself at 95 %. Source: B. L. Welch, *Biometrika* 34 (1947), 28.
/// Law: `the_same_system_twice_rarely_differs`.
pub fn compare(versions: &[(String, Analysis)]) -> Comparison {
    let n_common =
        versions.iter().filter_map(|(_, analysis)| Some(analysis.observations.last()?.n)).fold(f64::INFINITY, f64::min);
    let mut quantities = vec![Quantity::Contention, Quantity::Coherency, Quantity::UnitThroughput];
    if n_common.is_finite() && n_common > 1.0 {
        quantities.push(Quantity::ThroughputAt(n_common));
    }
    let differences = match versions {
        [first, others @ ..] => others
            .iter()
            .flat_map(|other| quantities.iter().filter_map(|quantity| difference(first, other, *quantity)))
            .collect(),
        [] => Vec::new(),
    };
    Comparison { versions: versions.iter().map(version).collect(), differences, caveats: caveats(versions) }
}

fn version((name, analysis): &(String, Analysis)) -> Version {
    let fit = analysis.fit.as_ref();
    Version {
        name: name.clone(),
        runs: analysis.observations.len(),
        contention: fit.map(|fit| fit.contention),
        coherency: fit.map(|fit| fit.coherency),
        unit_throughput: fit.map(|fit| fit.unit_throughput),
        r_squared: fit.map(|fit| fit.r_squared),
        class: analysis.class,
        best: analysis.best,
        peak: analysis.peak.clone(),
    }
}

/// A value with its variance; a logarithm where the quantity is relative.
struct Measured {
    value: f64,
    /// Variance and degrees of freedom, where they are known.
    variance: Option<(f64, f64)>,
}

fn measured(fit: &Fit, quantity: Quantity) -> Option<Measured> {
    let spread = Spread::from_fit(fit);
    let n = match quantity {
        Quantity::ThroughputAt(n) => n,
        _ => 1.0,
    };
    let value = match quantity {
        Quantity::Contention => fit.law.contention,
        Quantity::Coherency => fit.law.coherency,
        Quantity::UnitThroughput | Quantity::ThroughputAt(_) => fit.law.throughput_at(n).ln(),
    };
    let variance = spread.map(|spread| {
        let variance = match quantity {
            Quantity::Contention => spread.variance_of([1.0, 0.0, 0.0]),
            Quantity::Coherency => spread.variance_of([0.0, 1.0, 0.0]),
            Quantity::UnitThroughput | Quantity::ThroughputAt(_) => {
                let x = fit.law.throughput_at(n);
                let unit = if spread.scale == Scale::Log { 1.0 } else { x * x };
                spread.variance_of(spread.scale.gradient(&fit.law, n)) / unit
            }
        };
        (variance, spread.df as f64)
    });
    value.is_finite().then_some(Measured { value, variance })
}

fn difference(first: &(String, Analysis), other: &(String, Analysis), quantity: Quantity) -> Option<Difference> {
    let (a, b) = (measured(first.1.fit.as_ref()?, quantity)?, measured(other.1.fit.as_ref()?, quantity)?);
    let apart = b.value - a.value;
    let half = a.variance.zip(b.variance).and_then(|((v1, df1), (v2, df2))| half_width(v1, df1, v2, df2));
    let told = |value: f64| if quantity.is_relative() { value.exp_m1() } else { value };
    let difference = Estimate {
        estimate: told(apart),
        low: half.map(|(half, _)| told(apart - half)),
        high: half.map(|(half, _)| told(apart + half)).filter(|high| high.is_finite()),
        at_bound: false,
    };
    let blocked: Vec<&str> = [first, other].into_iter().filter(|v| is_blocked(&v.1)).map(|v| v.0.as_str()).collect();
    let change = match half {
        Some((half, _)) if blocked.is_empty() => match apart {
            _ if apart.abs() <= half => Change::NotSeen,
            _ if apart > 0.0 => Change::Rose,
            _ => Change::Fell,
        },
        _ => Change::Unknown,
    };
    let plain = |value: f64| if quantity.is_relative() { value.exp() } else { value };
    let mut found = Difference {
        from: first.0.clone(),
        to: other.0.clone(),
        quantity,
        before: plain(a.value),
        after: plain(b.value),
        difference,
        df: half.map(|(_, df)| df),
        change,
        text: String::new(),
    };
    found.text = describe(&found, &blocked);
    let is_finite = [found.before, found.after, found.difference.estimate].iter().all(|v| v.is_finite());
    is_finite.then_some(found)
}

/// Half of the interval of a difference, and its degrees of freedom.
fn half_width(v1: f64, df1: f64, v2: f64, df2: f64) -> Option<(f64, f64)> {
    let sum = v1 + v2;
    let squares = v1 * v1 / df1 + v2 * v2 / df2;
    // Without any variance the two are known exactly; the degrees of freedom do not matter then.
    let df = if squares > 0.0 { sum * sum / squares } else { df1.min(df2) };
    let half = crate::quantile::student_t(P95, df) * sum.sqrt();
    (half.is_finite() && df.is_finite()).then_some((half, df))
}

fn is_blocked(analysis: &Analysis) -> bool {
    analysis.findings.iter().any(|finding| finding.effect == Effect::Block)
}

fn describe(found: &Difference, blocked: &[&str]) -> String {
    let Difference { from, to, quantity, before, after, difference, .. } = found;
    let name = quantity.describe();
    let name = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
    let values = format!("{} in {from}, {} in {to}", number(*before), number(*after));
    if !blocked.is_empty() {
        let names = list(blocked.iter().map(|name| (*name).to_owned()));
        return format!("{name}: {values}; nothing is concluded, since findings block {names}.");
    }
    // What fell by 3 fell by 3, and not by -3.
    let turned = Estimate {
        estimate: -difference.estimate,
        low: difference.high.map(|high| -high),
        high: difference.low.map(|low| -low),
        ..*difference
    };
    let difference = if found.change == Change::Fell { &turned } else { difference };
    let by = if quantity.is_relative() {
        let range = match (difference.low, difference.high) {
            (Some(low), Some(high)) => format!(" (95 %: {} to {})", percent(low), percent(high)),
            _ => String::new(),
        };
        format!("{}{range}", percent(difference.estimate))
    } else {
        format!("{}{}", number(difference.estimate), interval(difference))
    };
    match found.change {
        Change::Rose | Change::Fell => {
            let verb = if found.change == Change::Rose { "rose" } else { "fell" };
            format!("{name} {verb} from {} in {from} to {} in {to}, by {by}.", number(*before), number(*after))
        }
        Change::NotSeen => format!("{name}: no difference that these data can show; {values}, apart by {by}."),
        Change::Unknown => format!("{name}: {values}; without intervals it is not known whether that is a difference."),
    }
}

fn caveats(versions: &[(String, Analysis)]) -> Vec<String> {
    let mut found = Vec::new();
    let differs = |of: &dyn Fn(&Analysis) -> &'static str| {
        let mut values: Vec<&str> = versions.iter().map(|(_, analysis)| of(analysis)).collect();
        values.sort_unstable();
        values.dedup();
        (values.len() > 1).then(|| list(values.into_iter().map(str::to_owned)))
    };
    if let Some(names) = differs(&|analysis| analysis.options.method.name()) {
        found.push(format!(
            "The versions were fitted by different methods ({names}), which disagree even on the same data."
        ));
    }
    if let Some(names) = differs(&|analysis| analysis.options.dimension.name()) {
        found.push(format!("N counts different things ({names}), so the coefficients do not compare."));
    }
    for (name, analysis) in versions {
        if analysis.fit.is_none() {
            found.push(format!("{name} has no fit, so nothing in it is compared: {}", first_text(analysis)));
        } else if is_blocked(analysis) {
            found.push(format!("Findings forbid conclusions from {name}: {}", first_text(analysis)));
        }
    }
    let reach = versions.iter().filter_map(|(_, analysis)| Some(analysis.observations.last()?.n));
    let (least, most) = reach.fold((f64::INFINITY, 0.0_f64), |(low, high), n| (low.min(n), high.max(n)));
    if least.is_finite() && most > 2.0 * least {
        found.push(format!(
            "The largest N differ by more than twice ({} and {}): a law of small N and a law of large N may differ without a \
             change.",
            number(least),
            number(most)
        ));
    }
    found
}

fn first_text(analysis: &Analysis) -> String {
    analysis.findings.first().map_or_else(String::new, |finding| finding.text.clone())
}
