//! Slices of stored runs: which of their files answer, and what they can tell.

use std::path::Path;
use std::sync::Arc;

use nmax_analysis::breakdown::{Traits, traits};
use nmax_report::slices::SliceView;
use nmax_slice::run::{self, Names, Windows};
use nmax_slice::{Request, Schema, Slice, SliceError, Tally};
use nmax_store::samples::{SampleFile, SegmentFiles as Segments, segments};
use nmax_store::{RunReader, StoreError};
use serde_json::{Value, json};

use crate::plan_of_manifest;

mod exchanges;

/// What is asked of a run.
#[derive(Clone, Copy, Debug)]
pub struct SliceQuery<'a> {
    /// The slice.
    pub request: &'a Request,
    /// `hold` or `whole`; hold where nothing is said.
    pub phase: Option<&'a str>,
    /// What is read.
    pub from: Wanted,
    /// A file that the chosen exchanges are written to as well.
    pub parquet: Option<&'a Path>,
}

/// What of a run is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Every exchange where all were kept; else the sums of each second where they can tell; else what was kept.
    Any,
    /// Exchanges kept one by one.
    Samples,
    /// The sums of each second.
    Windows,
}

/// A run that is sliced.
struct Run {
    reader: RunReader,
    /// What is known of each request name.
    traits: Vec<Traits>,
    /// Phase hold, ns: from, to.
    hold: (i64, i64),
    /// What of it lies between holds and is none, ns.
    gaps: Vec<std::ops::Range<u64>>,
    /// Its length, ns.
    end: i64,
}

/// What answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Basis {
    /// Every exchange.
    All,
    /// Those that were kept.
    Kept,
    /// Sums of each second.
    Windows,
}

const NS_PER_S: f64 = 1e9;

/// Reads a slice of a run, and how many exchanges were written to a file.
///
/// # Errors
/// What the slice asks for that the run does not have, or what of it cannot be read.
pub fn read(directory: &Path, asked: &SliceQuery<'_>) -> Result<(SliceView, Option<u64>), String> {
    let text = |error: StoreError| error.to_string();
    let run = Run::open(directory)?;
    let segments = segments(directory).map_err(text)?;
    let phase = asked.phase.unwrap_or("hold");
    let mut request = asked.request.clone();
    if phase == "hold" {
        request.filter.push("phase = hold".to_owned());
    }
    let schema = run::schema();
    let slice = Slice::bound(&request, &schema).map(Arc::new)?;
    let mut warnings = warnings(&run, &segments);
    let source = run.source(asked, &slice, &schema, &segments)?;
    let (slice, notes) = match source {
        Basis::Windows => run.fitted(slice)?,
        Basis::All | Basis::Kept => (slice, Vec::new()),
    };
    let (tally, span) = match source {
        Basis::Windows => (run.again(&slice, |tally| run.windows(&slice, tally))?, true),
        Basis::All | Basis::Kept => {
            let read = |tally: Tally| exchanges::read(&run, &segments.closed, &slice, tally).map_err(text);
            (run.again(&slice, read)?, source == Basis::All)
        }
    };
    if source == Basis::Kept {
        warnings.push(format!(
            "only some exchanges were kept one by one ({}): those not ok, the slowest and a draw of each second; all \
             figures are of these and not of the run, and there are no rates; `--where why=random` is a draw without choice, \
             `nmax run --samples all` keeps every exchange",
            nmax_report::number::count(tally.seen())
        ));
    }
    let written = asked.parquet.map(|file| write(&run, source, &segments, &slice, file)).transpose()?;
    let limits = if phase == "hold" { run.hold } else { (0, run.end) };
    let mut answer = tally.answer(span.then_some(limits));
    answer.notes.extend(notes);
    let manifest = run.reader.manifest();
    let from = match source {
        Basis::All => "every exchange",
        Basis::Kept => "kept exchanges",
        Basis::Windows => "sums of each window",
    };
    let view = SliceView {
        answer,
        title: format!("run {} ({}), {phase}, from {from}", manifest.id, manifest.name),
        source: run.described(source, phase),
        warnings,
    };
    Ok((view, written))
}

