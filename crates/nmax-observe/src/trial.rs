//! One attempt at everything that a plan observes, before any load: whether it can be read, and what it is.
//!
//! In: what is observed. Out: an [`Attempt`] at each, in the same order. All are made at the same time, each on a thread of
//! its own, and none takes longer than [`LIMIT`]; a thread that hangs is left behind and ends with the process. Nothing is kept:
//! whoever is asked is let go again.

use std::collections::HashSet;
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{Duration, Instant};

use nmax_metrics::Nanos;
use nmax_plan::plan::{Observed, ProcessRef};
use nmax_sources::kinds::PROCESSES;
use nmax_sources::{Figure, figures};

use crate::host::Host;
use crate::log::Tap;
use crate::open::open;
use crate::process::pids;
use crate::reach::{now, pause};
use crate::{Reading, Source, Trouble};

/// Longest attempt. Sources have limits of their own, of 2 to 3 s, that say more of what is wrong.
pub const LIMIT: Duration = Duration::from_secs(4);
/// How long an agent may take to find the processes that it is asked for: it looks for them once a second.
const FIND_MAX: Duration = Duration::from_millis(2_500);
/// Between two questions to it.
const FIND_EVERY: Duration = Duration::from_millis(400);
/// Most numbers of processes that are told.
const PIDS_TOLD: usize = 3;

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// What was read; why nothing could be.
    pub outcome: Result<Answer, Trouble>,
    /// What a person should know besides, where something was read.
    pub notes: Vec<String>,
}

/// What was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What it is, in its own words: `PostgreSQL 15.5`; `None` where it does not say.
    pub about: Option<String>,
    /// How many figures the first reading has. Rates begin with the second one, but those that an agent has already.
    pub figures: usize,
    /// Where the clock of an agent's host stands.
    pub clock: Option<Clock>,
}

/// Where the clock of another host stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Its calendar − that of this host, s.
    pub offset_s: f64,
    /// How far its readings may be from where they belong, s.
    pub error_s: f64,
}

impl Attempt {
    fn failed(trouble: Trouble) -> Self {
        Self { outcome: Err(trouble), notes: Vec::new() }
    }
}

/// Tries everything that is observed, at the same time.
pub fn try_all(observed: &[Observed]) -> Vec<Attempt> {
    let tasks = observed.iter().map(|one| Task::for_observed(one, observed));
    attempt_all(tasks.collect(), LIMIT)
}

/// Makes all attempts; one that takes longer than the limit has failed.
fn attempt_all(tasks: Vec<Task>, limit: Duration) -> Vec<Attempt> {
    let begun = now();
    let mut attempts: Vec<Option<Attempt>> = vec![None; tasks.len()];
    let (sender, done) = sync_channel(tasks.len());
    for (number, task) in tasks.into_iter().enumerate() {
        let sender = sender.clone();
        let body = move || {
            let _ = sender.try_send((number, task.attempt(begun)));
        };
        if let Err(error) = thread::Builder::new().name("nmax-observe".into()).spawn(body) {
            let text = format!("no thread can be started for it: {error}");
            attempts[number] = Some(Attempt::failed(Trouble::passing(text)));
        }
    }
    drop(sender);
    while let Ok((number, attempt)) = done.recv_timeout(limit.saturating_sub(begun.elapsed())) {
        attempts[number] = Some(attempt);
    }
    let late = || Attempt::failed(Trouble::passing(format!("no answer within {} s", limit.as_secs_f64())));
    attempts.into_iter().map(|attempt| attempt.unwrap_or_else(late)).collect()
}

/// What is tried.
enum Task {
    /// A process of this host, and what it is called.
    Process(String, ProcessRef),
    /// A source, and the processes that an agent is asked for.
    Source(Box<dyn Source>, Vec<String>),
}

impl Task {
    fn for_observed(one: &Observed, observed: &[Observed]) -> Self {
        match one {
            Observed::Process { name, process } => Self::Process(name.clone(), process.clone()),
            Observed::Source(spec) => {
                Self::Source(open(spec, observed, &Tap::default()), spec.list(&PROCESSES).to_vec())
            }
        }
    }

