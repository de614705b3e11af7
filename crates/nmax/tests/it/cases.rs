//! Cases as folders: `tests/cases/OUTCOME/NAME/` with `cmd`, the files that it needs, `exit`, `stdout` and `stderr`.
//!
//! `cmd` holds arguments, one line, split at spaces; `TARGET` is the URL of a plain target. In `stdout` and `stderr`,
//! `[..]` stands for any text within a line, and alone on its line for any number of lines. A missing file is an
//! empty one. `UPDATE=1` writes down what does not match; put the wildcards back before you keep it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::bench::{Bench, Ended};
use crate::peers::target;

/// Outcomes and the exit code that each stands for.
const OUTCOMES: [(&str, i32); 5] = [("ok", 0), ("failed", 3), ("invalid", 4), ("error_plan", 2), ("error_args", 2)];

fn folders(of: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(of).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

/// The code of a run that may not be believed.
const INVALID: i32 = 4;
/// How often a case is played on a busy machine.
const TRIES: u32 = 3;

#[test]
fn cases_end_as_they_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut wrong = Vec::new();
    for (outcome, code) in OUTCOMES {
        let cases = folders(&root.join(outcome));
        assert!(!cases.is_empty(), "no case of {outcome}");
        for case in cases {
            wrong.extend(play(&case, code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs the command of a case in a folder of its own.
fn run(case: &Path) -> Ended {
    let (bench, target) = (Bench::new(), target());
    for file in folders(case) {
        fs::copy(&file, bench.path(file.file_name().unwrap().to_str().unwrap())).unwrap();
    }
    let line = fs::read_to_string(case.join("cmd")).unwrap().replace("TARGET", &target.url());
    bench.nmax(&line.split_whitespace().collect::<Vec<_>>())
}

/// Plays a case; what does not match.
fn play(case: &Path, code: i32) -> Vec<String> {
    let read = |name: &str| fs::read_to_string(case.join(name)).unwrap_or_default();
    let mut ended = run(case);
    // What a busy machine has made INVALID shows nothing.
    for _ in 1..TRIES {
        if ended.code == code || ended.code != INVALID {
            break;
        }
        ended = run(case);
    }
    let mut wrong = Vec::new();
    assert_eq!(read("exit").trim(), code.to_string(), "{} is in the wrong folder", case.display());
    if ended.code != code {
        wrong.push(format!("{}: ended with {}, not {code}", case.display(), ended.code));
    }
    for (name, text) in [("stdout", &ended.stdout), ("stderr", &ended.stderr)] {
        let wanted = read(name);
        let (want, have): (Vec<&str>, Vec<&str>) = (wanted.lines().collect(), text.lines().collect());
        if !matches(&want, &have) {
            wrong.push(format!("{}: {name} does not match:\n{text}", case.display()));
            if std::env::var_os("UPDATE").is_some() {
                fs::write(case.join(name), text).unwrap();
            }
        }
    }
    wrong
}

fn matches(want: &[&str], have: &[&str]) -> bool {
    match (want.split_first(), have.split_first()) {
        (None, None) => true,
        (Some((&"[..]", rest)), None) => matches(rest, have),
        (Some((&"[..]", rest)), Some((_, behind))) => matches(rest, have) || matches(want, behind),
        (Some((line, rest)), Some((text, behind))) => matches_line(line, text) && matches(rest, behind),
        _ => false,
    }
}

fn matches_line(want: &str, have: &str) -> bool {
    let Some((head, rest)) = want.split_once("[..]") else {
        return want == have;
    };
    let Some(tail) = have.strip_prefix(head) else {
        return false;
    };
    let places = tail.char_indices().map(|(place, _)| place).chain([tail.len()]);
    places.into_iter().any(|place| matches_line(rest, &tail[place..]))
}

#[test]
fn wildcards_match_what_they_should() {
    let cases = [
        ("a[..]c", "abc", true),
        ("a[..]c", "ac", true),
        ("a[..]c", "abcd", false),
        ("[..]c[..]", "xxcy", true),
        ("abc", "abd", false),
        ("a\n[..]\nz", "a\nb\nc\nz", true),
        ("a\n[..]\nz", "a\nz", true),
        ("a\n[..]\nz", "a\nb", false),
        ("", "a", false),
    ];
    for (want, have, is_match) in cases {
        let (wanted, had): (Vec<&str>, Vec<&str>) = (want.lines().collect(), have.lines().collect());
        assert_eq!(matches(&wanted, &had), is_match, "{want:?} on {have:?}");
    }
}
