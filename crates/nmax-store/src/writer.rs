//! Writes a run's directory: names before their first use, then whole windows, so that a kill costs at most one.
//!
//! Memory does not grow with the length of a run. Rollups of a long one are written on the way.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nmax_json::JsonFrom;
use nmax_metrics::{Catalog, FailureExample, Nanos, Resource, Window};

use crate::files::{MODE_SHARED, Place, Stream};
use crate::injectors::{self, InjectorRecord, WindowFiles};
use crate::records::{self, EventLine, FailureLine, ResourceLine};
use crate::tag::Limits;
use crate::{Manifest, Steered, StoreError, files, line, names};

/// Failures kept per kind; later ones are left out.
pub const FAILURES_PER_KIND_MAX: u64 = 100;
/// Kinds of failures told apart; later ones are counted under `other`.
pub const FAILURE_KINDS_MAX: usize = 1_000;
/// Mode of those that hold bodies of requests and replies.
const MODE_BODIES: u32 = 0o600;
pub(crate) const SUMMARY: &str = "summary.json";
pub(crate) const REPORT: &str = "report.html";

/// The one writer of a run's directory.
pub struct RunWriter {
    directory: PathBuf,
    windows: WindowFiles,
    /// Of each of several injectors.
    injectors: Vec<WindowFiles>,
    failures: Stream,
    resources: Stream,
    events: Stream,
    /// Names in the file, and how often one beyond the cap was asked for.
    named: (Limits, u64),
    failure_counts: BTreeMap<String, u64>,
    #[cfg(feature = "parquet")]
    segments: crate::samples::Segments,
}

