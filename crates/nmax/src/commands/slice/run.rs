//! A run: which of its files answer, and what they can tell.

use std::path::Path;
use std::sync::Arc;

use nmax_analysis::breakdown::{Traits, traits};
use nmax_slice::{Column, Kind, Schema, Slice, Tally};
use nmax_store::samples::{Found as Segments, SampleFile, segments};
use nmax_store::{RunReader, StoreError};
use serde_json::{Value, json};

use super::{Asked, Found, compile, raw, windows};
use crate::args::{SliceArgs, SourceName};

/// A run that is sliced.
pub(super) struct Run {
    pub(super) reader: RunReader,
    /// What is known of each request name.
    pub(super) traits: Vec<Traits>,
    /// Phase hold, ns: from, to.
    pub(super) hold: (i64, i64),
    /// What of it lies between holds and is none, ns.
    gaps: Vec<std::ops::Range<u64>>,
    /// Its length, ns.
    end: i64,
}

/// What answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Every exchange.
    All,
    /// Those that were kept.
    Kept,
    /// Sums of each second.
    Windows,
}

const NS_PER_S: f64 = 1e9;

/// Reads a slice of a run.
pub(super) fn read(directory: &Path, args: &SliceArgs, asked: &Asked) -> Result<Found, String> {
    let text = |error: StoreError| error.to_string();
    let run = Run::open(directory)?;
    let segments = segments(directory).map_err(text)?;
    let phase = asked.phase.as_deref().unwrap_or("hold");
    let mut request = asked.request.clone();
    if phase == "hold" {
        request.filter.push("phase = hold".to_owned());
    }
    let schema = schema();
    let slice = compile(&request, &schema)?;
    let mut warnings = warnings(&run, &segments);
    let source = run.source(args, &slice, &schema, &segments)?;
    let (slice, notes) = match source {
        Source::Windows => windows::fitted(&run, slice)?,
        Source::All | Source::Kept => (slice, Vec::new()),
    };
    let (tally, span) = match source {
        Source::Windows => (run.again(&slice, |tally| windows::read(&run, &slice, tally))?, true),
        Source::All | Source::Kept => {
            let read = |tally: Tally| raw::read(&run, &segments.closed, &slice, tally).map_err(text);
            (run.again(&slice, read)?, source == Source::All)
        }
    };
    if source == Source::Kept {
        warnings.push(format!(
            "only some exchanges were kept one by one ({}): those not ok, the slowest and a draw of each second; all \
             figures are of these and not of the run, and there are no rates; `--where why=random` is a draw without choice, \
             `nmax run --samples all` keeps every exchange",
            nmax_report::number::count(tally.seen())
        ));
    }
    if let Some(file) = &args.parquet {
        write(&run, source, &segments, &slice, file)?;
    }
    let limits = if phase == "hold" { run.hold } else { (0, run.end) };
    let mut answer = tally.answer(span.then_some(limits));
    answer.notes.extend(notes);
    let manifest = run.reader.manifest();
    let from = match source {
        Source::All => "every exchange",
        Source::Kept => "kept exchanges",
        Source::Windows => "sums of each window",
    };
    Ok(Found {
        answer,
        title: format!("run {} ({}), {phase}, from {from}", manifest.id, manifest.name),
        source: run.described(source, phase),
        warnings,
    })
}

/// How every exchange is kept.
fn keep_all() -> &'static str {
    if nmax_store::KEEPS_SAMPLES {
        "run again with --samples all"
    } else {
        "build nmax whole (`make build`) and run again with --samples all"
    }
}

/// Writes the chosen exchanges to a file.
fn write(run: &Run, source: Source, segments: &Segments, slice: &Arc<Slice>, file: &Path) -> Result<(), String> {
    if source == Source::Windows {
        let help = format!("{}, or take what was kept by --source samples", keep_all());
        return Err(format!("{}: sums of each second are no exchanges\n  help: {help}", file.display()));
    }
    let rows = raw::write(run, &segments.closed, slice, file).map_err(|error| error.to_string())?;
    crate::say::note(format_args!("{} exchanges written to {}", nmax_report::number::count(rows), file.display()));
    Ok(())
}

