//! The seeds of the fuzz targets and mutants of them, as ordinary tests. An input that once broke a target belongs to
//! the seeds.

#[path = "../../../../fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "a library of its own elsewhere")]
mod properties;

use std::fs;
use std::path::Path;

use crate::mutants::mutant;

/// Mutants for each target, over all of its seeds.
const MUTANTS: usize = 800;

/// Calls a property with each seed; a panic then names the seed.
fn replay(target: &str, holds: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let mut seeds: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    seeds.sort();
    assert!(!seeds.is_empty(), "{}", folder.display());
    let each = MUTANTS.div_ceil(seeds.len());
    for seed in seeds {
        let input = fs::read(&seed).unwrap();
        eprintln!("{}", seed.display());
        holds(&input);
        // Every beginning of it is an input, too: what breaks off must do no harm.
        (0..input.len()).step_by(input.len() / 64 + 1).for_each(|end| holds(&input[..end]));
        for number in 0..each as u64 {
            eprintln!("mutant {number}");
            holds(&mutant(&input, number));
        }
    }
}

#[test]
fn replies_of_the_seeds_hold() {
    replay("codec", properties::codec::holds);
}

#[test]
fn cookies_of_the_seeds_hold() {
    replay("cookies", properties::cookies::holds);
}

#[test]
fn urls_of_the_seeds_hold() {
    replay("urls", properties::urls::holds);
}

#[test]
fn plans_of_the_seeds_hold() {
    replay("plan", properties::plan::holds);
}

#[test]
fn secrets_of_the_seeds_are_taken_out() {
    replay("secrets", properties::secrets::hold);
}

#[test]
fn har_files_of_the_seeds_hold() {
    replay("har", properties::recordings::har_holds);
}

#[test]
fn curl_commands_of_the_seeds_hold() {
    replay("curl", properties::recordings::curl_holds);
}

#[test]
fn documents_of_the_seeds_hold() {
    replay("html", properties::pages::html_holds);
}

#[test]
fn paths_of_the_seeds_hold() {
    replay("jsonpath", properties::pages::jsonpath_holds);
}

#[test]
fn redactions_of_the_seeds_hold() {
    replay("redaction", properties::recordings::redaction_holds);
}

#[test]
fn logs_of_the_seeds_hold() {
    replay("log", properties::logs::holds);
}

#[test]
fn frames_of_the_seeds_hold() {
    replay("frame", properties::frames::holds);
}

#[test]
fn pages_of_metrics_of_the_seeds_hold() {
    replay("metrics", properties::metrics::holds);
}
