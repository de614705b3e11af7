//! Which files of a run hold raw exchanges.

use std::path::{Path, PathBuf};

use crate::StoreError;

/// The segments of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SegmentFiles {
    /// Closed ones, in order.
    pub closed: Vec<PathBuf>,
    /// Those that were never closed, and cannot be read.
    pub torn: Vec<PathBuf>,
}

/// The segments in the directory of a run.
pub fn segments(directory: &Path) -> Result<SegmentFiles, StoreError> {
    let mut found = SegmentFiles::default();
    let entries = std::fs::read_dir(directory).map_err(StoreError::io("read", directory))?;
    for entry in entries {
        let path = entry.map_err(StoreError::io("read", directory))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        if !name.starts_with("samples-") {
            continue;
        }
        if name.ends_with(".parquet") {
            found.closed.push(path);
        } else if name.ends_with(".parquet.tmp") {
            found.torn.push(path);
        }
    }
    found.closed.sort();
    found.torn.sort();
    Ok(found)
}
