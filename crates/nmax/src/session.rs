//! One run from its plan to its verdict: engine, directory, progress, conclusion.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use nmax_analysis::Judgement;
use nmax_engine::{Allow, Complete, Event, KeepSamples, Run, Settings, watch};
use nmax_metrics::{Aggregate, Catalog, ErrorKind, Nanos, Resource, Section};
use nmax_plan::document::write::to_yaml;
use nmax_plan::plan::{Plan, Workload};
use nmax_report::{Ending, RunInfo, View, html, json};
use nmax_store::{Hold, Manifest, RunReader, RunWriter, StoreError};
use sha2::{Digest, Sha256};

use crate::exit::Exit;
use crate::live::Live;
use crate::load::Variables;
use crate::secrets::{mask_plan, mask_values, mask_words};
use crate::signals::Interrupts;
use crate::tally::Tally;

mod inputs;
mod observer;
mod sockets;
pub use inputs::settings;
use observer::Observer;

/// How often signals are looked at.
const PATIENCE: Duration = Duration::from_millis(100);

/// What a run needs besides its plan.
pub struct Order {
    pub plan: Arc<Plan>,
    /// Values of the variables that the plan used, so that secret ones are not stored.
    pub variables: Variables,
    pub allow: Allow,
    pub authorization: Option<String>,
    pub workers: u32,
    pub pin: Vec<usize>,
    pub keep: KeepSamples,
    pub runs_dir: PathBuf,
    pub name: String,
    pub note: String,
    pub tags: Vec<String>,
    pub quiet: bool,
    /// What was found before the run that may spoil it: codes and words.
    pub warnings: Vec<(&'static str, String)>,
}

/// A run that has ended.
pub struct Finished {
    pub view: View,
    pub exit: Exit,
    pub directory: PathBuf,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The directory cannot be written at the start.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The workers did not start.
    #[error("{0}")]
    Start(#[from] nmax_engine::StartError),
    /// A certificate or key cannot be used.
    #[error("{file}: {reason}\n  help: certificates and keys are PEM files, of at most 1 MiB each")]
    Pem { file: String, reason: String },
    /// A file that is sent cannot be.
    #[error("{file}: cannot be sent: {reason}\n  help: bodies are made of regular files, named relative to the plan")]
    BodyFile { file: String, reason: String },
    /// The limit of open files leaves no connection.
    #[error(
        "{limit} open files are too few for those of the run and one connection for each worker ({workers})\n  \
         help: raise the limit with `ulimit -n 1024`, or use fewer `--workers`"
    )]
    Files { workers: u64, limit: u64 },
}

