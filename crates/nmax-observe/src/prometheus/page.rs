//! A page of samples with what they grew by, and figures that are made of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use crate::rates::{Growth, Rates};

use super::text::{Comparison, Escaped, Line, Matcher, Role, Sample};

/// Which samples: a name, and what labels must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selector {
    name: String,
    matchers: Vec<Matcher>,
}

impl Selector {
    /// Reads `name{label="value",other!="value"}`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut line = Line::new(text.trim());
        let wrong = |what: &str| format!("`{}` names no metric: {what}", nmax_text::shown(text));
        let (name, matchers) = line.series().map_err(wrong)?;
        if !line.is_at_end() {
            return Err(wrong("there is more after it"));
        }
        Ok(Self { name, matchers })
    }

    fn takes(&self, sample: &Sample) -> bool {
        self.matchers.iter().all(|(label, comparison, value)| match comparison {
            Comparison::Is => sample.label(label) == value,
            Comparison::IsNot => sample.label(label) != value,
        })
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.name)?;
        for (index, (label, comparison, value)) in self.matchers.iter().enumerate() {
            let before = if index == 0 { '{' } else { ',' };
            let sign = match comparison {
                Comparison::Is => "=",
                Comparison::IsNot => "!=",
            };
            write!(out, "{before}{label}{sign}\"{}\"", Escaped(value))?;
        }
        out.write_str(if self.matchers.is_empty() { "" } else { "}" })
    }
}

/// How a figure is made. Where there are several samples, they are added.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Formula<S> {
    /// Their values.
    Value(S),
    /// What they grow by per second, times a factor.
    Rate(f64, S),
    /// The first ones' values without the second ones'.
    Less(S, S),
    /// Their values without so many, which are whoever asks for the page itself; never negative.
    Without(f64, S),
    /// What the first ones grew by for each that the second ones grew by, times a factor.
    Ratio(f64, S, S),
    /// One without what they grow by per second: of a counter of idle seconds, the busy share.
    Rest(S),
    /// How many values a label has.
    Distinct(S, &'static str),
    /// Growth per second of counters, values of the rest.
    ByType(S),
    /// Values of what is a gauge for certain, growth per second of the rest.
    Growing(S),
}

impl<S> Formula<S> {
    /// The same figure of other samples.
    pub(crate) fn map<T>(&self, change: impl Fn(&S) -> T) -> Formula<T> {
        match self {
            Self::Value(of) => Formula::Value(change(of)),
            Self::Rate(factor, of) => Formula::Rate(*factor, change(of)),
            Self::Less(all, part) => Formula::Less(change(all), change(part)),
            Self::Without(own, of) => Formula::Without(*own, change(of)),
            Self::Ratio(factor, over, under) => Formula::Ratio(*factor, change(over), change(under)),
            Self::Rest(of) => Formula::Rest(change(of)),
            Self::Distinct(of, label) => Formula::Distinct(change(of), label),
            Self::ByType(of) => Formula::ByType(change(of)),
            Self::Growing(of) => Formula::Growing(change(of)),
        }
    }

    /// Everything that it is made of.
    fn parts(&self) -> impl Iterator<Item = &S> {
        let (one, other) = match self {
            Self::Value(of)
            | Self::Rate(_, of)
            | Self::Without(_, of)
            | Self::Rest(of)
            | Self::Distinct(of, _)
            | Self::ByType(of)
            | Self::Growing(of) => (of, None),
            Self::Less(one, other) | Self::Ratio(_, one, other) => (one, Some(other)),
        };
        std::iter::once(one).chain(other)
    }
}

/// Value of a figure by the value of a label; under the empty text where there is none.
pub(crate) type ByLabel = BTreeMap<String, f64>;

/// A page of samples.
pub(crate) struct Samples<'a> {
    samples: &'a [Sample],
    growths: Vec<Option<Growth>>,
    by_name: HashMap<&'a str, Vec<usize>>,
    used: Vec<bool>,
    claims: Vec<Option<usize>>,
}

impl<'a> Samples<'a> {
    /// Samples of a page. `rates` has begun the reading.
    pub(crate) fn new(samples: &'a [Sample], rates: &mut Rates) -> Self {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut growths = Vec::with_capacity(samples.len());
        for (index, sample) in samples.iter().enumerate() {
            by_name.entry(&sample.name).or_default().push(index);
            growths.push(rates.growth(&sample.id(), sample.value, sample.stamp_s));
        }
        Self { samples, growths, by_name, used: vec![false; samples.len()], claims: vec![None; samples.len()] }
    }

    /// Whether a sample is there.
    pub(crate) fn has(&self, selector: &Selector) -> bool {
        self.found(selector).next().is_some()
    }

    /// Whether any name has this in it.
    pub(crate) fn has_name_with(&self, part: &str) -> bool {
        self.by_name.keys().any(|name| name.contains(part))
    }

