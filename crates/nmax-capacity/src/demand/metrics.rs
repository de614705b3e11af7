//! A series read from what Prometheus answers to a range query.

use jiff::tz::Offset;
use serde_json::Value;

use super::Peak;
use super::series::{Point, Series};

const HELP: &str = "save the answer of /api/v1/query_range as it is: one series of requests per second";

/// Reads the answer of `/api/v1/query_range`; several series in it are added up. Times are UTC.
///
/// # Errors
/// Why it is no series.
pub fn read(text: &str, source: &str, scale: f64, peak: Peak) -> Result<Series, String> {
    let answer: Value = serde_json::from_str(text).map_err(|error| format!("{source}: {error}; {HELP}"))?;
    if answer["status"] == "error" {
        let error = answer["error"].as_str().unwrap_or_default();
        return Err(format!("{source}: Prometheus answered with an error: {}", nmax_text::shown(error)));
    }
    let result = answer["data"]["result"].as_array().filter(|result| !result.is_empty());
    let result = result.ok_or_else(|| format!("{source}: there is no result in it; {HELP}"))?;
    let mut sums = std::collections::BTreeMap::<i64, f64>::new();
    for series in result {
        let values = series["values"].as_array();
        let values = values.ok_or_else(|| format!("{source}: a result has no `values`; {HELP}"))?;
        for sample in values {
            let number = || {
                let value: f64 = sample[1].as_str()?.parse().ok()?;
                Some((sample[0].as_f64()? as i64, value))
            };
            let (second, value) = number().ok_or_else(|| format!("{source}: {sample} is not a sample; {HELP}"))?;
            if value.is_finite() && value >= 0.0 {
                *sums.entry(second).or_default() += value * scale;
            }
        }
    }
    let point = |(second, value): (i64, f64)| {
        let at = jiff::Timestamp::from_second(second).ok()?;
        Some(Point { at: Offset::UTC.to_datetime(at), value })
    };
    Series::new(sums.into_iter().filter_map(point).collect(), source, peak)
}
