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

/// A way to grow, with the campaign that chooses its levels.
struct Side {
    /// What grows, where two ways are compared.
    of: Option<Load>,
    campaign: Campaign,
    /// Which rule ended it.
    stop: Option<String>,
}

/// What a campaign is asked for of each way to grow; the levels of two take turns.
fn sides(job: &Job<'_>) -> Result<Vec<Side>, Trouble> {
    let task = &job.task;
    let rules = Rules {
        min: task.axes.range.0,
        max: task.axes.range.1,
        integer: task.axes.load != Load::Rate,
        levels: task.axes.levels.clone(),
        replicates: task.replicates,
        runs_max: task.runs_max,
        precision: Precision { throughput: task.precision, concurrency: 2.0 * task.precision },
        seed: job.rig.seed,
    };
    let side = |of: Option<Load>, rules: Rules| {
        let campaign = Campaign::new(rules).map_err(|error| error.to_string())?;
        Ok::<_, Trouble>(Side { of, campaign, stop: None })
    };
    let Some(threads) = &task.axes.threads else {
        return Ok(vec![side(None, rules)?]);
    };
    let each = Rules { runs_max: (task.runs_max / 2).max(1), ..rules };
    let (min, max) = (threads[0], threads[threads.len() - 1]);
    let of_threads = Rules { min, max, levels: Some(threads.clone()), seed: !each.seed, ..each.clone() };
    Ok(vec![side(Some(Load::Injectors), each)?, side(Some(Load::Workers), of_threads)?])
}

/// Runs levels of load until a rule ends it.
pub(crate) fn conduct(job: &mut Job<'_>) -> Result<Conducted, Trouble> {
    let mut sides = sides(job)?;
    let until = if job.task.find.is_some() { 1.0 - FIND_SHARE } else { 1.0 };
    let names: Vec<&str> = sides.iter().filter_map(|side| side.of).map(Load::name).collect();
    job.rig.versions(&names)?;
    let versions = names.iter().map(|name| ((*name).to_owned(), Vec::new())).collect();
    let mut done = Conducted { versions, ..Conducted::default() };
    while !done.interrupted && done.stopped != GONE && sides.iter().any(|side| side.stop.is_none()) {
        for (place, side) in sides.iter_mut().enumerate().filter(|(_, side)| side.stop.is_none()) {
            match next(job, side, place, until, &mut done)? {
                Next::Goes => {}
                Next::Ends => break,
            }
        }
    }
    job.rig.listener.searched();
    let is_over = done.interrupted || done.stopped == GONE;
    if !is_over {
        let said = |side: &Side| {
            let of = side.of.map_or_else(String::new, |of| format!("{}: ", of.name()));
            format!("{of}{}", side.stop.as_deref().unwrap_or_default())
        };
        done.stopped = sides.iter().map(said).collect::<Vec<_>>().join("; ");
    }
    if let (Some((words, _)), false) = (job.task.find.clone(), is_over) {
        find(job, &words, &mut done)?;
    }
    for side in &sides {
        let load = side.of.unwrap_or(job.task.axes.load);
        done.notes.extend(side.campaign.dropped().iter().map(|dropped| {
            format!(
                "{} was left out after {} run{}: {}",
                load.says(dropped.level),
                dropped.attempts,
                if dropped.attempts == 1 { "" } else { "s" },
                dropped.why
            )
        }));
    }
    if done.interrupted {
        done.stopped = "interrupted: what was measured until then is fitted".into();
    }
    if let Some((_, observations)) = done.versions.first() {
        done.observations.clone_from(observations);
    }
    done.notes.extend(cost(job, &done));
    done.elapsed_s = Some(job.rig.spent().as_secs_f64());
    Ok(done)
}

/// Whether there may be more.
enum Next {
    Goes,
    Ends,
}

/// Runs the next level of a way to grow.
fn next(job: &mut Job<'_>, side: &mut Side, place: usize, until: f64, done: &mut Conducted) -> Result<Next, Trouble> {
    if job.rig.is_over() {
        done.interrupted = true;
        return Ok(Next::Ends);
    }
    let trial = match side.campaign.next(job.rig.time_left(until)) {
        Step::Run(trial) => trial,
        Step::Stop(stop) => {
            side.stop = Some(stop.to_string());
            return Ok(Next::Goes);
        }
    };
    job.rig.learning(side.campaign.learning());
    let (level, purpose) = (trial.level, trial.purpose.name());
    let asked = LevelRequest { level, purpose, setting: Vec::new(), side: side.of };
    let Tried::Level(kept) = job.rig.run(&asked)? else {
        done.interrupted = true;
        return Ok(Next::Ends);
    };
    let outcome = in_reach(job, &kept)?;
    let observations = match done.versions.get_mut(place) {
        Some((_, observations)) => observations,
        None => &mut done.observations,
    };
    // What was measured twice is there once: the run that replaced another is the one that is handed over.
    if let Some(observation) = kept.observation() {
        job.rig.point(side.of.map(Load::name), observation.n, &kept)?;
        observations.push(observation);
    }
    side.campaign.record(&trial, outcome);
    if kept.is_gone {
        done.stopped = GONE.into();
        return Ok(Next::Ends);
    }
    job.rig.report_curve(side.of.unwrap_or(job.task.axes.load), observations);
    Ok(Next::Goes)
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
