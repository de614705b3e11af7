//! Every command line of the README, in its order and in one folder, as somebody does who tries them all.
//!
//! The folder has `target/release/nmax`, and the files that the reader has from elsewhere: a recording of a browser, an
//! access log. The shop listens at a port of its own in place of 8080. A script clicks in a real Chromium. Runs are made
//! short: see [`REPLACED`] and [`as_run`]. What is not run here stands in [`ELSEWHERE`], with the test that runs it or the
//! reason.

use std::fs;
use std::path::{Path, PathBuf};

use nmax_target::Running;
use serde_json::Value;

use crate::bench::{Bench, Ended, count, skip};
use crate::peers::shop;
use crate::reader::{Reader, blocks};
use crate::record_story::lacking;
use crate::visit::Visit;
use crate::{examples, serve, servers};

/// How a line is tried that this test does not run.
#[expect(dead_code, reason = "a test is named, so that it must exist, and is not called")]
enum How {
    /// This test runs it, in its short form.
    Test(fn()),
    /// It cannot be tried, because of this.
    Not(&'static str),
}

/// Lines without their comment.
const ELSEWHERE: [(&str, How); 9] = [
    ("make build", How::Not("it builds the program that this test runs")),
    ("make demo", How::Test(examples::demo)),
    ("make test", How::Not("it runs this test")),
    ("target/release/nmax serve", How::Test(serve::runs_are_found_by_words_tags_names_and_verdicts)),
    (
        "make agent && scp target/agent/nmax-agent db1:",
        How::Not("it builds for minutes, and needs another host; module `agents` runs agents on this one"),
    ),
    (
        "ssh db1 'NMAX_AGENT_TOKEN=.. ./nmax-agent --listen 0.0.0.0:9797'",
        How::Not("it needs another host; module `agents` runs agents on this one"),
    ),
    (
        "examples/keep-alive/story.sh",
        How::Test(servers::story::ab_waits_for_the_close_and_nmax_names_the_socket_that_was_held),
    ),
    ("examples/with-and-without-varnish/story.sh", How::Test(examples::judged::with_and_without_varnish)),
    ("examples/images-in-the-database/story.sh", How::Test(examples::judged::images_in_the_database)),
];

/// What is replaced in a line: a run of a second shows as well that the line is right.
const REPLACED: [(&str, &str); 2] = [(" -d 10s", " -d 1s"), (" --budget 3m", " --budget 6s")];
/// Stands for the run of a reader who compares.
const RUN_ID: &str = "3f2a";
/// Where the README's server listens.
const PORT: &str = ":8080";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The lines of all blocks of commands, without comments.
fn lines() -> Vec<String> {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    let commands = blocks(&page).into_iter().filter(|block| block.kind == "sh");
    let lines = commands.flat_map(|block| block.text.lines().map(without_comment).collect::<Vec<_>>());
    lines.filter(|line| !line.is_empty()).collect()
}

/// A line of shell up to its comment: a `#` after a space, outside of quotes.
fn without_comment(line: &str) -> String {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => {}
            None if c == '#' && before == ' ' => return line[..at].trim_end().to_owned(),
            None => quote = Some(c).filter(|c| matches!(c, '\'' | '"')),
        }
        before = c;
    }
    line.trim_end().to_owned()
}

/// What follows `nmax` in a line.
fn subcommand(line: &str) -> Option<&str> {
    line.strip_prefix("target/release/").unwrap_or(line).strip_prefix("nmax ")?.split(' ').next()
}

/// A line as it is run.
fn as_run(bench: &Bench, line: &str, shop: &Running) -> String {
    let mut run = at_shop(line, shop);
    for (long, short) in REPLACED {
        run = run.replace(long, short);
    }
    if line.split(' ').any(|word| word == RUN_ID) {
        run = run.replace(RUN_ID, &run_to_compare(bench));
    }
    // A plan: stages of some seconds and a hold of minutes become a few seconds.
    if subcommand(line) == Some("run") && line.contains(".yaml") {
        run += " --duration 20s --compress 10";
    }
    run
}

/// A text with the shop's port in place of 8080.
fn at_shop(text: &str, shop: &Running) -> String {
    text.replace(PORT, &format!(":{}", shop.address().port()))
}

/// Plans that `nmax init` writes have the README's server for a target.
fn lead_plans_to_the_shop(bench: &Bench, shop: &Running) {
    let files = fs::read_dir(bench.path("")).unwrap().map(|entry| entry.unwrap().path());
    for file in files.filter(|file| file.extension().is_some_and(|end| end == "yaml")) {
        let text = fs::read_to_string(&file).unwrap();
        fs::write(file, at_shop(&text, shop)).unwrap();
    }
}

/// The first run of the plan that ran last.
fn run_to_compare(bench: &Bench) -> String {
    // 20261122T022625Z-NAME-ID
    let names = bench.runs().into_iter().map(|run| run.file_name().unwrap().to_string_lossy().into_owned());
    let runs: Vec<(String, String)> = names
        .filter_map(|name| {
            let (name, id) = name.rsplit_once('-')?;
            Some((name.split_once('-')?.1.to_owned(), id.to_owned()))
        })
        .collect();
    let (last, _) = runs.last().expect("runs come before a comparison");
    runs.iter().find(|(name, _)| name == last).unwrap().1.clone()
}

