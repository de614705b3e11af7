//! Words and columns where several laws stand side by side.

use nmax_usl::{Analysis, Change, Estimate, Quantity};

use super::{both, interval, plain, value, with_unit};
use crate::number::UNKNOWN;
use crate::scalability::{ScaleView, Version};

/// A heading with what it is about, such as `Meaning, size=small`; plain without.
pub(crate) fn heading(heading: &str, of: &str) -> String {
    if of.is_empty() { heading.to_owned() } else { format!("{heading}, {of}") }
}

/// The meaning of a law, with the setting it is about before the first sentence.
pub(crate) fn meaning(analysis: &Analysis, of: &str) -> Vec<String> {
    let sentences = analysis.meaning.iter().filter(|sentence| !sentence.is_empty());
    let named = |(index, sentence): (usize, &String)| match (index, of) {
        (1.., _) | (_, "") => sentence.clone(),
        (0, of) => format!("{of}: {sentence}"),
    };
    sentences.enumerate().map(named).collect()
}

/// The resource that was full at the highest load that was fitted, as a sentence; `None` when no level observed one.
pub(crate) fn full(view: &ScaleView) -> Option<String> {
    let fitted = view.levels.iter().filter(|level| level.used && level.n.is_some());
    let highest = fitted.max_by(|a, b| a.level.total_cmp(&b.level))?;
    let (at, load) = (plain(highest.level), view.fit.n_label());
    (!highest.full.is_empty()).then(|| format!("Full at the highest load, {at} {load}: {}.", highest.full))
}

/// What is largest over all values of a second axis; `None` without one, or when nothing was measured.
pub(crate) fn all_settings(view: &ScaleView) -> Option<String> {
    let best = |version: &Version| Some((version.name.clone(), version.analysis.best?));
    let all = view.versions.iter().filter_map(best);
    let (name, (n, x)) = all.max_by(|a, b| a.1.1.total_cmp(&b.1.1))?;
    let axis = view.fit.n_label();
    Some(format!(
        "Of all settings the largest throughput measured is {}, at {axis} = {} with {name}. Each value of the second axis \
         has a law of its own.",
        with_unit(&plain(x), view.fit.x_unit()),
        plain(n)
    ))
}

/// Which of two ways to grow carries more at the largest N that both reach, and their coefficients; `None` without two.
pub(crate) fn sides(view: &ScaleView) -> Option<String> {
    let sides = view.sides.as_ref()?;
    let at_largest = sides.differences.iter().find_map(|difference| match difference.quantity {
        Quantity::ThroughputAt(n) => Some((difference, plain(n))),
        _ => None,
    });
    let Some((of, n)) = at_largest else {
        return Some(
            "Horizontal against vertical: not compared, for want of a law of both; give three levels or more.".into(),
        );
    };
    let names = [format!("{n} injectors of one thread each"), format!("one injector of {n} threads")];
    let (wide_x, tall_x) = (plain(of.before), plain(of.after));
    let against = |a: &str, b: &str| format!("{a} against {}", with_unit(b, view.fit.x_unit()));
    // The second over the first, which becomes the larger over the smaller.
    let ratio = Estimate {
        estimate: 1.0 + of.difference.estimate,
        low: of.difference.low.map(|low| 1.0 + low),
        high: of.difference.high.map(|high| 1.0 + high),
        at_bound: false,
    };
    let turned = Estimate {
        estimate: ratio.estimate.recip(),
        low: ratio.high.map(f64::recip),
        high: ratio.low.map(f64::recip),
        at_bound: false,
    };
    let times = |ratio: &Estimate| format!("{} times (95 %: {})", value(ratio), interval(ratio));
    let [wide, tall] = names;
    let text = match of.change {
        Change::Fell => format!("{wide} carry more than {tall}, {}: {}.", times(&turned), against(&wide_x, &tall_x)),
        Change::Rose => format!("{tall} carries more than {wide}, {}: {}.", times(&ratio), against(&tall_x, &wide_x)),
        Change::NotSeen => {
            let (x, ratio) = (against(&wide_x, &tall_x), both(&turned));
            format!("{wide} and {tall} cannot be told apart: {x}, a ratio of {ratio}.")
        }
        Change::Unknown => {
            let x = against(&wide_x, &tall_x);
            format!(
                "it is not known which carries more, {wide} or {tall}: {x}, without an interval that may be believed."
            )
        }
    };
    let coefficients = COEFFICIENTS[..2].iter().map(|coefficient| {
        let told = sides.versions.iter().filter_map(|version| {
            Some(format!("{} with {}", both(&(coefficient.of)(&version.analysis)?), version.name))
        });
        format!("{} is {}", coefficient.name, told.collect::<Vec<_>>().join(" and "))
    });
    Some(format!("At N = {n}, {text} By the laws {}.", coefficients.collect::<Vec<_>>().join(", ")))
}

/// A column of the tables of versions.
pub(crate) struct Coefficient {
    /// Its name with its letter.
    pub name: &'static str,
    /// The same for the head of a column.
    pub short: &'static str,
    /// Its name in CSV files.
    pub key: &'static str,
    /// Whether it is a throughput.
    pub per_s: bool,
    /// Its estimate.
    pub of: fn(&Analysis) -> Option<Estimate>,
}

/// What is told of every version.
pub(crate) const COEFFICIENTS: [Coefficient; 6] = [
    coefficient("contention α", "α", "alpha", false, |of| of.fit.as_ref().map(|fit| fit.contention)),
    coefficient("coherency β", "β", "beta", false, |of| of.fit.as_ref().map(|fit| fit.coherency)),
    coefficient("unit throughput γ", "γ", "gamma", true, |of| of.fit.as_ref().map(|fit| fit.unit_throughput)),
    coefficient("largest throughput measured", "largest X", BEST, true, |of| {
        of.best.map(|(_, x)| Estimate { estimate: x, low: None, high: None, at_bound: false })
    }),
    coefficient("N at the peak of the law", "N at peak", "n_peak", false, |of| {
        of.peak.as_ref().map(|peak| peak.concurrency)
    }),
    coefficient("throughput at the peak of the law", "X at peak", "x_peak", true, |of| {
        of.peak.as_ref().map(|peak| peak.throughput)
    }),
];

const fn coefficient(
    name: &'static str,
    short: &'static str,
    key: &'static str,
    per_s: bool,
    of: fn(&Analysis) -> Option<Estimate>,
) -> Coefficient {
    Coefficient { name, short, key, per_s, of }
}

/// Key of the largest throughput measured.
const BEST: &str = "x_best";

impl Coefficient {
    /// What is told of it for a version, and what stands beside that: its interval, where it was measured, or why it is
    /// unknown.
    pub(crate) fn told(&self, analysis: &Analysis) -> (String, String) {
        match ((self.of)(analysis), analysis.best) {
            (Some(of), Some((n, _))) if self.key == BEST => (value(&of), format!("at N = {}", plain(n))),
            (Some(of), _) => (value(&of), interval(&of)),
            (None, _) if analysis.fit.is_none() => (UNKNOWN.to_owned(), "no fit".to_owned()),
            (None, _) => (UNKNOWN.to_owned(), "refused".to_owned()),
        }
    }
}
