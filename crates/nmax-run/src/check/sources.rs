//! Whether what the plan observes can be read: each source is tried once.

use nmax_json::{JsonFrom, Word, records};
use nmax_observe::remote_sources::remote_sources;
use nmax_observe::trial::{Answer, Attempt, Clock, try_all};
use nmax_plan::plan::Observed;
use nmax_report::number;

use super::written;
use crate::secrets::Shown;

/// What came of trying each source.
pub struct Sources<'a> {
    tried: Vec<(&'a Observed, Attempt)>,
}

impl<'a> Sources<'a> {
    /// Asks each source once, all at the same time. It takes a few seconds at most.
    pub fn ask(observed: &'a [Observed]) -> Self {
        let mut attempts = try_all(observed);
        for one in remote_sources(observed).iter().filter(|one| one.forbidden.is_none()) {
            attempts[one.index].notes.insert(0, format!("read beyond this host: {one}"));
        }
        Self { tried: observed.iter().zip(attempts).collect() }
    }

    /// How many cannot be read.
    pub fn failed(&self) -> usize {
        self.tried.iter().filter(|(_, attempt)| attempt.outcome.is_err()).count()
    }

    /// A line for each and what else is to be known of it; nothing where nothing is observed.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (observed, attempt) in &self.tried {
            let title = observed.title();
            lines.push(match &attempt.outcome {
                Err(trouble) => format!("✗ {title}: {trouble}"),
                Ok(answer) => {
                    let about = answer.about.clone();
                    let figures = match answer.figures {
                        0 => None,
                        1 => Some("1 figure".to_owned()),
                        figures => Some(format!("{figures} figures")),
                    };
                    let parts: Vec<String> = [about, figures, answer.clock.map(clock)].into_iter().flatten().collect();
                    format!("✓ {title}: {}", parts.join(", "))
                }
            });
            lines.extend(attempt.notes.iter().map(|note| format!("  ! {note}")));
        }
        if self.failed() > 0 {
            lines.push(format!(
                "{} of {} cannot be read: a run goes on without, and what they would have said is not observed",
                self.failed(),
                self.tried.len()
            ));
        }
        lines
    }

    /// The same for programs.
    pub fn rows(&self, shown: &Shown) -> Vec<Source> {
        self.tried.iter().map(|(observed, attempt)| Source::json_from((*observed, attempt, shown))).collect()
    }
}

records! {
    /// What came of trying a source.
    #[schemars(description = "")]
    pub struct Source(of: (&Observed, &Attempt, &Shown)) {
        kind: Word = of.0.word(), "The word of the plan for it.";
        name: String = of.0.name();
        host: String = of.0.host(), "Whose figures it gives.";
        place: String = of.2.text(&written::place(of.0)), "Where it is; secrets are blanked.";
        ok: bool = of.1.outcome.is_ok(), "Whether it can be read.";
        about: Option<String> = answer(of.1).and_then(|answer| answer.about.as_deref()).map(|about| of.2.text(about)),
            "What it says that it is, with its version; null where it does not say.";
        figures: Option<u64> = answer(of.1).map(|answer| answer.figures),
            "Of its first reading; rates begin with the second one. Null where it cannot be read.";
        clock: Option<ClockRow> = answer(of.1).and_then(|answer| answer.clock), "Of an agent's host.";
        error: Option<String> = of.1.outcome.as_ref().err().map(|trouble| of.2.text(&trouble.text)),
            "Why it cannot be read, and what to do.";
        notes: Vec<String> = of.1.notes.iter().map(|note| of.2.text(note)).collect::<Vec<_>>(),
            "What else is to be known of it.";
    }
    /// The clock of an agent's host.
    #[schemars(description = "")]
    pub struct ClockRow(clock: Clock) {
        offset_s: f64 = clock.offset_s, "The calendar of its host, less that of this one.";
        error_s: f64 = clock.error_s, "How far its readings may be from where they belong.";
    }
}

fn answer(attempt: &Attempt) -> Option<&Answer> {
    attempt.outcome.as_ref().ok()
}

/// Where the clock of an agent's host stands.
fn clock(clock: Clock) -> String {
    let (offset_ns, error_ns) = (clock.offset_s.abs() * 1e9, clock.error_s * 1e9);
    let within = number::time(error_ns);
    if offset_ns <= error_ns {
        return format!("its clock is right to within {within}");
    }
    let word = if clock.offset_s > 0.0 { "ahead" } else { "behind" };
    format!("its clock is {} {word}, to within {within}", number::time(offset_ns))
}

#[cfg(test)]
mod tests;