/// Runs a plan to its end and writes everything.
pub fn run(order: &Order) -> Result<Finished, SessionError> {
    let plan = &order.plan;
    let settings = Settings {
        workers: order.workers,
        pin: order.pin.clone(),
        keep: order.keep,
        ..settings(plan, &order.allow)?
    };
    let settings = Settings {
        sockets: sockets::sockets(&settings)?,
        ..settings
    };
    let manifest = manifest(order);
    let mut writer = RunWriter::create(&order.runs_dir, &manifest)?;
    let mut tally = Tally::new(plan);
    for (code, text) in &order.warnings {
        writer.event(Nanos::ZERO, code, text)?;
        tally.event(Nanos::ZERO, code, text);
    }
    let interrupts = Interrupts::listen();
    let mut run = match Run::start(&settings) {
        Ok(run) => run,
        Err(error) => {
            // A run that never started leaves nothing to show.
            let _ = std::fs::remove_dir_all(writer.path());
            return Err(error.into());
        }
    };
    let mut live = Live::new(order.quiet);
    let mut observer = Observer::new();
    let mut asked = 0;
    let mut trouble = None;
    loop {
        match run.next(PATIENCE) {
            Event::Ended => break,
            Event::Quiet => {}
            Event::Window(complete) if trouble.is_none() => {
                let catalog = run.catalog().clone();
                let written = keep(&mut writer, &mut tally, &catalog, &complete, order.keep)
                    .and_then(|()| observer.observe(&mut writer, &mut tally, &run));
                if let Err(error) = written {
                    live.say(&format!("error: {error}\n  the run is stopped"));
                    trouble = Some(error);
                    run.cut();
                }
                live.window(plan, run.times().end, &complete.window);
            }
            Event::Window(_) => {}
        }
        obey(&interrupts, &mut asked, &run, &mut tally, &mut live);
    }
    live.clear();
    let catalog = run.catalog().clone();
    let ended = match trouble {
        None => ended_at(plan, &run, asked > 0),
        // What came after the last window that was kept is not counted.
        Some(_) => tally.last_end(),
    };
    let exit = end(
        &mut writer,
        &mut tally,
        (&run, order),
        &catalog,
        &End {
            ended,
            asked,
            is_broken: trouble.is_some(),
        },
    );
    let directory = writer.path().to_owned();
    let (judgement, mut view) = tally.conclude(plan, &catalog, info(&manifest));
    if trouble.is_some() {
        view.ending = Ending::CutOff;
    }
    view.report_path = Some(directory.join("report.html").display().to_string());
    let summary = format!("{:#}\n", json::summary(&view));
    let closed = exit.and_then(|()| writer.finish(&summary, &html::page(&view)));
    if let Err(error) = closed
        && trouble.is_none()
    {
        live.say(&format!("error: {error}"));
        trouble = Some(error);
    }
    if trouble.is_some() {
        view.report_path = None;
    }
    let exit = match (asked, &trouble) {
        (1.., _) => Exit::Interrupted,
        (0, Some(_)) => Exit::Unreachable,
        (0, None) => exit_of(&judgement, tally.totals()),
    };
    Ok(Finished { view, exit, directory })
}

/// Stops or cuts the run as often as the person asked.
fn obey(interrupts: &Interrupts, asked: &mut u32, run: &Run, tally: &mut Tally, live: &mut Live) {
    let count = interrupts.count();
    if count == *asked {
        return;
    }
    if *asked == 0 {
        tally.load_ended = Some(run.now());
        tally.facts.interrupted = true;
        run.stop();
        live.say("Stopping: requests under way may end, everything is written. Ctrl-C again cuts them off.");
    }
    if count >= 2 {
        run.cut();
    }
    *asked = count;
}

fn keep(
    writer: &mut RunWriter,
    tally: &mut Tally,
    catalog: &Catalog,
    complete: &Complete,
    keep: KeepSamples,
) -> Result<(), StoreError> {
    writer.window(&complete.window, catalog)?;
    if keep != KeepSamples::None {
        writer.samples(&complete.raw, catalog)?;
    }
    for failure in &complete.failures {
        writer.failure(failure)?;
        tally.failure(failure.clone());
    }
    tally.window(&complete.window);
    Ok(())
}

/// When the run ended. An open workload that went as planned ends with its schedule, also when its last reply came
/// before: 4 starts at 1/s take 4 s, not the 3 s between the first and the last.
fn ended_at(plan: &Plan, run: &Run, is_cut: bool) -> Nanos {
    let is_open = matches!(plan.workload, Workload::Open { .. });
    let as_planned = is_open && !is_cut && run.ended_early().is_none();
    let planned = run.times().end.filter(|_| as_planned);
    planned.unwrap_or(Nanos::ZERO).max(run.ended_at())
}

/// Utilization within the hold of what is busiest: a worker, or the CPUs that all workers share.
fn busiest(run: &Run, order: &Order) -> Option<f64> {
    let mut pinned: Vec<usize> = order.pin.iter().copied().take(run.workers() as usize).collect();
    pinned.sort_unstable();
    pinned.dedup();
    let is_all_pinned = order.pin.len() >= run.workers() as usize;
    let cpus = if is_all_pinned {
        pinned.len()
    } else {
        std::thread::available_parallelism().map_or(1, |n| n.get())
    };
    let each: Vec<f64> = run.used().filter_map(|used| used.utilization()).collect();
    let together = each.iter().sum::<f64>() / cpus.max(1) as f64;
    each.into_iter()
        .chain([together])
        .reduce(f64::max)
        .filter(|busiest| *busiest > 0.0)
}

