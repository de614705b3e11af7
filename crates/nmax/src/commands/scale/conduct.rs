//! Which levels are run: the campaign chooses, this carries it out.

use nmax_usl::Observation;
use nmax_usl::design::{Campaign, Outcome, Precision, Rules, Step};

use super::answer::Conducted;
use super::axis::Load;
use super::find::find;
use super::prepare::Job;
use super::rig::{Asked, Kept, Tried};
use crate::exit::Exit;

/// A level as an observation of the law.
pub(super) fn observation(kept: &Kept) -> Option<Observation> {
    let Outcome::Measured { n, x, r_s } = kept.outcome else {
        return None;
    };
    Some(Observation {
        n,
        x,
        r_s,
        weight: 1.0,
        row: kept.row.number,
    })
}

/// Share of the budget that the campaign leaves to the search for an objective.
const FIND_SHARE: f64 = 0.4;

/// Runs levels of load until a rule ends it.
pub(super) fn conduct(job: &mut Job) -> Result<Conducted, (String, Exit)> {
    let rules = Rules {
        min: job.axes.range.0,
        max: job.axes.range.1,
        integer: job.axes.load != Load::Rate,
        levels: job.axes.levels.clone(),
        replicates: job.replicates,
        runs_max: job.runs_max,
        precision: Precision {
            throughput: job.precision,
            concurrency: 2.0 * job.precision,
        },
        seed: job.rig.seed,
    };
    let mut campaign = Campaign::new(rules).map_err(|error| (error.to_string(), Exit::Usage))?;
    let until = if job.find.is_some() { 1.0 - FIND_SHARE } else { 1.0 };
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
        let asked = Asked {
            level: trial.level,
            purpose: trial.purpose.name(),
            setting: Vec::new(),
        };
        match job.rig.run(&asked)? {
            Tried::Interrupted => {
                done.interrupted = true;
                break;
            }
            Tried::Level(kept) => {
                let outcome = in_reach(job, &kept)?;
                // What was measured twice is there once: the run that replaced another is the one that is handed over.
                if let Some(observation) = observation(&kept) {
                    job.rig.point(None, observation.n, &kept)?;
                    done.observations.push(observation);
                }
                campaign.record(&trial, outcome);
            }
        }
        job.rig.draw(&done.observations);
    }
    job.rig.progress.clear();
    if let (Some((words, _)), false) = (job.find.clone(), done.interrupted) {
        find(job, &words, &mut done)?;
    }
    let dropped = campaign.dropped().iter();
    done.notes.extend(dropped.map(|dropped| {
        format!(
            "{} was left out after {} runs: {}",
            job.axes.load.says(dropped.level),
            dropped.attempts,
            dropped.why
        )
    }));
    if done.interrupted {
        done.stopped = "interrupted: what was measured until then is fitted".into();
    }
    done.elapsed_s = Some(job.rig.spent().as_secs_f64());
    Ok(done)
}

/// A target that is not there at the first level is an error and no measurement.
fn in_reach(job: &Job, kept: &Kept) -> Result<Outcome, (String, Exit)> {
    match &kept.outcome {
        Outcome::Refused(why) if job.rig.rows.len() == 1 => {
            Err((format!("the first level says nothing: {why}"), Exit::Unreachable))
        }
        outcome => Ok(outcome.clone()),
    }
}
