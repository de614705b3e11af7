//! The tutorials about recordings, logs and slow servers as they stand: every command is run, and what they show must come;
//! but `text measured valid` only where this machine was not too busy to measure.
//!
//! Two things differ from what a reader does. Port 8080 is a free one here. And where the reader clicks, a script drives a
//! real Chromium, and types the names of the tutorial's list.

use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::ChildStdin;

use serde_json::Value;

use crate::bench::{Bench, Ended, Job, count, skip, until};
use crate::ports::free_port;
use crate::reader::{Block, Reader, blocks};
use crate::record_story::lacking;

/// The port of the tutorials.
const PORT: &str = "8080";

struct Tutorial {
    text: String,
    port: u16,
}

impl Tutorial {
    fn open(name: &str) -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
        let port = free_port();
        let text = fs::read_to_string(file).unwrap().replace(PORT, &port.to_string());
        Self { text, port }
    }

    /// What the reader does in the browser, by the names that are to be typed.
    fn clicks(&self) -> Vec<&str> {
        let items = self.text.lines().filter_map(|line| line.strip_prefix("- **"));
        items.map(|item| item.split_once("**: ").unwrap().0).collect()
    }
}

/// Somebody who goes through a tutorial.
struct Pupil<'a> {
    bench: &'a Bench,
    tutorial: &'a Tutorial,
    reader: Reader<'a>,
    servers: Vec<(Job, ChildStdin)>,
}

impl<'a> Pupil<'a> {
    fn new(bench: &'a Bench, tutorial: &'a Tutorial) -> Self {
        Self { bench, tutorial, reader: Reader::new(bench), servers: Vec::new() }
    }

    /// Goes through the tutorial.
    fn follow(&mut self) {
        let mut last: Option<Ended> = None;
        let mut commands = 0;
        // A run was INVALID: it tells no suspects, and is not compared.
        let mut doubtful = false;
        for Block { kind, text } in blocks(&self.tutorial.text) {
            match kind.as_str() {
                "sh" if text.starts_with("nmax target") => {
                    self.servers.clear(); // Ctrl-C
                    self.servers.push(self.reader.start(&format!("exec {text}")));
                    let at = ("127.0.0.1", self.tutorial.port);
                    until("the server listens", || TcpStream::connect(at).is_ok());
                }
                "sh" => {
                    let (job, mut typing) = self.reader.start(&text);
                    if text.starts_with("nmax record") {
                        let typed = self.reader.click_through(&job, &mut typing);
                        assert_eq!(typed, self.tutorial.clicks());
                    }
                    drop(typing);
                    let ended = job.wait();
                    let is_refused = doubtful && text.starts_with("nmax compare");
                    last = Some(if is_refused { ended } else { judged(ended) });
                    doubtful |= last.as_ref().unwrap().code == 4;
                    commands += 1;
                }
                "text" => assert_shown(last.as_ref().unwrap(), &text, exact),
                "text measured" => assert_shown(last.as_ref().unwrap(), &text, without_figures),
                "text measured valid" if doubtful => {}
                "text measured valid" => assert_shown(last.as_ref().unwrap(), &text, without_figures),
                "yaml" => self.assert_in_plan(&text),
                other => panic!("what is ```{other}?"),
            }
        }
        assert!(commands > 3, "{commands} commands only");
    }

    /// Each line is one of a plan in the folder.
    fn assert_in_plan(&self, text: &str) {
        let files = fs::read_dir(self.bench.path("")).unwrap().map(|file| file.unwrap().path());
        let plans = files.filter(|file| file.extension().is_some_and(|end| end == "yaml"));
        let plan: String = plans.map(|file| fs::read_to_string(file).unwrap()).collect();
        for line in text.lines() {
            assert!(plan.lines().any(|has| has == line), "no `{line}` in {plan}");
        }
    }
}

/// A command that did what it should: also a run that says itself that this machine was too busy.
#[track_caller]
fn judged(ended: Ended) -> Ended {
    match ended.code {
        4 => ended.shows(&["! INVALID"]),
        _ => ended.exits(0),
    }
}

/// Whether each line of a tutorial is one of what was written; `...` stands for any number of them.
#[track_caller]
fn assert_shown(ended: &Ended, text: &str, reading: fn(&str) -> String) {
    let all = format!("{}\n{}", ended.stdout, ended.stderr);
    let shown: Vec<String> = all.lines().map(reading).collect();
    for line in text.lines().filter(|line| !matches!(*line, "..." | "")) {
        let is_verdict = line.starts_with("✓ PASS") && ended.code == 4;
        assert!(is_verdict || shown.contains(&reading(line)), "no `{line}` in:\n{all}");
    }
}

/// A line but for the width of its columns.
fn exact(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line but for what was measured: words with digits, units, and `–` for nothing.
fn without_figures(line: &str) -> String {
    let is_unit =
        |word: &str| matches!(word.trim_end_matches(','), "s" | "ms" | "µs" | "B" | "kB" | "MB" | "/s" | "%" | "–");
    let is_figure = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let words = line.split_whitespace().filter(|word| !is_unit(word) && !is_figure(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Every run sent something, and nothing failed.
fn assert_runs(bench: &Bench, runs: usize) {
    let folders = bench.runs();
    assert_eq!(folders.len(), runs, "{folders:?}");
    for folder in folders {
        let summary = fs::read_to_string(folder.join("summary.json")).unwrap();
        let summary: Value = serde_json::from_str(&summary).unwrap();
        let of = |key: &str| count(&summary["total"][key]);
        assert!(of("count") > 0, "{summary:#}");
        assert_eq!((of("failed"), of("errors")), (0, 0), "{summary:#}");
        assert_ne!(summary["verdict"], "fail", "{summary:#}");
    }
}

#[test]
fn from_a_click_to_a_load_test() {
    if let Some(missing) = lacking() {
        return skip(&missing);
    }
    let bench = Bench::new();
    let tutorial = Tutorial::open("tutorial-record.md");
    let mut pupil = Pupil::new(&bench, &tutorial);
    pupil.reader.employ_a_person();
    pupil.follow();
    assert_runs(&bench, 1);
    // What it says about the files.
    for name in ["visit.har", "visit.yaml", "visit.evidence.json"] {
        let text = fs::read_to_string(bench.path(name)).unwrap();
        assert!(!text.contains("Correct-Horse-42"), "{name}");
    }
    let mode = fs::metadata(bench.path("visit.secrets.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn why_is_it_slow() {
    let bench = Bench::new();
    let tutorial = Tutorial::open("tutorial-observe.md");
    Pupil::new(&bench, &tutorial).follow();
    assert_runs(&bench, 3);
}

#[test]
fn from_an_access_log_to_a_load_test() {
    let bench = Bench::new();
    let tutorial = Tutorial::open("tutorial-log.md");
    Pupil::new(&bench, &tutorial).follow();
    assert_runs(&bench, 2);
    for run in bench.runs() {
        assert!(run.join("fidelity.json").exists(), "{run:?}");
    }
}
