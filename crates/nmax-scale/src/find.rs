//! The highest load that holds an objective: a search over the levels that the campaign has measured, and more.

use nmax_plan::threshold::{Op, Threshold};
use nmax_report::scalability::FindResult;
use nmax_run::Trouble;
use nmax_usl::design::{Outcome, Step};
use nmax_usl::search::{Answer, Judged, Objective, ObjectiveRules, Tested};

use crate::axis::{Load, short};
use crate::job::{Conducted, GONE, Job};
use crate::rig::{LevelRequest, LevelResult, Tried};

/// Searches, with what is left of the budget. Levels that it measures are fitted too.
pub(crate) fn find(job: &mut Job<'_>, words: &str, done: &mut Conducted) -> Result<(), Trouble> {
    let rules = ObjectiveRules {
        min: job.task.axes.range.0,
        max: job.task.axes.range.1,
        integer: job.task.axes.load != Load::Rate,
        replicates: job.task.replicates,
        runs_max: job.task.runs_max,
        precision: 2.0 * job.task.precision,
        seed: job.rig.seed,
    };
    let mut search = Objective::new(rules).map_err(|error| error.to_string())?;
    job.rig.learning("the highest load that holds the objective");
    // What was measured at a level that is asked for is not measured again; each run counts once.
    let mut known: Vec<LevelResult> = job.rig.rows.clone();
    let mut runs = 0;
    loop {
        if job.rig.is_over() {
            done.interrupted = true;
            break;
        }
        let trial = match search.next(job.rig.time_left(1.0)) {
            Step::Run(trial) => trial,
            Step::Stop(stop) => {
                done.notes.push(format!("the search for the objective ended: {stop}"));
                break;
            }
        };
        runs += 1;
        // What counts comes before what does not.
        if let Some(place) = known.iter().position(|kept| kept.row.level == trial.level && counts(kept))
            && let Some(tested) = tested(&known.swap_remove(place))
        {
            search.record(&trial, tested);
            continue;
        }
        // A level that the campaign gave up after as many runs will not be better now.
        if let Some(place) = known.iter().position(|kept| kept.row.level == trial.level && is_invalid(kept)) {
            search.record(&trial, Tested::Invalid(known.swap_remove(place).row.why));
            continue;
        }
        let asked = LevelRequest { level: trial.level, purpose: "find", setting: Vec::new(), side: None };
        let Tried::Level(kept) = job.rig.run(&asked)? else {
            done.interrupted = true;
            break;
        };
        if let Some(observation) = kept.observation() {
            job.rig.point(None, observation.n, &kept)?;
            done.observations.push(observation);
        }
        let tested = match tested(&kept) {
            Some(tested) => tested,
            None => Tested::Invalid(kept.row.why.clone()),
        };
        search.record(&trial, tested);
        if kept.is_gone {
            done.stopped = GONE.into();
            break;
        }
        job.rig.report_curve(job.task.axes.load, &done.observations);
    }
    job.rig.listener.searched();
    let answer = search.answer().filter(|answer| answer.level.is_some() || is_lowest_known(job));
    done.find = answer.map(|answer| found(job, words, &answer, runs));
    if done.find.is_none() {
        done.notes.push(unknown(job, words));
    }
    Ok(())
}

/// Whether a run at the lowest load says something of the objective.
fn is_lowest_known(job: &Job<'_>) -> bool {
    let mut rows = job.rig.rows.iter();
    rows.any(|kept| kept.row.level == job.task.axes.range.0 && counts(kept))
}

/// That there is no answer, and what there is.
fn unknown(job: &Job<'_>, words: &str) -> String {
    let broken = job.rig.rows.iter().filter(|kept| counts(kept));
    let broken = broken.map(|kept| kept.row.level).reduce(f64::min);
    let load = job.task.axes.load;
    let but = broken.map_or_else(String::new, |level| format!(", and it does not hold at {}", load.says(level)));
    format!(
        "`{words}`: not known; no run at {}, the lowest load, says anything of it{but}",
        load.says(job.task.axes.range.0)
    )
}

/// Whether a level that was measured before says something: one that was run again for longer does not.
fn counts(kept: &LevelResult) -> bool {
    match kept.outcome {
        Outcome::Measured { .. } => kept.row.used && kept.judged.is_some(),
        Outcome::Refused(_) => true,
        Outcome::Invalid(_) => false,
    }
}

