//! Every example with a `run.sh`, the demo and two stories, in their short form; the story of Apache and `ab` is in
//! `servers::story`.
//!
//! A script ends with 77 when this machine lacks what it needs: the test is skipped then. Tests install nothing.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::bench::{Bench, skip};
use crate::reader::blocks;

/// What a script ends with on a machine that lacks what it needs.
pub(crate) const LACKING: i32 = 77;

/// Held by those that judge the machine that they run on.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Runs one; what it promises must happen.
fn example(name: &str) {
    script(name, "run.sh");
}

fn script(name: &str, file: &str) {
    let bench = Bench::new();
    // What a busy machine has made INVALID shows nothing. The example of judgements says so itself.
    for is_last in [false, true] {
        let ended = shortly(&bench, &mut Command::new(folder().join(name).join(file)));
        let said = said(&ended);
        if ended.status.success() {
            return;
        }
        if ended.status.code() == Some(LACKING) {
            return skip(&lacks(&format!("examples/{name}/{file}"), &String::from_utf8_lossy(&ended.stderr)));
        }
        let is_spoiled = ["! INVALID", "! Nothing was measured"].iter().any(|word| said.contains(word));
        let is_busy = name != "judgement" && is_spoiled;
        assert!(is_busy, "{name}: {}\n{said}", ended.status);
        if is_last {
            skip(&format!("examples/{name}/{file}: this machine is too busy for valid runs"));
        }
    }
}

/// What a script said last, in one line.
pub(crate) fn lacks(script: &str, stderr: &str) -> String {
    let last: Vec<&str> = stderr.lines().rev().take(3).map(str::trim).collect();
    format!("{script}: {}", last.into_iter().rev().collect::<Vec<_>>().join(" "))
}

fn turn() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a command in the short form, with the program under test.
fn shortly(bench: &Bench, command: &mut Command) -> Output {
    let short = [("NMAX", env!("CARGO_BIN_EXE_nmax")), ("SHORT", "1"), ("NMAX_INSTALL", "0"), ("NO_COLOR", "1")];
    command.envs(short).env("NMAX_RUNS_DIR", bench.path("runs")).output().unwrap()
}

fn said(ended: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr))
}

/// The examples that this file runs.
const ALL: [&str; 17] = [
    "advice", "background", "capacity", "data", "fleet", "grafana", "judgement", "locations", "observe", "pages",
    "profiles", "scale", "scale-a-real-server", "state", "thresholds", "timeline", "usl",
];

#[test]
fn advice() {
    example("advice");
}

#[test]
fn background() {
    example("background");
}

#[test]
fn capacity() {
    example("capacity");
}

#[test]
fn data() {
    example("data");
}

#[test]
fn fleet() {
    example("fleet");
}

#[test]
fn grafana() {
    example("grafana");
}

#[test]
fn locations() {
    example("locations");
}

#[test]
fn observe() {
    example("observe");
}

#[test]
fn pages() {
    example("pages");
}

#[test]
fn state() {
    example("state");
}

#[test]
fn thresholds() {
    example("thresholds");
}

#[test]
fn timeline() {
    example("timeline");
}

#[test]
fn usl() {
    example("usl");
}

/// What `make demo` does. A short run has few samples, and may miss a condition; a busy machine sends late.
#[test]
pub(crate) fn demo() {
    let bench = Bench::new();
    if Command::new("make").arg("--version").output().is_err() {
        return skip("make is missing");
    }
    // `make test` has left its flags in the environment.
    let mut command = Command::new("make");
    command.arg("demo").current_dir(folder().join("..")).env_remove("MAKEFLAGS");
    let ended = shortly(&bench, &mut command);
    let said = said(&ended);
    let is_judged = ["Error 3", "Error 4"].iter().any(|code| said.contains(code));
    assert!(ended.status.success() || is_judged, "{}\n{said}", ended.status);
    assert_eq!(said.lines().filter(|line| line.starts_with("  file://")).count(), 3, "{said}");
}

/// As whoever has just cloned the repository types it.
#[test]
fn each_readme_says_how_to_run_its_example() {
    let folders = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let readmes = folders.map(|path| path.join("README.md")).filter(|file| file.exists());
    for file in readmes.filter(|file| *file != folder().join("README.md")) {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.parent().unwrap().file_name().unwrap().to_string_lossy();
        let first = blocks(&text).into_iter().find(|block| block.kind == "sh").expect(&name);
        let script = first.text.split_whitespace().next().unwrap();
        let wanted = ["run.sh", "story.sh"].map(|script| format!("examples/{name}/{script}"));
        assert!(wanted.iter().any(|wanted| wanted == script), "{name}: {script}");
        assert!(folder().join("..").join(script).exists(), "{script}");
    }
}

/// No example is left out.
#[test]
fn every_example_is_run() {
    let folders = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<String> = folders
        .filter(|path| path.join("run.sh").exists())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    found.sort();
    assert_eq!(found, ALL);
}

/// Those that judge the machine that they run on: one after the other.
pub(crate) mod judged {
    use super::*;

    #[test]
    fn judgement() {
        let _turn = turn();
        example("judgement");
    }

    #[test]
    fn profiles() {
        let _turn = turn();
        example("profiles");
    }

    #[test]
    fn scale() {
        let _turn = turn();
        example("scale");
    }

    #[test]
    fn scale_a_real_server() {
        let _turn = turn();
        example("scale-a-real-server");
    }

    /// Records a visit in a browser, and replays it by many users with and without a cache in front of the site.
    #[test]
    pub(crate) fn with_and_without_varnish() {
        let _turn = turn();
        script("with-and-without-varnish", "story.sh");
    }

    /// Pictures in a database, with what to look at first, and then as files.
    #[test]
    pub(crate) fn images_in_the_database() {
        let _turn = turn();
        script("images-in-the-database", "story.sh");
    }
}