/// How every exchange is kept.
fn keep_all() -> &'static str {
    if nmax_store::KEEPS_SAMPLES {
        "run again with --samples all"
    } else {
        "build nmax whole (`make build`) and run again with --samples all"
    }
}

/// Writes the chosen exchanges to a file. Returns how many they are.
fn write(run: &Run, source: Basis, segments: &Segments, slice: &Arc<Slice>, file: &Path) -> Result<u64, String> {
    if source == Basis::Windows {
        let help = format!("{}, or take what was kept by --source samples", keep_all());
        return Err(format!("{}: sums of each second are not exchanges\n  help: {help}", file.display()));
    }
    exchanges::write(run, &segments.closed, slice, file).map_err(|error| error.to_string())
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
        let plan = plan_of_manifest(&reader.manifest().plan)?;
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
    fn is_hold(&self, intended_ns: i64) -> bool {
        let planned = self.reader.manifest().hold;
        let intended = u64::try_from(intended_ns).unwrap_or(0);
        let is_between = self.gaps.iter().any(|gap| gap.contains(&intended));
        intended >= planned.start_ns && planned.end_ns.is_none_or(|end| intended < end) && !is_between
    }

    /// What answers this slice.
    fn source(
        &self,
        asked: &SliceQuery<'_>,
        slice: &Slice,
        schema: &Schema,
        segments: &Segments,
    ) -> Result<Basis, String> {
        let kept = match segments.closed.first() {
            Some(first) if asked.from != Wanted::Windows => Some(
                exchanges::keeps_all(&SampleFile::open(first).map_err(|error| error.to_string())?)
                    .map_err(|error| error.to_string())?,
            ),
            _ => None,
        };
        let lacking = run::lacking(slice, schema);
        match (asked.from, kept) {
            (Wanted::Samples, None) => {
                let help = format!("leave --source out, or {}", keep_all());
                Err(format!("this run has no exchanges one by one\n  help: {help}"))
            }
            (Wanted::Any | Wanted::Samples, Some(true)) => Ok(Basis::All),
            (Wanted::Samples, Some(false)) => Ok(Basis::Kept),
            (Wanted::Any, Some(false)) if asked.parquet.is_some() => Ok(Basis::Kept),
            (_, kept) => match lacking {
                None => Ok(Basis::Windows),
                Some(_) if kept.is_some() && asked.from == Wanted::Any => Ok(Basis::Kept),
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

    /// The slice as windows can answer it, and what a reader should know of that.
    fn fitted(&self, slice: Arc<Slice>) -> Result<(Arc<Slice>, Vec<String>), String> {
        let width_ns = i64::try_from(self.reader.manifest().window_ns).unwrap_or(i64::MAX);
        let fitted = Arc::unwrap_or_clone(slice).on_windows(width_ns);
        let (slice, mut notes) = fitted.map_err(|errors| {
            let samples = "`nmax run --samples all` keeps every exchange, of which any width can be shown";
            format!("{}; {samples}", SliceError::joined(&errors))
        })?;
        notes.push(run::NOTE.to_owned());
        Ok((Arc::new(slice), notes))
    }

    /// Adds every window of the run.
    fn windows(&self, slice: &Slice, tally: Tally) -> Result<Tally, String> {
        let mut windows = Windows::new(slice, self.names(), tally);
        for window in self.reader.windows().map_err(|error| error.to_string())? {
            windows.add(&window.map_err(|error| error.to_string())?);
        }
        Ok(windows.finish())
    }

    /// What ids of requests stand for.
    fn names(&self) -> Names {
        let requests = self.reader.catalog().requests.list();
        Names {
            request: requests.iter().map(|name| name.as_str().into()).collect(),
            method: self.traits.iter().map(|traits| traits.method.as_str().into()).collect(),
            template: self.traits.iter().map(|traits| traits.template.as_str().into()).collect(),
            tag: self.traits.iter().map(|traits| traits.tags.join(",").into()).collect(),
        }
    }

    fn described(&self, source: Basis, phase: &str) -> Value {
        let manifest = self.reader.manifest();
        let from = match source {
            Basis::All => "samples",
            Basis::Kept => "kept_samples",
            Basis::Windows => "windows",
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
