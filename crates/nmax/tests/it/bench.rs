//! The program under test: one folder per test, children that are killed when the test ends.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Longest life of a child: a hang, and not a matter of speed.
const LIFE_MAX: Duration = Duration::from_secs(300);
/// Between two looks at something awaited.
const LOOK: Duration = Duration::from_millis(5);

/// Tests that measure write, all others read: nothing else runs beside a measurement.
static QUIET: RwLock<()> = RwLock::new(());
static FOLDERS: AtomicU32 = AtomicU32::new(0);

/// Held for a whole test, never read: it keeps others out, or in.
#[expect(dead_code, reason = "guards are held, not read")]
enum TestLock {
    Shared(RwLockReadGuard<'static, ()>),
    Alone(RwLockWriteGuard<'static, ()>),
}

/// A folder in which the program runs. At most one per test, or two tests may wait for each other.
pub(crate) struct Bench {
    folder: PathBuf,
    children: AtomicU32,
    _turn: TestLock,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(TestLock::Shared(QUIET.read().unwrap_or_else(PoisonError::into_inner)))
    }

    /// With no other test at the same time.
    pub(crate) fn exclusive() -> Self {
        Self::with(TestLock::Alone(QUIET.write().unwrap_or_else(PoisonError::into_inner)))
    }

    fn with(turn: TestLock) -> Self {
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("nmax-it-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self { folder, children: AtomicU32::new(0), _turn: turn }
    }

    /// A path in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Runs `nmax` to its end.
    pub(crate) fn nmax<A: AsRef<OsStr>>(&self, args: &[A]) -> Ended {
        self.spawn(args).wait()
    }

    /// As [`Bench::nmax`], with these variables in the environment.
    pub(crate) fn nmax_with(&self, env: &[(&str, &str)], args: &[&str]) -> Ended {
        let mut command = self.command(env!("CARGO_BIN_EXE_nmax"));
        command.args(args).envs(env.iter().copied());
        self.start(command).wait()
    }

    /// Starts `nmax`.
    pub(crate) fn spawn<A: AsRef<OsStr>>(&self, args: &[A]) -> Job {
        let mut command = self.command(env!("CARGO_BIN_EXE_nmax"));
        command.args(args);
        self.start(command)
    }

    /// Starts `nmax`, and gives what types into it.
    pub(crate) fn spawn_typing<A: AsRef<OsStr>>(&self, args: &[A]) -> (Job, ChildStdin) {
        let mut command = self.command(env!("CARGO_BIN_EXE_nmax"));
        command.args(args).stdin(Stdio::piped());
        let mut job = self.start(command);
        let typing = job.child.stdin.take().unwrap();
        (job, typing)
    }

    /// Runs a line of shell, in which `$NMAX` is the program.
    pub(crate) fn shell(&self, line: &str) -> Ended {
        self.shell_job(line).wait()
    }

    /// Starts a line of shell, in which `$NMAX` is the program.
    pub(crate) fn shell_job(&self, line: &str) -> Job {
        let mut command = self.command("sh");
        command.args(["-c", line]);
        self.start(command)
    }

    /// Starts lines of shell with these variables, and gives what types into them.
    pub(crate) fn shell_typing(&self, lines: &str, env: &[(&str, &OsStr)]) -> (Job, ChildStdin) {
        let mut command = self.command("sh");
        command.args(["-e", "-c", lines]).envs(env.iter().copied());
        command.stdin(Stdio::piped());
        let mut job = self.start(command);
        let typing = job.child.stdin.take().unwrap();
        (job, typing)
    }

    /// Only the folder and the arguments decide what the program does, not who runs the test.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).stdin(Stdio::null());
        for name in ["NMAX_RUNS_DIR", "NMAX_WEBHOOK", "GITHUB_STEP_SUMMARY", "NO_COLOR", "CI", "TERM", "COLUMNS"] {
            command.env_remove(name);
        }
        command.env("NMAX", env!("CARGO_BIN_EXE_nmax"));
        command.env("HOME", &self.folder).env("XDG_CONFIG_HOME", &self.folder);
        command
    }

    /// Starts a command of [`Bench::command`].
    pub(crate) fn start(&self, mut command: Command) -> Job {
        let number = self.children.fetch_add(1, Ordering::Relaxed);
        let (out, err) = (self.path(&format!(".{number}.out")), self.path(&format!(".{number}.err")));
        command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
        let what = format!("{command:?}");
        let child = command.spawn().unwrap();
        Job { child, what, out, err }
    }

    /// Directories of the runs so far, oldest first.
    pub(crate) fn runs(&self) -> Vec<PathBuf> {
        runs_in(&self.path("runs"))
    }

    /// The directory of the run of this id.
    pub(crate) fn run_of(&self, id: &str) -> PathBuf {
        let end = format!("-{id}");
        let found = self.runs().into_iter().find(|path| path.to_str().unwrap().ends_with(&end));
        found.unwrap_or_else(|| panic!("no run {id}"))
    }

    /// The directory of the only run.
    pub(crate) fn run(&self) -> PathBuf {
        let mut runs = self.runs();
        assert_eq!(runs.len(), 1, "{runs:?}");
        runs.remove(0)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Directories of runs in a folder, oldest first; none when there is no such folder.
pub(crate) fn runs_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut runs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    runs.sort();
    runs
}

/// A child at work. Killed when dropped.
pub(crate) struct Job {
    child: Child,
    what: String,
    out: PathBuf,
    err: PathBuf,
}

impl Job {
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the end; panics when it does not come.
    pub(crate) fn wait(mut self) -> Ended {
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begin.elapsed() < LIFE_MAX, "{} hangs:\n{}", self.what, self.stderr_so_far());
            sleep(LOOK);
        };
        let code = status.code().unwrap_or_else(|| 128 + status.signal().expect("it exited or was killed"));
        let text = |file: &Path| String::from_utf8(fs::read(file).unwrap()).unwrap();
        Ended { what: self.what.clone(), code, stdout: text(&self.out), stderr: text(&self.err) }
    }

