//! The tutorials about recordings, logs and slow servers as they stand: every command is run, and what they show must come;
//! but `text measured valid` only where this machine was not too busy to measure.
//!
//! Two things differ from what a reader does. Port 8080 is a free one here. And where the reader clicks, a script drives a
//! real Chromium: it is found under the name `chromium` by the recorder, and types the names of the tutorial's list.

use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{ChildStdin, Command};

use serde_json::Value;

use crate::bench::{Bench, Ended, Job, count, free_port, until};
use crate::record_story::{browser_tests, chromium};

/// The port of the tutorials.
const PORT: &str = "8080";

/// What stands between two fences.
struct Block {
    /// The words after the opening fence.
    kind: String,
    text: String,
}

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

    fn blocks(&self) -> Vec<Block> {
        // Every other part is inside of fences.
        let inside = self.text.split("\n```").skip(1).step_by(2);
        inside
            .map(|part| {
                let (kind, text) = part.split_once('\n').unwrap();
                let (kind, text) = (kind.to_owned(), text.to_owned());
                Block { kind, text }
            })
            .collect()
    }

    /// What the reader does in the browser, by the names that are to be typed.
    fn clicks(&self) -> Vec<&str> {
        let items = self.text.lines().filter_map(|line| line.strip_prefix("- **"));
        items.map(|item| item.split_once("**: ").unwrap().0).collect()
    }
}

/// Somebody who follows a tutorial.
struct Reader<'a> {
    bench: &'a Bench,
    tutorial: &'a Tutorial,
    path: OsString,
    servers: Vec<(Job, ChildStdin)>,
}

impl<'a> Reader<'a> {
    fn new(bench: &'a Bench, tutorial: &'a Tutorial) -> Self {
        let folder = Path::new(env!("CARGO_BIN_EXE_nmax")).parent().unwrap();
        let others = std::env::var_os("PATH").unwrap();
        let mut all = vec![bench.path("bin"), folder.to_owned()];
        all.extend(std::env::split_paths(&others));
        Self { bench, tutorial, path: std::env::join_paths(all).unwrap(), servers: Vec::new() }
    }

    fn start(&self, lines: &str) -> (Job, ChildStdin) {
        let env: [(&str, &OsStr); 2] = [("PATH", &self.path), ("DISPLAY", OsStr::new(":0"))];
        self.bench.shell_typing(lines, &env)
    }

    /// Goes through the tutorial.
    fn follow(&mut self) {
        let mut last: Option<Ended> = None;
        let mut commands = 0;
        // A run was INVALID: it tells no suspects, and is not compared.
        let mut doubtful = false;
        for Block { kind, text } in self.tutorial.blocks() {
            match kind.as_str() {
                "sh" if text.starts_with("nmax target") => {
                    self.servers.clear(); // Ctrl-C
                    self.servers.push(self.start(&format!("exec {text}")));
                    let at = ("127.0.0.1", self.tutorial.port);
                    until("the server listens", || TcpStream::connect(at).is_ok());
                }
                "sh" => {
                    let (job, mut typing) = self.start(&text);
                    if text.starts_with("nmax record") {
                        self.click_through(&job, &mut typing);
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

    /// Lets the browser click, and types the names.
    fn click_through(&self, job: &Job, typing: &mut ChildStdin) {
        let (says, hears) = (self.bench.path("person.says"), self.bench.path("person.hears"));
        // Open for both, so that it does not wait for who reads.
        let mut go = OpenOptions::new().read(true).write(true).open(hears).unwrap();
        let mut typed = Vec::new();
        for number in 0.. {
            let said = || fs::read_to_string(&says).unwrap_or_default();
            until("the person goes on", || said().lines().count() > number && said().ends_with('\n'));
            let line = said().lines().nth(number).unwrap().to_owned();
            let Some(name) = line.strip_prefix("next ") else {
                assert!(line.starts_with("done "), "{line}");
                break;
            };
            // The page to begin with is opened by the recorder, and has no name.
            if number > 0 {
                typing.write_all(format!("\n{name}\n").as_bytes()).unwrap();
                until(name, || job.said().contains(&format!("--- {name} ---")));
                typed.push(name.to_owned());
            }
            go.write_all(b"go\n").unwrap();
        }
        assert_eq!(typed, self.tutorial.clicks());
    }

    /// Puts the person in the place of the browser.
    fn employ_a_person(&self) {
        let bin = self.bench.path("bin");
        fs::create_dir(&bin).unwrap();
        let made = Command::new("mkfifo").arg(self.bench.path("person.hears")).status();
        assert!(made.unwrap().success());
        let script = format!(
            "#!/bin/sh\n\
             for argument; do\n\
             case $argument in --proxy-server=*) proxy=${{argument#*=}} ;; esac\n\
             site=$argument\n\
             done\n\
             cd '{}'\n\
             exec node shop.mjs \"$proxy\" \"$site\" '{}' <'{}' >'{}'\n",
            browser_tests().display(),
            chromium().display(),
            self.bench.path("person.hears").display(),
            self.bench.path("person.says").display(),
        );
        let file = bin.join("chromium");
        fs::write(&file, script).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
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
    let bench = Bench::new();
    let tutorial = Tutorial::open("tutorial-record.md");
    let mut reader = Reader::new(&bench, &tutorial);
    reader.employ_a_person();
    reader.follow();
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
    Reader::new(&bench, &tutorial).follow();
    assert_runs(&bench, 3);
}

#[test]
fn from_an_access_log_to_a_load_test() {
    let bench = Bench::new();
    let tutorial = Tutorial::open("tutorial-log.md");
    Reader::new(&bench, &tutorial).follow();
    assert_runs(&bench, 2);
    for run in bench.runs() {
        assert!(run.join("fidelity.json").exists(), "{run:?}");
    }
}
