//! Readings of a service from the names and numbers that it gives.

use std::collections::HashMap;

use nmax_metrics::Nanos;
use nmax_sources::Figure;

use crate::Reading;
use crate::rates::Rates;

/// Numbers by name.
pub(crate) type Numbers = HashMap<String, f64>;

/// Lines `name<separator>value` of which the values are numbers.
pub(crate) fn numbers<'a>(lines: impl Iterator<Item = &'a str>, separator: char) -> Numbers {
    let pairs = lines.filter_map(|line| line.trim().split_once(separator));
    let numbers = pairs.filter_map(|(name, value)| Some((name.trim().to_owned(), value.trim().parse::<f64>().ok()?)));
    numbers.filter(|(_, value)| value.is_finite()).collect()
}

/// Collects readings of one look at a service.
pub(crate) struct ServiceReading<'a> {
    numbers: &'a Numbers,
    rates: &'a mut Rates,
    source: String,
    readings: Vec<Reading>,
}

impl<'a> ServiceReading<'a> {
    /// A look at `now`; figures belong to `source` until another one is named.
    pub(crate) fn new(now: Nanos, numbers: &'a Numbers, rates: &'a mut Rates, source: String) -> Self {
        rates.begin(now);
        Self { numbers, rates, source, readings: Vec::new() }
    }

    /// The following figures are those of `source`.
    pub(crate) fn set_source(&mut self, source: String) -> &mut Self {
        self.source = source;
        self
    }

    /// A number as it is; nothing when the service does not give it.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.numbers.get(name).copied()
    }

    /// What numbers grew by per second, together; nothing when one is missing.
    pub(crate) fn rate(&mut self, names: &[&str]) -> Option<f64> {
        // Each is remembered, also when another one is missing.
        let mut sum = Some(0.0);
        for name in names {
            let value = self.numbers.get(*name);
            let rate = value.and_then(|&value| self.rates.per_s(name, value));
            sum = sum.zip(rate).map(|(sum, rate)| sum + rate);
        }
        sum
    }

    /// As [`ServiceReading::rate`], without `own` of each look: what is asked here is no load.
    pub(crate) fn rate_without(&mut self, own: f64, name: &str) -> Option<f64> {
        let growth = self.rates.growth(name, *self.numbers.get(name)?, None)?;
        Some((growth.by - own).max(0.0) / growth.over_s)
    }

    /// Share of the first in both; nothing when neither grew.
    pub(crate) fn share(&mut self, of: &str, rest: &str) -> Option<f64> {
        let (of, rest) = (self.rate(&[of]), self.rate(&[rest]));
        let (of, rest) = (of?, rest?);
        (of + rest > 0.0).then(|| of / (of + rest))
    }

    /// A figure, if it is known.
    pub(crate) fn put(&mut self, figure: Figure, value: Option<f64>) {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            self.readings.push(Reading::new(&self.source, figure, value));
        }
    }

    /// Several figures.
    pub(crate) fn put_all(&mut self, figures: &[(Figure, Option<f64>)]) {
        for (figure, value) in figures {
            self.put(*figure, *value);
        }
    }

    /// All figures.
    pub(crate) fn readings(self) -> Vec<Reading> {
        self.readings
    }
}
