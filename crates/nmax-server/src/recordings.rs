//! Visits that are recorded from the page: each a process of its own, `nmax record`, whose events are lines of JSON.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use crate::api::{RecordedStep, Recording, RecordingState, Visit};
use crate::plans::Plans;
use crate::refusal::Refusal;
use crate::session::random;
use crate::started::Processes;

/// Recordings that are remembered.
const RECORDINGS_MAX: usize = 20;
/// Steps that are shown.
const STEPS_MAX: usize = 2_000;
/// How long a recording may take to begin, and to make its plan.
const BEGIN_MAX: Duration = Duration::from_secs(20);
const END_MAX: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(20);
/// Most of what a process says on standard error that is kept, bytes.
const SAID_MAX: u64 = 16 << 10;
/// Longest name of a step, characters.
const NAME_MAX: usize = 100;

/// All of them.
#[derive(Default)]
pub(crate) struct Recordings(Mutex<Vec<Arc<One>>>);

struct One {
    id: String,
    state: Mutex<Recording>,
    input: Mutex<Option<ChildStdin>>,
    child: Mutex<Child>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Recordings {
    /// Begins a recording; its plan will be `name`.
    pub(crate) fn begin(&self, processes: &Processes, plans: &Plans, visit: &Visit) -> Result<Recording, Refusal> {
        let name = visit.name.strip_suffix(".yaml").unwrap_or(&visit.name);
        let file = format!("{name}.yaml");
        let path = plans.path(&file)?;
        if path.exists() {
            return Err(Refusal::conflict(format!("{file} exists"), "take another name"));
        }
        if lock(&self.0).iter().any(|one| lock(&one.state).state == RecordingState::Recording) {
            return Err(Refusal::conflict("a visit is being recorded", "stop it first"));
        }
        let mut child = processes.record(&visit.url, &path.with_extension(""))?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let id: String = random()?.chars().filter(char::is_ascii_alphanumeric).take(12).collect();
        let one = Arc::new(One {
            id: id.clone(),
            state: Mutex::new(Recording { id, url: visit.url.clone(), plan: file, ..Recording::default() }),
            input: Mutex::new(input),
            child: Mutex::new(child),
        });
        let of = Arc::clone(&one);
        let follow = move || of.follow(output.map(BufReader::new), errors);
        std::thread::Builder::new().name("nmax-record".into()).spawn(follow)?;
        let mut all = lock(&self.0);
        all.push(Arc::clone(&one));
        let excess = all.len().saturating_sub(RECORDINGS_MAX);
        all.drain(..excess);
        drop(all);
        let begun = one.wait(BEGIN_MAX, |state| !state.proxy.is_empty());
        match begun.state {
            RecordingState::Failed => Err(begun.trouble.into()),
            _ => Ok(begun),
        }
    }

    fn find(&self, id: &str) -> Result<Arc<One>, Refusal> {
        let all = lock(&self.0);
        let found = all.iter().find(|one| one.id == id).map(Arc::clone);
        found.ok_or_else(|| Refusal::missing("there is no such recording"))
    }

    /// A recording as it is now.
    pub(crate) fn get(&self, id: &str) -> Result<Recording, Refusal> {
        Ok(lock(&self.find(id)?.state).clone())
    }

    /// Names what the person did from a step on; an empty name takes it back.
    pub(crate) fn name(&self, id: &str, names: &[(u64, String)]) -> Result<Recording, Refusal> {
        let one = self.find(id)?;
        for (step, name) in names {
            let name: String = name.chars().filter(|char| !char.is_control()).take(NAME_MAX).collect();
            let mut state = lock(&one.state);
            let found = state.steps.iter_mut().find(|known| known.id == *step);
            found.ok_or_else(|| Refusal::missing(format!("there is no step {step}")))?.name = name.trim().to_owned();
            drop(state);
            // Just before the step, which then is the first one under that name.
            one.say(&format!("@{} {name}\n", step.saturating_sub(1)))?;
        }
        self.get(id)
    }

    /// Ends a recording; its plan is written then.
    pub(crate) fn stop(&self, id: &str) -> Result<Recording, Refusal> {
        let one = self.find(id)?;
        if lock(&one.state).state == RecordingState::Recording {
            // One that has ended by itself takes no more lines.
            let _ = one.say("q\n");
        }
        let ended = one.wait(END_MAX, |_| false);
        match ended.state {
            RecordingState::Failed => Err(ended.trouble.into()),
            _ => Ok(ended),
        }
    }

    /// Ends all that go on.
    pub(crate) fn end(&self) {
        for one in lock(&self.0).iter() {
            let _ = one.say("q\n");
            one.wait(END_MAX, |_| false);
            let mut child = lock(&one.child);
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl One {
    fn say(&self, line: &str) -> std::io::Result<()> {
        match lock(&self.input).as_mut() {
            Some(input) => input.write_all(line.as_bytes()),
            None => Ok(()),
        }
    }

    /// Waits until the recording has ended, or is as wanted.
    fn wait(&self, most: Duration, is_wanted: impl Fn(&Recording) -> bool) -> Recording {
        let mut waited = Duration::ZERO;
        loop {
            let state = lock(&self.state).clone();
            if state.state != RecordingState::Recording || is_wanted(&state) || waited >= most {
                return state;
            }
            crate::started::pause(LOOK);
            waited += LOOK;
        }
    }

    /// Takes the events of the process until it ends.
    fn follow(&self, output: Option<impl BufRead>, errors: Option<impl Read>) {
        for line in output.into_iter().flat_map(BufRead::lines).map_while(Result::ok) {
            let event: Value = serde_json::from_str(&line).unwrap_or_default();
            self.take(&event);
        }
        let mut said = String::new();
        errors.map(|errors| errors.take(SAID_MAX).read_to_string(&mut said));
        let is_made = lock(&self.child).wait().is_ok_and(|status| status.success());
        let mut state = lock(&self.state);
        state.state = if is_made { RecordingState::Saved } else { RecordingState::Failed };
        if !is_made {
            state.trouble = said.trim().trim_start_matches("error: ").to_owned();
        }
    }

    fn take(&self, event: &Value) {
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let mut state = lock(&self.state);
        match event["event"].as_str() {
            Some("begins") => {
                state.proxy = text("proxy");
                state.has_browser = event["has_browser"] == true;
            }
            Some("note") => state.trouble = text("text"),
            Some("exchange") => {
                let at_us = event["at_us"].as_u64().unwrap_or_default();
                let is_step = event["is_step"] == true || state.steps.is_empty();
                let begin_us = state.steps.first().map_or(at_us, |step| step.id);
                let has_room = state.steps.len() < STEPS_MAX;
                match state.steps.last_mut() {
                    Some(last) if !is_step => last.requests += 1,
                    _ if has_room => state.steps.push(RecordedStep {
                        id: at_us,
                        name: String::new(),
                        method: text("method"),
                        url: text("url"),
                        status: event["status"].as_u64().unwrap_or_default(),
                        at_s: at_us.saturating_sub(begin_us) as f64 / 1e6,
                        requests: 1,
                    }),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// The name without the folder.
pub(crate) fn is_display() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// The flags of a recording of `url` whose files begin with `output`.
pub(crate) fn flags(url: &str, output: &Path) -> Vec<std::ffi::OsString> {
    let mut flags: Vec<std::ffi::OsString> = vec!["record".into(), "--events".into(), "-o".into(), output.into()];
    // Without a screen a client is pointed at the proxy.
    flags.extend((!is_display()).then(|| "--no-browser".into()));
    flags.extend(["--".into(), url.into()]);
    flags
}
