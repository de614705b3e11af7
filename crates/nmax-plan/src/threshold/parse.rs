//! Reading a condition.

use std::time::Duration;

use nmax_text::meant;

use super::{Limit, Metric, Op, Scope, Stat, Threshold, Within};
use crate::{foreign, units};

/// Text that is no condition, and what to write.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ThresholdError {
    /// What is wrong.
    pub message: String,
    /// What to write.
    pub remedy: String,
}

fn error<T>(message: impl Into<String>, remedy: impl Into<String>) -> Result<T, ThresholdError> {
    Err(ThresholdError { message: message.into(), remedy: remedy.into() })
}

const EXAMPLE: &str = "write a condition such as `response_time p95 < 400ms`, `failure_rate < 1%` or `rate >= 99%`";
const OPS: [(&str, Op); 4] = [("<=", Op::AtMost), (">=", Op::AtLeast), ("<", Op::Below), (">", Op::Above)];

/// Parses one condition. Names of requests, scenarios, transactions and tags are not checked here.
pub fn parse(text: &str) -> Result<Threshold, ThresholdError> {
    let Some(op_at) = text.find(['<', '>', '=']) else {
        return error(format!("`{text}` compares nothing"), EXAMPLE);
    };
    let (left, right) = text.split_at(op_at);
    let Some((sign, op)) = OPS.iter().find(|(sign, _)| right.starts_with(sign)) else {
        return error("`=` is not a comparison of measured values", "write one of `<`, `<=`, `>`, `>=`");
    };
    let (metric, stat) = left_side(left).map_err(|error| match foreign::condition(text) {
        Some(ours) => ThresholdError { remedy: format!("write `{ours}`"), ..error },
        None => error,
    })?;
    let right = right[sign.len()..].trim_start();
    let value_end = right.find(char::is_whitespace).unwrap_or(right.len());
    let (value, tail) = right.split_at(value_end);
    if value.is_empty() {
        return error(format!("`{text}` has no limit"), EXAMPLE);
    }
    let limit = limit(metric, stat, value)?;
    let (scope, within) = tail_of(metric, tail.trim())?;
    Ok(Threshold { text: text.trim().to_owned(), metric, stat, op: *op, limit, scope, within, abort: None })
}

fn left_side(text: &str) -> Result<(Metric, Stat), ThresholdError> {
    let mut words = text.split_whitespace();
    let Some(name) = words.next() else {
        return error("the condition has no metric", EXAMPLE);
    };
    let metric = metric(name)?;
    let stat = match words.next() {
        Some(word) => stat(metric, word)?,
        None if metric.is_time() => {
            let remedy = format!("write `{name} p95`, or `mean`, `min`, `max`, `p50` to `p99.99`, `count`");
            return error(format!("`{name}` has many values and the condition does not say which"), remedy);
        }
        None => Stat::Value,
    };
    match words.next() {
        Some(extra) => error(format!("`{extra}` is one word too many before the comparison"), EXAMPLE),
        None => Ok((metric, stat)),
    }
}

fn metric(name: &str) -> Result<Metric, ThresholdError> {
    if let Some(metric) = Metric::ALL.into_iter().find(|metric| metric.name() == name) {
        return Ok(metric);
    }
    let names: Vec<&str> = Metric::ALL.into_iter().map(Metric::name).collect();
    error(format!("`{name}` is not a metric"), meant(name, &names, "metrics are"))
}

fn stat(metric: Metric, word: &str) -> Result<Stat, ThresholdError> {
    let name = metric.name();
    if word == "count" {
        return match metric {
            Metric::FailureRate | Metric::Rate | Metric::Throughput | Metric::Bytes => {
                error(format!("`{name}` has no `count`"), format!("write `{name}` alone"))
            }
            _ => Ok(Stat::Count),
        };
    }
    let stat = match word {
        "mean" => Stat::Mean,
        "min" => Stat::Min,
        "max" => Stat::Max,
        _ => Stat::Quantile(quantile(word)?),
    };
    if metric.is_time() {
        Ok(stat)
    } else {
        error(format!("`{name}` has one value, so `{word}` says nothing"), format!("write `{name}` alone"))
    }
}

fn quantile(word: &str) -> Result<f64, ThresholdError> {
    let percent = word.strip_prefix('p').unwrap_or("");
    let decimals = percent.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    match units::parse_share(&format!("{percent}%")) {
        Ok(q) if q > 0.0 && q < 1.0 && decimals <= 4 && !percent.is_empty() => Ok(q),
        _ => error(
            format!("`{word}` is not a statistic"),
            "write `mean`, `min`, `max`, `count`, or a percentile such as `p95` or `p99.9`",
        ),
    }
}

