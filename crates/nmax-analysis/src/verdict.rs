//! The parts of a judgement: thresholds, gates, reasons and the verdict that follows from them.

nmax_text::named! {
    /// PASS, FAIL or INVALID; INVALID outranks the other two.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Verdict {
        /// Every threshold holds and every gate is open.
        Pass = "pass",
        /// A threshold does not hold.
        Fail = "fail",
        /// A gate is closed: the numbers judge nothing.
        Invalid = "invalid",
    }
    /// The name in JSON.
    name
}

/// Why the verdict is what it is, or a warning that does not change it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// Stable code; [`mod@crate::explain`] says what each means and whether it may decide.
    pub code: &'static str,
    /// One sentence for a person, with the figures.
    pub text: String,
    /// The figures alone: name and value as printed.
    pub evidence: Vec<(String, String)>,
    /// Whether it decides the verdict; otherwise it is a warning.
    pub decides: bool,
}

impl Reason {
    /// A warning, with its figures by name.
    pub(crate) fn new(
        code: &'static str,
        text: String,
        figures: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Self {
        let evidence = figures.into_iter().map(|(name, figure)| (name.to_owned(), figure)).collect();
        Self { code, text, evidence, decides: false }
    }

    /// The same, where it may decide the verdict.
    pub(crate) fn deciding(self, decides: bool) -> Self {
        Self { decides, ..self }
    }
}

/// A threshold and what was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct ThresholdResult {
    /// The condition as written.
    pub condition: String,
    /// Measured value, in the unit of the limit (times in ms, shares 0 to 1); `None` without samples.
    pub value: Option<f64>,
    /// The limit, same unit.
    pub limit: f64,
    /// Unit as printed: `ms`, `%`, `/s`, `` (counts).
    pub unit: &'static str,
    /// Distance to the limit relative to it, positive when it holds; `None` without samples, with limit 0, and when
    /// exchanges cut off at the end leave open how far the value reaches.
    pub margin: Option<f64>,
    /// Whether the condition holds; false without samples.
    pub holds: bool,
}

/// A validity gate and what was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// `G1` to `G5`, `G8`.
    pub code: &'static str,
    /// What it looks at, such as `rate` or `injector lag`.
    pub name: &'static str,
    /// Whose figures these are, where there are several injectors.
    pub injector: Option<String>,
    /// Names of all injectors that fail it, where there are several.
    pub failing: Vec<String>,
    /// Measured value; `None` when it does not apply.
    pub value: Option<f64>,
    /// The limit it was compared with.
    pub limit: Option<f64>,
    /// Unit of both: `ms`, `%` (shares 0 to 1), `` (counts).
    pub unit: &'static str,
    /// Whether the run may be believed in this respect.
    pub holds: bool,
    /// One sentence for a person.
    pub text: String,
}
