//! One action on the system under test, within its limit.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nmax_engine::Settings;
use nmax_engine::run::rehearsal::trace_iteration_unless;
use nmax_metrics::Outcome;
use nmax_observe::process::pids;
use nmax_plan::plan::{Action, Body, Call, CallKind, HttpCall, Method, Plan, ProcessRef, Step};
use nmax_plan::planless::Planless;
use nmax_plan::template::Template;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// How often a command is looked at.
const LOOK: Duration = Duration::from_millis(10);
/// Bytes of what a failed command said that are told.
const SAID_BYTES_MAX: usize = 300;

/// Does it. The error says why it did not work. It ends when `is_over` says so.
pub(super) fn act(action: &Action, limit: Duration, is_over: &AtomicBool, settings: &Settings) -> Result<(), String> {
    let is_over = || is_over.load(Ordering::Relaxed);
    match action {
        Action::Command(line) => command(line, limit, &is_over),
        Action::Signal { signal, process } => send(signal, process),
        Action::Http { method, url, body } => {
            call(&plan_of_call(&settings.plan, *method, url, body, limit)?, settings, &is_over)
        }
    }
}

/// Runs a command line in a group of its own, which ends with it. The error has the end of what it said.
#[expect(clippy::disallowed_methods, reason = "the limit of an action of the plan")]
pub fn command(line: &str, limit: Duration, is_over: &dyn Fn() -> bool) -> Result<(), String> {
    let said = CommandOutput::new()?;
    let mut child = Command::new("/bin/sh")
        .args(["-c", line])
        .stdin(Stdio::null())
        .stdout(said.writer()?)
        .stderr(said.writer()?)
        .process_group(0)
        .spawn()
        .map_err(|error| format!("`{line}` does not start: {error}"))?;
    let end = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("`{line}` {}{}", ended(status), said.told())),
            Ok(None) if Instant::now() >= end => {
                kill(&mut child);
                return Err(format!("`{line}` did not end within {limit:?} and was killed{}", said.told()));
            }
            Ok(None) if is_over() => {
                kill(&mut child);
                return Err(format!("`{line}` went on when the run ended, and was killed{}", said.told()));
            }
            Ok(None) => std::thread::sleep(LOOK),
            Err(error) => return Err(format!("`{line}`: {error}")),
        }
    }
}

fn kill(child: &mut Child) {
    if let Some(group) = Pid::from_raw(child.id() as i32) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

fn ended(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

/// What a command says, in a file without a name: a pipe would fill up.
struct CommandOutput(File);

impl CommandOutput {
    fn new() -> Result<Self, String> {
        let open = || -> std::io::Result<File> {
            let memory = rustix::fs::memfd_create("nmax-action", rustix::fs::MemfdFlags::CLOEXEC)?;
            Ok(File::from(memory))
        };
        open().map(Self).map_err(|error| format!("cannot create a temporary file for the command's output: {error}"))
    }

    fn writer(&self) -> Result<Stdio, String> {
        self.0.try_clone().map(Stdio::from).map_err(|error| error.to_string())
    }

    /// The end of it, to stand behind a message.
    fn told(&self) -> String {
        let mut file = &self.0;
        let read = || -> std::io::Result<String> {
            let length = file.seek(SeekFrom::End(0))?;
            file.seek(SeekFrom::Start(length.saturating_sub(SAID_BYTES_MAX as u64)))?;
            let mut bytes = Vec::new();
            file.take(SAID_BYTES_MAX as u64).read_to_end(&mut bytes)?;
            Ok(String::from_utf8_lossy(&bytes).trim().replace(char::is_control, " "))
        };
        let mut read = read;
        let text = read().unwrap_or_default();
        if text.is_empty() { text } else { format!(": {text}") }
    }
}

fn send(name: &str, process: &ProcessRef) -> Result<(), String> {
    let signal = signal(name).ok_or_else(|| format!("`{name}` is not a signal"))?;
    let found = pids(Path::new("/"), process);
    if found.is_empty() {
        return Err(format!("there is no process {}", describe(process)));
    }
    for pid in found {
        let Some(pid) = Pid::from_raw(pid as i32) else { continue };
        kill_process(pid, signal).map_err(|error| {
            let number = pid.as_raw_nonzero();
            format!("process {number} did not take {name}: {error}")
        })?;
    }
    Ok(())
}

fn describe(process: &ProcessRef) -> String {
    match process {
        ProcessRef::Pid(pid) => pid.to_string(),
        ProcessRef::PidFile(file) => format!("of the file `{file}`"),
        ProcessRef::Name(name) => format!("named `{name}`"),
    }
}

fn signal(name: &str) -> Option<Signal> {
    Some(match name {
        "HUP" => Signal::HUP,
        "INT" => Signal::INT,
        "QUIT" => Signal::QUIT,
        "KILL" => Signal::KILL,
        "USR1" => Signal::USR1,
        "USR2" => Signal::USR2,
        "TERM" => Signal::TERM,
        "CONT" => Signal::CONT,
        "STOP" => Signal::STOP,
        "TSTP" => Signal::TSTP,
        "WINCH" => Signal::WINCH,
        _ => return None,
    })
}

/// One call by the engine, under the same rules as the load.
fn call(plan: &Plan, settings: &Settings, is_over: &dyn Fn() -> bool) -> Result<(), String> {
    let settings = Settings { plan: Arc::new(plan.clone()), ..settings.clone() };
    let traced = trace_iteration_unless(&settings, 0, is_over).map_err(|error| error.to_string())?;
    let last = traced.last().ok_or("it did not end before the run did")?;
    match last.measured.sample.outcome {
        Outcome::Ok => Ok(()),
        _ => Err(last
            .failure
            .as_ref()
            .map_or_else(|| "the call failed".to_owned(), |failure| format!("{}: {}", last.name, failure.text))),
    }
}

/// A plan of that one call, with the ways to servers of the run's plan.
fn plan_of_call(plan: &Plan, method: Method, url: &str, body: &str, limit: Duration) -> Result<Plan, String> {
    let simple = Plan::for_url(&Planless::get(plan.target.clone())).map_err(|errors| {
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        texts.join("; ")
    })?;
    let mut simple =
        Plan { defaults: plan.defaults.clone(), hosts: plan.hosts.clone(), target: plan.target.clone(), ..simple };
    simple.defaults.timeout = limit;
    let change = &mut |request: &mut Call| {
        request.name = Template::text(format!("{} {url}", method.token()));
        let body = if body.is_empty() { Body::Empty } else { Body::Text(Template::text(body)) };
        request.what = CallKind::Http(Arc::new(HttpCall { method, body, ..HttpCall::get(Template::text(url)) }));
    };
    let Some(scenario) = simple.scenarios.first_mut() else {
        return Err("the call has no request".into());
    };
    scenario.change_calls(change);
    debug_assert!(matches!(scenario.steps[..], [Step::Call(_)]));
    Ok(simple)
}
