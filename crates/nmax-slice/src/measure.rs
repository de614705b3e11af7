//! What is said about a group.

use crate::SliceError;
use crate::column::{Kind, Schema};
use crate::error::instead_of;

/// A figure of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// As a person wrote it.
    pub name: String,
    /// What it is.
    pub unit: Unit,
    pub(crate) what: MeasureKind,
}

/// What a figure is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A number of exchanges.
    Count,
    /// Of 1.
    Ratio,
    /// Per second.
    PerSecond,
    /// ns.
    Span,
    /// Bytes.
    Bytes,
    /// Bytes per second.
    BytesPerSecond,
    /// A number without a unit.
    Number,
}

/// How a figure comes about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MeasureKind {
    Count,
    Share,
    Rate,
    Failures,
    FailureRate,
    /// Sum of this column per second.
    Throughput(usize),
    Stat(usize, Stat),
}

/// What is said of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stat {
    Mean,
    Min,
    Max,
    Sum,
    /// The value that this share of all values is at most.
    Quantile(f64),
}

/// Measures that need no column.
const PLAIN: [&str; 5] = ["count", "share", "rate", "failures", "failure_rate"];

impl Measure {
    /// The measure of this name.
    pub(crate) fn parse(part: &str, text: &str, schema: &Schema) -> Result<Self, SliceError> {
        let bytes = schema.known(schema.bytes);
        let (what, unit) = match text {
            "count" => (MeasureKind::Count, Unit::Count),
            "share" => (MeasureKind::Share, Unit::Ratio),
            "rate" => (MeasureKind::Rate, Unit::PerSecond),
            "failures" => (MeasureKind::Failures, Unit::Count),
            "failure_rate" => (MeasureKind::FailureRate, Unit::Ratio),
            "bytes" => (MeasureKind::Stat(bytes, Stat::Sum), Unit::Bytes),
            "throughput" => (MeasureKind::Throughput(bytes), Unit::BytesPerSecond),
            _ => Self::stat(part, text, schema)?,
        };
        Ok(Self { name: text.to_owned(), unit, what })
    }

    fn stat(part: &str, text: &str, schema: &Schema) -> Result<(MeasureKind, Unit), SliceError> {
        let of_column = text.split_once('.').filter(|(name, _)| schema.find(name).is_some());
        let (name, stat) = of_column.unwrap_or((schema.time, text));
        let column = schema.known(name);
        let unit = match schema.columns[column].kind {
            Kind::Span => Unit::Span,
            Kind::Bytes => Unit::Bytes,
            Kind::Number => Unit::Number,
            Kind::Text | Kind::Moment | Kind::Calendar { .. } => {
                let text = format!("`{name}` is nothing to measure");
                return Err(SliceError::new(part, text, "group by it, or measure a span of time or bytes"));
            }
        };
        let stat = Stat::parse(stat).ok_or_else(|| unknown(part, text, schema))?;
        Ok((MeasureKind::Stat(column, stat), unit))
    }
}

fn unknown(part: &str, text: &str, schema: &Schema) -> SliceError {
    let is_measured = |kind: Kind| matches!(kind, Kind::Span | Kind::Bytes);
    let columns = schema.columns.iter().filter(|column| is_measured(column.kind));
    let columns: Vec<&str> = columns.map(|column| column.name).collect();
    let names = PLAIN.iter().copied();
    let names: Vec<&str> =
        names.chain(["bytes", "throughput", "mean", "min", "max", "sum", "p50", "p90", "p95", "p99"]).collect();
    let remedy = format!(
        "{}; or one of a column, as in {}.p95; columns are {}",
        instead_of(text, &names),
        schema.time,
        columns.join(", ")
    );
    SliceError::new(part, format!("unknown measure `{text}`"), remedy)
}

impl Stat {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "mean" | "avg" => Self::Mean,
            "min" => Self::Min,
            "max" => Self::Max,
            "sum" => Self::Sum,
            "median" => Self::Quantile(0.5),
            _ => {
                let digits = text.strip_prefix('p')?;
                let is_number = digits.len() <= 8 && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
                let percent: f64 = is_number.then(|| digits.parse().ok())??;
                (0.0..=100.0).contains(&percent).then_some(Self::Quantile(percent / 100.0))?
            }
        })
    }
}

impl MeasureKind {
    /// The column that must be read for it, and whether its distribution is needed.
    pub(crate) fn needs(self) -> Option<(usize, bool)> {
        match self {
            Self::Throughput(column) => Some((column, false)),
            Self::Stat(column, stat) => Some((column, matches!(stat, Stat::Quantile(_)))),
            _ => None,
        }
    }
}
