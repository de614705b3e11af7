//! Settings of the system under test: at each one the load is raised until the usable throughput is best.

use nmax_report::scalability::Knob;
use nmax_run::Trouble;
use nmax_usl::Observation;
use nmax_usl::design::{Outcome, Step};
use nmax_usl::search::{Best, BestLoad, BestLoadRules};

use crate::apply::{apply, filled};
use crate::axis::Load;
use crate::job::{Conducted, Job};
use crate::price::per_million;
use crate::rig::{LevelRequest, LevelResult, Tried};
use crate::setting::{Setting, describe, settings};

/// Runs every setting, as far as the budget reaches.
pub(crate) fn conduct(job: &mut Job<'_>) -> Result<Conducted, Trouble> {
    let settings = settings(&job.task.axes.knobs);
    let count = settings.len();
    let mut done = Conducted { stopped: "every setting was tried".into(), ..Conducted::default() };
    let (mut start, mut unset) = (None, 0);
    for (place, setting) in settings.into_iter().enumerate() {
        // Each setting may use its part of what is left.
        let spent = job.rig.spent_share();
        let until = spent + (1.0 - spent) / (count - place) as f64;
        let from = job.rig.rows.len();
        if job.rig.time_left(1.0).trials() == 0 {
            done.stopped = "the time budget is used up".into();
            done.knobs.push(knob(job, setting, None, None, 0, "the budget did not reach it".into()));
            continue;
        }
        if let Err(why) = set(job, &setting) {
            if job.rig.is_over() {
                break;
            }
            unset += 1;
            job.rig.listener.note(&format!("{}: left out: {why}", describe(&setting)));
            done.knobs.push(knob(job, setting, None, None, 0, why));
            continue;
        }
        let (best, why) = search(job, &setting, start, until)?;
        start = best.map(|best| best.level).or(start);
        let runs = best.map_or(0, |best| best.runs);
        let fitted = take(job, &setting, from, best, &mut done)?;
        let is_fresh = job.rig.rows[from..].iter().any(|kept| kept.row.used && kept.row.purpose == "replicate");
        let why = match best {
            Some(_) if !is_fresh => {
                "not run again at its best load, for want of time: the best of several single runs \
                                     looks better than it is"
                    .to_owned()
            }
            _ => why,
        };
        if job.rig.is_over() {
            break;
        }
        done.knobs.push(knob(job, setting, best, fitted, runs, why));
    }
    job.rig.listener.searched();
    done.notes.extend(cheapest(&done.knobs, &job.rig.count.describe()));
    let highest = job.task.axes.range.1;
    let is_at_end = done.knobs.iter().any(|knob| knob.load == Some(highest));
    if is_at_end {
        let load = job.task.axes.load.says(highest);
        done.notes.push(format!(
            "{load} is the best load of a setting and the highest that was allowed: more may be better (--max)"
        ));
    }
    let without = done.knobs.iter().filter(|knob| knob.x.is_none()).count();
    if without > unset {
        done.stopped = format!("{}; {} of {count} have no best load", done.stopped, without - unset);
    }
    if unset > 0 {
        done.stopped = format!("{}; the command failed for {unset} of {count}", done.stopped);
    }
    if job.rig.is_over() {
        done.interrupted = true;
        done.stopped = "interrupted: the settings that were tried until then are fitted".into();
    }
    if let Some((_, observations)) = done.versions.first() {
        done.observations.clone_from(observations);
    }
    done.elapsed_s = Some(job.rig.spent().as_secs_f64());
    Ok(done)
}

/// The setting whose usable completions cost least.
fn cheapest(knobs: &[Knob], what: &str) -> Option<String> {
    let priced = knobs.iter().filter_map(|knob| Some((knob, knob.price_per_million?)));
    let (knob, cost) = priced.min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(format!("cheapest: {}, a million usable {what} cost {cost:.4}", describe(&knob.values)))
}

/// Sets the knobs, unless they are set already.
fn set(job: &mut Job<'_>, setting: &Setting) -> Result<(), String> {
    if job.is_set.as_ref() == Some(setting) {
        return Ok(());
    }
    job.is_set = None;
    let Some((line, limit)) = job.task.apply.clone() else {
        return Err("there is no --apply".into());
    };
    job.rig.listener.note(&format!("{}: {}", describe(setting), filled(&line, setting)));
    apply(&line, setting, limit, job.rig.interrupts)?;
    job.is_set = Some(setting.clone());
    Ok(())
}

