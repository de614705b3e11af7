//! What a figure is. Names and units are strings only where they are read or written.

/// A figure of the vocabulary, such as [`super::figures::BUSY_CORES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Its name in files, with the suffix of its unit where it has one.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// What its values are.
    pub kind: Kind,
    /// What it means, one line.
    pub about: &'static str,
}

impl Figure {
    /// Name of the part of this figure for which a label has this value: `errors_count{kind="panic"}`.
    pub fn labeled(self, label: &str, value: &str) -> String {
        format!("{}{{{label}=\"{value}\"}}", self.name)
    }

    /// Value of a label in the name of a part of this figure, the inverse of [`Figure::labeled`].
    pub fn label<'a>(self, name: &'a str, label: &str) -> Option<&'a str> {
        let labels = name.strip_prefix(self.name)?.strip_prefix('{')?.strip_suffix("\"}")?;
        labels.strip_prefix(label)?.strip_prefix("=\"")
    }
}

impl PartialEq<Figure> for str {
    fn eq(&self, figure: &Figure) -> bool {
        self == figure.name
    }
}

impl PartialEq<Figure> for String {
    fn eq(&self, figure: &Figure) -> bool {
        self == figure.name
    }
}

/// Unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A share, 0 to 1.
    Ratio,
    /// A number of things.
    Count,
    /// Bytes.
    Bytes,
    /// Seconds.
    S,
    /// Milliseconds.
    Ms,
    /// Processors.
    Cores,
    /// Things per second.
    PerS,
    /// Bytes per second.
    BytesPerS,
    /// Seconds per second.
    SPerS,
}

impl Unit {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Ratio,
        Self::Count,
        Self::Bytes,
        Self::S,
        Self::Ms,
        Self::Cores,
        Self::PerS,
        Self::BytesPerS,
        Self::SPerS,
    ];

    /// As files have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ratio => "ratio",
            Self::Count => "count",
            Self::Bytes => "bytes",
            Self::S => "s",
            Self::Ms => "ms",
            Self::Cores => "cores",
            Self::PerS => "per s",
            Self::BytesPerS => "bytes per s",
            Self::SPerS => "s per s",
        }
    }

    /// The unit of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }
}

/// What the values of a figure are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// How much there is: at the moment of the look, or the mean since the reading before.
    Gauge,
    /// How much there can be.
    Limit,
    /// What a counter grew by per second since the reading before.
    Counter,
    /// A part of a whole, or of the time since the reading before.
    Share,
    /// How long something took, or takes.
    Time,
    /// How many there were since the reading before; values add up.
    Sum,
}

impl Kind {
    /// As documentation has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gauge => "gauge",
            Self::Limit => "limit",
            Self::Counter => "counter",
            Self::Share => "share",
            Self::Time => "time",
            Self::Sum => "sum",
        }
    }
}
