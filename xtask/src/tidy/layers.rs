//! Which crate may know which: the layers, as a table, and the rules that hold it.
//!
//! A new crate needs a row here and a reason: a border between pure and impure, a heavy
//! dependency, a second user, or a wire contract. A new edge needs a word in its row.

use super::repo::Repo;
use super::{Finding, finding, search};

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
    /// The crates of this workspace that it may name, without `nmax-`.
    own: &'static str,
    /// The crates of others that it may name.
    third: &'static str,
}

impl Row {
    fn own(&self) -> impl Iterator<Item = String> {
        self.own.split_whitespace().map(|own| format!("nmax-{own}"))
    }

    fn may_name(&self, dependency: &str) -> bool {
        self.own().any(|own| own == dependency) || self.third.split_whitespace().any(|third| third == dependency)
    }
}

macro_rules! table {
    ($($name:literal $layer:ident $own:literal, $third:literal;)+) => {
        /// The crates, from the core outwards.
        pub(crate) const TABLE: &[Row] =
            &[$(Row { name: $name, layer: Layer::$layer, own: $own, third: $third }),+];
    };
}

table! {
    "nmax-text" Pure "", "";
    "nmax-json" Pure "", "schemars serde serde_json";
    "nmax-domain" Pure "", "psl";
    "nmax-secrets" Pure "text", "base64 memchr regex";
    "nmax-sources" Pure "text secrets", "";
    "nmax-data" Pure "text", "thiserror";
    "nmax-metrics" Pure "text", "hdrhistogram proptest thiserror";
    "nmax-plan" Pure "text sources secrets data metrics", "saphyr-parser serde_json thiserror";
    "nmax-usl" Pure "text data", "statrs thiserror";
    "nmax-capacity" Pure "text plan usl", "jiff serde_json statrs";
    "nmax-analysis" Pure "text sources metrics plan", "";
    "nmax-fleet" Pure "metrics plan", "base64 crc32fast ring serde serde_json thiserror";
    "nmax-log" Pure "text secrets plan", "jiff memchr regex serde serde_json thiserror";
    // A record of a log and a window of a run become rows of columns.
    "nmax-slice" Pure "text secrets metrics plan log", "jiff regex toml";
    "nmax-report" Pure "text json sources metrics plan usl capacity analysis log slice", "base64 flate2 pdf-writer serde_json sha2";
    "nmax-extract" Pure "text plan", "cssparser html5ever precomputed-hash regex selectors serde_json";
    "nmax-import" Pure "text domain secrets data plan extract", "base64 jiff regex ring serde serde_json thiserror";
    // One place that decides whom a client believes, for loads, sources and recordings.
    "nmax-tls" Shell "", "rustls rustls-native-certs thiserror";
    // The executor and the sockets of a worker's thread: the client and the engine both wait by it.
    "nmax-reactor" Shell "", "rustix tokio";
    "nmax-http" Shell "text domain metrics tls reactor",
        "brotli-decompressor flate2 httparse nix rustix ruzstd thiserror tokio tokio-rustls";
    "nmax-engine" Shell "text sources secrets metrics plan extract reactor http",
        "base64 jiff memchr ring rustix serde_json thiserror tokio";
    "nmax-store" Shell "json metrics", "base64 flate2 hdrhistogram jiff parquet serde serde_json thiserror";
    "nmax-observe" Shell "text sources secrets metrics plan log tls",
        "base64 http-body-util hyper hyper-util md-5 ring rustix rustls serde_json thiserror tokio ureq";
    "nmax-agent" Shell "text sources plan observe", "clap tokio";
    "nmax-target" Shell "text data",
        "base64 hdrhistogram http-body-util hyper hyper-util rcgen ring rustix serde_json thiserror tokio tokio-rustls";
    // The only crate that knows the message broker.
    "nmax-nats" Shell "metrics fleet", "async-nats futures-util nkeys rcgen ring serde serde_json thiserror tokio";
    // It undoes content codings as the generator does, and judges addresses as plans do.
    "nmax-proxy" Shell "text domain plan http import tls",
        "base64 http-body-util hyper hyper-util rcgen ring thiserror tokio tokio-rustls";
    "nmax-run" Shell "text json sources secrets plan metrics capacity analysis fleet report extract log slice http engine store observe",
        "flate2 jiff ring rustix serde_json sha2 thiserror tokio";
    // Where people already look; the server mounts the same page of metrics.
    "nmax-export" Shell "text json secrets metrics plan analysis report store observe run",
        "http-body-util hyper hyper-util jiff serde_json snap tokio";
    "nmax-scale" Shell "text plan metrics usl capacity analysis report engine store run", "jiff serde_json";
    "nmax-record" Shell "text json report import http proxy run", "rustix serde_json";
    // It follows runs by their files, and starts those of the page as processes.
    "nmax-server" Shell "text json metrics plan usl capacity analysis report store run scale export",
        "base64 http-body-util hyper hyper-util jiff ring rustix serde_json tokio";
    "nmax" Program "text json sources secrets data plan metrics usl capacity analysis fleet report extract \
        import log http engine store observe agent nats slice target run export scale record server",
        "clap clap_complete flate2 jiff rustix serde_json sha2 tokio";
    "nmax-testkit" Program "metrics plan http engine fleet", "base64 ring";
    "xtask" Program "", "flate2 jiff serde_json sha2";
    "fuzz" Program "extract secrets metrics http import log observe plan", "libfuzzer-sys serde_json";
}

