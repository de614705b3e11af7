//! Stored directories read as they did: see `testdata/runs/PROVENANCE.md`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use nmax_analysis::Verdict;
use nmax_metrics::Section;
use nmax_report::terminal::{Style, table};
use nmax_report::{csv, json};
use nmax_store::fixture::LongRun;

use super::*;

/// The directories and what of them has a text beside it.
const STORED: [&str; 3] = ["everything", "planless", "cut-off"];

fn stored(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/runs").join(name)
}

#[test]
fn old_directories_read_as_before() {
    for name in STORED {
        let view = read(&stored(name)).unwrap().view;
        let style = Style { width: 100, wide: true, ..Style::default() };
        let texts = [
            ("txt", table(&view, style).to_string()),
            ("json", format!("{:#}\n", json::summary(&view))),
            ("csv", csv::requests(&view)),
        ];
        for (extension, text) in texts {
            let path = stored(&format!("{name}.{extension}"));
            if std::env::var_os("UPDATE").is_some() {
                std::fs::write(&path, &text).unwrap();
            }
            assert_eq!(text, std::fs::read_to_string(&path).unwrap(), "{}", path.display());
        }
    }
}

/// A folder of one test.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("nmax-reading-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const THRESHOLDS: &str = "thresholds: [\"response_time p95 < 1s in last 45s\", \"failure_rate < 5% in last 20m\"]\n";

fn said(directory: &Path) -> String {
    let view = read(directory).unwrap().view;
    format!("{:#}\n{}", json::summary(&view), table(&view, Style { width: 100, wide: true, ..Style::default() }))
}

/// Whether both texts are the same, line by line.
#[track_caller]
fn same(one: &str, other: &str) {
    let lines = one.lines().zip(other.lines()).enumerate();
    let differ: Vec<_> = lines.filter(|(_, (one, other))| one != other).take(5).collect();
    assert!(one == other, "{differ:#?}");
}

/// Law: read by its rollups, a run says what it says by its windows, and what was said of it while it went on: every count,
/// every percentile, every interval. Its hold begins within a window of every rollup, and it was cut off within one.
#[test]
fn rollups_say_what_windows_say() {
    let scratch = Scratch::new();
    let run = LongRun { seconds: 7_000, names: 4, rate_per_s: 3 };
    let mut writer = run.begin(&scratch.0, THRESHOLDS).unwrap();
    let (catalog, directory) = (run.catalog(), writer.path().to_owned());
    (0..1_313).filter(|second| *second != 777).for_each(|second| run.second(&mut writer, &catalog, second).unwrap());

    let by_rollups = said(&directory);
    let plan = plan_of_manifest(&RunReader::open(&directory).unwrap().manifest().plan).unwrap();
    let mut live = fold(&plan);
    let reader = RunReader::open(&directory).unwrap();
    reader.resources().unwrap().for_each(|resource| live.resource(&resource.unwrap()));
    reader.windows().unwrap().for_each(|window| live.window(&window.unwrap()));
    reader.failures().unwrap().for_each(|failure| live.failure(failure.unwrap()));
    live.injectors[0].facts.workers = 2;
    live.interrupted = true;
    let folded = live.judge(&plan, &catalog, Some(Ending::CutOff), None);
    drop(writer);
    let by_rollups_ended = said(&directory);
    for rollup in ["rollup-10s", "rollup-1min", "rollup-10min"] {
        fs::remove_dir_all(directory.join(rollup)).unwrap();
    }
    same(&by_rollups_ended, &said(&directory));
    assert!(by_rollups.contains("RUNNING"));
    let followed = Followed::open(&directory).unwrap();
    let view = followed.view(&folded, None);
    let text = format!("{:#}\n", json::summary(&view));
    same(&by_rollups_ended[..text.len()], &text);
}

