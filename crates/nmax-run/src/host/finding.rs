//! What a check says, in words for people and in figures for programs.

nmax_text::named! {
    /// How much a finding matters.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Level {
        /// As it should be.
        Ok = "ok",
        /// Good to know.
        Note = "note",
        /// May spoil a run.
        Warning = "warning",
        /// A run surely does not work.
        Error = "error",
    }
    /// The word in JSON.
    word
}

/// What a check found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Stable, for programs and run events.
    pub code: &'static str,
    /// How much it matters.
    pub level: Level,
    /// What was looked at, two words.
    pub what: &'static str,
    /// The value, for people.
    pub value: String,
    /// What it means for load testing, a sentence.
    pub meaning: String,
    /// The value as a number, where it is one.
    pub figure: Option<f64>,
    /// What the figure is held against.
    pub limit: Option<f64>,
    /// What to do, a command where there is one; empty when there is nothing to do.
    pub remedy: String,
}

impl Finding {
    /// As it is said to a person.
    pub fn says(&self) -> String {
        format!("{}\n  help: {}", self.meaning, self.remedy)
    }

    /// As it is kept beside the numbers of a run: its code and words.
    pub fn event(&self) -> (&'static str, String) {
        (self.code, format!("{}: {}", self.meaning, self.remedy))
    }
}
