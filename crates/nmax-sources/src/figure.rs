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

nmax_text::named! {
    /// Unit of a figure.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Unit {
        /// A share, 0 to 1.
        Ratio = "ratio",
        /// A number of things.
        Count = "count",
        /// Bytes.
        Bytes = "bytes",
        /// Seconds.
        S = "s",
        /// Milliseconds.
        Ms = "ms",
        /// Processors.
        Cores = "cores",
        /// Things per second.
        PerS = "per s",
        /// Bytes per second.
        BytesPerS = "bytes per s",
        /// Seconds per second.
        SPerS = "s per s",
        /// 0 or 1.
        Flag = "flag",
    }
    /// As files have it.
    name
}

impl Unit {
    /// The unit of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }
}

nmax_text::named! {
    /// What the values of a figure are.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Kind {
        /// How much there is: at the moment of the look, or the mean since the reading before.
        Gauge = "gauge",
        /// How much there can be.
        Limit = "limit",
        /// What a counter grew by per second since the reading before.
        Counter = "counter",
        /// A part of a whole, or of the time since the reading before.
        Share = "share",
        /// How long something took, or takes.
        Time = "time",
        /// How many there were since the reading before; values add up.
        Sum = "sum",
    }
    /// As documentation has it.
    name
}
