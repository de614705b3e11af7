//! Which levels are run: the campaign chooses, this carries it out.

use nmax_run::Trouble;
use nmax_usl::design::{Campaign, Outcome, Precision, Rules, Step};

use crate::axis::{Load, short};
use crate::find::find;
use crate::job::{Conducted, GONE, Job};
use crate::price::per_million;
use crate::rig::{LevelRequest, LevelResult, Tried};

/// Share of the budget that the campaign leaves to the search for an objective.
const FIND_SHARE: f64 = 0.4;

/// Runs levels of load until a rule ends it.
pub(crate) fn conduct(job: &mut Job<'_>) -> Result<Conducted, Trouble> {
    let rules = Rules {
        min: job.task.axes.range.0,
        max: job.task.axes.range.1,
        integer: job.task.axes.load != Load::Rate,
        levels: job.task.axes.levels.clone(),
        replicates: job.task.replicates,
        runs_max: job.task.runs_max,
        precision: Precision { throughput: job.task.precision, concurrency: 2.0 * job.task.precision },
        seed: job.rig.seed,
    };
    let mut campaign = Campaign::new(rules).map_err(|error| error.to_string())?;
    let until = if job.task.find.is_some() { 1.0 - FIND_SHARE } else { 1.0 };
    let mut done = Conducted::default();
    loop {
        if job.rig.is_over() {
            done.interrupted = true;
            break;
        }
        let trial = match campaign.next(job.rig.time_left(until)) {
            Step::Run(trial) => trial,
            Step::Stop(stop) => {
                done.stopped = stop.to_string();
                break;
            }
        };
        job.rig.learning(campaign.learning());
        let asked = LevelRequest { level: trial.level, purpose: trial.purpose.name(), setting: Vec::new() };
        match job.rig.run(&asked)? {
            Tried::Interrupted => {
                done.interrupted = true;
                break;
            }
            Tried::Level(kept) => {
                let outcome = in_reach(job, &kept)?;
                // What was measured twice is there once: the run that replaced another is the one that is handed over.
                if let Some(observation) = kept.observation() {
                    job.rig.point(None, observation.n, &kept)?;
                    done.observations.push(observation);
                }
                campaign.record(&trial, outcome);
                if kept.is_gone {
                    done.stopped = GONE.into();
                    break;
                }
            }
        }
        job.rig.report_curve(&done.observations);
    }
    job.rig.listener.searched();
    let is_over = done.interrupted || done.stopped == GONE;
    if let (Some((words, _)), false) = (job.task.find.clone(), is_over) {
        find(job, &words, &mut done)?;
    }
    let dropped = campaign.dropped().iter();
    done.notes.extend(dropped.map(|dropped| {
        format!(
            "{} was left out after {} run{}: {}",
            job.task.axes.load.says(dropped.level),
            dropped.attempts,
            if dropped.attempts == 1 { "" } else { "s" },
            dropped.why
        )
    }));
    if done.interrupted {
        done.stopped = "interrupted: what was measured until then is fitted".into();
    }
    done.notes.extend(cost(job, &done));
    done.elapsed_s = Some(job.rig.spent().as_secs_f64());
    Ok(done)
}

/// What a million usable completions cost where the most of them came per second; a plan's own conditions say what is
/// usable.
fn cost(job: &Job<'_>, done: &Conducted) -> Option<String> {
    let per_h = job.task.price.as_ref()?.per_h(&[])?;
    let is_usable = |row: usize| {
        let kept = job.rig.rows.iter().find(|kept| kept.row.number == row);
        kept.is_some_and(|kept| kept.row.verdict == "pass")
    };
    // The mean of a level: the luckiest of several runs is no price.
    let usable = || done.observations.iter().filter(|one| is_usable(one.row));
    let mean = |n: f64| {
        let of: Vec<f64> = usable().filter(|one| one.n == n).map(|one| one.x).collect();
        of.iter().sum::<f64>() / of.len() as f64
    };
    let best = usable().map(|one| (one.n, mean(one.n))).max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((n, x)) = best else {
        return Some("no level was usable, so there is no cost".into());
    };
    let cost = per_million(per_h, x)?;
    Some(format!(
        "at its best, {} {} at a concurrency of {}, a million usable ones cost {cost:.4}",
        short(x),
        job.rig.count.unit(),
        short(n)
    ))
}

/// What breaks down at the first level is an error and no measurement.
fn in_reach(job: &Job<'_>, kept: &LevelResult) -> Result<Outcome, Trouble> {
    match &kept.outcome {
        Outcome::Refused(why) if job.rig.rows.len() == 1 => {
            let until = kept.row.x.filter(|x| *x > 0.0);
            let until =
                until.map_or_else(String::new, |x| format!("; {} {} until then", short(x), job.rig.count.unit()));
            Err(Trouble { text: format!("the first level says nothing: {why}{until}"), exit: kept.exit })
        }
        outcome => Ok(outcome.clone()),
    }
}
