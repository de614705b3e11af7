//! The example with Apache and ab, in its short form: who waits, who does not, and who says why.

use std::path::Path;

use crate::bench::{Bench, skip};
use crate::examples::{LACKING, lacks};

/// How long Apache waits in the short form, in milliseconds.
const WAIT_MS: f64 = 2000.0;

/// A row of the table: name of the tool and its connections, median request in ms, what was held.
fn row<'a>(table: &'a str, name: &str, connections: &str) -> (f64, &'a str) {
    let line = table
        .lines()
        .find(|line| line.starts_with(&format!("{name}  ")) && line.contains(connections))
        .unwrap_or_else(|| panic!("no row of {name} with {connections}:\n{table}"));
    let (_, rest) = line.split_once(connections).unwrap();
    let (median, held) = rest.split_once(" ms").unwrap();
    (median.trim().parse().unwrap(), held.trim())
}

#[test]
pub(crate) fn ab_waits_for_the_close_and_nmax_names_the_socket_that_was_held() {
    let bench = Bench::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/keep-alive/story.sh");
    let ended = bench.shell(&format!("SHORT=1 NMAX_INSTALL=0 {}", script.display()));
    if ended.code == LACKING {
        return skip(&lacks("examples/keep-alive/story.sh", &ended.stderr));
    }
    let ended = ended.exits(0);
    let table = &ended.stdout;
    let (waits, _) = row(table, "ab", "says nothing");
    assert!(waits >= WAIT_MS, "ab waits for the close:\n{table}");
    let (kept, _) = row(table, "ab -k", "keep-alive");
    assert!(kept < WAIT_MS / 2.0, "ab -k reads the length:\n{table}");
    for (name, connections, holds) in [
        ("nmax", "keep-alive", false),
        ("nmax", "per-iteration", false),
        ("nmax", "per-request (close)", true),
        ("nmax, HTTP/1.0", "keep-alive", false),
        ("nmax, HTTP/1.0", "per-request (close)", true),
    ] {
        let (median, held) = row(table, name, connections);
        assert!(median < WAIT_MS / 2.0, "{name}, {connections}:\n{table}");
        if holds {
            let (_, seconds) = held.split_once(" of ").unwrap_or_else(|| panic!("none held:\n{table}"));
            let seconds: f64 = seconds.trim_end_matches(" s").parse().unwrap();
            assert!((0.7..5.0).contains(&(seconds * 1e3 / WAIT_MS)), "{name}, {connections}:\n{table}");
        } else {
            assert_eq!(held, "none", "{name}, {connections}:\n{table}");
        }
    }
}
