//! Wishes about a running run: asked for in a file of its directory, taken by the process of the run, answered in its events.
//!
//! `control.jsonl` has one wish a line. Revisions count from 1 and each follows the last, so of two wishes that were made at the
//! same time the second is refused. Whoever may write the run's directory may steer the run.
//!
//! Inputs: a directory and a [`Wish`]. Outputs: a line, and the [`Answer`] that the run gives in `events.jsonl`. Everything that
//! is read is bounded by [`WISHES_MAX`] and [`LINE_BYTES_MAX`].

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nmax_json::records;
use nmax_plan::units::{DURATION_MAX, RATE_PER_S_MAX, format_duration};

mod inbox;

pub(crate) use inbox::Inbox;

/// The file of the wishes.
pub const FILE: &str = "control.jsonl";
/// Event of a run that did what it was asked for; the text begins as [`Wish::label`].
pub const STEERED: &str = "STEERED";
/// Event of a run that did not, and why.
pub const NOT_STEERED: &str = "NOT_STEERED";
/// Most wishes of a run.
pub const WISHES_MAX: u64 = 1_000;
/// Most bytes of a line.
pub const LINE_BYTES_MAX: usize = 1_024;
/// Most characters of [`Wish::by`].
const BY_CHARS_MAX: usize = 100;
/// How often it is looked for an answer.
const LOOK: Duration = Duration::from_millis(20);
/// Only the owner of the run steers it.
const MODE: u32 = 0o600;
const EVENTS: &str = "events.jsonl";
const ACTIONS: &[&str] = &["load", "hold", "stop"];

records! {
    /// A line of `control.jsonl`.
    #[derive(Clone, Debug)]
    #[serde(deny_unknown_fields)]
    pub(crate) read WishLine {
        revision: u64, "Number of the wish: one more than that of the line before, from 1.";
        action: String, in ACTIONS, "What to do: load, hold or stop.";
        #[serde(default)]
        level: Option<f64>, "Of load: iterations per second (open workload) or virtual users (closed).";
        #[serde(default)]
        ramp_s: Option<f64>, "Of load: how long the way there takes, seconds; null for at once.";
        #[serde(default)]
        by: String, "Who asks, for people.";
    }
}

/// What a run is to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Go to a level and keep it until the planned end of the load.
    Load {
        /// Iterations per second of an open workload, virtual users of a closed one.
        level: f64,
        /// How long the linear way there takes; zero for at once.
        ramp: Duration,
    },
    /// Keep the level of that instant until the planned end of the load.
    Hold,
    /// End the load; requests under way may end. As the first Ctrl-C.
    Stop,
}

/// What somebody asks of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    /// One more than the last revision of the run.
    pub revision: u64,
    /// What to do.
    pub action: Action,
    /// Who asks, for people: at most 100 characters are kept.
    pub by: String,
}

/// Why a wish was not written down.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refused {
    /// The run has ended, so its load cannot be changed.
    #[error("the run has ended")]
    Ended,
    /// Another wish came before.
    #[error("revision {given} does not follow {last}{}", overtaken(.by))]
    Overtaken {
        /// The revision that was given.
        given: u64,
        /// The last one of the run.
        last: u64,
        /// The wish that has it, if there is any.
        by: Option<Box<Wish>>,
    },
    /// The wish makes no sense, whatever the run does.
    #[error("{0}")]
    Wrong(String),
    /// The run has had [`WISHES_MAX`] wishes.
    #[error("the run has taken {WISHES_MAX} wishes, and takes no more")]
    Full,
    /// The file cannot be read or written.
    #[error("{0}")]
    Io(String),
}

fn overtaken(by: &Option<Box<Wish>>) -> String {
    by.as_ref().map_or_else(String::new, |wish| format!(", which is {}: look at the run, then ask again", wish.said()))
}

/// A wish that is written down and waits for its answer.
#[derive(Clone, Debug)]
pub struct Asked {
    directory: PathBuf,
    /// Its revision.
    pub revision: u64,
    /// Bytes of the run's events before it.
    events: u64,
}

