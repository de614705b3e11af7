//! What is compared: metrics, on which scale, and which direction is better.

nmax_text::named! {
    /// A figure of a request in a run.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Metric {
        /// Mean response time, ms.
        ResponseMean = "response_time mean",
        /// Median response time, ms.
        ResponseP50 = "response_time p50",
        /// 95th percentile of the response times, ms.
        ResponseP95 = "response_time p95",
        /// 99th percentile of the response times, ms.
        ResponseP99 = "response_time p99",
        /// Mean service time, ms.
        ServiceMean = "service_time mean",
        /// Median service time, ms.
        ServiceP50 = "service_time p50",
        /// 95th percentile of the service times, ms.
        ServiceP95 = "service_time p95",
        /// 99th percentile of the service times, ms.
        ServiceP99 = "service_time p99",
        /// Exchanges that ended, per second.
        Throughput = "throughput",
        /// Failed or in error, of all exchanges, 0 to 1.
        FailureRate = "failure_rate",
        /// Bytes received per exchange.
        Bytes = "bytes",
    }
    /// Its name, as thresholds call it.
    name
}

/// Which direction is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Less is better.
    Less,
    /// More is better.
    More,
    /// Neither: a difference is only told.
    Neither,
}

/// On which scale figures are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// After over before.
    Ratio,
    /// After less before.
    Difference,
}

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Milliseconds.
    Ms,
    /// Per second.
    PerS,
    /// Share, 0 to 1.
    Share,
    /// Bytes.
    Bytes,
}

impl Metric {
    /// What two runs are compared by unless somebody asks for more.
    pub const OF_RUNS: [Self; 8] = [
        Self::ResponseMean,
        Self::ResponseP50,
        Self::ResponseP95,
        Self::ResponseP99,
        Self::ServiceP95,
        Self::Throughput,
        Self::FailureRate,
        Self::Bytes,
    ];
    /// What a run is compared by with a log, which knows neither when a request was due nor the same load.
    pub const OF_LOGS: [Self; 6] =
        [Self::ServiceMean, Self::ServiceP50, Self::ServiceP95, Self::ServiceP99, Self::FailureRate, Self::Bytes];

    /// The metric of this name; `response_time` and `service_time` alone are their 95th percentile.
    pub fn named(name: &str) -> Option<Self> {
        let words: Vec<&str> = name.split_whitespace().collect();
        let full = match words.as_slice() {
            [one @ ("response_time" | "service_time")] => format!("{one} p95"),
            _ => words.join(" "),
        };
        Self::ALL.into_iter().find(|metric| metric.name() == full)
    }

    /// Which direction is better.
    pub const fn better(self) -> Better {
        match self {
            Self::Throughput => Better::More,
            Self::Bytes => Better::Neither,
            _ => Better::Less,
        }
    }

    /// On which scale it is compared. Failures often are 0, so they have no ratio.
    pub const fn scale(self) -> Scale {
        match self {
            Self::FailureRate => Scale::Difference,
            _ => Scale::Ratio,
        }
    }

    /// What it counts.
    pub const fn unit(self) -> Unit {
        match self {
            Self::Throughput => Unit::PerS,
            Self::FailureRate => Unit::Share,
            Self::Bytes => Unit::Bytes,
            _ => Unit::Ms,
        }
    }

    /// The figure on the scale on which differences are taken: its logarithm, or itself. `None` when it has none.
    pub fn score(self, value: f64) -> Option<f64> {
        match self.scale() {
            Scale::Ratio => (value.is_finite() && value > 0.0).then(|| value.ln()),
            Scale::Difference => value.is_finite().then_some(value),
        }
    }

    /// A difference of scores as it is shown: a ratio, or a difference.
    pub fn shown(self, shift: f64) -> f64 {
        match self.scale() {
            Scale::Ratio => shift.exp(),
            Scale::Difference => shift,
        }
    }

    /// Standard deviation, on the scale of scores, that equal runs are taken to have at least as long as nothing is known
    /// of others: tails vary more than medians.
    pub(super) const fn least_deviation(self) -> f64 {
        match self {
            Self::ResponseMean | Self::ResponseP50 | Self::ServiceMean | Self::ServiceP50 => 0.05,
            Self::ResponseP95 | Self::ServiceP95 => 0.08,
            Self::ResponseP99 | Self::ServiceP99 => 0.15,
            // Closed workloads are as quick as their replies.
            Self::Throughput => 0.05,
            Self::FailureRate => 0.002,
            Self::Bytes => 0.01,
        }
    }
}

/// Figures of a request, one per metric; unknown ones are absent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Values([Option<f64>; Metric::ALL.len()]);

impl Values {
    /// The figure of a metric.
    pub fn get(&self, metric: Metric) -> Option<f64> {
        self.0[metric as usize]
    }

    /// Sets the figure of a metric; what is no number stays unknown.
    pub fn set(&mut self, metric: Metric, value: Option<f64>) {
        self.0[metric as usize] = value.filter(|value| value.is_finite());
    }

    /// Its score.
    pub(super) fn score(&self, metric: Metric) -> Option<f64> {
        metric.score(self.get(metric)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_metrics() {
        for (place, metric) in Metric::ALL.into_iter().enumerate() {
            assert_eq!(Metric::named(metric.name()), Some(metric));
            assert_eq!(metric as usize, place, "values are stored by this number");
        }
        assert_eq!(Metric::named(" response_time   p50 "), Some(Metric::ResponseP50));
        assert_eq!(Metric::named("response_time"), Some(Metric::ResponseP95));
        assert_eq!(Metric::named("p50"), None);
    }

    #[test]
    fn what_has_no_ratio_has_no_score() {
        assert_eq!(Metric::ResponseP50.score(0.0), None);
        assert_eq!(Metric::FailureRate.score(0.0), Some(0.0));
        assert_eq!(Metric::Bytes.score(f64::NAN), None);
        let mut values = Values::default();
        values.set(Metric::Bytes, Some(f64::INFINITY));
        assert_eq!(values.get(Metric::Bytes), None);
    }
}
