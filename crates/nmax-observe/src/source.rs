//! What can be read, and why it could not be.

use nmax_metrics::{Nanos, Resource};
use nmax_sources::{Figure, Unit};

/// One figure that a source gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// When it was so, on the run's clock; `None`: when the source was read.
    pub at: Option<Nanos>,
    /// Host that it belongs to; `None`: that of the source.
    pub host: Option<String>,
    /// Part of the host: `cpu`, `disk sda`, `pool orders`.
    pub source: String,
    /// Name of a figure, or of what the vocabulary does not have: `await_ms`.
    pub metric: String,
    /// Value.
    pub value: f64,
    /// Unit.
    pub unit: Unit,
}

impl Reading {
    /// A figure of the source's own host, now.
    pub fn new(source: &str, figure: Figure, value: f64) -> Self {
        Self::named(source, figure.name, value, figure.unit)
    }

    /// The same of what goes by another name: a part of a figure, or a series of a page.
    pub fn named(source: &str, metric: &str, value: f64, unit: Unit) -> Self {
        Self { at: None, host: None, source: source.to_owned(), metric: metric.to_owned(), value, unit }
    }

    /// The line of a run that it becomes, where it was read `now` and belongs to `host` unless it says otherwise.
    pub fn resource(self, now: Nanos, host: &str) -> Resource {
        Resource {
            at: self.at.unwrap_or(now),
            host: self.host.unwrap_or_else(|| host.to_owned()),
            source: self.source,
            metric: self.metric,
            value: self.value,
            unit: self.unit.name().to_owned(),
        }
    }
}

/// Why a source could not be read: one sentence that says what and where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Trouble {
    /// What went wrong: `connection refused by 127.0.0.1:9100`.
    pub text: String,
    /// It will not get better by trying again, such as a wrong password.
    pub is_final: bool,
}

impl Trouble {
    /// It may pass.
    pub fn passing(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_final: false }
    }

    /// It will stay.
    pub fn lasting(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_final: true }
    }
}

/// Something that can be read again and again. It bounds its own time: a read takes a few seconds at most, whatever the
/// other side does.
pub trait Source: Send {
    /// Reads all figures. `now` is on the run's clock. Rates are those since the reading before; the first one has none.
    fn read(&mut self, now: Nanos) -> Result<Vec<Reading>, Trouble>;

    /// Whether figures of a moment decide what is said of it. Everything else that is read at the same time keeps processors
    /// busy, so on the host of the system such figures would always be those of a moment at which little gets in.
    fn is_of_a_moment(&self) -> bool {
        false
    }

    /// What it is, as it said itself when it was read last: `PostgreSQL 15.5`. `None` where it does not say.
    fn about(&self) -> Option<String> {
        None
    }

    /// What a person should know once, since the last call: `PSI is not in this kernel`.
    fn notes(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// The same, of what has a code of its own: code and text.
    fn events(&mut self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}