impl RunWriter {
    /// Makes the run's directory below `root` (made too if need be), writes its manifest and opens its files.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the directory is there already: none is ever used twice.
    pub fn create(root: &Path, manifest: &Manifest) -> Result<Self, StoreError> {
        let directory = root.join(manifest.directory_name()?);
        manifest.started()?;
        fs::create_dir_all(root).map_err(StoreError::io("create", root))?;
        fs::create_dir(&directory).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => StoreError::Exists { path: directory.clone() },
            _ => StoreError::Io { action: "create", path: directory.clone(), source },
        })?;
        let stream = |file: &str| Stream::create(directory.join(file), MODE_SHARED);
        let windows = WindowFiles::create(&directory, manifest)?;
        let failures = Stream::create(directory.join(records::FAILURES), MODE_BODIES)?;
        let (resources, events) = (stream(records::RESOURCES)?, stream(records::EVENTS)?);
        // Last: a directory is a run once it has a manifest, and by then its windows are locked, so that a reader that looks
        // at this moment takes it for one that goes on, not for one that was cut off.
        manifest.write(&directory)?;
        Ok(Self {
            windows,
            injectors: Vec::new(),
            failures,
            resources,
            events,
            named: (Limits::default(), 0),
            failure_counts: BTreeMap::new(),
            #[cfg(feature = "parquet")]
            segments: crate::samples::Segments::new(&directory),
            directory,
        })
    }

    /// The run's directory.
    pub fn path(&self) -> &Path {
        &self.directory
    }

    /// The run goes by this plan from now on. Written before the event that tells of it.
    pub fn steered(&self, steered: &Steered) -> Result<(), StoreError> {
        steered.write(&self.directory)
    }

    /// Adds one window. Once this returns, the window survives the end of the process.
    pub fn window(&mut self, window: &Window, catalog: &Catalog) -> Result<(), StoreError> {
        if let Some((what, id)) = line::unnamed(&window.aggregate, names::limits(catalog)) {
            return Err(StoreError::Unnamed { what, id });
        }
        self.windows.check()?;
        self.name(catalog)?;
        self.windows.append(window, self.resources.place())?;
        #[cfg(feature = "parquet")]
        self.segments.close_when_due(window.end())?;
        Ok(())
    }

    /// The run is on several injectors, of which this is known: before the first window, and whenever more is known.
    ///
    /// - `manifest`: that of the run
    pub fn injectors(&mut self, manifest: &Manifest, injectors: &[InjectorRecord]) -> Result<(), StoreError> {
        if self.injectors.is_empty() {
            self.injectors = WindowFiles::create_all(&self.directory, manifest, injectors)?;
            return Ok(());
        }
        injectors::rewrite(&self.directory, injectors)
    }

    /// Adds what one of several injectors measured of a window of the run that was added before, with the names of the run.
    pub fn part(&mut self, injector: usize, window: &Window) -> Result<(), StoreError> {
        self.injectors[injector].append(window, Place::default())
    }

    /// Adds raw exchanges to the open segment, and closes it when it is full.
    #[cfg(feature = "parquet")]
    pub fn samples(&mut self, samples: &[nmax_metrics::RawSample], catalog: &Catalog) -> Result<(), StoreError> {
        self.name(catalog)?;
        self.segments.add(samples, catalog)
    }

    /// Refuses raw exchanges.
    #[cfg(not(feature = "parquet"))]
    pub fn samples(&mut self, samples: &[nmax_metrics::RawSample], _catalog: &Catalog) -> Result<(), StoreError> {
        if samples.is_empty() {
            return Ok(());
        }
        Err(StoreError::WithoutParquet { path: self.directory.clone() })
    }

    /// Adds a failed exchange: the first [`FAILURES_PER_KIND_MAX`] of its kind are kept, and the last of
    /// these leaves an event.
    pub fn failure(&mut self, failure: &FailureExample) -> Result<(), StoreError> {
        let is_told_apart =
            self.failure_counts.contains_key(&failure.kind) || self.failure_counts.len() < FAILURE_KINDS_MAX;
        let kind = if is_told_apart { failure.kind.as_str() } else { "other" };
        let count = self.failure_counts.entry(kind.to_owned()).or_default();
        *count += 1;
        let number = *count;
        if number > FAILURES_PER_KIND_MAX {
            return Ok(());
        }
        if number == FAILURES_PER_KIND_MAX {
            let text = format!("{kind}: the first {FAILURES_PER_KIND_MAX} failures are kept; summary.json counts all");
            self.event(failure.at, "FAILURES_NOT_KEPT", &text)?;
        }
        self.failures.append(&records::encode(&FailureLine::json_from((failure, number))))
    }

    /// Adds a reading of a host.
    pub fn resource(&mut self, resource: &Resource) -> Result<(), StoreError> {
        self.resources.append(&records::encode(&ResourceLine::json_from(resource)))?;
        self.windows.rollups().resource(resource);
        Ok(())
    }

    /// Adds an event: a stable code for programs, one sentence for people.
    pub fn event(&mut self, at: Nanos, code: &str, text: &str) -> Result<(), StoreError> {
        self.events.append(&records::encode(&EventLine::json_from((at, code, text))))
    }

    /// Closes the run: last segment, report and summary.
    pub fn finish(mut self, summary_json: &str, report_html: &str) -> Result<(), StoreError> {
        #[cfg(feature = "parquet")]
        self.segments.close()?;
        let own = [&mut self.failures, &mut self.resources, &mut self.events];
        let windows = std::iter::once(&mut self.windows).chain(&mut self.injectors).flat_map(WindowFiles::streams);
        for stream in own.into_iter().chain(windows) {
            stream.sync()?;
        }
        write_results(&self.directory, summary_json, report_html)
    }

    /// Brings `names.json` up to date before a new name's first use.
    fn name(&mut self, catalog: &Catalog) -> Result<(), StoreError> {
        let named = (names::limits(catalog), catalog.requests.overflowed());
        if named != self.named {
            names::write(&self.directory, catalog)?;
            self.named = named;
        }
        Ok(())
    }
}

/// Writes or replaces report and summary of a run; the summary, whose presence marks a finished run, comes last.
pub fn write_results(directory: &Path, summary_json: &str, report_html: &str) -> Result<(), StoreError> {
    files::write_whole(&directory.join(REPORT), report_html.as_bytes())?;
    files::write_whole(&directory.join(SUMMARY), summary_json.as_bytes())
}

#[cfg(test)]
mod tests;
