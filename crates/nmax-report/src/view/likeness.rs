//! How like its source the traffic of a run was.

/// The comparison of a run's traffic with the traffic that its plan was made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Likeness {
    /// What it is compared with: a file.
    pub source: String,
    /// What is compared.
    pub rows: Vec<LikenessRow>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// One property of the traffic, in both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LikenessRow {
    /// The property.
    pub what: String,
    /// In the source.
    pub source: String,
    /// In the run.
    pub run: String,
    /// How far apart they are, in the unit of `measure`.
    pub distance: Option<f64>,
    /// What the distance is.
    pub measure: String,
    /// In a word.
    pub verdict: String,
    /// What that means.
    pub mark: LikenessMark,
    /// Why, or what to do.
    pub why: String,
}

/// What a verdict means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LikenessMark {
    /// Alike.
    Alike,
    /// A little apart.
    Near,
    /// Apart.
    Apart,
    /// No matter of likeness, or too little to tell.
    #[default]
    Neutral,
}
