//! `cargo xtask test`: builds the tests of the workspace and runs them, those that wait beside those that compute.
//!
//! `cargo test` runs one test program after the other. Half of the time of this workspace's tests is waiting: for a run to
//! end, a browser, a server. So the programs run in lanes at the same time: the crates' tests in two, at a low priority, the
//! examples that judge the machine in a third, and the other tests of the command in a fourth. Faults of a fleet, which are many
//! processes at a time, come after them; tests that measure (modules `serial`) last, one after the other. Nothing runs beside these.
//!
//! A test that cannot run here prints a line that begins with [`SKIPPED`]. Such tests are counted and named at the end;
//! with `NMAX_TEST_REQUIRE=1` they fail instead.
//!
//! # Layout
//! - [`programs`]: what cargo has built; [`outcome`]: what a test program printed

mod outcome;
mod programs;

use std::process::{Command, Stdio};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::shell::{complain, say};
use outcome::Outcome;
use programs::Program;

/// What a test that cannot run here says first.
pub(crate) const SKIPPED: &str = "SKIPPED: ";
/// Tests of the command as a whole.
const SYSTEM: &str = "nmax system";
/// Its examples that judge the machine that they run on, one after the other.
const JUDGED: &str = "::judged::";
/// Its tests of faults, which wait for most of their time, and how many run at a time.
const FAULTS: &str = "nmax faults";
const FAULTS_AT_ONCE: usize = 8;
/// Its tests that measure.
const SERIAL: &str = "::serial::";
/// How many crates are tested at a time.
const CRATE_LANES: usize = 2;
/// How many of the slowest tests are printed.
const SLOWEST: usize = 20;

/// What to run and what to print.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Without the tests of the command as a whole, and of real servers.
    pub(crate) is_quick: bool,
    /// Print the slowest tests.
    pub(crate) with_slowest: bool,
    /// A test that cannot run has failed.
    pub(crate) requires_all: bool,
    /// Run only tests whose path has one of these.
    pub(crate) filters: Vec<String>,
}

impl Options {
    /// From the words of the command line.
    pub(crate) fn parse(words: &[&str]) -> Result<Self, String> {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| value == "1");
        let (with_slowest, requires_all) = (is_set("SLOWEST"), is_set("NMAX_TEST_REQUIRE"));
        let mut options = Self { with_slowest, requires_all, ..Self::default() };
        for word in words {
            match *word {
                "--quick" => options.is_quick = true,
                "--slowest" => options.with_slowest = true,
                flag if flag.starts_with('-') => return Err(format!("unknown flag `{flag}`")),
                filter => options.filters.push(filter.to_owned()),
            }
        }
        Ok(options)
    }
}

/// A test program with arguments, and what it is called.
#[derive(Clone, Debug)]
struct Job {
    name: String,
    program: Program,
    arguments: Vec<String>,
    /// Others that run at the same time go first.
    is_patient: bool,
}

/// A job that has ended.
struct Ended {
    name: String,
    took: Duration,
    outcome: Outcome,
}

/// Builds and runs.
///
/// # Errors
/// Says what failed, once all have run.
#[expect(clippy::disallowed_methods, reason = "the time of tests is real time")]
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let begin = Instant::now();
    let programs = programs::build(options.is_quick)?;
    complain(&format!("built {} test programs in {:.0} s", programs.len(), begin.elapsed().as_secs_f64()));
    if !options.is_quick && !programs.iter().any(|program| program.name == SYSTEM) {
        return Err(format!(
            "there is no test program `{SYSTEM}` any more; name the one that took its place in xtask/src/test.rs"
        ));
    }
    let (lanes, last) = lanes(programs, options);
    let mut ended = Vec::new();
    for group in [lanes, vec![last]] {
        ended.extend(at_once(group, options.with_slowest));
    }
    finish(&ended, options, begin.elapsed())
}

/// Which jobs run one after the other, each such lane beside the others; and the jobs that have the machine to themselves.
fn lanes(programs: Vec<Program>, options: &Options) -> (Vec<Vec<Job>>, Vec<Job>) {
    let cores = thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let job = |name: &str, program: &Program, threads: usize, more: &[&str]| {
        let mut arguments = vec!["--show-output".to_owned(), format!("--test-threads={threads}")];
        arguments.extend(more.iter().map(|&word| word.to_owned()));
        Job { name: name.to_owned(), program: program.clone(), arguments, is_patient: false }
    };
    let filters: Vec<&str> = options.filters.iter().map(String::as_str).collect();
    let (system, crates): (Vec<_>, Vec<_>) = programs.into_iter().partition(|program| program.name == SYSTEM);
    let (faults, crates): (Vec<_>, Vec<_>) = crates.into_iter().partition(|program| program.name == FAULTS);
    let mut last: Vec<Job> = faults.iter().map(|program| job(FAULTS, program, FAULTS_AT_ONCE, &filters)).collect();
    let mut lanes = Vec::new();
    if let Some(system) = system.first() {
        if filters.is_empty() {
            lanes.push(vec![job("nmax judged examples", system, 1, &[JUDGED])]);
            lanes.push(vec![job(SYSTEM, system, 2 * cores, &["--skip", JUDGED, "--skip", SERIAL])]);
            last.push(job("nmax measuring", system, 1, &[SERIAL]));
        } else {
            last.push(job(SYSTEM, system, 1, &filters));
        }
    }
    let is_patient = !lanes.is_empty();
    let of_crate = |program: &Program| Job { is_patient, ..job(&program.name, program, cores, &filters) };
    // Two at a time: their tests wait, too, for sockets and clocks.
    for lane in 0..CRATE_LANES {
        lanes.push(crates.iter().skip(lane).step_by(CRATE_LANES).map(of_crate).collect());
    }
    (lanes, last)
}