/// The limit in the unit that metric and statistic call for.
fn limit(metric: Metric, stat: Stat, value: &str) -> Result<Limit, ThresholdError> {
    let of_unit = |result: Result<Limit, units::UnitError>| {
        result.map_err(|wrong| ThresholdError { message: wrong.message, remedy: wrong.remedy })
    };
    let share = |value: &str| of_unit(units::parse_share(value).map(Limit::Ratio));
    if stat == Stat::Count {
        return number(value);
    }
    match metric {
        _ if metric.is_time() => {
            of_unit(units::parse_duration(value).map(|limit| Limit::Nanos(limit.as_nanos() as f64)))
        }
        Metric::FailureRate | Metric::Checks => share(value),
        Metric::Dropped if value.ends_with('%') => share(value),
        Metric::Rate if value.ends_with('%') => share(value),
        Metric::Rate | Metric::Throughput => of_unit(units::parse_rate(value).map(Limit::PerSecond)),
        Metric::Bytes => of_unit(units::parse_size(value).map(|bytes| Limit::Number(bytes as f64))),
        Metric::Errors | Metric::Failed if value.ends_with('%') => error(
            format!("`{}` is a number of exchanges, not a share", metric.name()),
            format!("write `failure_rate` for the share `{value}`, or a whole number"),
        ),
        _ => number(value),
    }
}

fn number(value: &str) -> Result<Limit, ThresholdError> {
    match value.parse::<u64>() {
        Ok(number) if number < 1 << 53 => Ok(Limit::Number(number as f64)),
        _ => error(format!("`{value}` is not a count"), "write a whole number, such as `1000`"),
    }
}

fn tail_of(metric: Metric, tail: &str) -> Result<(Scope, Within), ThresholdError> {
    let (scope_text, within) = match split_within(tail)? {
        Some((scope, within)) => (scope, within),
        None => (tail, Within::Hold),
    };
    if scope_text.is_empty() {
        return Ok((Scope::Total, within));
    }
    let Some(rest) = scope_text.strip_prefix("for ") else {
        let remedy = "after the limit write `for request NAME`, `for scenario NAME`, `for transaction NAME`, \
                      `for tag NAME`, `in hold`, `in whole` or `in last 30s`";
        return error(format!("`{scope_text}` is not understood"), remedy);
    };
    let (kind, name) = rest.trim_start().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
    let name = name.trim();
    let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name);
    if name.is_empty() {
        return error(format!("`for {kind}` has no name"), format!("write `for {kind} NAME`"));
    }
    let scope = match kind {
        "request" => Scope::Request(name.to_owned()),
        "scenario" => Scope::Scenario(name.to_owned()),
        "transaction" => Scope::Transaction(name.to_owned()),
        "tag" => Scope::Tag(name.to_owned()),
        "page" => {
            return error(
                "a page is named like its request",
                format!("write `for request {name}`, as in `page_time p95 < 3s for request {name}`"),
            );
        }
        "location" => {
            return error("a location is a tag of what its users do", format!("write `for tag {name}`"));
        }
        _ => {
            return error(
                format!("`{kind}` is none of `request`, `scenario`, `transaction` and `tag`"),
                format!("write `for request {name}`"),
            );
        }
    };
    let whole_run_only = matches!(metric, Metric::Rate | Metric::Dropped);
    let is_of_scenarios = matches!(metric, Metric::IterationTime | Metric::Iterations);
    let is_of_transactions = matches!(metric, Metric::TransactionTime | Metric::FailureRate);
    match scope {
        _ if whole_run_only => {
            error(format!("`{}` is measured for the whole run only", metric.name()), "leave out `for ...`")
        }
        Scope::Transaction(_) if !is_of_transactions => error(
            format!("`{}` is not measured for transactions", metric.name()),
            "write a condition on `transaction_time` or `failure_rate`",
        ),
        Scope::Request(_) | Scope::Scenario(_) | Scope::Tag(_) if metric == Metric::TransactionTime => error(
            "`transaction_time` belongs to transactions, not to requests, scenarios or tags",
            "write `for transaction NAME`",
        ),
        Scope::Scenario(_) if metric == Metric::PageTime => error(
            "`page_time` belongs to pages, not to scenarios",
            "write `for request NAME`, with the name of the page",
        ),
        Scope::Request(_) if is_of_scenarios => {
            error(format!("`{}` belongs to scenarios, not to requests", metric.name()), "write `for scenario NAME`")
        }
        scope => Ok((scope, within)),
    }
}

/// Splits off `in hold|whole|last DURATION` at the end; `None` when the tail has none.
fn split_within(tail: &str) -> Result<Option<(&str, Within)>, ThresholdError> {
    let (scope, place) = match tail.rfind(" in ") {
        Some(at) => (&tail[..at], &tail[at + 4..]),
        None => match tail.strip_prefix("in ") {
            Some(place) => ("", place),
            None => return Ok(None),
        },
    };
    let words: Vec<&str> = place.split_whitespace().collect();
    match words.as_slice() {
        ["hold"] => Ok(Some((scope.trim(), Within::Hold))),
        ["whole"] => Ok(Some((scope.trim(), Within::Whole))),
        ["last", length] => match units::parse_duration(length) {
            Ok(length) if length > Duration::ZERO => Ok(Some((scope.trim(), Within::Last(length)))),
            Ok(_) => error("`in last 0s` holds no samples", "write a duration above zero, such as `in last 30s`"),
            Err(wrong) => error(wrong.message, wrong.remedy),
        },
        _ if scope.contains("for ") => Ok(None), // ` in ` inside a name
        _ => error(format!("`in {place}` is not a part of the run"), "write `in hold`, `in whole` or `in last 30s`"),
    }
}

#[cfg(test)]
mod tests;
