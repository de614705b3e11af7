//! Which crate may know which: the layers, as a table, and the rules that hold it.
//!
//! A new crate needs a row here and a reason: a border between pure and impure, a heavy
//! dependency, a second user, or a wire contract. A new edge needs a word in its row.

use super::repo::Repo;
use super::{Finding, finding, source};

/// What a crate may do to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    /// Takes time, randomness and bytes as arguments.
    Pure,
    /// Does input and output.
    Shell,
    /// The command, and what only developers build.
    Program,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The crate.
    pub(crate) name: &'static str,
    /// Its layer.
    pub(crate) layer: Layer,
    /// The crates of this workspace that it may name.
    pub(crate) own: &'static [&'static str],
    /// The crates of others that it may name.
    pub(crate) third: &'static [&'static str],
}

const fn row(name: &'static str, layer: Layer, own: &'static [&'static str], third: &'static [&'static str]) -> Row {
    Row { name, layer, own, third }
}

/// The crates, from the core outwards.
pub(crate) const TABLE: [Row; 29] = [
    row("nmax-text", Layer::Pure, &[], &[]),
    row("nmax-json", Layer::Pure, &[], &["schemars", "serde", "serde_json"]),
    row("nmax-domain", Layer::Pure, &[], &["psl"]),
    row("nmax-secrets", Layer::Pure, &[], &["base64", "memchr", "regex"]),
    row("nmax-sources", Layer::Pure, &["nmax-text", "nmax-secrets"], &[]),
    row("nmax-data", Layer::Pure, &[], &["thiserror"]),
    row(
        "nmax-plan",
        Layer::Pure,
        &["nmax-text", "nmax-sources", "nmax-secrets", "nmax-data"],
        &["saphyr-parser", "serde_json", "thiserror"],
    ),
    row("nmax-metrics", Layer::Pure, &[], &["hdrhistogram", "proptest", "thiserror"]),
    row("nmax-usl", Layer::Pure, &[], &["statrs", "thiserror"]),
    row("nmax-analysis", Layer::Pure, &["nmax-sources", "nmax-metrics", "nmax-plan"], &[]),
    row(
        "nmax-log",
        Layer::Pure,
        &["nmax-text", "nmax-secrets", "nmax-plan"],
        &["jiff", "memchr", "regex", "serde", "serde_json", "thiserror"],
    ),
    row(
        "nmax-slice",
        Layer::Pure,
        // A record of a log and a window of a run become rows of columns.
        &["nmax-secrets", "nmax-metrics", "nmax-plan", "nmax-log"],
        &["regex"],
    ),
    row(
        "nmax-report",
        Layer::Pure,
        &[
            "nmax-text",
            "nmax-json",
            "nmax-sources",
            "nmax-metrics",
            "nmax-plan",
            "nmax-usl",
            "nmax-analysis",
            "nmax-log",
            "nmax-slice",
        ],
        &["serde_json"],
    ),
    row(
        "nmax-extract",
        Layer::Pure,
        &["nmax-plan"],
        &["cssparser", "html5ever", "precomputed-hash", "regex", "selectors", "serde_json"],
    ),
    row(
        "nmax-import",
        Layer::Pure,
        &["nmax-text", "nmax-domain", "nmax-secrets", "nmax-data", "nmax-plan", "nmax-extract"],
        &["base64", "jiff", "regex", "ring", "serde", "serde_json", "thiserror"],
    ),
    row(
        "nmax-http",
        Layer::Shell,
        &["nmax-domain", "nmax-metrics"],
        &[
            "brotli-decompressor",
            "flate2",
            "httparse",
            "nix",
            "rustix",
            "rustls-native-certs",
            "ruzstd",
            "thiserror",
            "tokio",
            "tokio-rustls",
        ],
    ),
    row(
        "nmax-engine",
        Layer::Shell,
        &["nmax-sources", "nmax-secrets", "nmax-metrics", "nmax-plan", "nmax-extract", "nmax-http"],
        &["base64", "memchr", "ring", "rustix", "serde_json", "thiserror", "tokio"],
    ),
    row(
        "nmax-store",
        Layer::Shell,
        &["nmax-metrics"],
        &["base64", "hdrhistogram", "jiff", "parquet", "serde", "serde_json", "thiserror"],
    ),
    row(
        "nmax-observe",
        Layer::Shell,
        &["nmax-text", "nmax-sources", "nmax-secrets", "nmax-metrics", "nmax-plan", "nmax-log"],
        &[
            "base64",
            "http-body-util",
            "hyper",
            "hyper-util",
            "ring",
            "rustix",
            "rustls",
            "rustls-native-certs",
            "serde_json",
            "thiserror",
            "tokio",
            "ureq",
        ],
    ),
    row("nmax-agent", Layer::Shell, &["nmax-text", "nmax-sources", "nmax-plan", "nmax-observe"], &["clap", "tokio"]),
    row(
        "nmax-target",
        Layer::Shell,
        &[],
        &[
            "hdrhistogram",
            "http-body-util",
            "hyper",
            "hyper-util",
            "rcgen",
            "ring",
            "rustix",
            "serde_json",
            "thiserror",
            "tokio",
            "tokio-rustls",
        ],
    ),
    row(
        "nmax-proxy",
        Layer::Shell,
        // It undoes content codings as the generator does, and judges addresses as plans do.
        &["nmax-domain", "nmax-plan", "nmax-http", "nmax-import"],
        &[
            "base64",
            "http-body-util",
            "hyper",
            "hyper-util",
            "rcgen",
            "ring",
            "rustls-native-certs",
            "thiserror",
            "tokio",
            "tokio-rustls",
        ],
    ),
    row(
        "nmax-run",
        Layer::Shell,
        &[
            "nmax-text",
            "nmax-sources",
            "nmax-secrets",
            "nmax-plan",
            "nmax-metrics",
            "nmax-analysis",
            "nmax-report",
            "nmax-extract",
            "nmax-log",
            "nmax-slice",
            "nmax-http",
            "nmax-engine",
            "nmax-store",
            "nmax-observe",
        ],
        &["flate2", "jiff", "rustix", "serde_json", "sha2", "thiserror", "tokio"],
    ),
    row(
        "nmax-scale",
        Layer::Shell,
        &[
            "nmax-plan",
            "nmax-metrics",
            "nmax-usl",
            "nmax-analysis",
            "nmax-report",
            "nmax-engine",
            "nmax-store",
            "nmax-run",
        ],
        &["jiff", "serde_json"],
    ),
    row(
        "nmax-record",
        Layer::Shell,
        &["nmax-text", "nmax-report", "nmax-import", "nmax-http", "nmax-proxy", "nmax-run"],
        &["rustix", "serde_json"],
    ),
    row(
        "nmax",
        Layer::Program,
        &[
            "nmax-text",
            "nmax-sources",
            "nmax-secrets",
            "nmax-data",
            "nmax-plan",
            "nmax-metrics",
            "nmax-usl",
            "nmax-analysis",
            "nmax-report",
            "nmax-extract",
            "nmax-import",
            "nmax-log",
            "nmax-http",
            "nmax-engine",
            "nmax-store",
            "nmax-observe",
            "nmax-agent",
            "nmax-slice",
            "nmax-target",
            "nmax-run",
            "nmax-scale",
            "nmax-record",
        ],
        &["clap", "clap_complete", "flate2", "jiff", "rustix", "serde_json", "sha2", "tokio"],
    ),
    row(
        "nmax-testkit",
        Layer::Program,
        &["nmax-metrics", "nmax-plan", "nmax-http", "nmax-engine"],
        &["base64", "ring"],
    ),
    row("xtask", Layer::Program, &[], &["flate2", "serde_json", "sha2"]),
    row(
        "fuzz",
        Layer::Program,
        &[
            "nmax-extract",
            "nmax-secrets",
            "nmax-metrics",
            "nmax-http",
            "nmax-import",
            "nmax-log",
            "nmax-observe",
            "nmax-plan",
        ],
        &["libfuzzer-sys", "serde_json"],
    ),
];

/// What tests of any crate may name; `scraper` and `serde_json_path` are what nmax-extract is compared with.
const TEST_TOOLS: [&str; 5] = ["allocation-counter", "proptest", "scraper", "serde_json", "serde_json_path"];
/// What tests of shells and programs may name as well.
const SHELL_TEST_TOOLS: [&str; 10] = [
    "hdrhistogram",
    "http-body-util",
    "httparse",
    "hyper",
    "hyper-util",
    "nmax-target",
    "nmax-testkit",
    "rcgen",
    "tokio",
    "tokio-rustls",
];

/// Paths that pure crates do not name, and what they do instead.
const IMPURE: [(&str, &str); 12] = [
    ("tokio", "a pure crate has no runtime; return a value that a shell acts on"),
    ("std::fs", "take the text or bytes as an argument"),
    ("std::net", "take the address as text; sockets live in nmax-http"),
    ("std::thread", "return the work; threads live in nmax-engine"),
    ("std::env", "take a lookup function as an argument"),
    ("std::process", "return an error; the command decides"),
    ("std::time::Instant", "take the time as an argument (nmax_metrics::Nanos, std::time::Duration)"),
    ("std::time::SystemTime", "take the time as text or a number"),
    ("rand::rng", "take the seed; every choice is a pure function of it"),
    ("rand::random", "take the seed; every choice is a pure function of it"),
    ("thread_rng", "take the seed; every choice is a pure function of it"),
    ("getrandom", "take the seed; every choice is a pure function of it"),
];

/// Where `serde` may be named: paths of crates or modules.
const SERDE: [&str; 8] = [
    "crates/nmax-json/",
    "crates/nmax-plan/src/document",
    "crates/nmax-import/src/har",
    "crates/nmax-import/src/emit",
    "crates/nmax-log/src/",
    "crates/nmax-report/src/json",
    "crates/nmax-store/",
    "crates/nmax-server/src/api",
];

/// Each manifest names only what its row allows.
pub(crate) fn dependencies_follow_the_table(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, file, manifest) in repo.manifests() {
        let Some(row) = TABLE.iter().find(|row| row.name == name) else {
            findings.push(finding(
                file,
                1,
                format!("crate {name} has no row in xtask/src/tidy/layers.rs; give it one"),
            ));
            continue;
        };
        for entry in manifest.section("dependencies").chain(manifest.section("build-dependencies")) {
            if !may_name(row, &entry.key) {
                let text = format!("{name} must not know {}; it may know {:?} and {:?}", entry.key, row.own, row.third);
                findings.push(finding(file, entry.line, text));
            }
        }
        for entry in manifest.section("dev-dependencies") {
            let tool = TEST_TOOLS.contains(&entry.key.as_str())
                || row.layer != Layer::Pure && SHELL_TEST_TOOLS.contains(&entry.key.as_str());
            if !tool && !may_name(row, &entry.key) {
                let text = format!("tests of {name} must not know {}; they may know {TEST_TOOLS:?}", entry.key);
                findings.push(finding(file, entry.line, text));
            }
        }
    }
    findings
}

/// ARCHITECTURE.md draws the table: a line for each crate with its layer and the crates of ours that it may name.
pub(crate) fn the_table_is_drawn(repo: &Repo) -> Vec<Finding> {
    let Some(file) = repo.file("ARCHITECTURE.md") else { return Vec::new() };
    let drawn = |row: &Row| {
        let layer = format!("{:?}", row.layer).to_lowercase();
        let own: Vec<&str> = row.own.iter().map(|own| own.trim_start_matches("nmax-")).collect();
        format!("| `{}` | {layer} | {} |", row.name, if own.is_empty() { "—".to_owned() } else { own.join(", ") })
    };
    let is_missing = |line: &String| !file.text.lines().any(|other| other.starts_with(line.as_str()));
    let missing = TABLE.iter().map(drawn).filter(is_missing);
    missing.map(|line| finding(file, 1, format!("the table of rooms needs the line `{line} ..`"))).collect()
}

/// The table itself points inwards: pure crates know only pure ones, nobody knows a program, and there is no cycle.
#[cfg(test)]
pub(crate) fn table_points_inwards(table: &[Row]) -> Vec<String> {
    let mut problems = Vec::new();
    for (index, row) in table.iter().enumerate() {
        for own in row.own {
            match table.iter().position(|other| other.name == *own) {
                None => problems.push(format!("{} knows {own}, which has no row", row.name)),
                Some(other) if other >= index && row.name != *own => {
                    problems.push(format!("{} knows {own}, which stands below it", row.name));
                }
                Some(other) if row.layer == Layer::Pure && table[other].layer != Layer::Pure => {
                    problems.push(format!("{} is pure and knows {own}, which is not", row.name));
                }
                Some(other) if table[other].layer == Layer::Program => {
                    problems.push(format!("{} knows {own}, which is a program", row.name));
                }
                Some(_) => {}
            }
        }
    }
    problems
}

/// Pure crates name no runtime, file, socket, clock, thread, environment or global random source.
pub(crate) fn pure_crates_are_pure(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, code) in repo.product().filter(|(file, _)| is_pure(file.krate())) {
        let imports = source::imports(&code);
        for (path, instead) in IMPURE {
            let mut lines = source::lines_with(&code, path);
            let below = format!("{path}::");
            // `use std::{fs, ..}` and, as `Duration as D`, a new name for it.
            let renamed = format!("{path}as");
            lines.extend(imports.iter().filter_map(|(line, import)| {
                (import == path || import.starts_with(&below) || import.starts_with(&renamed)).then_some(*line)
            }));
            lines.sort_unstable();
            lines.dedup();
            let text = format!("{} is pure and must not name {path}: {instead}", file.krate());
            findings.extend(lines.into_iter().map(|line| finding(file, line, text.clone())));
        }
    }
    findings
}

/// Serialization is a border: few modules know `serde`.
pub(crate) fn serde_stays_at_the_border(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, code) in repo.product().filter(|(file, _)| !SERDE.iter().any(|allowed| file.path.starts_with(allowed))) {
        for name in ["serde::", "Serialize", "Deserialize"] {
            for line in source::lines_with(&code, name) {
                let text = format!("`{name}` outside {SERDE:?}: convert by hand at the border");
                findings.push(finding(file, line, text));
            }
        }
    }
    findings
}

fn may_name(row: &Row, dependency: &str) -> bool {
    row.own.contains(&dependency) || row.third.contains(&dependency)
}

fn is_pure(krate: &str) -> bool {
    TABLE.iter().any(|row| row.name == krate && row.layer == Layer::Pure)
}

#[cfg(test)]
mod tests;
