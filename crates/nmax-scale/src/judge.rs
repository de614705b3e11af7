//! What the run of a level means for the campaign: a measurement, a run that is INVALID, or a system that broke down.

use nmax_analysis::fold::ABORTED;
use nmax_analysis::{Reason, Verdict};
use nmax_plan::plan::Plan;
use nmax_report::View;
use nmax_run::Exit;
use nmax_usl::design::Outcome;

use crate::axis::{Load, short};
use crate::measure::Measured;

/// Share of failures from which a level says nothing but that the system broke down.
const BROKEN_SHARE: f64 = 0.5;
/// Share of an open level's iterations that the system has to complete; below it what is in flight grows without end.
const KEPT_UP_SHARE: f64 = 0.95;
/// Replies of one user that a level should hold.
const LEVEL_REPLIES: f64 = 3.0;
/// Standard errors of a count that such a level may lack besides.
const KEPT_UP_ERRORS: f64 = 3.0;
/// Share of failures up to which times of good and bad completions may be taken together.
pub(crate) const GOOD_SHARE: f64 = 0.01;
/// Share of N by which its own noise may put X(R + Z) off where it is held against it; 5 % are an alarm.
pub(crate) const LITTLE_NOISE_MAX: f64 = 0.02;
/// Standard errors of mean pauses that are noise.
const PAUSE_ERRORS: f64 = 3.0;
/// Share of completions that were not ok which is said of a level.
pub(crate) const BAD_SAID: f64 = 0.01;

/// How far X(R + Z) may be from N although nothing is wrong, as a share of it.
///
/// ```text
/// (R + Z)/T + z·Z/(R + Z)/√n
/// ```
///
/// - T: length of the level. What ends in it is counted with its whole time: those under way at its beginning bring too
///   much, those under way at its end are missing, each at most one turn of every user
/// - n: completions, N·T/(R + Z); z: standard errors. Z is the mean that the plan says, and n pauses that were drawn
///   differ from it; their deviation is taken to be as large as their mean
pub(crate) fn little_noise(measured: &Measured, n: f64, time_s: f64, pause_s: f64) -> f64 {
    let turn_s = time_s + pause_s;
    let completions = (n * measured.length_s() / turn_s).max(1.0);
    turn_s / measured.length_s() + PAUSE_ERRORS * pause_s / turn_s / completions.sqrt()
}

/// Whether users of a plan wait for each reply before they ask for more.
pub(crate) fn is_one_by_one(plan: &Plan) -> bool {
    let mut requests = plan.all_scenarios().flat_map(nmax_plan::plan::Scenario::calls);
    let has_setup = plan.scenarios.iter().any(|scenario| !scenario.setup.is_empty());
    !has_setup && requests.all(|request| request.page().is_none())
}

/// What a level was asked for, and how its run ended.
pub(crate) struct LevelRun<'a> {
    pub(crate) load: Load,
    pub(crate) level: f64,
    pub(crate) verdict: Verdict,
    pub(crate) reasons: &'a [Reason],
    /// No exchange reached the target, and why.
    pub(crate) unreachable: Option<String>,
    /// How many completions were not ok, and why.
    pub(crate) bad: Option<String>,
    /// Which data ended before the level did.
    pub(crate) data_ended: Option<String>,
    /// Mean time of what ended only after the level, seconds.
    pub(crate) late_s: Option<f64>,
}

impl LevelRun<'_> {
    /// Why nothing was completed in the measured part.
    fn nothing(&self) -> String {
        let nothing = "nothing was completed in the measured part";
        self.late_s.map_or_else(
            || nothing.to_owned(),
            |time_s| {
                let wanted = (LEVEL_REPLIES * time_s).ceil();
                format!("{nothing}: a reply takes {} s; give a --level-time of {wanted} s or more", short(time_s))
            },
        )
    }
}

/// How a campaign ends whose first level breaks down: by what was asked for, by a condition, or by the system.
pub(crate) fn exit_of_first(way: &LevelRun, measured: Option<&Measured>) -> Exit {
    let has_nothing = measured.is_none_or(|measured| measured.sums.ok + measured.sums.bad == 0);
    if way.unreachable.is_some() {
        Exit::Unreachable
    } else if way.data_ended.is_some() || (has_nothing && way.late_s.is_some()) {
        Exit::Usage
    } else if aborted(way.reasons).is_some() {
        Exit::Failed
    } else {
        Exit::Invalid
    }
}

/// How many completions were not ok, and what most of the failures of the run are.
pub(crate) fn not_ok(measured: &Measured, view: &View) -> String {
    let (bad, all) = (measured.sums.bad, measured.sums.bad + measured.sums.ok);
    let most = view.summary.problems.iter().max_by_key(|problem| problem.count);
    let why = most.map_or_else(String::new, |problem| format!(", most of them `{}`", problem.kind));
    format!("{bad} of {all} were not ok{why}")
}

pub(crate) fn unreachable(view: &View) -> String {
    let why = view.summary.problems.first().map_or_else(String::new, |problem| format!(": {}", problem.kind));
    format!("the target is not reachable{why}")
}

/// Why a threshold ended the run, where one did.
pub(crate) fn aborted(reasons: &[Reason]) -> Option<&Reason> {
    reasons.iter().find(|reason| reason.code == ABORTED)
}

/// What a run means for the campaign. INVALID is never a measurement; a FAIL by a threshold is one.
pub(crate) fn judged(way: &LevelRun, measured: Option<&Measured>, n: f64, r_s: Option<f64>) -> Outcome {
    if let Some(why) = &way.unreachable {
        return Outcome::Refused(why.clone());
    }
    if let Some(ended) = &way.data_ended {
        // The load ended with it: the rest of the level is empty. More load only reads the rows sooner.
        return Outcome::Refused(format!(
            "{ended}; give more rows, a shorter --level-time, or let them repeat (`pick: sequential, at_end: wrap`)"
        ));
    }
    if way.verdict == Verdict::Invalid {
        let reason = way.reasons.iter().find(|reason| reason.decides);
        let why = reason.map_or_else(|| "INVALID".to_owned(), |reason| format!("{}: {}", reason.code, reason.text));
        return Outcome::Invalid(why);
    }
    if let Some(aborted) = aborted(way.reasons) {
        return Outcome::Refused(aborted.text.clone());
    }
    let nothing = |measured: &Measured| measured.sums.ok + measured.sums.bad == 0;
    let Some(measured) = measured.filter(|measured| !nothing(measured)) else {
        return Outcome::Refused(way.nothing());
    };
    if measured.bad_share() >= BROKEN_SHARE {
        let share = 100.0 * measured.bad_share();
        let bad = way.bad.as_ref().map_or_else(String::new, |bad| format!(": {bad}"));
        return Outcome::Refused(format!("{share:.0} % were not ok{bad}"));
    }
    if way.load == Load::Rate {
        let (done, due) = (measured.sums.iterations as f64, way.level * measured.length_s());
        // What is in flight at the edges, and the counts of Poisson arrivals, are no sign of a queue.
        if done + KEPT_UP_ERRORS * due.sqrt() < KEPT_UP_SHARE * due {
            let per_s = done / measured.length_s();
            return Outcome::Refused(format!(
                "the system did not keep up: {per_s:.1} of {} iterations per second were completed",
                way.level
            ));
        }
    }
    Outcome::Measured { n, x: measured.x(), r_s, count: Some(measured.sums.ok) }
}

#[cfg(test)]
mod tests;
