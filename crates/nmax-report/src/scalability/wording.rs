//! Words and numbers of fits: as many digits as the interval gives a right to.

use nmax_usl::{Analysis, Class, Estimate, Fit, LawPeak, Method, Regression, Sign, Winner};

use crate::number::UNKNOWN;

pub use nmax_text::number::plain;
pub(crate) use nmax_text::number::{DECIMALS_MAX, decimals_of, fixed, significant};

mod versions;

pub(crate) use versions::{COEFFICIENTS, Coefficient, all_settings, full, heading, meaning, sides};

/// A throughput with its unit: `286.1/s` without a name for what is counted, else `286.1 requests/s`.
pub(crate) fn with_unit(number: &str, unit: &str) -> String {
    match unit.strip_prefix("1/") {
        Some(time) => format!("{number}/{time}"),
        None => format!("{number} {unit}"),
    }
}

/// Where the response times of the points come from, if not all of them were measured.
pub(crate) fn response_times(analysis: &Analysis) -> Option<&'static str> {
    let is_derived =
        |(measured, shown): (&nmax_usl::Observation, &nmax_usl::Point)| measured.r_s.is_none() && shown.r_s.is_some();
    let is_any = analysis.observations.iter().zip(&analysis.points).any(is_derived);
    let is_all = analysis.observations.iter().all(|one| one.r_s.is_none());
    match (is_any, is_all) {
        (false, _) => None,
        (true, true) => Some("R was not measured: it is N/X − Z, by Little's law"),
        (true, false) => Some("R, where it was not measured, is N/X − Z, by Little's law"),
    }
}

/// [`plain`] of a number that may be unknown.
pub(crate) fn plain_or_unknown(value: Option<f64>) -> String {
    value.map_or_else(|| UNKNOWN.into(), plain)
}

/// Digits that an interval allows: two significant ones of its half width, three where the value has no more than that,
/// and no more than five of the value.
fn decimals(of: &Estimate) -> usize {
    let low = of.low.map(|low| of.estimate - low);
    let high = of.high.map(|high| high - of.estimate);
    let ends: Vec<f64> = [low, high].into_iter().flatten().filter(|end| *end > 0.0 && end.is_finite()).collect();
    let size = of.estimate.abs();
    let decimals = if ends.is_empty() {
        decimals_of(size, 4)
    } else {
        let width = ends.iter().sum::<f64>() / ends.len() as f64;
        let three = decimals_of(size, 3).min(decimals_of(width, 3));
        decimals_of(width, 2).max(three).min(decimals_of(size.max(width), 5))
    };
    // Below a ten-thousandth, zeros before the first digit say less than an exponent.
    if size >= 1e-4 { decimals.min(DECIMALS_MAX) } else { decimals }
}

/// An estimate without its interval.
pub fn value(of: &Estimate) -> String {
    fixed(of.estimate, decimals(of))
}

/// The interval of an estimate, such as `30.8 to 35.7`, or why there is none.
pub(crate) fn interval(of: &Estimate) -> String {
    let decimals = decimals(of);
    match (of.low, of.high) {
        _ if of.at_bound => "at bound".into(),
        (Some(low), Some(high)) => format!("{} to {}", fixed(low, decimals), fixed(high, decimals)),
        (Some(low), None) => format!("from {}", fixed(low, decimals)),
        (None, Some(high)) => format!("up to {}", fixed(high, decimals)),
        (None, None) => "no interval".into(),
    }
}

/// An estimate with its interval, such as `33.2 (30.8 to 35.7)`.
pub fn both(of: &Estimate) -> String {
    format!("{} ({})", value(of), interval(of))
}

/// What an interval says about a coefficient.
pub(crate) fn sign(sign: Option<Sign>) -> &'static str {
    sign.map_or("unknown", Sign::name)
}

/// Letter of a class.
pub(crate) fn class(class: Option<Class>) -> &'static str {
    class.map_or("undetermined", Class::name)
}

/// The class with what it means, or what keeps it undecided.
pub(crate) fn class_text(analysis: &Analysis) -> String {
    match analysis.class_text.as_str() {
        "" => class(analysis.class).to_owned(),
        // The text names the class itself.
        text => text.strip_prefix("Class ").unwrap_or(text).to_owned(),
    }
}

/// The peak of the law with its alternatives.
pub(crate) fn peak(peak: &LawPeak, unit: &str) -> String {
    let (n, x) = peak.integer;
    let mut text = format!(
        "N = {}, X = {}; best whole N {} with {}",
        both(&peak.concurrency),
        with_unit(&both(&peak.throughput), unit),
        plain(n),
        plain(x)
    );
    if let Some((n, x)) = peak.alternative {
        let alternative = format!("; the ln-variant fits as well and puts it at N = {} with {}", plain(n), plain(x));
        text.push_str(&alternative);
    } else if peak.alternative_is_beyond {
        text.push_str("; the ln-variant fits as well and puts it beyond twice what was measured");
    }
    text
}

