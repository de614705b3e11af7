//! For tests: a `/proc` and `/sys` of their own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use nmax_metrics::Nanos;
use nmax_plan::plan::ProcessRef;

use super::Host;
use crate::{Reading, Source};

static COUNT: AtomicU32 = AtomicU32::new(0);

/// A folder that is gone at the end.
pub(crate) struct Tree(PathBuf);

impl Tree {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("nmax-host-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).unwrap();
        let tree = Self(root);
        files.iter().for_each(|(path, text)| tree.write(path, text));
        tree
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn host(&self, processes: &[(&str, ProcessRef)]) -> Host {
        let processes = processes.iter().map(|(name, process)| ((*name).to_owned(), process.clone()));
        Host::new(&self.0, processes.collect())
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Figures of one look by `source metric`.
pub(crate) type Figures = BTreeMap<String, f64>;

/// Looks at second `second`; a host of which nothing is seen has no figures.
pub(crate) fn read_at(host: &mut Host, second: u64) -> Figures {
    figures(&host.read(Nanos::from_secs(second)).unwrap_or_default())
}

pub(crate) fn figures(readings: &[Reading]) -> Figures {
    let pair = |reading: &Reading| (format!("{} {}", reading.source, reading.metric), reading.value);
    let figures: Figures = readings.iter().map(pair).collect();
    assert_eq!(figures.len(), readings.len(), "a figure is given twice: {readings:?}");
    figures
}