/// What a run answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether the run does it.
    pub is_done: bool,
    /// What it does and from when on, or why not: one sentence.
    pub text: String,
}

impl Action {
    /// Whether some run could do this.
    ///
    /// # Errors
    /// What is wrong with it, and what to write.
    pub fn check(&self) -> Result<(), String> {
        let Self::Load { level, ramp } = self else { return Ok(()) };
        if !(0.0..=RATE_PER_S_MAX).contains(level) {
            return Err(format!("level {level} is not a number from 0 to {RATE_PER_S_MAX:e}"));
        }
        match *ramp > DURATION_MAX {
            true => Err(format!("the ramp takes more than {}", format_duration(DURATION_MAX))),
            false => Ok(()),
        }
    }
}

impl Wish {
    /// How texts about this wish begin.
    pub fn label(&self) -> String {
        format!("revision {}", self.revision)
    }

    /// The wish in words, and who has it.
    pub fn said(&self) -> String {
        let action = match self.action {
            Action::Load { level, ramp } if ramp.is_zero() => format!("load {level}"),
            Action::Load { level, ramp } => format!("load {level}, reached over {}", format_duration(ramp)),
            Action::Hold => "hold".to_owned(),
            Action::Stop => "stop".to_owned(),
        };
        if self.by.is_empty() { action } else { format!("{action} (by {})", self.by) }
    }

    fn line(&self) -> WishLine {
        let (action, level, ramp_s) = match self.action {
            Action::Load { level, ramp } => ("load", Some(level), Some(ramp.as_secs_f64())),
            Action::Hold => ("hold", None, None),
            Action::Stop => ("stop", None, None),
        };
        WishLine { revision: self.revision, action: action.into(), level, ramp_s, by: shortened(&self.by) }
    }
}

fn shortened(by: &str) -> String {
    by.chars().filter(|letter| !letter.is_control()).take(BY_CHARS_MAX).collect()
}

impl TryFrom<WishLine> for Wish {
    type Error = String;

    fn try_from(line: WishLine) -> Result<Self, String> {
        let ramp = Duration::try_from_secs_f64(line.ramp_s.unwrap_or(0.0))
            .map_err(|_| format!("ramp_s {} is not a length", line.ramp_s.unwrap_or_default()))?;
        let action = match (line.action.as_str(), line.level) {
            ("load", Some(level)) => Action::Load { level, ramp },
            ("load", None) => return Err("`load` needs a `level`".into()),
            ("hold", None) => Action::Hold,
            ("stop", None) => Action::Stop,
            ("hold" | "stop", Some(_)) => return Err(format!("`{}` has no `level`", line.action)),
            (other, _) => return Err(format!("`{}` is not one of {}", shortened(other), ACTIONS.join(", "))),
        };
        action.check()?;
        Ok(Self { revision: line.revision, action, by: shortened(&line.by) })
    }
}

/// What the lines so far come to: the last wish whose revision followed.
#[derive(Clone, Debug, Default)]
struct Ledger {
    last: Option<Wish>,
    lines: u64,
}

impl Ledger {
    fn revision(&self) -> u64 {
        self.last.as_ref().map_or(0, |wish| wish.revision)
    }

    /// Takes the next line.
    fn take(&mut self, line: &[u8]) -> Result<Wish, String> {
        self.lines += 1;
        let place = format!("line {} of {FILE} is not a wish", self.lines);
        if line.len() > LINE_BYTES_MAX {
            return Err(format!("{place}: it has more than {LINE_BYTES_MAX} bytes"));
        }
        let parsed = serde_json::from_slice::<WishLine>(line).map_err(|error| format!("{place}: {error}"))?;
        let wish = Wish::try_from(parsed).map_err(|error| format!("{place}: {error}"))?;
        if wish.revision != self.revision() + 1 {
            return Err(format!("{} does not follow {}, so it was not done", wish.label(), self.revision()));
        }
        self.last = Some(wish.clone());
        Ok(wish)
    }
}

