//! The result of a campaign, and how it is printed.

use std::io::IsTerminal;
use std::path::Path;

use nmax_plan::plan::Observed;
use nmax_report::scalability::{FitView, ScaleInfo, ScaleView, Version};
use nmax_report::terminal::{self, Glyphs, Style};
use nmax_report::{csv, html, json, svg};
use nmax_usl::{Analysis, Demand, Dimension, Effect, Observation, Options, analyse};

use super::conduct::Conducted;
use super::prepare::Job;
use super::{complain, demand};
use crate::args::ScaleArgs;
use crate::commands::run::{cores, is_stdout, write};
use crate::exit::Exit;
use crate::{live, say};

/// Everything that is shown, and how it ends.
pub(super) struct Answer {
    view: ScaleView,
    exit: Exit,
}

impl Answer {
    /// Fits what was measured.
    pub(super) fn of(job: &Job, done: Conducted) -> Self {
        let rig = &job.rig;
        let observed = observed(job);
        let given = job.demand.clone().or(observed);
        let (dimension, n_label) = dimension(job);
        let options = |observations: &[Observation]| options(job, dimension, observations, given.clone());
        let fitted = |observations: &[Observation]| analyse(observations, &options(observations));
        let analysis = match done.versions.first() {
            Some((_, observations)) => fitted(observations),
            None => fitted(&done.observations),
        };
        let exit = exit(job, &done, &analysis);
        let versions = done.versions.iter();
        let versions = versions.map(|(name, observations)| Version {
            name: name.clone(),
            analysis: fitted(observations),
        });
        let mut notes = job.notes.clone();
        notes.extend(done.notes);
        if rig.think_s.is_none() {
            notes.push(
                "how long users pause depends on replies or pacing, so response times are not held against N = X(R+Z)"
                    .into(),
            );
        }
        let view = ScaleView {
            fit: FitView {
                title: job.name.clone(),
                subtitle: rig.folder.path().display().to_string(),
                n_label,
                x_unit: rig.count.unit(),
                nmax_version: env!("CARGO_PKG_VERSION").into(),
                analysis,
            },
            info: info(job, done.interrupted),
            levels: rig.rows.iter().map(|kept| kept.row.clone()).collect(),
            stopped: done.stopped,
            notes,
            find: done.find,
            knobs: done.knobs,
            versions: versions.collect(),
        };
        Self { view, exit }
    }

    /// Writes and prints it.
    pub(super) fn tell(&self, job: &Job, args: &ScaleArgs) -> Exit {
        let view = &self.view;
        let result = json::scale(view);
        if let Err(error) = job.rig.folder.finish(&result, &html::scale(view)) {
            return complain(&error, Exit::Unreachable);
        }
        if let Some(file) = &args.svg
            && let Err(error) = write(file, &svg::figure(&view.fit))
        {
            return complain(&error, Exit::Usage);
        }
        if let Some(file) = &args.csv
            && let Err(error) = write(file, &csv::measured(view))
        {
            return complain(&error, Exit::Usage);
        }
        if !args.csv.as_deref().is_some_and(is_stdout) {
            print(view, job.rig.folder.path(), args.output.json);
        }
        self.exit
    }
}

/// Prints a campaign on standard output.
pub(super) fn print(view: &ScaleView, directory: &Path, as_json: bool) {
    if as_json {
        return say::line(format_args!("{:#}", json::scale(view)));
    }
    let (style, glyphs) = style();
    say::text(terminal::scale(view, style, glyphs));
    say::line(format_args!("report          {}", directory.join(super::folder::REPORT).display()));
}

/// As fits standard output.
fn style() -> (Style, Glyphs) {
    let is_terminal = std::io::stdout().is_terminal();
    let style = Style {
        color: is_terminal && live::use_color(),
        width: if is_terminal { live::terminal_width() } else { 80 },
        wide: false,
    };
    (style, live::glyphs())
}

/// Demand of the observed processes.
fn observed(job: &Job) -> Option<Demand> {
    let name = |observed: &Observed| {
        let Observed::Process { name, .. } = observed;
        name.clone()
    };
    let names: Vec<String> = job.rig.base.observe.iter().map(name).collect();
    demand::of(&job.rig.rows, &names, cores())
}

/// What N counts.
fn dimension(job: &Job) -> (Dimension, String) {
    let Some(knob) = job.axes.knobs.first() else {
        return (job.axes.load.dimension(), job.axes.load.label().to_owned());
    };
    let dimension = match knob.name.as_str() {
        "nodes" => Dimension::Nodes,
        "threads" => Dimension::Threads,
        "workers" => Dimension::Workers,
        _ => Dimension::Other,
    };
    (dimension, knob.name.clone())
}

fn options(job: &Job, dimension: Dimension, observations: &[Observation], demand: Option<Demand>) -> Options {
    // Where no response time is handed over, a pause would be held against nothing.
    let is_timed = observations.iter().any(|one| one.r_s.is_some());
    let pauses = job.rig.rows.iter().filter(|kept| kept.row.used).filter_map(|kept| kept.facts.pause_s);
    let (sum, n) = pauses.fold((0.0, 0), |(sum, n), pause| (sum + pause, n + 1));
    Options {
        dimension,
        think_s: if is_timed && n > 0 { sum / f64::from(n) } else { 0.0 },
        demand,
        ..Options::default()
    }
}

/// How it ends: a person's word, then what cannot be believed, then the objective.
fn exit(job: &Job, done: &Conducted, analysis: &Analysis) -> Exit {
    let is_blocked = analysis.findings.iter().any(|finding| finding.effect == Effect::Block);
    let has_numbers = job.axes.knobs.first().is_none_or(|knob| knob.numbers().is_some());
    if done.interrupted {
        Exit::Interrupted
    } else if has_numbers && (analysis.fit.is_none() || is_blocked) {
        Exit::Invalid
    } else if done.find.as_ref().is_some_and(|found| found.level.is_none()) {
        Exit::Failed
    } else {
        Exit::Pass
    }
}

fn info(job: &Job, interrupted: bool) -> ScaleInfo {
    let rig = &job.rig;
    let load = std::iter::once(rig.load.name().to_owned());
    let knobs = job.axes.knobs.iter().map(|knob| knob.name.clone());
    let axes = if job.axes.knobs.is_empty() { load.collect() } else { knobs.chain(load).collect() };
    ScaleInfo {
        id: rig.folder.id.clone(),
        name: job.name.clone(),
        target: nmax_engine::redact_users(&rig.base.target),
        started_at: rig.folder.started_at.clone(),
        seed: rig.seed,
        axes,
        count: rig.count.words(),
        level_s: Some(rig.times.hold.as_secs_f64()),
        budget_s: Some(job.budget.as_secs_f64()),
        elapsed_s: Some(rig.spent().as_secs_f64()),
        plan_sha256: job.plan_sha256.clone(),
        machine: nmax_store::host::machine().into_iter().collect(),
        interrupted,
    }
}
