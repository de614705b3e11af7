//! Runs that are started from the page: each a process of its own, so that who watches is never in the way of the load.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::api::{Start, Started};
use crate::recordings;
use crate::refusal::Refusal;

/// Runs at the same time.
const RUNNING_MAX: usize = 1;
/// How long a run may take to begin: its smoke test, its setup.
const BEGIN_MAX: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(50);
/// Most of what a run says that is kept, bytes.
const SAID_MAX: u64 = 16 << 10;
/// How long runs may take to end with this server.
const END_MAX: Duration = Duration::from_secs(12);

/// What may be started, as the command line of this server grants it.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// Plans may be started.
    pub start: bool,
    /// They may run commands.
    pub exec: bool,
    /// Visits may be recorded.
    pub record: bool,
    /// Flags that each run gets: which targets it may load.
    pub flags: Vec<String>,
}

/// The processes.
pub(crate) struct Processes {
    pub(crate) program: PathBuf,
    pub(crate) grants: Grants,
    running: Mutex<Vec<Child>>,
}

impl Processes {
    pub(crate) fn new(program: PathBuf, grants: Grants) -> Self {
        Self { program, grants, running: Mutex::default() }
    }

    /// Starts a run; its id once it has begun.
    pub(crate) fn start(&self, runs_dir: &Path, what: &Path, asked: &Start) -> Result<Started, Refusal> {
        if !self.grants.start {
            let help = "start `nmax serve` with --allow-start";
            return Err(Refusal::not_granted("this server may not start runs", help));
        }
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        if running.len() >= RUNNING_MAX {
            let help = "stop it first, or wait for its end: two loads from one machine measure each other";
            return Err(Refusal::conflict("a run of this server goes on", help));
        }
        let (id, _) = nmax_run::new_id();
        let ending = format!("-{id}");
        let is_of = |path: &PathBuf| path.to_str().is_some_and(|path| path.ends_with(&ending));
        let mut command = Command::new(&self.program);
        command.arg("run").arg(what).arg("--runs-dir").arg(runs_dir).args(&self.grants.flags);
        // With `=`, so that no value is read as a flag.
        command.arg("--quiet").arg(format!("{}{id}", nmax_run::ID_FLAG)).arg(format!("--note={}", asked.note));
        command.args(asked.tags.iter().map(|tag| format!("--tag={tag}")));
        command.args(asked.set.iter().map(|(path, value)| format!("--set={path}={value}")));
        if self.grants.exec {
            command.arg("--allow-exec");
        }
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let said = child.stderr.take();
        let mut waited = Duration::ZERO;
        loop {
            let begun = nmax_store::newest(runs_dir, usize::MAX).into_iter().find(|path| is_of(path));
            if begun.and_then(|path| nmax_store::entry(&path)).is_some_and(|run| run.running || run.finished) {
                let drain = said.map(|said| std::thread::spawn(move || BufReader::new(said).lines().for_each(drop)));
                drop(drain);
                running.push(child);
                return Ok(Started { id });
            }
            if let Ok(Some(_)) = child.try_wait() {
                let mut text = String::new();
                said.map(|said| said.take(SAID_MAX).read_to_string(&mut text));
                let text = text.trim().trim_start_matches("error: ").to_owned();
                return Err(text.into());
            }
            if waited >= BEGIN_MAX {
                let _ = child.kill();
                let _ = child.wait();
                return Err(Refusal::bad(format!("the run did not begin within {} s", BEGIN_MAX.as_secs()), ""));
            }
            pause(LOOK);
            waited += LOOK;
        }
    }

    /// Starts a recording.
    pub(crate) fn record(&self, url: &str, output: &Path) -> Result<Child, Refusal> {
        if !self.grants.record {
            let help = "visits are recorded by a server that only this machine reaches, without --read-only";
            return Err(Refusal::not_granted("this server may not record", help));
        }
        let mut command = Command::new(&self.program);
        command.args(recordings::flags(url, output));
        Ok(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?)
    }

    /// Ends what goes on, as Ctrl-C does, and waits for it.
    pub(crate) fn end(&self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        for child in running.iter() {
            let process = rustix::process::Pid::from_child(child);
            let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
        }
        let mut waited = Duration::ZERO;
        while running.iter_mut().any(|child| matches!(child.try_wait(), Ok(None))) && waited < END_MAX {
            pause(LOOK);
            waited += LOOK;
        }
        for child in running.iter_mut() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "waits for another process on a thread of its own")]
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}