/// What stands below a chart: coefficients, R², peaks.
pub(crate) fn legend(analysis: &Analysis, unit: &str) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(fit) = &analysis.fit {
        lines.push(format!("contention α = {}, {}", both(&fit.contention), sign(analysis.contention_sign)));
        lines.push(format!("coherency β = {}, {}", both(&fit.coherency), sign(analysis.coherency_sign)));
        lines.push(format!("unit throughput γ = {}", with_unit(&both(&fit.unit_throughput), unit)));
        let r_squared = plain(fit.r_squared);
        lines.push(format!("fitted by {}; R² {r_squared}, which decides nothing", method(fit)));
    }
    lines.push(format!("observed peak: {}", observed(analysis, unit)));
    let reasons = if analysis.fit.is_some() { refusals(analysis) } else { Vec::new() };
    lines.push(match (&analysis.peak, reasons) {
        (Some(of), _) => format!("peak of the law: {}", peak(of, unit)),
        (None, reasons) if reasons.is_empty() => "peak of the law: refused, since there is no fit".into(),
        (None, reasons) => format!("peak of the law refused: {}", reasons.join("; ")),
    });
    lines
}

/// Values of a setting, such as `nodes=2 size=large`.
pub(crate) fn setting(values: &[(String, String)]) -> String {
    let values: Vec<_> = values.iter().map(|(name, value)| format!("{name}={value}")).collect();
    values.join(" ")
}

/// The axis of N with what N counts, and whether equal factors take equal space.
pub(crate) fn n_axis(label: &str, is_log: bool) -> String {
    format!("N, {label}{}", if is_log { " (log)" } else { "" })
}

/// A mark of an axis: whole numbers stay whole, 15,000 and not 15 k.
pub(crate) fn tick(value: f64) -> String {
    match value {
        _ if value.abs() >= 1e7 => format!("{value:e}"),
        _ => significant(value, 3),
    }
}

/// The leading model in results.
pub(crate) fn winner(winner: Winner) -> &'static str {
    match winner {
        Winner::One(model) => model.name(),
        Winner::NotDistinguishable => "not_distinguishable",
    }
}

/// A method, in words.
pub(crate) fn method(fit: &Fit) -> &'static str {
    if fit.regression == Regression::ResponseTime {
        return "log (relative errors of R on X: an open load, N = X·(R + Z))";
    }
    match fit.method {
        Method::Log => "log (relative errors)",
        Method::Ols => "ols (absolute errors)",
        Method::Ols2 => "ols2 (absolute errors, γ = X(1))",
        Method::Poly2 => "poly2 (transformed data, γ = X(1))",
        Method::Poly3 => "poly3 (quadratic in N/X)",
    }
}

/// Rows as a person writes them: `rows 1, 2 and 5 more`.
pub(crate) fn rows(rows: &[usize]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<_> = rows.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = rows.len().saturating_sub(SHOWN);
    match (rows.len(), more) {
        (0, _) => String::new(),
        (1, _) => format!("row {}", shown[0]),
        (_, 0) => format!("rows {}", shown.join(", ")),
        (_, more) => format!("rows {} and {more} more", shown.join(", ")),
    }
}

/// The conditions that refuse the peak of the law.
pub(crate) fn refusals(analysis: &Analysis) -> Vec<String> {
    let failed = analysis.gate.iter().filter(|hold| !hold.holds);
    failed.map(|hold| format!("{}: {}", hold.name, hold.text)).collect()
}

/// The observed peak as a phrase; else the largest throughput.
pub(crate) fn observed(analysis: &Analysis, unit: &str) -> String {
    match (&analysis.observed_peak, analysis.best) {
        (Some(peak), _) => format!(
            "{} at N = {}, between N = {} and {}",
            with_unit(&plain(peak.throughput), unit),
            plain(peak.concurrency),
            plain(peak.between.0),
            plain(peak.between.1)
        ),
        (None, Some((n, x))) => format!(
            "none: the largest throughput, {} at N = {}, does not stand out beyond noise on both sides",
            with_unit(&plain(x), unit),
            plain(n)
        ),
        (None, None) => "nothing was measured".into(),
    }
}

/// Distance of a point from the law, as a percentage of the law.
pub(crate) fn distance(x: f64, fitted: Option<f64>) -> String {
    match fitted.filter(|fitted| *fitted > 0.0) {
        Some(fitted) => {
            let percent = 100.0 * (x / fitted - 1.0);
            let text = fixed(percent, 1);
            format!("{}{text} %", if percent > 0.0 && text != "0.0" { "+" } else { "" })
        }
        None => UNKNOWN.into(),
    }
}

#[cfg(test)]
mod tests;
