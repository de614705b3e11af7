//! Where a value comes from, and what an answer rests on.

/// Where a value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// Measured by nmax, or counted in a log.
    Measured,
    /// Stated by the person who asks.
    #[default]
    Assumed,
    /// Stated by a vendor.
    Vendor,
}

impl Basis {
    /// In tables: `measured`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Assumed => "assumed",
            Self::Vendor => "vendor's",
        }
    }
}

/// A value with its 95 % interval, where there is one, and its basis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The estimate.
    pub value: f64,
    /// Lower and upper end of its 95 % interval; `None` when none is known.
    pub interval: Option<(f64, f64)>,
    /// Where it comes from.
    pub basis: Basis,
}

impl Figure {
    /// A value that was stated, without an interval.
    pub const fn assumed(value: f64) -> Self {
        Self { value, interval: None, basis: Basis::Assumed }
    }

    /// The lower end; the value itself without an interval.
    pub fn low(&self) -> f64 {
        self.interval.map_or(self.value, |(low, _)| low)
    }

    /// The upper end; the value itself without an interval.
    pub fn high(&self) -> f64 {
        self.interval.map_or(self.value, |(_, high)| high)
    }
}

/// Something that an answer rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumption {
    /// What: `price of a node`.
    pub what: String,
    /// Its value with unit: `0.50 EUR/h`.
    pub value: String,
    /// Where it comes from.
    pub basis: Basis,
    /// Why it may be doubted, or what would measure it; may be empty.
    pub note: String,
}

/// All that answers rest on, in the order of the report, and what would make them better.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assumptions {
    /// What is taken as given.
    pub list: Vec<Assumption>,
    /// What these data do not support, each a sentence with `because`.
    pub unsupported: Vec<String>,
    /// What to measure next: a sentence, and the command that measures it.
    pub next: Vec<(String, String)>,
}

impl Assumptions {
    /// Adds a value that answers rest on.
    pub fn rest_on(
        &mut self,
        what: impl Into<String>,
        value: impl Into<String>,
        basis: Basis,
        note: impl Into<String>,
    ) {
        self.list.push(Assumption { what: what.into(), value: value.into(), basis, note: note.into() });
    }
}
