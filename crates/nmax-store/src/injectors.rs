//! What each of several injectors measured: folders `injectors/N` in the directory of a run, with the same files of windows.
//!
//! Names behind ids, readings and events are those of the run.

use std::fs;
use std::path::{Path, PathBuf};

use nmax_json::records;
use nmax_metrics::Window;

use crate::files::{MODE_SHARED, Place, Span, Stream};
use crate::line::Parts;
use crate::rollup::Rollups;
use crate::{Manifest, StoreError, hlog, line, manifest};

const FOLDER: &str = "injectors";
const FILE: &str = "injector.json";

records! {
    /// One of several injectors of a run.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    #[schemars(deny_unknown_fields)]
    pub read InjectorRecord {
        name: String, "What its host is called in resources.jsonl; unique in the run.";
        region: Option<String>, "Where it is, in the words of the user; null where that was not said.";
        shard: u32, "Which part of the load it has, from 0.";
        workers: u32, "Worker threads.";
        gaps: Vec<LostWindows>, "Windows that it should have sent and that never came, as far as is known.";
    }
    /// Windows that never came.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[schemars(deny_unknown_fields)]
    pub read LostWindows {
        from: u64, "Number of the first.";
        to: u64, "One more than the number of the last.";
    }
}

/// The folder of an injector.
pub(crate) fn folder(directory: &Path, number: usize) -> PathBuf {
    directory.join(FOLDER).join(number.to_string())
}

impl InjectorRecord {
    /// Replaces the file as a whole.
    fn write(&self, folder: &Path) -> Result<(), StoreError> {
        manifest::write(&folder.join(FILE), self)
    }

    /// Those of a run, in their order; none of a run on one.
    pub(crate) fn read_all(directory: &Path) -> Result<Vec<Self>, StoreError> {
        let read = |number| manifest::read_if_there(&folder(directory, number).join(FILE)).transpose();
        (0..).map_while(read).collect()
    }
}

/// Appends windows of a run, or of one of its injectors, and their rollups.
pub(crate) struct WindowFiles {
    latency: Stream,
    pub(crate) lines: Stream,
    rollups: Rollups,
}

impl WindowFiles {
    /// Makes the files of a run with this manifest.
    pub(crate) fn create(directory: &Path, manifest: &Manifest) -> Result<Self, StoreError> {
        let stream = |file: &str| Stream::create(directory.join(file), MODE_SHARED);
        let mut latency = stream(hlog::FILE)?;
        latency.append(&hlog::header(manifest.started()?.into()))?;
        Ok(Self { latency, lines: stream(line::FILE)?, rollups: Rollups::new(directory, manifest)? })
    }

    /// Those of the injectors of a run, whose folders are made.
    pub(crate) fn create_all(
        directory: &Path,
        manifest: &Manifest,
        injectors: &[InjectorRecord],
    ) -> Result<Vec<Self>, StoreError> {
        let create = |(number, injector): (usize, &InjectorRecord)| {
            let folder = folder(directory, number);
            fs::create_dir_all(&folder).map_err(StoreError::io("create", &folder))?;
            let files = Self::create(&folder, manifest)?;
            injector.write(&folder)?;
            Ok(files)
        };
        injectors.iter().enumerate().map(create).collect()
    }

    /// Whether windows can still be appended.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        self.lines.check()
    }

    /// Adds a window; readings of it end at `read`.
    pub(crate) fn append(&mut self, window: &Window, read: Place) -> Result<(), StoreError> {
        let mut histograms = Vec::new();
        hlog::encode(window, &mut histograms);
        let from = (self.lines.place(), self.latency.place());
        self.latency.append(&histograms)?;
        self.lines.append(&line::encode(window, None))?;
        let parts = Parts {
            windows: Span { from: from.0, to: self.lines.place() },
            latency: Span { from: from.1, to: self.latency.place() },
        };
        self.rollups.window(window, &parts, read)
    }

    /// The rollups.
    pub(crate) fn rollups(&mut self) -> &mut Rollups {
        &mut self.rollups
    }

    /// Every file, to be closed.
    pub(crate) fn streams(&mut self) -> impl Iterator<Item = &mut Stream> {
        [&mut self.latency, &mut self.lines].into_iter().chain(self.rollups.streams())
    }
}

/// Replaces what is known of injectors.
pub(crate) fn rewrite(directory: &Path, injectors: &[InjectorRecord]) -> Result<(), StoreError> {
    injectors.iter().enumerate().try_for_each(|(number, injector)| injector.write(&folder(directory, number)))
}