fn is_invalid(kept: &LevelResult) -> bool {
    matches!(kept.outcome, Outcome::Invalid(_))
}

/// What a level says of the objective; `None` when it says nothing.
fn tested(kept: &LevelResult) -> Option<Tested> {
    match &kept.outcome {
        Outcome::Measured { .. } => kept.judged.map(Tested::Measured),
        Outcome::Refused(why) => Some(Tested::Refused(why.clone())),
        Outcome::Invalid(_) => None,
    }
}

/// A value held against a condition. Without one it does not hold.
///
/// - `value`, `limit`: in one unit
pub(crate) fn judged(threshold: &Threshold, value: Option<f64>, limit: f64, holds: bool) -> Judged {
    let excess = value.and_then(|value| match threshold.op {
        Op::Below | Op::AtMost => Judged::below(value, limit).excess,
        Op::Above | Op::AtLeast => Judged::above(value, limit).excess,
    });
    Judged { holds, excess }
}

/// A value of an objective with its unit; shares as percentages.
pub(crate) fn value_words(value: Option<f64>, unit: &str) -> String {
    match (value, unit) {
        (None, _) => "nothing was measured of it".into(),
        (Some(value), "%") => format!("{} %", short(100.0 * value)),
        (Some(value), "") => short(value),
        (Some(value), unit) => format!("{} {unit}", short(value)),
    }
}

fn found(job: &Job<'_>, words: &str, answer: &Answer, runs: usize) -> FindResult {
    let load = job.task.axes.load;
    let whole = |level: f64| if load == Load::Rate { level } else { level.floor() };
    let text = match answer.level {
        None => {
            let lowest = load.says(job.task.axes.range.0);
            let rows = job.rig.rows.iter();
            let at_lowest = rows.filter(|kept| kept.row.level == job.task.axes.range.0);
            let why = at_lowest.map(|kept| kept.row.why.as_str()).rfind(|why| !why.is_empty());
            let why = why.map_or_else(String::new, |why| format!(" ({why})"));
            format!("`{words}` does not even hold at {lowest}, the lowest load{why}")
        }
        Some(level) => {
            let level = load.says(whole(level));
            match (answer.low, answer.high) {
                (_, None) => format!("`{words}` holds up to {level} at least: nothing higher was tried or let through"),
                (Some(low), Some(high)) if answer.from_noise => format!(
                    "`{words}` holds up to {level} (95 % interval of the crossing: {} to {})",
                    short(low),
                    short(high)
                ),
                (low, Some(high)) => format!(
                    "`{words}` holds at {level} and does not at {} (the ends of a bracket, not an interval)",
                    short(high.max(low.unwrap_or_default()))
                ),
            }
        }
    };
    FindResult {
        objective: words.to_owned(),
        level: answer.level,
        low: answer.low,
        high: answer.high,
        x: answer.level.and_then(|level| throughput(&job.rig.rows, level)),
        runs,
        text,
    }
}

/// Mean throughput of the highest level that was measured up to `level`.
fn throughput(rows: &[LevelResult], level: f64) -> Option<f64> {
    let used = || rows.iter().filter(|kept| kept.row.used && kept.row.level <= level);
    let highest = used().map(|kept| kept.row.level).reduce(f64::max)?;
    let at: Vec<f64> = used().filter(|kept| kept.row.level == highest).filter_map(|kept| kept.row.x).collect();
    (!at.is_empty()).then(|| at.iter().sum::<f64>() / at.len() as f64)
}

#[cfg(test)]
mod tests {
    use nmax_plan::threshold::parse;

    use super::*;

    #[test]
    fn values_are_held_against_conditions_of_both_kinds() {
        let below = parse("response_time p95 < 200ms").unwrap();
        let over = judged(&below, Some(400.0), 200.0, false);
        assert!((over.excess.unwrap() - 2.0_f64.ln()).abs() < 1e-12, "twice the limit");
        let above = parse("rate >= 99%").unwrap();
        assert!(judged(&above, Some(0.5), 0.99, false).excess.unwrap() > 0.0, "too little is broken too");
        assert_eq!(judged(&below, None, 200.0, false).excess, None);
        assert_eq!(judged(&below, Some(0.0), 200.0, true).excess, None, "no logarithm of nothing");
    }
}
