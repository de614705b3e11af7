//! Metrics of the user's own: what one is called, and what its numbers are.

use std::fmt::{self, Display, Formatter};

/// What the numbers of a metric are summed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// Their sum.
    Counter,
    /// The last, the smallest and the largest of them.
    Gauge,
    /// The share of them that is not zero.
    Rate,
    /// Their distribution.
    Trend,
}

impl MetricKind {
    /// Every kind with its word.
    pub const WORDS: [(&'static str, Self); 4] =
        [("counter", Self::Counter), ("gauge", Self::Gauge), ("rate", Self::Rate), ("trend", Self::Trend)];

    /// Its word.
    pub const fn word(self) -> &'static str {
        Self::WORDS[self as usize].0
    }
}

/// A metric of the user's own, or what has a tag of it. Its text is its name in a catalog: `trend cart_total EUR #checkout`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// What its numbers are summed to.
    pub kind: MetricKind,
    /// Its name, without white space.
    pub name: String,
    /// What a number is of, without white space; empty where nothing is said.
    pub unit: String,
    /// The tag whose numbers these are; of all of them when `None`.
    pub tag: Option<String>,
}

impl Metric {
    /// The metric that a name in a catalog is of.
    pub fn parse(text: &str) -> Option<Self> {
        let (text, tag) = text.split_once(" #").map_or((text, None), |(text, tag)| (text, Some(tag.to_owned())));
        let mut words = text.split(' ');
        let kind = words.next()?;
        let (_, kind) = MetricKind::WORDS.into_iter().find(|(word, _)| *word == kind)?;
        let (name, unit) = (words.next()?.to_owned(), words.next().unwrap_or_default().to_owned());
        words.next().is_none().then_some(Self { kind, name, unit, tag })
    }
}

impl Display for Metric {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { kind, name, unit, tag } = self;
        write!(f, "{} {name}", kind.word())?;
        if !unit.is_empty() {
            write!(f, " {unit}")?;
        }
        tag.iter().try_for_each(|tag| write!(f, " #{tag}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_what_its_text_says() {
        for text in ["trend cart_total EUR #a #b c", "rate hit #x", "gauge depth", "counter items pcs"] {
            assert_eq!(Metric::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Metric::parse("trend cart_total EUR #a b").unwrap().tag.as_deref(), Some("a b"));
        for text in ["", "other", "trend", "sum x", "trend a b c"] {
            assert_eq!(Metric::parse(text), None, "{text}");
        }
        MetricKind::WORDS.iter().for_each(|(word, kind)| assert_eq!(kind.word(), *word));
    }
}