/// Runs lanes beside each other, and says how each job ended.
#[expect(clippy::disallowed_methods, reason = "the time of tests is real time")]
fn at_once(lanes: Vec<Vec<Job>>, with_times: bool) -> Vec<Ended> {
    let count = lanes.iter().map(Vec::len).sum();
    let (sender, ended) = sync_channel(count);
    thread::scope(|scope| {
        for lane in lanes {
            let sender: SyncSender<Ended> = sender.clone();
            scope.spawn(move || {
                for job in lane {
                    let begin = Instant::now();
                    let outcome = start(&job, with_times);
                    let ended = Ended { name: job.name, took: begin.elapsed(), outcome };
                    complain(&line(&ended));
                    if sender.send(ended).is_err() {
                        return;
                    }
                }
            });
        }
    });
    drop(sender);
    ended.iter().collect()
}

fn start(job: &Job, with_times: bool) -> Outcome {
    let mut command = if job.is_patient { nice(&job.program.file) } else { Command::new(&job.program.file) };
    command.args(&job.arguments).current_dir(&job.program.folder).stdin(Stdio::null());
    if with_times {
        // Times of single tests are not stable yet; nothing else depends on them.
        command.env("RUSTC_BOOTSTRAP", "1").args(["-Zunstable-options", "--report-time"]);
    }
    match command.output() {
        Ok(output) => {
            let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            Outcome::read(&out, &err, output.status.success())
        }
        Err(error) => Outcome::broken(&format!("{} did not start: {error}", job.program.file.display())),
    }
}

/// The program, at a low priority: it computes, and leaves the processors to those that are waited for.
fn nice(program: &std::path::Path) -> Command {
    let mut command = Command::new("nice");
    command.arg("-n10").arg(program);
    command
}

fn line(ended: &Ended) -> String {
    let Outcome { passed, failed, .. } = &ended.outcome;
    let failed = if failed.is_empty() { String::new() } else { format!(", {} FAILED", failed.len()) };
    format!("  {:<28} {passed:>5} passed{failed}  {:.1} s", ended.name, ended.took.as_secs_f64())
}

/// Prints failures, skipped tests, the slowest, and last the counts.
fn finish(ended: &[Ended], options: &Options, took: Duration) -> Result<(), String> {
    for Ended { name, outcome, .. } in ended.iter().filter(|ended| !ended.outcome.failed.is_empty()) {
        complain(&format!("\n== {name}\n{}", outcome.words));
    }
    let all = |of: fn(&Outcome) -> &Vec<String>| {
        ended.iter().flat_map(move |ended| of(&ended.outcome).iter().map(|test| format!("{} {test}", ended.name)))
    };
    let skipped: Vec<String> = all(|outcome| &outcome.skipped).collect();
    let failed: Vec<String> = all(|outcome| &outcome.failed).collect();
    let passed: usize = ended.iter().map(|ended| ended.outcome.passed).sum();
    if options.with_slowest {
        let mut times: Vec<(f64, String)> = ended
            .iter()
            .flat_map(|one| one.outcome.times_s.iter().map(|(test, time_s)| (*time_s, format!("{} {test}", one.name))))
            .collect();
        times.sort_by(|a, b| b.0.total_cmp(&a.0));
        say("\nslowest:");
        times.iter().take(SLOWEST).for_each(|(time_s, test)| say(&format!("  {time_s:>7.1} s  {test}")));
    }
    for (title, tests) in [("skipped", &skipped), ("failed", &failed)] {
        if !tests.is_empty() {
            say(&format!("\n{title}:\n  {}", tests.join("\n  ")));
        }
    }
    say(&format!("\ntests took {:.0} s with their build", took.as_secs_f64()));
    say(&format!("{passed} passed, {} failed, {} skipped", failed.len(), skipped.len()));
    match (passed + skipped.len(), failed.len()) {
        (0, 0) => Err("no test has this name".to_owned()),
        (_, 0) if options.requires_all && !skipped.is_empty() => {
            Err(format!("{} tests could not run, and NMAX_TEST_REQUIRE is set", skipped.len()))
        }
        (_, 0) => Ok(()),
        (_, count) => Err(format!("{count} tests failed")),
    }
}

#[cfg(test)]
mod tests;
