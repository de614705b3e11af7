//! Stored directories read as they did: see `testdata/runs/PROVENANCE.md`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use nmax_analysis::Verdict;
use nmax_analysis::summary::GroupRow;
use nmax_metrics::{Resource, Section};
use nmax_report::terminal::{Style, table};
use nmax_report::{csv, json};
use nmax_store::LostWindows;
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

/// Law: read back, a run on several injectors is judged as it was while it went on, with what each of them measured, lost and
/// sent late; by rollups and without them. A part of it is told apart too.
#[test]
fn a_fleet_reads_back_as_it_was_judged() {
    let scratch = Scratch::new();
    let [whole, a, b, c] = [6, 1, 2, 3].map(|rate_per_s| LongRun { seconds: 7_000, names: 4, rate_per_s });
    let mut writer = whole.begin(&scratch.0, THRESHOLDS).unwrap();
    let (catalog, directory) = (whole.catalog(), writer.path().to_owned());
    let manifest = Manifest::read(&directory).unwrap();
    let plan = plan_of_manifest(&manifest.plan).unwrap();
    let record = |name: &str, region: Option<&str>, shard, gaps: &[(u64, u64)]| InjectorRecord {
        name: name.into(),
        region: region.map(str::to_owned),
        shard,
        workers: shard + 1,
        gaps: gaps.iter().map(|(from, to)| LostWindows { from: *from, to: *to }).collect(),
    };
    let at_first = [("eu1", Some("eu")), ("us1", Some("us")), ("us2", Some("us"))];
    let at_first: Vec<_> = at_first.iter().zip(0..).map(|((name, region), n)| record(name, *region, n, &[])).collect();
    writer.injectors(&manifest, &at_first).unwrap();
    let mut live = fold(&plan);
    tell_apart(&mut live, at_first.iter());
    let mut put = |second: u64, senders: &[usize], live: &mut Fold| {
        let parts = senders.iter().map(|sender| (*sender, [a, b, c][*sender].window(second)));
        let mut window = Window::new(second, Nanos::from_secs(1));
        let parts: Vec<_> = parts.inspect(|(_, part)| window.aggregate.merge(&part.aggregate)).collect();
        writer.window(&window, &catalog).unwrap();
        live.window(&window);
        for (sender, part) in parts {
            writer.part(sender, &part).unwrap();
            live.part(sender, &part);
        }
    };
    for second in (0..613).filter(|second| ![350, 360].contains(second)) {
        match second {
            200..212 => put(second, &[0, 2], &mut live),
            400 => put(second, &[0, 1], &mut live),
            _ => put(second, &[0, 1, 2], &mut live),
        }
        if second == 410 {
            put(360, &[0, 1, 2], &mut live);
            put(400, &[2], &mut live);
        }
    }
    for (host, error_s) in [("eu1", 0.004), ("us1", 0.08)] {
        let (at, source, metric, unit) = (Nanos::from_secs(600), RUN.into(), "clock_error_s".into(), "s".into());
        let clock = Resource { at, host: host.into(), source, metric, value: error_s, unit };
        writer.resource(&clock).unwrap();
        live.resource(&clock);
    }
    let lost = [&[(350, 351)][..], &[(200, 212), (350, 351)], &[(350, 351)]];
    let known: Vec<_> = at_first
        .into_iter()
        .zip(lost)
        .map(|(one, lost)| record(&one.name, one.region.as_deref(), one.shard, lost))
        .collect();
    writer.injectors(&manifest, &known).unwrap();
    live.injectors.iter_mut().zip(&known).for_each(|(injector, known)| injector.facts.gaps = gaps(known));
    drop(writer);
    live.interrupted = true;
    let judged = live.judge(&plan, &catalog, Some(Ending::CutOff), None);

    let told = |judged: &Judged| format!("{judged:#?}");
    let read_back = || Followed::open(&directory).unwrap().judge().unwrap().0;
    same(&told(&read_back()), &told(&judged));
    for part in [directory.clone(), directory.join("injectors/0"), directory.join("injectors/2")] {
        fs::remove_dir_all(part.join("rollup-10s")).unwrap();
        same(&told(&read_back()), &told(&judged));
    }
    let rows = &judged.summary.injectors;
    assert_eq!(rows.iter().map(|row| row.lost_s).collect::<Vec<_>>(), [1.0, 13.0, 1.0]);
    assert_eq!(rows.iter().map(|row| row.fails.join(" ")).collect::<Vec<_>>(), ["", "G8_GAPS G8_CLOCK", ""]);
    let held = |seconds: u64, rate: u64| (613 - 95 - seconds) * rate;
    assert_eq!(rows.iter().map(|row| row.exchanges.count).collect::<Vec<_>>(), [held(1, 1), held(13, 2), held(1, 3)]);
    let part = Followed::between(&directory, (Nanos::from_secs(195), Nanos::from_secs(205))).unwrap().summary;
    let counts = |rows: &[GroupRow]| rows.iter().map(|row| (row.name.clone(), row.count)).collect::<Vec<_>>();
    assert_eq!(counts(&part.regions), [("eu".to_owned(), 10), ("us".to_owned(), 5 * 2 + 10 * 3)]);
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
