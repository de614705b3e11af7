//! Directories of runs that went wrong on the disk: whatever their files hold, commands answer or say what is wrong.

use std::fs;
use std::path::Path;

use crate::bench::{Bench, Ended};
use crate::mutants::mutant;
use crate::peers::target;

/// Mutants of each file.
const MUTANTS: u64 = 6;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let file = entry.unwrap().path();
        fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
    }
}

/// An answer, or a clear refusal; neither a panic (101), nor a signal, nor a defect.
fn answers(said: &Ended, what: &str) {
    assert!([0, 2, 3, 4, 5].contains(&said.code), "{what}: exit code {}\n{}", said.code, said.stderr);
    assert!(!said.stderr.contains("panicked"), "{what}: {}", said.stderr);
    if said.code == 2 {
        assert!(said.stderr.contains("error: "), "{what}: {}", said.stderr);
    }
}

#[test]
fn damaged_directories_are_read_or_refused() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/delay/5ms", target.url());
    bench.nmax(&["run", &url, "-d", "2s", "-c", "2", "--exit-zero"]).exits(0);
    let whole = bench.run();
    let mut files: Vec<_> = fs::read_dir(&whole).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    files.sort();
    let damaged = bench.path("damaged");
    let mut number = 0;
    for file in files.iter().filter(|file| *file != "report.html") {
        for _ in 0..MUTANTS {
            number += 1;
            let _ = fs::remove_dir_all(&damaged);
            copy(&whole, &damaged.join("run"));
            let place = damaged.join("run").join(file);
            let text = fs::read(&place).unwrap();
            // One in three is cut off, as a full disk leaves it.
            let text = if number % 3 == 0 { text[..text.len() / 2].to_vec() } else { mutant(&text, number) };
            fs::write(&place, text).unwrap();
            let run = damaged.join("run");
            let run = run.to_str().unwrap();
            let folder = damaged.to_str().unwrap();
            for command in [
                &["show", run][..],
                &["show", run, "--json"],
                &["runs", "--runs-dir", folder],
                &["report", run],
                &["report", run, "--format", "junit"],
                &["slice", run],
                &["compare", run, whole.to_str().unwrap()],
            ] {
                answers(&bench.nmax(command), &format!("mutant {number} of {}: {command:?}", file.display()));
            }
        }
    }
}