/// What of the run is missing.
fn warnings(run: &Run, segments: &Segments) -> Vec<String> {
    let mut warnings = Vec::new();
    if run.reader.is_running() {
        warnings.push("the run goes on; these are its numbers so far".to_owned());
    } else if !segments.torn.is_empty() {
        let names: Vec<String> = segments
            .torn
            .iter()
            .filter_map(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()))
            .collect();
        warnings.push(format!(
            "the run was cut off: {} was never closed, so its exchanges are missing; --source windows has the sums of all \
             seconds",
            names.join(", ")
        ));
    }
    warnings
}

impl Run {
    fn open(directory: &Path) -> Result<Self, String> {
        let reader = RunReader::open(directory).map_err(|error| error.to_string())?;
        let plan = nmax_run::plan_of_manifest(&reader.manifest().plan)?;
        let traits = traits(&plan, reader.catalog());
        let (phase, end_s) = lengths(&reader)?;
        let planned = reader.manifest().hold;
        let ns = |seconds: f64| (seconds * NS_PER_S).round() as i64;
        let end = ns(end_s);
        let start = i64::try_from(planned.start_ns).unwrap_or(i64::MAX);
        // Exchanges belong to the phase of their intended instant; one without an end goes to the end of the run.
        let planned_end = planned.end_ns.and_then(|end| i64::try_from(end).ok());
        let phase_end = phase.map_or(end, ns);
        let hold = (start, planned_end.map_or(phase_end, |planned| planned.min(phase_end.max(start))));
        let gaps = nmax_plan::schedule::hold_gaps(&plan.stages);
        Ok(Self { reader, traits, hold, gaps, end })
    }

    /// Whether an exchange that was due then belongs to phase hold.
    pub(super) fn is_hold(&self, intended_ns: i64) -> bool {
        let planned = self.reader.manifest().hold;
        let intended = u64::try_from(intended_ns).unwrap_or(0);
        let is_between = self.gaps.iter().any(|gap| gap.contains(&intended));
        intended >= planned.start_ns && planned.end_ns.is_none_or(|end| intended < end) && !is_between
    }

    /// What answers this slice.
    fn source(&self, args: &SliceArgs, slice: &Slice, schema: &Schema, segments: &Segments) -> Result<Source, String> {
        let kept = match segments.closed.first() {
            Some(first) if args.source != SourceName::Windows => Some(
                raw::keeps_all(&SampleFile::open(first).map_err(|error| error.to_string())?)
                    .map_err(|error| error.to_string())?,
            ),
            _ => None,
        };
        let lacking = windows::lacking(slice, schema);
        match (args.source, kept) {
            (SourceName::Samples, None) => {
                let help = format!("leave --source out, or {}", keep_all());
                Err(format!("this run has no exchanges one by one\n  help: {help}"))
            }
            (SourceName::Auto | SourceName::Samples, Some(true)) => Ok(Source::All),
            (SourceName::Samples, Some(false)) => Ok(Source::Kept),
            (SourceName::Auto, Some(false)) if args.parquet.is_some() => Ok(Source::Kept),
            (_, kept) => match lacking {
                None => Ok(Source::Windows),
                Some(_) if kept.is_some() && args.source == SourceName::Auto => Ok(Source::Kept),
                Some(what) => Err(format!(
                    "the sums of each second do not tell {what}\n  help: {}, which keeps every exchange",
                    keep_all()
                )),
            },
        }
    }

    /// Reads once, and once more where the first time could not tell apart what is shown.
    fn again(&self, slice: &Arc<Slice>, read: impl Fn(Tally) -> Result<Tally, String>) -> Result<Tally, String> {
        let tally = read(Tally::new(slice))?;
        match tally.again() {
            Some(next) => read(next),
            None => Ok(tally),
        }
    }