/// How a run ended.
struct End {
    ended: Nanos,
    /// How often a person asked for it.
    asked: u32,
    /// Its directory could not be written.
    is_broken: bool,
}

/// Writes what is only known at the end.
fn end(
    writer: &mut RunWriter,
    tally: &mut Tally,
    (run, order): (&Run, &Order),
    catalog: &Catalog,
    &End {
        ended,
        asked,
        is_broken,
    }: &End,
) -> Result<(), StoreError> {
    let known = tally.load_ended.or(run.load_ended()).or(run.times().end);
    let load_ended = known.unwrap_or(ended).min(ended);
    let cpu = busiest(run, order);
    let line = |metric: &str, value: f64, unit: &str| Resource {
        at: ended,
        host: "injector".into(),
        source: "run".into(),
        metric: metric.into(),
        value,
        unit: unit.into(),
    };
    let mut lines = vec![
        line("workers_count", f64::from(run.workers()), "count"),
        line("load_ended_s", load_ended.as_secs_f64(), "s"),
        line("ended_s", ended.as_secs_f64(), "s"),
        line("interrupted", f64::from(u8::from(asked > 0 || is_broken)), "flag"),
    ];
    lines.extend(cpu.map(|cpu| line("cpu_utilization_hold_max", cpu, "ratio")));
    lines.extend(watch::open_files_limit().map(|limit| line("open_files_limit_count", limit as f64, "count")));
    if let Some(at) = run.broke_at() {
        let planned = run.times().end.unwrap_or(ended).max(ended);
        let missing = planned.since(at).0.div_ceil(Nanos::from(order.plan.window).0).max(1);
        lines.push(line("windows_missing_count", missing as f64, "count"));
    }
    lines.iter().for_each(|line| tally.resource(line));
    let mut events = Vec::new();
    if let Some(why) = run.ended_early() {
        let code = if run.broke_at().is_some() {
            "BROKE"
        } else {
            "DATA_ENDED"
        };
        events.push((code, why.to_owned()));
    }
    if asked > 0 {
        events.push(("INTERRUPTED", "the run was stopped by a signal".to_owned()));
    }
    if catalog.requests.overflowed() > 0 {
        let template = nmax_metrics::suggest_template(catalog.requests.list());
        let advice = template.map_or_else(String::new, |name| format!("; give the step `name: {name}`"));
        events.push((
            "NAMES_CAPPED",
            format!("more request names than are told apart, the rest is `other`{advice}"),
        ));
    }
    events.iter().for_each(|(code, text)| tally.event(ended, code, text));
    if is_broken {
        return Ok(());
    }
    lines.iter().try_for_each(|line| writer.resource(line))?;
    events
        .iter()
        .try_for_each(|(code, text)| writer.event(ended, code, text))
}

/// What the judgement and the exchanges mean for the exit code.
pub fn exit_of(judgement: &Judgement, totals: &Aggregate) -> Exit {
    let total = totals.whole().total(Section::Hold);
    let unreachable = [ErrorKind::Dns, ErrorKind::Connect, ErrorKind::Tls, ErrorKind::Blocked];
    let never: u64 = unreachable.iter().map(|kind| total.errors[kind.index()]).sum();
    if total.count() > 0 && never == total.count() {
        return Exit::Unreachable;
    }
    match judgement.verdict {
        nmax_analysis::Verdict::Pass => Exit::Pass,
        nmax_analysis::Verdict::Fail => Exit::Failed,
        nmax_analysis::Verdict::Invalid => Exit::Invalid,
    }
}