    fn attempt(self, begun: Instant) -> Attempt {
        match self {
            Self::Process(name, process) => match look_for(Path::new("/"), &name, &process) {
                Ok(answer) => Attempt { outcome: Ok(answer), notes: Vec::new() },
                Err(trouble) => Attempt::failed(trouble),
            },
            Self::Source(mut source, processes) => match ask(&mut *source, &processes, begun) {
                Ok(answer) => {
                    let events = source.events().into_iter().map(|(_, text)| text);
                    let notes = events.chain(source.notes()).collect();
                    Attempt { outcome: Ok(answer), notes }
                }
                Err(trouble) => Attempt::failed(trouble),
            },
        }
    }
}

/// Reads a source once; an agent until it has found the processes.
fn ask(source: &mut dyn Source, processes: &[String], begun: Instant) -> Result<Answer, Trouble> {
    let mut read = || source.read(Nanos(begun.elapsed().as_nanos() as u64));
    let mut readings = read()?;
    let mut unseen = missing(&readings, processes);
    while !unseen.is_empty() && begun.elapsed() < FIND_MAX {
        pause(FIND_EVERY);
        readings.extend(read()?);
        unseen = missing(&readings, processes);
    }
    if !unseen.is_empty() {
        let names = unseen.join("`, `");
        return Err(Trouble::passing(format!(
            "it answers, but on its host no process is called `{names}`; {NAME_REMEDY}"
        )));
    }
    let value = |figure: Figure| {
        let found = readings.iter().rev().find(|reading| reading.metric == figure);
        found.map(|reading| reading.value)
    };
    let clock = value(figures::CLOCK_OFFSET_S).zip(value(figures::CLOCK_ERROR_S));
    Ok(Answer {
        about: source.about(),
        figures: figures(&readings),
        clock: clock.map(|(offset_s, error_s)| Clock { offset_s, error_s }),
    })
}

/// Where the name of a process is found.
const NAME_REMEDY: &str = "write a name as `ps -e -o comm=` shows it there, or start it";

/// Processes that have no figures.
fn missing(readings: &[Reading], processes: &[String]) -> Vec<String> {
    let has =
        |name: &&String| readings.iter().any(|reading| reading.source.strip_prefix("process ") == Some(name.as_str()));
    processes.iter().filter(|name| !has(name)).cloned().collect()
}

/// How many different figures there are.
fn figures(readings: &[Reading]) -> usize {
    let names = readings.iter().map(|reading| (&reading.host, &reading.source, &reading.metric));
    names.collect::<HashSet<_>>().len()
}

/// Looks for a process of this host. `root`: `/` but in tests.
fn look_for(root: &Path, name: &str, process: &ProcessRef) -> Result<Answer, Trouble> {
    let pids = pids(root, process);
    if pids.is_empty() {
        return Err(Trouble::passing(match process {
            ProcessRef::Name(name) => format!("no process is called `{name}`; {NAME_REMEDY}"),
            ProcessRef::Pid(pid) => format!("there is no process {pid}; give the number of one that runs, or its name"),
            ProcessRef::PidFile(file) => {
                format!("{file} has no number of a process that runs; start it, or give its name")
            }
        }));
    }
    let mut readings = Host::new(root, vec![(name.to_owned(), process.clone())]).read(Nanos::ZERO)?;
    let source = format!("process {name}");
    readings.retain(|reading| reading.source == source);
    let told: Vec<String> = pids.iter().take(PIDS_TOLD).map(u32::to_string).collect();
    let (word, told) = (if pids.len() == 1 { "process" } else { "processes" }, told.join(", "));
    let more = if pids.len() > PIDS_TOLD { ", .." } else { "" };
    Ok(Answer { about: Some(format!("{} {word}, {told}{more}", pids.len())), figures: figures(&readings), clock: None })
}

#[cfg(test)]
mod tests;
