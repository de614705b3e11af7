//! Rollups of a run, beside its files: windows and readings added up to 10 s, 1 min and 10 min, in folders of their own.
//!
//! A window of a rollup says which lines of the run's files it is the sum of. Only one with all its windows is written: a
//! reader finds the others in the run's own files, and so it does with what came after the last one.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use nmax_metrics::rollup::{ROLLUPS, width_for};
use nmax_metrics::{Nanos, Reading, Resource, Rollup, TrackKey, Window};

use crate::files::{MODE_SHARED, Place, Stream};
use crate::line::Parts;
use crate::records::{self, encode_readings};
use crate::{Manifest, StoreError, hlog, line};

/// Most readings of one line; what has more is left to the run's own file.
const READINGS_MAX: usize = 20_000;

/// The folder of a rollup within a run's directory; `None` for a width of which there is none.
pub(crate) fn folder(directory: &Path, width: Nanos) -> Option<PathBuf> {
    let name = ROLLUPS.iter().find(|(known, _)| *known == width)?.1;
    Some(directory.join(format!("rollup-{name}")))
}

/// The rollups of a run that is written, the narrowest first; none of one that is planned to be short.
pub(crate) struct Rollups {
    levels: Vec<Level>,
}

struct Level {
    directory: PathBuf,
    header: Vec<u8>,
    rollup: Rollup,
    parts: Parts,
    /// In the order in which their figures came.
    readings: Vec<Reading>,
    /// Places in `readings`, by number of the bin and figure.
    places: HashMap<(u64, TrackKey), usize>,
    /// Beginning of those lines of `resources.jsonl` that `readings` are of.
    from: Place,
    /// Number of the rollup that the run has come to.
    index: u64,
    /// Made when the first window is complete.
    files: Option<[Stream; 3]>,
}

impl Rollups {
    /// Nothing yet of a run with this manifest.
    pub(crate) fn new(directory: &Path, manifest: &Manifest) -> Result<Self, StoreError> {
        let window = Nanos(manifest.window_ns);
        let is_short = |end: u64| width_for(Nanos(end), window, 0) == window;
        if manifest.hold.end_ns.is_some_and(is_short) {
            return Ok(Self { levels: Vec::new() });
        }
        let header = hlog::header(manifest.started()?.into());
        let fits = |width: &Nanos| *width > window && width.0.is_multiple_of(window.0.max(1));
        let widths = ROLLUPS.iter().map(|(width, _)| *width).filter(fits);
        let level = |width| {
            Some(Level {
                directory: folder(directory, width)?,
                header: header.clone(),
                rollup: Rollup::new(width),
                parts: Parts::default(),
                readings: Vec::new(),
                places: HashMap::new(),
                from: Place::default(),
                index: 0,
                files: None,
            })
        };
        Ok(Self { levels: widths.filter_map(level).collect() })
    }

    /// Adds a window that is in the run's files, in these lines; readings of it end at `read`.
    pub(crate) fn window(&mut self, window: &Window, parts: &Parts, read: Place) -> Result<(), StoreError> {
        for level in &mut self.levels {
            let index = window.start().0 / level.rollup.width().0;
            if std::mem::replace(&mut level.index, index) != index {
                // Readings of a second come after its window, and before the next one.
                level.write_readings(read)?;
            }
        }
        push(&mut self.levels, window, parts)
    }

    /// Adds a reading.
    pub(crate) fn resource(&mut self, resource: &Resource) {
        self.levels.iter_mut().for_each(|level| level.resource(resource));
    }

    /// Every file, to be closed.
    pub(crate) fn streams(&mut self) -> impl Iterator<Item = &mut Stream> {
        self.levels.iter_mut().filter_map(|level| level.files.as_mut()).flatten()
    }
}

/// Adds a window to the first level, and to the next one what is complete with it.
fn push(levels: &mut [Level], window: &Window, parts: &Parts) -> Result<(), StoreError> {
    let Some((level, wider)) = levels.split_first_mut() else {
        return Ok(());
    };
    if level.rollup.begins_with(window) {
        (level.parts.windows.from, level.parts.latency.from) = (parts.windows.from, parts.latency.from);
    }
    (level.parts.windows.to, level.parts.latency.to) = (parts.windows.to, parts.latency.to);
    let mut complete = Vec::new();
    level.rollup.push(window, |rolled| complete.push(rolled));
    for rolled in complete {
        if rolled.is_whole() {
            level.write(&rolled.window)?;
            push(wider, &rolled.window, &level.parts)?;
        }
    }
    Ok(())
}

impl Level {
    fn resource(&mut self, resource: &Resource) {
        if !resource.value.is_finite() || self.readings.len() > READINGS_MAX {
            return;
        }
        let width = self.rollup.width();
        let (host, source, metric) = (resource.host.clone(), resource.source.clone(), resource.metric.clone());
        let key = (resource.at.0 / width.0, TrackKey { host, source, metric });
        let reading = Reading::single(resource.clone(), width);
        let place = *self.places.entry(key).or_insert(self.readings.len());
        match self.readings.get_mut(place) {
            Some(known) => known.merge(&reading),
            None => self.readings.push(reading),
        }
    }

    fn write_readings(&mut self, to: Place) -> Result<(), StoreError> {
        self.places.clear();
        let readings = std::mem::take(&mut self.readings);
        let from = std::mem::replace(&mut self.from, to);
        if readings.is_empty() || readings.len() > READINGS_MAX {
            return Ok(());
        }
        let line = encode_readings(from, to, readings.iter());
        let [_, _, resources] = self.files()?;
        resources.append(&line)
    }

    fn write(&mut self, window: &Window) -> Result<(), StoreError> {
        let mut histograms = Vec::new();
        hlog::encode_for_speed(window, &mut histograms);
        let line = line::encode(window, Some(self.parts));
        let [windows, latency, _] = self.files()?;
        latency.append(&histograms)?;
        windows.append(&line)
    }

    fn files(&mut self) -> Result<&mut [Stream; 3], StoreError> {
        if self.files.is_none() {
            fs::create_dir(&self.directory).map_err(StoreError::io("create", &self.directory))?;
            let stream = |file: &str| Stream::create(self.directory.join(file), MODE_SHARED);
            let mut files = [stream(line::FILE)?, stream(hlog::FILE)?, stream(records::RESOURCES)?];
            files[1].append(&self.header)?;
            self.files = Some(files);
        }
        self.files.as_mut().ok_or_else(|| StoreError::Missing { path: self.directory.clone() })
    }
}

#[cfg(test)]
mod tests;