    fn described(&self, source: Source, phase: &str) -> Value {
        let manifest = self.reader.manifest();
        let from = match source {
            Source::All => "samples",
            Source::Kept => "kept_samples",
            Source::Windows => "windows",
        };
        json!({
            "kind": "run", "id": manifest.id, "name": manifest.name, "started_at": manifest.started_at,
            "directory": self.reader.path(), "phase": phase, "from": from,
        })
    }
}

/// Where phase hold ended, where that is known, and how long the run was, s.
fn lengths(reader: &RunReader) -> Result<(Option<f64>, f64), String> {
    let summary = reader.summary().map_err(|error| error.to_string())?;
    let summary: Option<Value> = summary.and_then(|text| serde_json::from_str(&text).ok());
    let number = |path: &str| summary.as_ref()?.pointer(path)?.as_f64();
    if let Some(duration_s) = number("/duration_s") {
        let is_hold = |name: &Value| name == "hold";
        let named = summary.as_ref().and_then(|summary| summary.pointer("/phase/name"));
        return Ok((number("/phase/end_s").filter(|_| named.is_some_and(is_hold)), duration_s));
    }
    let mut end_s = 0.0_f64;
    for window in reader.windows().map_err(|error| error.to_string())? {
        let window = window.map_err(|error| error.to_string())?;
        end_s = end_s.max(window.end().as_secs_f64());
    }
    Ok((None, end_s))
}

/// The columns of runs. Their order is that of [`raw`].
pub(super) fn schema() -> Schema {
    let columns = COLUMNS.iter().map(|(name, kind, about)| Column { name, kind: *kind, about });
    Schema {
        source: "a run",
        columns: columns.collect(),
        time: "response",
        bytes: "bytes_received",
        when: "time",
        failed: "failed",
        subject: "name",
    }
}

/// Name, kind, meaning.
pub(super) const COLUMNS: [(&str, Kind, &str); 28] = [
    ("name", Kind::Text, "request name"),
    ("method", Kind::Text, "method of the request, from the plan"),
    ("template", Kind::Text, "path with its holes, from the plan"),
    ("tag", Kind::Text, "tags of the request, with commas between"),
    ("scenario", Kind::Text, "scenario"),
    ("outcome", Kind::Text, "ok, failed or error"),
    ("failed", Kind::Number, "1 where the outcome is not ok, else 0"),
    ("error_kind", Kind::Text, "kind of error: timeout, reset, connect, ..."),
    ("status", Kind::Number, "status code"),
    ("class", Kind::Text, "class of the status code: 2xx, 4xx, ..."),
    ("phase", Kind::Text, "hold, or outside: ramps and warm-up"),
    ("time", Kind::Moment, "when the request was due, since the start of the run"),
    ("response", Kind::Span, "response time: from when it was due to the end of the reply"),
    ("service", Kind::Span, "service time: from sending to the end of the reply"),
    ("lag", Kind::Span, "from when it was due to sending"),
    ("ttfb", Kind::Span, "from sending to the first byte of the reply"),
    ("dns", Kind::Span, "name resolution"),
    ("connect", Kind::Span, "TCP connect"),
    ("tls", Kind::Span, "TLS handshake"),
    ("send", Kind::Span, "sending, where the kernel did not take all at once"),
    ("slot_wait", Kind::Span, "wait for an in-flight slot"),
    ("bytes_received", Kind::Bytes, "bytes received, heads included"),
    ("bytes_sent", Kind::Bytes, "bytes sent, heads included"),
    ("bytes_decoded", Kind::Bytes, "bytes of the reply's body, content coding undone"),
    ("worker", Kind::Number, "worker thread"),
    ("vu", Kind::Number, "virtual user"),
    ("iteration", Kind::Number, "iteration"),
    ("why", Kind::Text, "why it was kept: all, error, slow, random"),
];