/// Looks for the best load of a setting; what is found, and why there may be nothing.
fn search(
    job: &mut Job<'_>,
    setting: &Setting,
    start: Option<f64>,
    until: f64,
) -> Result<(Option<Best>, String), Trouble> {
    let rules = BestLoadRules {
        min: job.task.axes.range.0,
        max: job.task.axes.range.1,
        integer: job.task.axes.load != Load::Rate,
        start,
        replicates: job.task.replicates,
        runs_max: job.task.runs_max.saturating_sub(job.rig.rows.len()).max(1),
    };
    let mut search = BestLoad::new(rules).map_err(|error| error.to_string())?;
    let mut why = String::new();
    while let Step::Run(trial) = search.next(job.rig.time_left(until)) {
        if job.rig.is_over() {
            break;
        }
        let (level, purpose) = (trial.level, trial.purpose.name());
        let asked = LevelRequest { level, purpose, setting: setting.clone(), side: None };
        let Tried::Level(kept) = job.rig.run(&asked)? else {
            break;
        };
        let outcome = usable(&kept);
        if let Outcome::Refused(refused) | Outcome::Invalid(refused) = &outcome {
            why.clone_from(refused);
        }
        search.record(&trial, outcome);
    }
    let best = search.answer();
    if best.is_none() && why.is_empty() {
        why = "the budget did not reach it".into();
    }
    Ok((best, if best.is_some() { String::new() } else { why }))
}

/// Throughput of a level that does not hold the conditions of the plan is of no use.
fn usable(kept: &LevelResult) -> Outcome {
    match &kept.outcome {
        Outcome::Measured { .. } if kept.row.verdict == "fail" => {
            Outcome::Refused(format!("not usable: {}", kept.failed.as_deref().unwrap_or("a condition does not hold")))
        }
        outcome => outcome.clone(),
    }
}

/// Decides which levels of a setting are fitted: the fresh runs of its best load, all its runs where there are none.
/// Returns their mean response time, ms.
fn take(
    job: &mut Job<'_>,
    setting: &Setting,
    from: usize,
    best: Option<Best>,
    done: &mut Conducted,
) -> Result<Option<f64>, Trouble> {
    let at_best = |kept: &LevelResult| {
        let is_usable = matches!(usable(kept), Outcome::Measured { .. });
        kept.row.used && is_usable && best.is_some_and(|best| best.level == kept.row.level)
    };
    let is_fresh = |kept: &LevelResult| at_best(kept) && kept.row.purpose == "replicate";
    let is_numeric = job.task.axes.knobs.first().is_some_and(|knob| knob.numbers().is_some());
    let number = setting.first().and_then(|(_, value)| value.parse::<f64>().ok());
    let number = number.filter(|_| is_numeric);
    let rows = &mut job.rig.rows[from..];
    for kept in rows.iter_mut() {
        kept.row.n = number;
    }
    let has_fresh = rows.iter().any(is_fresh);
    for kept in rows.iter_mut() {
        let is_fitted = if has_fresh { is_fresh(kept) } else { at_best(kept) };
        if kept.row.used && !is_fitted {
            kept.row.used = false;
            if kept.row.why.is_empty() {
                kept.row.why = "on the way to the best load".into();
            }
        }
    }
    let fitted: Vec<LevelResult> = rows.iter().filter(|kept| kept.row.used).cloned().collect();
    job.rig.write_from(from)?;
    let version = setting.get(1).map(|(name, value)| (format!("{name}={value}"), value.clone()));
    if let Some(n) = number {
        for kept in &fitted {
            job.rig.point(version.as_ref().map(|(_, value)| value.as_str()), n, kept)?;
            let observation = Observation {
                n,
                x: kept.row.x.unwrap_or_default(),
                r_s: None,
                weight: 1.0,
                row: kept.row.number,
                count: kept.facts.completions,
            };
            match &version {
                None => done.observations.push(observation),
                Some((name, _)) => match done.versions.iter_mut().find(|(known, _)| known == name) {
                    Some((_, observations)) => observations.push(observation),
                    None => done.versions.push((name.clone(), vec![observation])),
                },
            }
        }
    }
    let times: Vec<f64> = fitted.iter().filter_map(|kept| kept.row.r_ms).collect();
    Ok((!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64))
}

/// A row of the grid.
fn knob(job: &Job<'_>, values: Setting, best: Option<Best>, r_ms: Option<f64>, runs: usize, why: String) -> Knob {
    let price_per_h = job.task.price.as_ref().and_then(|price| price.per_h(&values));
    let x = best.map(|best| best.x);
    Knob {
        values,
        load: best.map(|best| best.level),
        x,
        r_ms,
        runs,
        price_per_h,
        price_per_million: price_per_h.zip(x).and_then(|(price, x)| per_million(price, x)),
        why,
    }
}
