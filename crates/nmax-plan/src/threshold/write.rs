//! Writing a condition.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use super::{Limit, Metric, Op, Scope, Stat, Threshold, Within};
use crate::units;

impl Metric {
    /// Whether it is a distribution of times.
    pub const fn is_time(self) -> bool {
        matches!(
            self,
            Self::ResponseTime
                | Self::ServiceTime
                | Self::Ttfb
                | Self::SendLag
                | Self::IterationTime
                | Self::TransactionTime
                | Self::PageTime
        )
    }
}

impl Display for Stat {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value => Ok(()),
            Self::Count => f.write_str("count"),
            Self::Mean => f.write_str("mean"),
            Self::Min => f.write_str("min"),
            Self::Max => f.write_str("max"),
            Self::Quantile(q) => write!(f, "p{}", units::format_share(*q).trim_end_matches('%')),
        }
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Below => "<",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::AtLeast => ">=",
        })
    }
}

impl Display for Limit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nanos(ns) => f.write_str(&units::format_duration(Duration::from_nanos(*ns as u64))),
            Self::Ratio(ratio) => f.write_str(&units::format_share(*ratio)),
            Self::PerSecond(rate) => f.write_str(&units::format_rate(*rate)),
            Self::Number(number) => write!(f, "{number}"),
        }
    }
}

/// The condition in its normal form, which parses to the same condition; `text` keeps what was written.
impl Display for Threshold {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.metric.name())?;
        if self.stat != Stat::Value {
            write!(f, " {}", self.stat)?;
        }
        match (self.metric, self.limit) {
            (Metric::Bytes, Limit::Number(bytes)) => write!(f, " {} {}", self.op, units::format_size(bytes as u64))?,
            (_, limit) => write!(f, " {} {limit}", self.op)?,
        }
        let quote = |name: &str| {
            if name.contains(" in ") { format!("\"{name}\"") } else { name.to_owned() }
        };
        match &self.scope {
            Scope::Total => {}
            Scope::Request(name) => write!(f, " for request {}", quote(name))?,
            Scope::Scenario(name) => write!(f, " for scenario {}", quote(name))?,
            Scope::Transaction(name) => write!(f, " for transaction {}", quote(name))?,
            Scope::Tag(name) => write!(f, " for tag {}", quote(name))?,
        }
        match self.within {
            Within::Hold => Ok(()),
            Within::Whole => f.write_str(" in whole"),
            Within::Last(length) => write!(f, " in last {}", units::format_duration(length)),
        }
    }
}
