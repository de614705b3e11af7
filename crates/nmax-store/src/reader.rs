//! Reads a run's directory, finished or not: what a kill left torn at the end is left out, other damage is an error.

use std::io::ErrorKind;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use nmax_metrics::{Catalog, FailureExample, Nanos, Resource, Window};
use serde::de::DeserializeOwned;

use crate::line::WindowHead;
use crate::lines::Lines;
pub use crate::records::Event;
use crate::records::{self, EventLine, FailureLine, ResourceLine};
use crate::{InjectorRecord, Manifest, StoreError, files, line, names, writer};

mod follow;
mod layers;
mod windows;

pub use follow::Follower;
use windows::Windows;

/// Longest line of windows that the end of a run is looked for in, bytes.
const LAST_BYTES_MAX: u64 = 4 << 20;

/// A run as read from its directory.
#[derive(Debug)]
pub struct RunReader {
    directory: PathBuf,
    manifest: Manifest,
    catalog: Catalog,
    /// Why names are numbers.
    unnamed: Option<StoreError>,
}

impl RunReader {
    /// Reads manifest and names; everything else is read when asked for.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        let manifest = Manifest::read(directory)?;
        let catalog = names::read(directory, &manifest)?;
        Ok(Self { directory: directory.to_owned(), manifest, catalog, unnamed: None })
    }

    /// The same where names cannot be read: these are numbers then, and [`Follower::damage`] tells why.
    pub fn open_damaged(directory: &Path) -> Result<Self, StoreError> {
        match Self::open(directory) {
            Err(error @ StoreError::Damaged { .. }) => {
                let (directory, manifest) = (directory.to_owned(), Manifest::read(directory)?);
                let mut run = Self { directory, manifest, catalog: Catalog::default(), unnamed: Some(error) };
                let last = run.last_window()?;
                let length = |group| last.as_ref().map_or(0, |last| last.length(group));
                run.catalog = names::numbered(&run.manifest, length);
                Ok(run)
            }
            opened => opened,
        }
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
        Ok(UntilError::over(move |windows: &mut Windows| Ok(windows.next(limits)?.map(|(window, _)| window)), windows))
    }

    /// End of the last window that is written; `None` without any, or when its line is damaged.
    pub fn last_end(&self) -> Result<Option<Nanos>, StoreError> {
        let last = self.last_window()?;
        Ok(last.map(|last| Nanos(last.start_ns.saturating_add(last.width_ns))))
    }

    fn last_window(&self) -> Result<Option<WindowHead>, StoreError> {
        let Some(mut lines) = Lines::open_any(&self.directory.join(line::FILE))? else {
            return Ok(None);
        };
        lines.go_to_last(LAST_BYTES_MAX)?;
        Ok(lines.next().ok().flatten().and_then(|(_, line)| parse(line).ok()))
    }

    /// The injectors of a run on several, in their order; none of a run on one.
    pub fn injectors(&self) -> Result<Vec<InjectorRecord>, StoreError> {
        InjectorRecord::read_all(&self.directory)
    }

    /// The same run, read on and on while it is being written: each line once.
    pub fn follow(self) -> Result<Follower, StoreError> {
        self.follow_by(Nanos::ZERO)
    }

    /// The same by the windows and readings of the rollup of this width, as far as there is one, and then on as it is written.
    pub fn follow_by(self, width: Nanos) -> Result<Follower, StoreError> {
        Follower::open(self, width)
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

fn parse<L: DeserializeOwned>(line: &str) -> Result<L, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
