//! Records by number: record i is a pure function of (seed, i).

use std::num::NonZeroU64;

use crate::choice::Choice;

/// What the plan asks for.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Spec {
    /// What is generated: one of [`Generator::KINDS`].
    pub kind: String,
    /// Language and country, such as `en_GB`; one of [`Generator::LOCALES`].
    pub locale: Option<String>,
    /// Column whose values never repeat.
    pub unique: Option<String>,
}

/// A generator that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct GeneratorError {
    /// Key of the plan at fault: `generate`, `locale` or `unique`.
    pub key: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

/// Makes records.
#[derive(Clone, Debug, PartialEq)]
pub struct Generator {
    spec: Spec,
}

impl Generator {
    /// What can be generated.
    pub const KINDS: [&'static str; 1] = ["uuid"];
    /// Languages and countries.
    pub const LOCALES: [&'static str; 1] = ["en_US"];

    /// A generator, if there is one like this.
    pub fn new(spec: Spec) -> Result<Self, GeneratorError> {
        if Self::KINDS.contains(&spec.kind.as_str()) {
            return Ok(Self { spec });
        }
        Err(GeneratorError {
            key: "generate",
            message: format!("nothing is called `{}`", spec.kind),
            remedy: format!("write one of: {}", Self::KINDS.join(", ")),
        })
    }

    /// What it was made from.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Names of the columns.
    pub fn columns(&self) -> &[&'static str] {
        &["uuid"]
    }

    /// Appends one cell of record `record`.
    pub fn cell(&self, seed: u64, record: u64, _column: usize, out: &mut String) {
        let choice = Choice::new(seed, record, 0, 0);
        let n = NonZeroU64::MAX;
        out.push_str(&format!("{:016x}{:016x}", choice.below(0, n), choice.below(1, n)));
    }
}
