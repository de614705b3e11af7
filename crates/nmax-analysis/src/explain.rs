//! What every code of a result means, in plain words: gates, reasons, events and findings.
//!
//! # Layout
//! - `gates`: codes that may make a run INVALID
//! - `reasons`: codes that may make it FAIL, and warnings
//! - `events`: what happened during a run, and what a forecast said before it
//! - `answers`: findings of profiles
//! - `scalability`: findings about measurements that a law is fitted to

/// A table of codes: weight, code and title; what it says, how it is computed, what to do.
macro_rules! explanations {
    ($($weight:ident $code:literal, $title:literal, $means:expr, $computed:expr, $remedy:expr;)+) => {
        pub(super) const ALL: &[super::Explanation] = &[$(super::Explanation {
            code: $code, title: $title, weight: super::Weight::$weight, means: $means, computed: $computed, remedy: $remedy,
        }),+];
    };
}

mod answers;
mod events;
mod gates;
mod reasons;
mod scalability;

nmax_text::named! {
    /// What a code may do.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Weight {
        /// Makes a run INVALID.
        Invalid = "invalid",
        /// Makes a run FAIL.
        Fail = "fail",
        /// Warns and decides nothing.
        Warning = "warning",
        /// Tells what happened.
        Event = "event",
        /// Is part of the answer of a profile.
        Finding = "finding",
        /// Is about measurements of scalability.
        Scalability = "scalability",
    }
    /// The name in JSON.
    name
}

impl Weight {
    /// What a code of this weight does, in words.
    pub const fn effect(self) -> &'static str {
        match self {
            Self::Invalid => "makes a run INVALID (exit code 4)",
            Self::Fail => "makes a run FAIL (exit code 3)",
            Self::Warning => "a warning; it never decides the verdict",
            Self::Event => "an event of the run; it does not decide the verdict by itself",
            Self::Finding => "a finding of a profile; it never decides the verdict",
            Self::Scalability => {
                "a finding about measurements of scalability; where it blocks, nothing is concluded from the law (exit code 4)"
            }
        }
    }
}

/// A code in plain words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The code as in results.
    pub code: &'static str,
    /// A few words.
    pub title: &'static str,
    /// What it may do.
    pub weight: Weight,
    /// What it says of the run.
    pub means: &'static str,
    /// Figure, limit and where they come from.
    pub computed: &'static str,
    /// What to do.
    pub remedy: &'static str,
}

/// Every code, those that weigh most first.
pub fn explanations() -> impl Iterator<Item = &'static Explanation> {
    [gates::ALL, reasons::ALL, events::ALL, answers::ALL, scalability::ALL].into_iter().flatten()
}

/// Codes that `text` means: the code itself, or all that begin with it up to an underscore, as `G4` does. In any case of
/// letters.
pub fn find(text: &str) -> Vec<&'static Explanation> {
    let text = text.trim().to_ascii_uppercase().replace('-', "_");
    let exact: Vec<_> = explanations().filter(|explanation| explanation.code == text).collect();
    if !exact.is_empty() || text.is_empty() {
        return exact;
    }
    let begins =
        |explanation: &&Explanation| explanation.code.strip_prefix(&text).is_some_and(|rest| rest.starts_with('_'));
    explanations().filter(begins).collect()
}

/// Codes about a word: those that have it in their code or title, else those whose text has it. A plural counts.
pub fn search(word: &str) -> Vec<&'static Explanation> {
    let word = word.trim().to_ascii_lowercase();
    let is_it = |part: &str| part == word || part.strip_suffix('s') == Some(&word);
    let has = |text: &str| text.to_ascii_lowercase().split(|c: char| !c.is_alphanumeric()).any(is_it);
    let about = |texts: fn(&Explanation) -> Vec<&'static str>| -> Vec<_> {
        explanations().filter(|explanation| texts(explanation).into_iter().any(has)).collect()
    };
    if word.is_empty() {
        return Vec::new();
    }
    let named = about(|explanation| vec![explanation.code, explanation.title]);
    if named.is_empty() { about(|explanation| vec![explanation.means, explanation.computed]) } else { named }
}

/// The code that is least different from `text`, when it is alike enough to be meant. Without the number of its gate, a
/// code is still meant.
pub fn nearest(text: &str) -> Option<&'static str> {
    let codes = || explanations().map(|explanation| explanation.code);
    let short = |code: &'static str| code.split_once('_').map(|(_, short)| short);
    let near = nmax_text::nearest(&text.trim().replace('-', "_"), codes().chain(codes().filter_map(short)))?;
    codes().find(|code| *code == near || short(code) == Some(near))
}

#[cfg(test)]
mod tests;