    /// Gives the samples of a figure to a resource of the plan, which is told by its number. Who comes first has them.
    pub(crate) fn claim(&mut self, figure: &Formula<Vec<Selector>>, resource: usize) {
        for index in self.of_figure(figure).collect::<Vec<_>>() {
            self.claims[index].get_or_insert(resource);
        }
    }

    /// Which resource of the plan has samples of a figure, for each value of the label `by` where one has.
    pub(crate) fn claims(&self, figure: &Formula<Vec<Selector>>, by: Option<&str>) -> BTreeMap<String, usize> {
        let mut claims = BTreeMap::new();
        for index in self.of_figure(figure) {
            if let Some(resource) = self.claims[index] {
                let label = by.map_or("", |by| self.samples[index].label(by));
                claims.entry(label.to_owned()).or_insert(resource);
            }
        }
        claims
    }

    fn of_figure<'b>(&'b self, figure: &'b Formula<Vec<Selector>>) -> impl Iterator<Item = usize> + 'b {
        figure.parts().flatten().flat_map(|selector| self.found(selector))
    }

    /// The value of a figure, for each value of the label `by`.
    pub(crate) fn figure(&mut self, figure: &Formula<Vec<Selector>>, by: Option<&str>) -> ByLabel {
        match figure {
            Formula::Value(of) => self.sum(of, by, |sample, _| Some(sample.value)),
            Formula::Rate(factor, of) => self.sum(of, by, |_, growth| Some(growth?.per_s() * factor)),
            Formula::Less(all, part) => {
                let part = self.sum(part, by, |sample, _| Some(sample.value));
                let all = self.sum(all, by, |sample, _| Some(sample.value));
                joined(all, &part, |all, part| Some(all - part))
            }
            Formula::Without(own, of) => {
                let mut values = self.sum(of, by, |sample, _| Some(sample.value));
                values.values_mut().for_each(|value| *value = (*value - own).max(0.0));
                values
            }
            Formula::Ratio(factor, over, under) => {
                let under = self.sum(under, by, |_, growth| Some(growth?.by));
                let over = self.sum(over, by, |_, growth| Some(growth?.by));
                joined(over, &under, |over, under| (under > 0.0).then(|| factor * over / under))
            }
            Formula::Rest(of) => {
                let rates = self.sum(of, by, |_, growth| Some(growth?.per_s()));
                rates.into_iter().map(|(label, rate)| (label, (1.0 - rate).max(0.0))).collect()
            }
            Formula::Distinct(of, label) => self.distinct(of, by, label),
            Formula::ByType(of) => self.sum(of, by, |sample, growth| match sample.role {
                Role::Gauge | Role::Unknown | Role::Constant => Some(sample.value),
                Role::Counter | Role::Count | Role::Sum => Some(growth?.per_s()),
            }),
            Formula::Growing(of) => self.sum(of, by, |sample, growth| match sample.role {
                Role::Gauge => Some(sample.value),
                _ => Some(growth?.per_s()),
            }),
        }
    }

    /// Samples that no figure was made of, with what they grew by.
    pub(crate) fn unused(&self) -> impl Iterator<Item = (&'a Sample, Option<Growth>)> {
        let all = self.samples.iter().zip(&self.growths).zip(&self.used);
        all.filter(|(_, used)| !**used).map(|((sample, growth), _)| (sample, *growth))
    }

    fn found<'b>(&'b self, selector: &'b Selector) -> impl Iterator<Item = usize> + 'b {
        let named = self.by_name.get(selector.name.as_str()).into_iter().flatten();
        named.copied().filter(|&index| selector.takes(&self.samples[index]))
    }

    fn sum(
        &mut self,
        selectors: &[Selector],
        by: Option<&str>,
        value: impl Fn(&Sample, Option<Growth>) -> Option<f64>,
    ) -> ByLabel {
        let mut sums = ByLabel::new();
        for selector in selectors {
            for index in self.found(selector).collect::<Vec<_>>() {
                let sample = &self.samples[index];
                self.used[index] = true;
                if let Some(value) = value(sample, self.growths[index]).filter(|value| value.is_finite()) {
                    let label = by.map_or("", |label| sample.label(label));
                    *sums.entry(label.to_owned()).or_default() += value;
                }
            }
        }
        sums.retain(|_, sum| sum.is_finite());
        sums
    }

    fn distinct(&mut self, selectors: &[Selector], by: Option<&str>, label: &str) -> ByLabel {
        let mut values: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for selector in selectors {
            for index in self.found(selector).collect::<Vec<_>>() {
                self.used[index] = true;
                let group = by.map_or("", |by| self.samples[index].label(by)).to_owned();
                values.entry(group).or_default().insert(self.samples[index].label(label));
            }
        }
        values.into_iter().map(|(group, values)| (group, values.len() as f64)).collect()
    }
}

/// Both of what both have.
fn joined(one: ByLabel, other: &ByLabel, join: impl Fn(f64, f64) -> Option<f64>) -> ByLabel {
    let pairs = one.into_iter().filter_map(|(label, value)| {
        let both = join(value, *other.get(&label)?).filter(|both| both.is_finite())?;
        Some((label, both))
    });
    pairs.collect()
}
