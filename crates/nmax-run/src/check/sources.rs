//! Whether what the plan observes can be read: each source is tried once.

use nmax_observe::elsewhere::elsewhere;
use nmax_observe::trial::{Attempt, Clock, try_all};
use nmax_plan::plan::Observed;
use nmax_report::number;
use serde_json::{Value, json};

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
        for one in elsewhere(observed).iter().filter(|one| one.forbidden.is_none()) {
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
    pub fn json(&self, shown: &Shown) -> Value {
        let one = |(observed, attempt): &(&Observed, Attempt)| {
            let answer = attempt.outcome.as_ref().ok();
            let clock = answer.and_then(|answer| answer.clock);
            let notes: Vec<String> = attempt.notes.iter().map(|note| shown.text(note)).collect();
            json!({
                "kind": observed.word(),
                "name": observed.name(),
                "host": observed.host(),
                "place": shown.text(&written::place(observed)),
                "ok": answer.is_some(),
                "about": answer.and_then(|answer| answer.about.as_deref()).map(|about| shown.text(about)),
                "figures": answer.map(|answer| answer.figures),
                "clock": clock.map(|clock| json!({ "offset_s": clock.offset_s, "error_s": clock.error_s })),
                "error": attempt.outcome.as_ref().err().map(|trouble| shown.text(&trouble.text)),
                "notes": notes,
            })
        };
        self.tried.iter().map(one).collect()
    }
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
