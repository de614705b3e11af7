//! What [`samples`](crate) is without the feature `parquet`: files of raw exchanges are found, and neither read nor written.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use crate::StoreError;
pub use crate::segments::{SegmentFiles, segments};

/// A whole number that is not there.
pub const UNKNOWN: i64 = i64::MIN;
/// A text that is not there.
pub const NO_TEXT: u32 = u32::MAX;

/// A file of raw exchanges; there is none.
pub struct SampleFile(Infallible);

impl SampleFile {
    /// Says that this program reads no raw exchanges.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Err(StoreError::WithoutParquet { path: path.to_owned() })
    }

    /// Never called.
    pub fn groups(&self) -> usize {
        match self.0 {}
    }

    /// Never called.
    pub fn rows(&self, _group: usize) -> usize {
        match self.0 {}
    }

    /// Never called.
    pub fn integers(&self, _group: usize, _column: &str) -> Result<Vec<i64>, StoreError> {
        match self.0 {}
    }

    /// Never called.
    pub fn texts(&self, _group: usize, _column: &str) -> Result<(Vec<u32>, Vec<Arc<str>>), StoreError> {
        match self.0 {}
    }
}

/// A file of chosen raw exchanges; there is none.
pub struct SampleWriter(Infallible);

impl SampleWriter {
    /// Says that this program writes no raw exchanges.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        Err(StoreError::WithoutParquet { path: path.to_owned() })
    }

    /// Never called.
    pub fn add(&mut self, _file: &SampleFile, _group: usize, _mask: &[bool]) -> Result<(), StoreError> {
        match self.0 {}
    }

    /// Never called.
    pub fn finish(self) -> Result<u64, StoreError> {
        match self.0 {}
    }

    /// Never called.
    pub fn discard(self) {
        match self.0 {}
    }
}
