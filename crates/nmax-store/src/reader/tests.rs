use std::fs;

use nmax_metrics::Section;

use super::*;
use crate::RunWriter;
use crate::hlog;
use crate::testing::{self, Scratch, catalog, manifest, written_run};

#[test]
fn a_finished_run_reads_back() {
    let scratch = Scratch::new();
    let run = RunReader::open(&written_run(scratch.path())).unwrap();
    let windows: Vec<Window> = run.windows().unwrap().map(Result::unwrap).collect();
    assert_eq!(windows, testing::windows(6));
    assert_eq!(run.manifest(), &manifest("ab12", "2026-01-31T12:00:05Z"));
    assert_eq!(run.failures().unwrap().map(Result::unwrap).collect::<Vec<_>>(), [testing::failure("timeout")]);
    assert_eq!(run.resources().unwrap().map(Result::unwrap).collect::<Vec<_>>(), [testing::resource()]);
    assert_eq!(run.events().unwrap().map(Result::unwrap).next().unwrap().code, "INTERRUPTED");
    assert_eq!(run.summary().unwrap().as_deref(), Some(r#"{"verdict": "pass"}"#));
}

/// Law: whatever a kill cuts off, the windows before the cut read back, and nothing else.
///
/// The expected number is counted independently, from the places of the line ends.
#[test]
fn any_truncation_keeps_the_full_windows() {
    let scratch = Scratch::new();
    let windows = testing::windows(3);
    let mut writer = RunWriter::create(scratch.path(), &manifest("a", "2026-01-31T12:00:05Z")).unwrap();
    let path = |file: &str| writer_path(&scratch).join(file);
    let mut ends = Vec::new();
    for window in &windows {
        writer.window(window, &catalog(4)).unwrap();
        ends.push([hlog::FILE, line::FILE].map(|file| fs::metadata(path(file)).unwrap().len()));
    }
    for (which, file) in [hlog::FILE, line::FILE].into_iter().enumerate() {
        let whole = fs::read(path(file)).unwrap();
        let step = (whole.len() / 25).max(1);
        let near_ends = ends.iter().flat_map(|end| end[which] as usize - 1..=end[which] as usize);
        for cut in (0..whole.len()).step_by(step).chain(near_ends).filter(|cut| *cut <= whole.len()) {
            fs::write(path(file), &whole[..cut]).unwrap();
            let run = RunReader::open(writer.path()).unwrap();
            let read: Vec<Window> = run.windows().unwrap().map(|window| window.expect("torn, not damaged")).collect();
            let full = ends.iter().filter(|end| end[which] <= cut as u64).count();
            assert_eq!(read.len(), full, "{file} cut at byte {cut} of {}", whole.len());
            assert!(read == windows[..full], "{file} cut at byte {cut}");
        }
        fs::write(path(file), &whole).unwrap();
    }
}

fn writer_path(scratch: &Scratch) -> PathBuf {
    fs::read_dir(scratch.path()).unwrap().next().unwrap().unwrap().path()
}

#[test]
fn torn_records_are_left_out() {
    let scratch = Scratch::new();
    let directory = written_run(scratch.path());
    let path = directory.join(records::RESOURCES);
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_slice(b"{\"t\": 2.0, \"ho");
    fs::write(&path, bytes).unwrap();
    assert_eq!(RunReader::open(&directory).unwrap().resources().unwrap().count(), 1);
}

#[test]
fn damage_is_reported_with_file_and_line() {
    let scratch = Scratch::new();
    let directory = written_run(scratch.path());
    let damage = |file: &str, line: usize, text: &str| {
        let path = directory.join(file);
        let whole = fs::read_to_string(&path).unwrap();
        let mut lines: Vec<&str> = whole.lines().collect();
        lines[line - 1] = text;
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        let run = RunReader::open(&directory).unwrap();
        let errors: Vec<String> = match file {
            records::EVENTS => run.events().unwrap().filter_map(Result::err).map(|error| error.to_string()).collect(),
            _ => run.windows().unwrap().filter_map(Result::err).map(|error| error.to_string()).collect(),
        };
        fs::write(&path, whole).unwrap();
        errors
    };
    let cases = [
        (line::FILE, 2, "{}", "missing field `index`"),
        (line::FILE, 1, "not json", "expected"),
        (hlog::FILE, 5, "garbage", "not a tagged line"),
        (hlog::FILE, 6, "Tag=r0.ok.resp,0.0,1.0,2.0,AAAA", "not a V2 histogram"),
        (records::EVENTS, 1, r#"{"t": -1, "code": "", "text": ""}"#, "not an instant"),
    ];
    for (file, line, text, want) in cases {
        let errors = damage(file, line, text);
        assert_eq!(errors.len(), 1, "one error ends the reading: {errors:?}");
        assert!(errors[0].contains(&format!("{file}:{line}: ")), "{}", errors[0]);
        assert!(errors[0].contains(want), "{}", errors[0]);
    }
}

#[test]
fn swapped_histograms_are_noticed() {
    let scratch = Scratch::new();
    let directory = written_run(scratch.path());
    let path = directory.join(hlog::FILE);
    let whole = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = whole.lines().collect();
    lines.swap(4, 5);
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let error = RunReader::open(&directory).unwrap().windows().unwrap().find_map(Result::err).unwrap().to_string();
    assert!(error.contains("latency.hlog has"), "{error}");
}

#[test]
fn ids_without_a_name_are_refused_and_allocate_nothing() {
    let scratch = Scratch::new();
    let directory = written_run(scratch.path());
    let path = directory.join(line::FILE);
    let whole = fs::read_to_string(&path).unwrap();
    for (from, to) in [("\"scenario_count\":2", "\"scenario_count\":4000000000"), ("\"id\":0", "\"id\":4000000000")] {
        assert!(whole.contains(from), "{from}");
        fs::write(&path, whole.replace(from, to)).unwrap();
        let error = RunReader::open(&directory).unwrap().windows().unwrap().find_map(Result::err).unwrap();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    }
}

#[test]
fn missing_parts_are_named() {
    let scratch = Scratch::new();
    let directory = written_run(scratch.path());
    for file in [records::FAILURES, records::RESOURCES, records::EVENTS, writer::SUMMARY] {
        fs::remove_file(directory.join(file)).unwrap();
    }
    let run = RunReader::open(&directory).unwrap();
    assert_eq!(run.failures().unwrap().count() + run.resources().unwrap().count() + run.events().unwrap().count(), 0);
    assert_eq!(run.summary().unwrap(), None);
    fs::remove_file(directory.join(hlog::FILE)).unwrap();
    let Err(error) = run.windows() else { panic!("read windows without histograms") };
    assert!(error.to_string().contains("latency.hlog: not found"), "{error}");
}

/// Takes every key away that directories of earlier versions do not have.
fn without_new_keys(value: &mut serde_json::Value) {
    const NEW: [&str; 22] = [
        "samples_left_out", "ended_within", "pages", "transitions", "locations", "page_count", "transition_count",
        "location_count", "start_delay_ns", "run_wait_ns", "stalled_ns", "users", "transactions", "overflowed",
        "transaction_count", "bytes_decoded", "redirects", "tls_handshakes", "tls_resumed", "addresses", "passed_over",
        "held_open",
    ];
    match value {
        serde_json::Value::Object(fields) => {
            NEW.iter().for_each(|key| {
                fields.remove(*key);
            });
            fields.values_mut().for_each(without_new_keys);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(without_new_keys),
        _ => {}
    }
}

/// What was not measured yet is nothing; everything else reads as it was. Throughput was made of what was due in the hold.
#[test]
fn directories_of_earlier_versions_read() {
    let scratch = Scratch::new();
    let mut window = Window::new(0, nmax_metrics::Nanos::from_secs(1));
    let scenario = window.aggregate.scenarios.get_mut(Section::Hold, 1);
    (scenario.started, scenario.completed, scenario.ended_within) = (3, 2, 2);
    window.aggregate.scenarios.get_mut(Section::Outside, 1).completed = 1;
    window.aggregate.load_mut(Section::Hold).connections = 5;
    let mut writer = RunWriter::create(scratch.path(), &manifest("a", "2026-01-31T12:00:05Z")).unwrap();
    let old = nmax_metrics::Catalog {
        pages: Vec::new(),
        transitions: Vec::new(),
        locations: Vec::new(),
        transactions: Vec::new(),
        ..catalog(4)
    };
    writer.window(&window, &old).unwrap();
    for file in [names::FILE, line::FILE] {
        let path = writer.path().join(file);
        let mut value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        without_new_keys(&mut value);
        fs::write(&path, format!("{value}\n")).unwrap();
    }
    let text = fs::read_to_string(writer.path().join(line::FILE)).unwrap();
    assert!(!text.contains("redirects") && text.contains("retries"));
    let run = RunReader::open(writer.path()).unwrap();
    assert_eq!(run.windows().unwrap().map(Result::unwrap).collect::<Vec<_>>(), [window]);
    assert_eq!(run.catalog().requests.list().len(), 4);
    assert_eq!(run.catalog().requests.overflowed(), 0);
}

/// A re-read run knows that names were counted together, and a request that is really called `other` is no sign of it.
#[test]
fn overflowed_names_read_back() {
    let scratch = Scratch::new();
    let mut writer = RunWriter::create(scratch.path(), &manifest("a", "2026-01-31T12:00:05Z")).unwrap();
    let mut capped = catalog(0);
    capped.requests = nmax_metrics::Names::new(2);
    let window = Window::new(0, nmax_metrics::Nanos::from_secs(1));
    let overflowed = |writer: &RunWriter| RunReader::open(writer.path()).unwrap().catalog().requests.overflowed();
    for (name, want) in [("a", 0), ("other", 0), ("b", 1), ("c", 2)] {
        capped.requests.intern(name);
        writer.window(&window, &capped).unwrap();
        assert_eq!(overflowed(&writer), want, "{name}");
    }
}

/// Windows that were stored by earlier versions are written again to the byte: the format is what it was. Counters that
/// they do not have are 0.
#[test]
fn stored_windows_are_written_as_before() {
    const NEWER: &str = r#","body_bytes_max":0,"body_bytes_min":0"#;
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/runs");
    for name in ["everything", "planless", "cut-off"] {
        let directory = root.join(name);
        let run = RunReader::open(&directory).unwrap();
        let (mut lines, mut latency) = (Vec::new(), Vec::new());
        for window in run.windows().unwrap().map(Result::unwrap) {
            lines.extend(line::encode(&window, None));
            hlog::encode(&window, &mut latency);
        }
        assert_eq!(
            String::from_utf8(lines).unwrap().replace(NEWER, ""),
            fs::read_to_string(directory.join(line::FILE)).unwrap(),
            "{name}"
        );
        let stored = fs::read_to_string(directory.join(hlog::FILE)).unwrap();
        assert!(stored.ends_with(&String::from_utf8(latency).unwrap()), "{name}");
    }
}