/// Writes the files that the line reads and nobody has made: what the reader has from a browser or a server.
fn bring_files(bench: &Bench, line: &str, shop: &Running) {
    for word in line.split(' ').filter(|word| !bench.path(word).exists()) {
        match Path::new(word).extension().and_then(|end| end.to_str()) {
            Some("har") => bench.write(word, &Visit::order(shop, "ann@example.com", "oak").har()),
            Some("log") => bench.write(word, &access_log()),
            _ => {}
        }
    }
}

/// Visits of three pages within five seconds.
fn access_log() -> String {
    let pages = ["/", "/search?q=oak", "/signup"];
    let line = |visit: usize, page: usize| {
        format!(
            "10.0.0.{visit} - - [20/Nov/2026:19:00:{:02} +0000] \"GET {} HTTP/1.1\" 200 4030 \"-\" \"Mozilla/5.0\"\n",
            visit / 5 + page,
            pages[page]
        )
    };
    let mut all: Vec<String> = (0..15).flat_map(|visit| (0..3).map(move |page| line(visit, page))).collect();
    all.sort_by_key(|line| line.split(' ').nth(3).map(str::to_owned));
    all.concat()
}

/// A line that did what it should. Where it measures, a busy machine may miss a condition or send late, and says so.
#[track_caller]
fn judged(ended: Ended, line: &str) {
    let measures = matches!(subcommand(line), Some("run" | "scale" | "replay" | "compare"));
    if !(measures && matches!(ended.code, 3 | 4)) {
        ended.exits(0);
    }
}

#[test]
fn every_command_line_of_the_readme_runs() {
    let bench = Bench::new();
    let shop = shop();
    let program = bench.path("target/release/nmax");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_nmax"), program).unwrap();
    // What lies beside the README.
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    std::os::unix::fs::symlink(examples, bench.path("examples")).unwrap();
    let reader = Reader::new(&bench);
    let mut tried = 0;
    // The name of the recording that could not be made.
    let mut unmade: Option<String> = None;
    for line in lines() {
        if ELSEWHERE.iter().any(|(elsewhere, _)| *elsewhere == line) {
            continue;
        }
        let records = subcommand(&line) == Some("record");
        if let Some(missing) = lacking().filter(|_| records) {
            skip(&format!("`{line}`: {missing}"));
            unmade = line.split_once(" -o ").map(|(_, name)| name.to_owned());
            continue;
        }
        if unmade.as_ref().is_some_and(|name| line.contains(&format!("{name}.yaml"))) {
            skip(&format!("`{line}`: there is no recording"));
            continue;
        }
        bring_files(&bench, &line, &shop);
        if records {
            reader.employ_a_person();
        }
        let run = as_run(&bench, &line, &shop);
        eprintln!("$ {run}"); // Shown when the test fails.
        let (job, mut typing) = reader.start(&run);
        if records {
            reader.click_through(&job, &mut typing);
        }
        drop(typing);
        judged(job.wait(), &line);
        lead_plans_to_the_shop(&bench, &shop);
        tried += 1;
    }
    assert!(tried > 3, "{tried} lines only");
    assert_runs(&bench);
}

/// Every run sent something, and nothing failed.
fn assert_runs(bench: &Bench) {
    // A campaign of several levels has none.
    let summaries = bench.runs().into_iter().map(|folder| folder.join("summary.json")).filter(|file| file.exists());
    for file in summaries {
        let summary: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let of = |key: &str| count(&summary["total"][key]);
        assert!(of("count") > 0, "{summary:#}");
        assert_eq!((of("failed"), of("errors")), (0, 0), "{summary:#}");
    }
}

#[test]
fn scripts_and_targets_of_the_readme_exist() {
    use std::os::unix::fs::PermissionsExt;
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    for line in lines() {
        for command in line.split("&&").map(str::trim) {
            if let Some(target) = command.strip_prefix("make ") {
                assert!(makefile.lines().any(|line| line.starts_with(&format!("{target}: "))), "{line}");
            }
            if command.starts_with("examples/") {
                let mode =
                    fs::metadata(root().join(command)).unwrap_or_else(|error| panic!("{line}: {error}")).permissions();
                assert!(mode.mode() & 0o111 != 0, "{line} cannot be executed");
            }
        }
    }
}

#[test]
fn comments_end_commands_outside_of_quotes() {
    for (line, want) in [
        ("make test      # every test", "make test"),
        ("nmax run 'http://h/#top' # that place", "nmax run 'http://h/#top'"),
        ("echo \"a # b\"", "echo \"a # b\""),
        ("nmax run http://h/#top", "nmax run http://h/#top"),
        ("# nothing", ""),
    ] {
        assert_eq!(without_comment(line), want);
    }
}