    /// Whether it has not ended yet.
    pub(crate) fn is_alive(&self) -> bool {
        // A child that was not waited for is a zombie after its end.
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with('Z'))
    }

    /// Number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it wrote on standard output so far.
    pub(crate) fn printed(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.out).unwrap()).into_owned()
    }

    /// What it wrote on standard error so far.
    pub(crate) fn stderr_so_far(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.err).unwrap()).into_owned()
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a child left.
pub(crate) struct Ended {
    what: String,
    /// As a shell says it: 128 + signal when killed.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Itself, if it ended with this code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}", self.all());
        self
    }

    /// Itself, if standard error has these words.
    #[track_caller]
    pub(crate) fn says(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.stderr.contains(word), "no `{word}`: {}", self.all());
        }
        self
    }

    /// Itself, if standard output has these words.
    #[track_caller]
    pub(crate) fn shows(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.stdout.contains(word), "no `{word}`: {}", self.all());
        }
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.all()))
    }

    fn all(&self) -> String {
        format!("{} exited with {}\n--- stdout\n{}\n--- stderr\n{}", self.what, self.code, self.stdout, self.stderr)
    }
}

/// Waits until something holds; panics when it never does.
#[track_caller]
pub(crate) fn until(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < LIFE_MAX, "waited in vain: {what}");
        sleep(LOOK);
    }
}

/// Says that a test cannot run here, and why: `cargo xtask test` counts and names it, or fails with `NMAX_TEST_REQUIRE=1`.
pub(crate) fn skip(reason: &str) {
    eprintln!("SKIPPED: {reason}");
}

/// A count in JSON.
#[track_caller]
pub(crate) fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is not a count"))
}

/// A number in JSON.
#[track_caller]
pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// Complete lines of a file; none when it is not there.
pub(crate) fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    complete.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Exchanges in a line of `windows.jsonl`, of all phases.
pub(crate) fn exchanges(window: &Value) -> u64 {
    let of = |request: &Value| ["ok", "failed", "errors"].iter().map(|key| count(&request[key])).sum::<u64>();
    let sections = ["hold", "outside"].map(|section| window[section]["requests"].as_array().unwrap());
    sections.iter().flat_map(|requests| requests.iter()).map(of).sum()
}
