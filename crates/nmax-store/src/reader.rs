//! Reads a run's directory, finished or not: what a kill left torn at the end is left out, other damage is an error.

use std::io::ErrorKind;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use nmax_metrics::{Catalog, FailureExample, Histogram, Resource, Window};
use serde::de::DeserializeOwned;

use crate::line::WindowLine;
use crate::lines::Lines;
pub use crate::records::Event;
use crate::records::{self, EventLine, FailureLine, ResourceLine};
use crate::tag::Limits;
use crate::{Manifest, StoreError, files, hlog, line, names, writer};

mod follow;

pub use follow::Follower;

/// A run as read from its directory.
#[derive(Debug)]
pub struct RunReader {
    directory: PathBuf,
    manifest: Manifest,
    catalog: Catalog,
}

impl RunReader {
    /// Reads manifest and names; everything else is read when asked for.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        let manifest = Manifest::read(directory)?;
        let catalog = names::read(directory, &manifest)?;
        Ok(Self { directory: directory.to_owned(), manifest, catalog })
    }

    /// The run's directory.
    pub fn path(&self) -> &Path {
        &self.directory
    }

    /// Whether some process still writes the run.
    pub fn is_running(&self) -> bool {
        crate::files::is_being_written(&self.directory.join(line::FILE))
    }

    /// What was run.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The names behind the ids of windows, as of [`Self::open`].
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The full windows, in the order of writing, one in memory at a time.
    ///
    /// Of a run that is still going on: the windows written so far.
    pub fn windows(&self) -> Result<impl Iterator<Item = Result<Window, StoreError>> + use<>, StoreError> {
        let windows = Windows::open(&self.directory)?;
        // Names are written before their first use, so these cover every line up to the lengths seen above.
        let limits = names::limits(&names::read(&self.directory, &self.manifest)?);
        Ok(UntilError::over(move |windows: &mut Windows| windows.next(limits), windows))
    }

    /// The same run, read on and on while it is being written: each line once.
    pub fn follow(self) -> Result<Follower, StoreError> {
        Ok(Follower {
            windows: Windows::open(&self.directory)?,
            failures: open_failures(&self.directory)?,
            resources: Lines::open_any(&self.directory.join(records::RESOURCES))?,
            events: Lines::open_any(&self.directory.join(records::EVENTS))?,
            run: self,
        })
    }

    /// Failed exchanges; none when the file is not there. It holds bodies, so only its owner may read it: others see the
    /// run without examples.
    pub fn failures(&self) -> Result<impl Iterator<Item = Result<FailureExample, StoreError>> + use<>, StoreError> {
        Ok(UntilError::over(next_record::<FailureLine, FailureExample>, open_failures(&self.directory)?))
    }

    /// Readings of hosts; none when the file is not there.
    pub fn resources(&self) -> Result<impl Iterator<Item = Result<Resource, StoreError>> + use<>, StoreError> {
        self.records::<ResourceLine, Resource>(records::RESOURCES)
    }

    /// Events; none when the file is not there.
    pub fn events(&self) -> Result<impl Iterator<Item = Result<Event, StoreError>> + use<>, StoreError> {
        self.records::<EventLine, Event>(records::EVENTS)
    }

    /// The text of `summary.json`; `None` while the run is not finished.
    pub fn summary(&self) -> Result<Option<String>, StoreError> {
        let path = self.directory.join(writer::SUMMARY);
        match files::read_whole(&path) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Ok(Some(text)),
                Err(_) => Err(StoreError::damaged(&path, None, "not UTF-8 text")),
            },
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn records<L, T>(&self, file: &str) -> Result<impl Iterator<Item = Result<T, StoreError>> + use<L, T>, StoreError>
    where
        L: DeserializeOwned,
        T: TryFrom<L, Error = String>,
    {
        let lines = Lines::open_any(&self.directory.join(file))?;
        Ok(UntilError::over(next_record::<L, T>, lines))
    }
}

/// Calls `step` until it yields nothing or an error.
struct UntilError<S, F, T> {
    sources: Option<S>,
    step: F,
    items: PhantomData<T>,
}

impl<S, F, T> UntilError<S, F, T>
where
    F: FnMut(&mut S) -> Result<Option<T>, StoreError>,
{
    fn over(step: F, sources: impl Into<Option<S>>) -> Self {
        Self { sources: sources.into(), step, items: PhantomData }
    }
}

impl<S, F, T> Iterator for UntilError<S, F, T>
where
    F: FnMut(&mut S) -> Result<Option<T>, StoreError>,
{
    type Item = Result<T, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = (self.step)(self.sources.as_mut()?).transpose();
        if !matches!(item, Some(Ok(_))) {
            self.sources = None;
        }
        item
    }
}

fn next_record<L, T>(lines: &mut Lines) -> Result<Option<T>, StoreError>
where
    L: DeserializeOwned,
    T: TryFrom<L, Error = String>,
{
    let Some((number, line)) = lines.next()? else {
        return Ok(None);
    };
    let record = parse::<L>(line).and_then(T::try_from);
    record.map(Some).map_err(|text| StoreError::damaged(lines.path(), Some(number), text))
}

fn open_failures(directory: &Path) -> Result<Option<Lines>, StoreError> {
    match Lines::open_any(&directory.join(records::FAILURES)) {
        Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::PermissionDenied => Ok(None),
        opened => opened,
    }
}

/// A window whose histograms are being read: its number, its line, and those that were read.
type OpenWindow = (u64, WindowLine, Vec<(String, Histogram)>);

/// Both files of the windows.
struct Windows {
    lines: Lines,
    latency: Lines,
    /// A window whose histograms are not all there yet, and those that are; the number of its line.
    open: Option<OpenWindow>,
}

impl Windows {
    fn open(directory: &Path) -> Result<Self, StoreError> {
        let lines = Lines::open(directory.join(line::FILE))?;
        Ok(Self { lines, latency: Lines::open(directory.join(hlog::FILE))?, open: None })
    }

    /// The next window of which both the line and all histograms are complete.
    fn next(&mut self, limits: Limits) -> Result<Option<Window>, StoreError> {
        let (number, line, mut histograms) = match self.open.take() {
            Some(open) => open,
            None => {
                let Some((number, line)) = self.lines.next()? else {
                    return Ok(None);
                };
                let line = parse::<WindowLine>(line);
                (number, line.map_err(|text| StoreError::damaged(self.lines.path(), Some(number), text))?, Vec::new())
            }
        };
        while histograms.len() < line.histogram_count() {
            let Some((at, text)) = self.latency.next()? else {
                self.open = Some((number, line, histograms));
                return Ok(None);
            };
            let entry = hlog::decode(text).map(|entry| entry.map(|(tag, histogram)| (tag.to_owned(), histogram)));
            histograms.extend(entry.map_err(|text| StoreError::damaged(self.latency.path(), Some(at), text))?);
        }
        let window = line.decode(histograms, limits);
        window.map(Some).map_err(|text| StoreError::damaged(self.lines.path(), Some(number), text))
    }
}

fn parse<L: DeserializeOwned>(line: &str) -> Result<L, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