/// What tests of any crate may name; `scraper` and `serde_json_path` are what nmax-extract is compared with.
const TEST_TOOLS: [&str; 5] = ["allocation-counter", "proptest", "scraper", "serde_json", "serde_json_path"];
/// What tests of shells and programs may name as well.
const SHELL_TEST_TOOLS: [&str; 10] = [
    "hdrhistogram", "http-body-util", "httparse", "hyper", "hyper-util", "nmax-target", "nmax-testkit", "rcgen",
    "tokio", "tokio-rustls",
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
const SERDE: [&str; 10] = [
    "crates/nmax-json/",
    "crates/nmax-plan/src/document",
    "crates/nmax-fleet/src/",
    "crates/nmax-nats/",
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
            if !row.may_name(&entry.key) {
                let text = format!("{name} must not know {}; it may know `{}` and `{}`", entry.key, row.own, row.third);
                findings.push(finding(file, entry.line, text));
            }
        }
        for entry in manifest.section("dev-dependencies") {
            let tool = TEST_TOOLS.contains(&entry.key.as_str())
                || row.layer != Layer::Pure && SHELL_TEST_TOOLS.contains(&entry.key.as_str());
            if !tool && !row.may_name(&entry.key) {
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
        let own = if row.own.is_empty() { "—".to_owned() } else { row.own.replace(' ', ", ") };
        format!("| `{}` | {layer} | {own} |", row.name)
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
        for own in row.own() {
            match table.iter().position(|other| other.name == own) {
                None => problems.push(format!("{} knows {own}, which has no row", row.name)),
                Some(other) if other >= index && row.name != own => {
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
    let pure = || repo.product().filter(|(file, _)| is_pure(file.krate()));
    let of_path = |(path, instead): (&str, &str)| search(pure(), &[path], &format!("this crate is pure; {instead}"));
    IMPURE.into_iter().flat_map(of_path).collect()
}

/// Serialization is a border: few modules know `serde`.
pub(crate) fn serde_stays_at_the_border(repo: &Repo) -> Vec<Finding> {
    let inner = repo.product().filter(|(file, _)| !SERDE.iter().any(|allowed| file.path.starts_with(allowed)));
    search(
        inner,
        &["serde::", "Serialize", "Deserialize"],
        &format!("outside {SERDE:?}, convert by hand at the border"),
    )
}

fn is_pure(krate: &str) -> bool {
    TABLE.iter().any(|row| row.name == krate && row.layer == Layer::Pure)
}

#[cfg(test)]
mod tests;
