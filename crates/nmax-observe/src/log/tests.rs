use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use nmax_metrics::logged::Sender;

use super::*;

/// A log that is gone afterwards.
struct Log(PathBuf);

impl Log {
    fn new() -> Self {
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("nmax-log-{}-{number}.log", std::process::id())))
    }

    fn append(&self, lines: &[&str]) {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.0).unwrap();
        lines.iter().for_each(|line| writeln!(file, "{line}").unwrap());
    }

    fn source(&self, kind: Option<LogKind>, format: Option<&str>, tap: &Tap) -> Box<dyn Source> {
        source("shop", &self.0.display().to_string(), format, kind, tap)
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn line(target: &str, status: u16, seconds: f64, agent: &str) -> String {
    format!(
        r#"10.0.0.1 - - [31/Jan/2026:12:00:00 +0000] "GET {target} HTTP/1.1" {status} 512 "-" "{agent}" {seconds:.3}"#
    )
}

const FORMAT: &str = r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" $request_time"#;

fn value(readings: &[Reading], metric: &str) -> Option<f64> {
    let found = readings.iter().find(|reading| reading.metric == metric)?;
    assert_eq!(found.source, "log shop");
    Some(found.value)
}

#[test]
fn an_access_log_becomes_rates_and_times() {
    let log = Log::new();
    log.append(&[&line("/old", 200, 9.0, "x")]);
    let tap = Tap::open(Some("nmax/1"));
    let mut source = log.source(None, Some(FORMAT), &tap);
    source.read(Nanos::from_secs(1)).unwrap();
    log.append(&[
        &line("/a", 200, 0.010, "nmax/1"),
        &line("/a", 200, 0.030, "nmax/1"),
        &line("/b", 503, 0.020, "curl/8"),
        &line("/c", 404, 0.020, "nmax/1"),
        "no line of this format",
    ]);
    let readings = source.read(Nanos::from_secs(3)).unwrap();
    assert_eq!(value(&readings, "requests_per_s"), Some(2.0));
    assert_eq!(value(&readings, "requests_per_s{status=\"4xx\"}"), Some(0.5));
    assert_eq!(value(&readings, "errors_per_s"), Some(0.5));
    assert_eq!(value(&readings, "rejected_lines_per_s"), Some(0.5));
    assert!((value(&readings, "duration_ms").unwrap() - 20.0).abs() < 0.01);
    assert_eq!(value(&readings, "upstream_ms"), None, "the format has none");
    let batch = tap.drain();
    let seen: Vec<(Sender, String, u16)> = batch
        .iter()
        .map(|(entry, _, target)| (entry.agent, String::from_utf8_lossy(target).into_owned(), entry.status))
        .collect();
    assert_eq!(
        seen,
        [
            (Sender::Run, "/a".to_owned(), 200),
            (Sender::Run, "/a".to_owned(), 200),
            (Sender::Other, "/b".to_owned(), 503),
            (Sender::Run, "/c".to_owned(), 404),
        ],
        "what was there before the run is not among them"
    );
    assert!(batch.iter().all(|(entry, ..)| entry.seen == Nanos::from_secs(3)));
}

#[test]
fn the_format_is_found_by_what_is_there_or_comes() {
    for is_there_before in [true, false] {
        let log = Log::new();
        let lines = [line("/a", 200, 0.01, "x"), line("/b", 200, 0.01, "x")];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        log.append(if is_there_before { &lines } else { &[] });
        let mut source = log.source(None, None, &Tap::default());
        source.read(Nanos::from_secs(1)).unwrap();
        log.append(&lines);
        let readings = source.read(Nanos::from_secs(2)).unwrap();
        assert_eq!(value(&readings, "requests_per_s"), Some(2.0), "before: {is_there_before}");
        let notes = source.notes();
        assert!(notes.iter().any(|note| note.contains("read as an access log")), "{notes:?}");
    }
}

#[test]
fn other_logs_are_those_of_applications() {
    let log = Log::new();
    log.append(&["12:00:00 INFO started", "12:00:01 INFO ready"]);
    let mut source = log.source(None, None, &Tap::default());
    source.read(Nanos::from_secs(1)).unwrap();
    log.append(&["12:00:02 ERROR no", "12:00:02 ERROR java.io.IOException: token=geheim"]);
    let readings = source.read(Nanos::from_secs(2)).unwrap();
    assert_eq!(value(&readings, "errors_per_s"), Some(2.0));
    assert_eq!(value(&readings, "errors_count{kind=\"java.io.IOException\"}"), Some(1.0));
    assert!(source.notes().iter().all(|note| !note.contains("geheim")));
}

/// What was written between the reading before and the truncation cannot be read any more; how much that is likely to be
/// is said.
#[test]
fn what_a_truncation_may_have_cost_is_said() {
    let log = Log::new();
    log.append(&["INFO started"]);
    let mut source = log.source(Some(LogKind::Application), None, &Tap::default());
    source.read(Nanos::from_secs(1)).unwrap();
    log.append(&["INFO a"; 12]);
    source.read(Nanos::from_secs(4)).unwrap();
    fs::write(&log.0, "").unwrap();
    source.read(Nanos::from_secs(6)).unwrap();
    let notes = source.notes();
    let note = notes.iter().find(|note| note.contains("truncated")).unwrap();
    // 12 lines in 3 s, 2 s ago.
    assert!(note.contains("2.0 s") && note.contains("about 8"), "{note}");

    log.append(&["INFO b"; 3]);
    let mut fresh = log.source(Some(LogKind::Application), None, &Tap::default());
    fresh.read(Nanos::from_secs(1)).unwrap();
    fs::write(&log.0, "").unwrap();
    fresh.read(Nanos::from_secs(2)).unwrap();
    assert!(fresh.notes().iter().any(|note| note.contains("not known")));
}

#[test]
fn what_is_wrong_is_told_and_a_log_may_come_later() {
    let log = Log::new();
    let tap = Tap::open(None);
    let mut source = log.source(Some(LogKind::Access), None, &tap);
    for second in 1..3 {
        let trouble = source.read(Nanos::from_secs(second)).unwrap_err();
        assert!(!trouble.is_final && trouble.text.contains("no such file"), "{trouble}");
    }
    log.append(&[&line("/a", 200, 0.01, "x")]);
    let readings = source.read(Nanos::from_secs(4)).unwrap();
    assert!(value(&readings, "requests_per_s").is_some());
    assert_eq!(tap.drain().iter().count(), 1);
    let wrong = log.source(None, Some("$nonsense"), &Tap::default()).read(Nanos::ZERO).unwrap_err();
    assert!(wrong.is_final && wrong.text.contains("format"), "{wrong}");
    let strange = Log::new();
    strange.append(&["what is", "this"]);
    let wrong = strange.source(Some(LogKind::Access), None, &tap).read(Nanos::ZERO).unwrap_err();
    assert!(wrong.is_final && !wrong.text.contains('\n'), "{wrong}");
}

#[test]
fn the_last_lines_are_not_lost() {
    let log = Log::new();
    log.append(&[&line("/old", 200, 0.01, "x")]);
    let tap = Tap::open(None);
    let mut source = log.source(None, None, &tap);
    source.read(Nanos::from_secs(1)).unwrap();
    log.append(&[&line("/a", 200, 0.01, "x")]);
    assert_eq!(tap.catch_up(Nanos::from_secs(2)), [(0, vec![])], "no rate of so short a time");
    assert_eq!(tap.drain().iter().count(), 1);
}

/// Errors of the last moment are counted, as they add up; of several logs each under its number.
#[test]
fn the_last_errors_are_counted() {
    let (quiet, log) = (Log::new(), Log::new());
    log.append(&["INFO started"]);
    quiet.append(&["INFO started"]);
    let tap = Tap::open(None);
    let mut sources = [&quiet, &log].map(|log| log.source(Some(LogKind::Application), None, &tap));
    for source in &mut sources {
        source.read(Nanos::from_secs(1)).unwrap();
    }
    log.append(&["ERROR java.io.IOException: disk gone"]);
    let last = tap.catch_up(Nanos::from_millis(1_002));
    let counted: Vec<(u16, usize)> = last.iter().map(|(number, readings)| (*number, readings.len())).collect();
    assert_eq!(counted, [(0, 0), (1, 1)]);
    assert_eq!(value(&last[1].1, "errors_count{kind=\"java.io.IOException\"}"), Some(1.0));
}

/// Several logs of one tap keep their numbers, in the order of the plan, whichever is read first; and each its mark.
#[test]
fn lines_know_their_log() {
    let (one, other) = (Log::new(), Log::new());
    let tap = Tap::open(None);
    for log in [&one, &other] {
        log.append(&[&line("/old", 200, 0.1, "x")]);
        tap.mark(&log.0.display().to_string());
    }
    one.append(&[&line("/a", 200, 0.1, "x")]);
    other.append(&[&line("/b", 200, 0.1, "x"), &line("/c", 200, 0.1, "x")]);
    let (mut first, mut second) = (one.source(None, Some(FORMAT), &tap), other.source(None, Some(FORMAT), &tap));
    second.read(Nanos::from_secs(1)).unwrap();
    first.read(Nanos::from_secs(1)).unwrap();
    let batch = tap.drain();
    let seen: Vec<(u16, &[u8])> = batch.iter().map(|(entry, _, target)| (entry.log, target)).collect();
    assert_eq!(seen, [(1, &b"/b"[..]), (1, b"/c"), (0, b"/a")]);
}