/// The wishes of a run so far, in order; none of a run that was never asked for anything. Lines that are not wishes are left
/// out.
///
/// # Errors
/// Why the file cannot be read.
pub fn read(directory: &Path) -> Result<Vec<Wish>, String> {
    let path = directory.join(FILE);
    match File::open(&path) {
        Ok(file) => Ok(wishes(&file).map_err(|error| format!("{}: {error}", path.display()))?.0),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// The wishes of a file, how many lines it has, and whether the last one has its end.
fn wishes(file: &File) -> std::io::Result<(Vec<Wish>, u64, bool)> {
    let mut bytes = Vec::new();
    file.take(WISHES_MAX * LINE_BYTES_MAX as u64).read_to_end(&mut bytes)?;
    let mut ledger = Ledger::default();
    let is_whole = bytes.is_empty() || bytes.ends_with(b"\n");
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    let found = lines.filter_map(|line| ledger.take(line.trim_ascii_end()).ok()).collect();
    Ok((found, ledger.lines, is_whole))
}

/// Writes down a wish for the run of this directory. One that the run refuses is answered so: see [`Asked`].
///
/// # Errors
/// Why it was not written down: then nothing has changed.
pub fn ask(directory: &Path, wish: &Wish) -> Result<Asked, Refused> {
    wish.action.check().map_err(Refused::Wrong)?;
    if !nmax_store::entry(directory).is_some_and(|entry| entry.running) {
        return Err(Refused::Ended);
    }
    let path = directory.join(FILE);
    let io = |error: std::io::Error| Refused::Io(format!("{}: {error}", path.display()));
    let mut file = OpenOptions::new().read(true).append(true).create(true).mode(MODE).open(&path).map_err(io)?;
    // Held until the file is closed: between the last line and this one comes no other.
    file.lock().map_err(io)?;
    let (known, lines, is_whole) = wishes(&file).map_err(io)?;
    let last = known.last().map_or(0, |wish| wish.revision);
    if wish.revision != last.saturating_add(1) {
        let by = known.last().cloned().map(Box::new);
        return Err(Refused::Overtaken { given: wish.revision, last, by });
    }
    if lines >= WISHES_MAX {
        return Err(Refused::Full);
    }
    let events = directory.join(EVENTS).metadata().map_or(0, |known| known.size());
    let mut line = if is_whole { String::new() } else { "\n".to_owned() };
    line.push_str(&serde_json::to_string(&wish.line()).map_err(|error| Refused::Wrong(error.to_string()))?);
    line.push('\n');
    file.write_all(line.as_bytes()).map_err(io)?;
    Ok(Asked { directory: directory.to_owned(), revision: wish.revision, events })
}

impl Asked {
    /// The answer, once the run has given one.
    pub fn look(&self) -> Option<Answer> {
        let mut file = File::open(self.directory.join(EVENTS)).ok()?;
        file.seek(SeekFrom::Start(self.events)).ok()?;
        let mut bytes = Vec::new();
        file.take(WISHES_MAX * LINE_BYTES_MAX as u64).read_to_end(&mut bytes).ok()?;
        let label = format!("revision {}", self.revision);
        bytes.split(|byte| *byte == b'\n').find_map(|line| {
            let event: serde_json::Value = serde_json::from_slice(line).ok()?;
            let (code, text) = (event["code"].as_str()?, event["text"].as_str()?);
            let is_about = |rest: &str| !rest.starts_with(|next: char| next.is_ascii_digit());
            let is_answer = [STEERED, NOT_STEERED].contains(&code) && text.strip_prefix(&label).is_some_and(is_about);
            is_answer.then(|| Answer { is_done: code == STEERED, text: text.to_owned() })
        })
    }

    /// Waits for the answer for as long as `patience`; `None` when there was none until then.
    #[expect(clippy::disallowed_methods, reason = "waits for another process, on a thread of the caller's")]
    pub fn wait(&self, patience: Duration) -> Option<Answer> {
        let mut left = patience;
        loop {
            if let Some(answer) = self.look() {
                return Some(answer);
            }
            left = left.checked_sub(LOOK)?;
            std::thread::sleep(LOOK);
        }
    }
}

#[cfg(test)]
mod tests;