/// The result of a run that is in its directory, complete or cut short.
pub fn read(directory: &Path) -> Result<Finished, String> {
    let reader = RunReader::open(directory).map_err(|error| error.to_string())?;
    let is_running = reader.is_running();
    let manifest = reader.manifest().clone();
    let plan = crate::load::plan_of_manifest(&manifest.plan).map_err(|error| error.to_string())?;
    let mut tally = Tally::new(&plan);
    tally.facts.workers = manifest.workers as u32;
    let read = |tally: &mut Tally| -> Result<(), StoreError> {
        for resource in reader.resources()? {
            tally.resource(&resource?);
        }
        for window in reader.windows()? {
            tally.window(&window?);
        }
        for failure in reader.failures()? {
            tally.failure(failure?);
        }
        for event in reader.events()? {
            let event = event?;
            tally.event(event.at, &event.code, &event.text);
        }
        Ok(())
    };
    read(&mut tally).map_err(|error| error.to_string())?;
    let is_cut_off = tally.ended.is_none() && !is_running;
    tally.facts.interrupted |= is_cut_off;
    if is_running {
        let now = tally.last_end();
        tally.event(now, "RUNNING", "the run goes on; these are its numbers so far");
    }
    let (judgement, mut view) = tally.conclude(&plan, reader.catalog(), info(&manifest));
    if is_running {
        view.ending = Ending::Running;
    } else if is_cut_off {
        view.ending = Ending::CutOff;
    }
    let report = directory.join("report.html");
    view.report_path = report.exists().then(|| report.display().to_string());
    let exit = exit_of(&judgement, tally.totals());
    Ok(Finished {
        view,
        exit,
        directory: directory.to_owned(),
    })
}

fn manifest(order: &Order) -> Manifest {
    let plan = &order.plan;
    let yaml = mask_values(&to_yaml(&mask_plan(plan)), &order.variables);
    let sha256: String = Sha256::digest(yaml.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let times = nmax_engine::times(plan);
    #[expect(clippy::disallowed_methods, reason = "the label of the run")]
    let now = SystemTime::now();
    let catalog = nmax_engine::program::catalog(plan, usize::MAX);
    Manifest {
        schema_version: nmax_store::SCHEMA_VERSION,
        nmax_version: env!("CARGO_PKG_VERSION").into(),
        id: run_id(now),
        name: order.name.clone(),
        note: order.note.clone(),
        tags: order.tags.clone(),
        started_at: jiff::Timestamp::try_from(now).unwrap_or_default().to_string(),
        seed: plan.seed,
        plan: yaml,
        plan_sha256: sha256,
        target: plan.target.clone(),
        machine: nmax_store::host::machine(),
        command: command(),
        workers: u64::from(order.workers),
        window_ns: Nanos::from(plan.window).0,
        hold: Hold {
            start_ns: times.hold.0.0,
            end_ns: (times.hold.1 != Nanos::MAX).then_some(times.hold.1.0),
        },
        authorization: order.authorization.clone(),
        scenarios: catalog.scenarios,
        checks: catalog.checks,
    }
}

/// Short, and different for two runs of one machine: time in base 36 and the process.
fn run_id(now: SystemTime) -> String {
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut number = (since.as_millis() << 12) | u128::from(std::process::id() & 0xfff);
    let mut digits = Vec::new();
    while number > 0 {
        digits.push(b"0123456789abcdefghijklmnopqrstuvwxyz"[(number % 36) as usize]);
        number /= 36;
    }
    digits.reverse();
    String::from_utf8_lossy(&digits).into_owned()
}

/// The command line, quoted for a shell.
fn command() -> String {
    let quoted = |arg: String| {
        let is_plain = !arg.is_empty()
            && arg
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_./:=,@%+".contains(&byte));
        if is_plain {
            arg
        } else {
            format!("'{}'", arg.replace('\'', "'\\''"))
        }
    };
    let mut words = vec!["nmax".to_owned()];
    words.extend(
        mask_words(
            std::env::args_os()
                .skip(1)
                .map(|arg| arg.to_string_lossy().into_owned()),
        )
        .into_iter()
        .map(quoted),
    );
    words.join(" ")
}

fn info(manifest: &Manifest) -> RunInfo {
    RunInfo {
        id: manifest.id.clone(),
        name: manifest.name.clone(),
        note: manifest.note.clone(),
        tags: manifest.tags.clone(),
        started_at: manifest.started_at.clone(),
        seed: manifest.seed,
        plan_sha256: manifest.plan_sha256.clone(),
        plan_yaml: manifest.plan.clone(),
        target: manifest.target.clone(),
        machine: manifest
            .machine
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        command: manifest.command.clone(),
        nmax_version: manifest.nmax_version.clone(),
    }
}

#[cfg(test)]
mod tests;
