//! What was found in access logs, and made of it: text and JSON.
//!
//! # Layout
//! - this file: the view, JSON, and what a person must know of a reading
//! - [`mod@text`]: for people

use nmax_json::{Map, Version, records};
use nmax_log::counts::{Counts, Rejected};
use nmax_log::plan::Made;
use nmax_log::replay::Schedule;
use nmax_log::traffic::Profile;
use nmax_log::{instant, stamp};
use nmax_plan::units::format_duration;
use serde_json::Value;

use crate::number;

mod document;

pub use document::document;

/// A replay leaves requests out; which, in words.
pub const LEFT_OUT: &str = "REPLAY_LEFT_OUT";
/// An hour in µs.
const HOUR_US: i64 = 3_600_000_000;

/// What was found in logs, and made of it.
#[derive(Debug)]
pub struct LogView {
    /// What the format is called.
    pub format: String,
    /// Why it was chosen.
    pub why: String,
    /// What was read.
    pub files: Vec<String>,
    /// What a person should know of them.
    pub notes: Vec<String>,
    /// Lines.
    pub counts: Counts,
    /// The traffic of the chosen time; the season is of all.
    pub profile: Profile,
    /// The chosen time in words; `None` is all.
    pub chosen: Option<String>,
    /// What hours and days are shifted by, s.
    pub zone_s: i32,
    /// The plan, or why there is none.
    pub made: Result<Made, String>,
    /// What was written, the plan first.
    pub written: Vec<String>,
    /// What is wrong with it.
    pub warnings: Vec<String>,
}

impl LogView {
    fn instant(&self, at_us: i64) -> Option<String> {
        (self.profile.requests > 0).then(|| instant(at_us))
    }

    /// A figure of the plan; 0 where there is none.
    fn of_plan<T: Default>(&self, figure: impl Fn(&Made) -> T) -> T {
        self.made.as_ref().map_or_else(|_| T::default(), figure)
    }
}

/// The same for programs; [`schema`] describes it.
pub fn json(found: &LogView) -> Value {
    nmax_json::value::<Figures, _>(found)
}

/// The JSON Schema of what `nmax import log --json` prints. `lines` is the sum of `parsed`, `rejected`, `comments` and
/// `blank`.
pub fn schema() -> Value {
    nmax_json::schema::<Figures>("nmax import log", "")
}

records! {
    struct Figures(found: &LogView) {
        schema_version: Version = Version;
        format: String;
        files: Vec<String>, "What was read.";
        lines: u64 = found.counts.lines;
        parsed: u64 = found.counts.parsed, "Requests.";
        rejected: u64 = found.counts.rejected;
        comments: u64 = found.counts.comments;
        blank: u64 = found.counts.blank;
        rejections: Vec<Rejection> = found.counts.rejections.iter().collect::<Vec<_>>(), "Why lines are not requests.";
        requests: u64 = found.profile.requests, "Of the chosen time.";
        by_status: Map<u64> = found.profile.by_status.iter().map(|(status, n)| (status, *n)).collect::<Map<_>>();
        by_method: Map<u64> = found.profile.by_method.iter().map(|(method, n)| (method, *n)).collect::<Map<_>>();
        bytes: u64 = found.profile.bytes, "Of replies.";
        first: Option<String> = found.instant(found.profile.first_us),
            "First arrival, RFC 3339 UTC; null where there is no request.";
        last: Option<String> = found.instant(found.profile.last_us);
        sessions: u64 = found.profile.sessions.count;
        plan: Option<String> = found.written.first(), "The plan that was written; null where none can be made.";
        reason: Option<String> = found.made.as_ref().err(), "Why there is no plan.";
        scenarios: u64 = found.of_plan(|made| made.scenarios), "Of the plan.";
        sessions_per_s: f64 = found.of_plan(|made| made.sessions_per_s);
        requests_per_s: f64 = found.of_plan(|made| made.requests_per_s), "Resources included.";
        covered: f64 = found.of_plan(|made| made.covered), "Share of the log's steps that the plan sends, 0 to 1.";
        written: Vec<String>, "Files, the plan first.";
        notes: Vec<String>;
        warnings: Vec<String>;
    }
    struct Rejection(of: (&String, &Rejected)) {
        reason: String = of.0;
        count: u64 = of.1.count;
        examples: Vec<Example> = &of.1.examples;
    }
    struct Example(of: &(String, String)) {
        at: String = &of.0, "`FILE:LINE`";
        line: String = &of.1;
    }
}

/// Why there is nothing to make a plan of.
pub fn nothing(
    counts: &Counts,
    (files, other_hosts): (&[String], &[String]),
    profile: &Profile,
    zone_s: i32,
) -> String {
    let hours = &profile.season.hours;
    let help = match (hours.first(), hours.last()) {
        _ if counts.parsed == 0 => "name the format with --format, as the server's configuration says it".to_owned(),
        (Some(first), Some(last)) => format!(
            "choose another time with --from, --to or --day: the log is of {} to {}; --zone says in which time zone they are",
            stamp(first.from_us, zone_s),
            stamp(last.from_us + HOUR_US, zone_s)
        ),
        _ if !other_hosts.is_empty() => format!("choose another --host: the log names {}", other_hosts.join(", ")),
        _ => "choose another time with --from, --to or --day".to_owned(),
    };
    let reasons = counts.rejections.iter().map(|(reason, rejected)| {
        let example = rejected.examples.first();
        let at = example.map_or(String::new(), |(place, line)| format!(" ({place}: {line})"));
        format!("\n  {} lines: {reason}{at}", rejected.count)
    });
    let reasons: String = reasons.take(5).collect();
    let (names, parsed, lines) = (files.join(", "), counts.parsed, counts.lines);
    format!("{names}: no request to make a plan of; {parsed} of {lines} lines are requests{reasons}\n  help: {help}")
}

/// What a person must see before what was read: sentences.
pub fn doubts(counts: &Counts) -> Vec<String> {
    let mut said = counts.broken.clone();
    if counts.is_doubtful() {
        let all = counts.parsed + counts.rejected;
        said.push(format!(
            "{} of {all} lines ({}) could not be read: what follows may be about another part of the traffic than you \
             think; see the reasons, and name the format with --format",
            counts.rejected,
            number::share(counts.rejected as f64 / all.max(1) as f64)
        ));
    }
    said
}

/// What belongs beside the numbers of a run that replays a log: codes and words.
pub fn replayed(
    schedule: &Schedule,
    counts: &Counts,
    (files, format): (&[String], &str),
) -> Vec<(&'static str, String)> {
    let length = format_duration(std::time::Duration::from_millis(schedule.length_ns() / 1_000_000));
    let mut told = vec![(
        "REPLAY",
        format!(
            "{} requests of {} ({format} from {} on), {}, in {length}",
            number::count(schedule.len() as u64),
            files.join(", "),
            instant(schedule.period.from_us),
            schedule.pace.name()
        ),
    )];
    let reasons = schedule.left_out.iter();
    told.extend(reasons.map(|(reason, count)| (LEFT_OUT, format!("{} requests: {reason}", number::count(*count)))));
    if counts.rejected > 0 {
        told.push((LEFT_OUT, format!("{} lines that are not requests", number::count(counts.rejected))));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_rejections_are_a_warning() {
        let mut counts = Counts::default();
        (counts.parsed, counts.rejected) = (50, 50);
        assert!(doubts(&counts).join("").contains("50 of 100 lines (50.0 %)"), "{:?}", doubts(&counts));
        (counts.parsed, counts.rejected) = (990, 10);
        assert!(doubts(&counts).is_empty());
    }
}
