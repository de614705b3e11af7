//! Access logs: no bytes break a reader, a line is read alike however its bytes come, and what is read becomes a profile
//! and a plan that can be read.

use nmax_log::format::lines::{Cut, Lines};
use nmax_log::format::{LINE_BYTES_MAX, Reader};
use nmax_log::plan::{self, PlanOptions};
use nmax_log::record::Line;
use nmax_log::traffic::{Options, Traffic};
use nmax_plan::document;

/// Lines that a format is found by.
const SAMPLE: usize = 100;

/// Input: a line with the format, empty where it is to be found, then the log.
pub fn holds(input: &[u8]) {
    let (spec, log) = match input.iter().position(|&byte| byte == b'\n') {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (&[][..], input),
    };
    let lines = whole(log);
    let Some(mut reader) = reader(spec, &lines) else {
        return;
    };
    // Twice: a reader remembers no more than a clone of it does.
    let mut other = reader.clone();
    let mut traffic = Traffic::new(Options::default());
    for line in &lines {
        let read = reader.line(line);
        assert_eq!(read, other.line(line), "read differently by a clone");
        match read {
            Line::Record(record) => {
                assert!(record.status < 1000, "status {}", record.status);
                assert!(!record.target.contains(&b'\n') || line.contains(&b'\\'), "{record:?}");
                traffic.add(&record);
            }
            Line::Rejected(rejection) => {
                assert!(!rejection.reason.is_empty(), "rejected without a reason");
                assert!(rejection.at <= line.len(), "byte {} of {}", rejection.at, line.len());
            }
            Line::Comment | Line::Blank => {}
        }
    }
    becomes_a_plan(traffic);
}

/// The lines, found in one piece. Smaller pieces give the same.
fn whole(log: &[u8]) -> Vec<Vec<u8>> {
    let lines = split(log, log.len());
    for size in [1, 7] {
        assert_eq!(split(log, size), lines, "in pieces of {size} bytes");
    }
    lines
}

fn split(log: &[u8], size: usize) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut each = |cut: Cut<'_>| match cut {
        Cut::Line(line) => found.push(line.to_vec()),
        Cut::TooLong { bytes, .. } => assert!(bytes > LINE_BYTES_MAX as u64),
    };
    let mut lines = Lines::new();
    for chunk in log.chunks(size.max(1)) {
        lines.feed(chunk, &mut each);
    }
    lines.finish(&mut each);
    found
}

/// The reader; errors name something to do.
fn reader(spec: &[u8], lines: &[Vec<u8>]) -> Option<Reader> {
    if spec.is_empty() {
        let sample: Vec<&[u8]> = lines.iter().take(SAMPLE).map(Vec::as_slice).collect();
        return Reader::detect(&sample).map_err(|error| explains(&error.to_string())).ok();
    }
    let spec = std::str::from_utf8(spec).ok()?;
    Reader::compile(spec).map_err(|error| explains(&error.to_string())).ok()
}

fn explains(error: &str) {
    assert!(error.contains("help: "), "{error}");
}

/// A profile that a plan comes of, which can be read with its files beside it; or the reason why none does.
fn becomes_a_plan(traffic: Traffic) {
    let options = PlanOptions {
        name: "log".to_owned(),
        target: Some("http://127.0.0.1:8080".to_owned()),
        with_writes: true,
        log: "log".to_owned(),
    };
    let made = match plan::write(&traffic.finish(), &options) {
        Ok(made) => made,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let file = |name: &str| made.files.iter().find(|file| file.name == name);
    let options = document::Options {
        read: &|name| Ok(file(name).ok_or("there is no such file")?.text.clone()),
        exists: &|_| Ok(1),
        ..document::Options::standalone("log.yaml")
    };
    if let Err(errors) = document::parse(&made.plan, &options) {
        let printed: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}\nin the plan:\n{}", printed.join("\n"), made.plan);
    }
}
