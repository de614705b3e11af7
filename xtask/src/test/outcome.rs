//! What a test program printed, read from the lines of Rust's own test harness.

use super::SKIPPED;

/// How the tests of a program ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// Tests that passed, without those that said that they could not run.
    pub(crate) passed: usize,
    /// Paths of tests that failed.
    pub(crate) failed: Vec<String>,
    /// Paths of tests that could not run, with their reason.
    pub(crate) skipped: Vec<String>,
    /// Seconds of each test, where they were asked for.
    pub(crate) times_s: Vec<(String, f64)>,
    /// What failed tests and a broken program said.
    pub(crate) words: String,
}

impl Outcome {
    /// From standard output and standard error of a program that ran with `--show-output`.
    pub(crate) fn read(out: &str, err: &str, is_success: bool) -> Self {
        let mut outcome = Self::default();
        for line in out.lines() {
            outcome.take(line);
        }
        outcome.skipped = skipped(out);
        let passed = passed(out);
        outcome.passed = passed.unwrap_or_default().saturating_sub(outcome.skipped.len());
        // A program that ends in the middle, with whatever code, has not run its tests.
        if !is_success || passed.is_none() {
            let failures = out.find("\nfailures:\n").map_or(out, |begin| &out[begin + 1..]);
            outcome.words = format!("{failures}\n{err}");
            if outcome.failed.is_empty() {
                outcome.failed.push("(the program broke off)".to_owned());
            }
        }
        outcome
    }

    /// Of a program that did not run.
    pub(crate) fn broken(why: &str) -> Self {
        Self { failed: vec![why.to_owned()], words: why.to_owned(), ..Self::default() }
    }

    /// `test PATH ... ok`, with a time behind it or not.
    fn take(&mut self, line: &str) {
        let Some((path, result)) = line.strip_prefix("test ").and_then(|line| line.split_once(" ... ")) else {
            return;
        };
        let path = path.trim_end_matches(" - should panic");
        let (word, time) = result.split_once(" <").unwrap_or((result, ""));
        match word {
            "ok" => {}
            "FAILED" => self.failed.push(path.to_owned()),
            _ => return,
        }
        if let Some(time_s) = time.strip_suffix("s>").and_then(|time| time.parse().ok()) {
            self.times_s.push((path.to_owned(), time_s));
        }
    }
}

/// Tests that passed, by the harness's own last line: output of a child may have torn the line of a test.
fn passed(out: &str) -> Option<usize> {
    let last = out.lines().rev().find_map(|line| line.strip_prefix("test result: "))?;
    last.split_once(" passed")?.0.rsplit(' ').next()?.parse().ok()
}

/// Tests that passed because they could not run. Each is named once, with the first reason.
fn skipped(out: &str) -> Vec<String> {
    let successes = out.split_once("\nsuccesses:\n").map_or("", |(_, rest)| rest);
    let successes = successes.split("\nfailures:\n").next().unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    let (mut path, mut is_new) = ("", true);
    for line in successes.lines() {
        if let Some(name) = line.strip_prefix("---- ").and_then(|line| line.strip_suffix(" stdout ----")) {
            (path, is_new) = (name, true);
        } else if let Some(reason) = line.strip_prefix(SKIPPED)
            && is_new
        {
            found.push(format!("{path}: {reason}"));
            is_new = false;
        }
    }
    found
}