/// A day takes as many windows as it has minutes, and one more for each second of the rest.
#[test]
fn a_day_is_few_windows() {
    let scratch = Scratch::new();
    let run = LongRun { seconds: 86_400, names: 2, rate_per_s: 1 };
    let mut writer = run.begin(&scratch.0, "").unwrap();
    let catalog = run.catalog();
    (0..1_805).for_each(|second| run.second(&mut writer, &catalog, second).unwrap());
    let Followed { mut follower, mut fold, .. } = Followed::open(writer.path()).unwrap();
    follower.refresh().unwrap();
    let (mut windows, mut readings) = (0, 0);
    while let Some(window) = follower.window().unwrap() {
        (windows, _) = (windows + 1, fold.window(&window));
    }
    while follower.reading().unwrap().is_some() {
        readings += 1;
    }
    assert_eq!(windows, 30 + 5, "30 min in minutes, 5 s in seconds");
    assert!(readings <= 30 * 20 * 2 + 20 * 6, "{readings}: a reading of each figure and minute, and late ones");
    let counted: u64 = Section::ALL.iter().map(|section| fold.totals().total(*section).count()).sum();
    assert_eq!(counted, 1_805);
}

/// Whatever one file of a run lacks, the rest is shown, with the place.
#[test]
fn a_run_with_a_damaged_file_is_shown() {
    let scratch = Scratch::new();
    let run = LongRun { seconds: 100, names: 2, rate_per_s: 2 };
    let directory = run.write(&scratch.0, "").unwrap();
    fs::write(directory.join("events.jsonl"), "{\"t\":1.0,\"code\":\"OBSERVED\",\"text\":\"it came\"}\n".repeat(3))
        .unwrap();
    let whole = read(&directory).unwrap().view.summary;
    let garbage = |file: &str, from_end: usize| {
        let text = fs::read_to_string(directory.join(file)).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        let place = lines.len() - from_end;
        lines[place] = "garbage{";
        (file.to_owned(), format!("{}\n", lines.join("\n")))
    };
    let cut = |file: &str, share: usize| {
        let text = fs::read_to_string(directory.join(file)).unwrap();
        (file.to_owned(), text[..text.len() / share].to_owned())
    };
    // damaged                                  said                 windows that are left
    let cases = [
        (garbage("windows.jsonl", 3), "windows.jsonl:98: ", 99),
        (garbage("latency.hlog", 13), "latency.hlog:", 99),
        (garbage("resources.jsonl", 40), "resources.jsonl:1965: ", 100),
        (garbage("failures.jsonl", 1), "failures.jsonl:1: ", 100),
        (garbage("events.jsonl", 2), "events.jsonl:2: ", 100),
        (cut("latency.hlog", 2), "latency.hlog:", 0),
        (garbage("names.json", 2), "names.json:", 100),
    ];
    for ((file, damaged), want, left) in cases {
        let before = fs::read(directory.join(&file)).unwrap();
        fs::write(directory.join(&file), damaged).unwrap();
        let view = read(&directory).unwrap_or_else(|error| panic!("{file}: {error}")).view;
        let told: Vec<_> = view.summary.events.iter().filter(|event| event.code == "FILE_DAMAGED").collect();
        assert_eq!(told.len(), 1, "{file}: {told:?}");
        assert!(told[0].text.starts_with(want), "{file}: {told:?}");
        assert!(view.summary.limits_hit.iter().any(|text| text.contains(want)), "{file}: it is said at the top");
        let is_short = view.summary.total.count < whole.total.count;
        assert_eq!(is_short, left < 100, "{file}");
        assert!(left == 0 || whole.total.count - view.summary.total.count <= 2, "{file}: one second is left out");
        let is_invalid = view.judgement.verdict == Verdict::Invalid;
        assert!(
            !is_short || is_invalid || view.judgement.reasons.iter().any(|reason| reason.code.contains("GAP")),
            "{file}"
        );
        fs::write(directory.join(&file), before).unwrap();
    }
}
