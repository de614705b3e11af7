//! Every example with a `run.sh`, and the story of a recorded visit, in their short form.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::bench::Bench;

/// One after the other: several of them judge the machine that they run on.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Runs one; what it promises must happen.
fn example(name: &str) {
    script(name, "run.sh");
}

fn script(name: &str, file: &str) {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    // Tests that measure are alone with examples, too.
    let _bench = Bench::new();
    let ended = Command::new(folder().join(name).join(file))
        .env("NMAX", env!("CARGO_BIN_EXE_nmax"))
        .env("SHORT", "1")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert!(ended.status.success(), "{name}: {}\n{out}\n{err}", ended.status);
}

/// The examples that this file runs.
const ALL: [&str; 14] = [
    "advice",
    "background",
    "data",
    "judgement",
    "locations",
    "observe",
    "pages",
    "profiles",
    "scale",
    "scale-a-real-server",
    "state",
    "thresholds",
    "timeline",
    "usl",
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
fn data() {
    example("data");
}

#[test]
fn judgement() {
    example("judgement");
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
fn profiles() {
    example("profiles");
}

#[test]
fn scale() {
    example("scale");
}

#[test]
fn scale_a_real_server() {
    example("scale-a-real-server");
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

/// Records a visit in a browser, and replays it by many users with and without a cache in front of the site.
#[test]
fn with_and_without_varnish() {
    script("with-and-without-varnish", "story.sh");
}

/// Pictures in a database, with what to look at first, and then as files.
#[test]
fn images_in_the_database() {
    script("images-in-the-database", "story.sh");
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
