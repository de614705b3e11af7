//! Both files of windows, read in step.

use std::cmp::Ordering;
use std::path::Path;

use nmax_metrics::{Histogram, Window};

use super::parse;
use crate::line::{Parts, WindowLine};
use crate::lines::Lines;
use crate::tag::Limits;
use crate::{StoreError, hlog, line};

/// A window whose histograms are being read: its number, its line, and those that were read.
type OpenWindow = (u64, WindowLine, Vec<Histogram>);

/// Windows of a run, or of a rollup. One that is damaged is an error; the next call goes on after it.
pub(super) struct Windows {
    pub(super) lines: Lines,
    pub(super) latency: Lines,
    decoder: hlog::Decoder,
    /// A window whose histograms are not all there yet.
    open: Option<OpenWindow>,
}

impl Windows {
    pub(super) fn open(directory: &Path) -> Result<Self, StoreError> {
        let lines = Lines::open(directory.join(line::FILE))?;
        let latency = Lines::open(directory.join(hlog::FILE))?;
        Ok(Self { lines, latency, decoder: hlog::Decoder::default(), open: None })
    }

    /// Lets what is in the files now be read; whether there is another line.
    pub(super) fn grow(&mut self) -> Result<bool, StoreError> {
        self.latency.grow()?;
        self.lines.grow()
    }

    /// Where the next window begins, in bytes of its lines; `None` within one.
    pub(super) fn at(&self) -> Option<u64> {
        self.open.is_none().then(|| self.lines.place().bytes)
    }

    /// Goes on after these.
    pub(super) fn skip(&mut self, parts: &Parts) -> Result<(), StoreError> {
        self.open = None;
        self.lines.go_to(parts.windows.to)?;
        self.latency.go_to(parts.latency.to)
    }

    /// What is missing at the end of files that are not written any more.
    pub(super) fn unfinished(&mut self) -> Option<StoreError> {
        let (number, line, found) = self.open.take()?;
        let (all, found) = (line.histogram_count(), found.len());
        let text = format!(
            "it ends with {found} of the {all} histograms of line {number} of {}; what comes from there on is left out",
            line::FILE
        );
        Some(StoreError::damaged(self.latency.path(), Some(self.latency.place().lines), text))
    }

    /// The next window of which both the line and all histograms are complete, and what it is the sum of.
    pub(super) fn next(&mut self, limits: Limits) -> Result<Option<(Window, Option<Parts>)>, StoreError> {
        let (number, line, mut histograms) = match self.open.take() {
            Some(open) => open,
            None => {
                let Some((number, text)) = self.lines.next()? else {
                    return Ok(None);
                };
                let line = parse::<WindowLine>(text);
                (number, line.map_err(|text| StoreError::damaged(self.lines.path(), Some(number), text))?, Vec::new())
            }
        };
        let start_ms = line.start_ns / 1_000_000;
        while histograms.len() < line.histogram_count() {
            let Some((at, text)) = self.latency.next()? else {
                self.open = Some((number, line, histograms));
                return Ok(None);
            };
            let found =
                hlog::entry(text).and_then(|entry| match entry.map(|entry| (entry.start_ms.cmp(&start_ms), entry)) {
                    // A comment, or of a window whose line was damaged.
                    None | Some((Ordering::Less, _)) => Ok(None),
                    Some((Ordering::Greater, _)) => Ok(Some(None)),
                    Some((Ordering::Equal, entry)) => {
                        let histogram = self.decoder.histogram(entry)?;
                        Ok(Some(Some(line.restore(histograms.len(), entry.tag, histogram))))
                    }
                });
            match found.map_err(|text| StoreError::damaged(self.latency.path(), Some(at), text))? {
                None => {}
                Some(None) => {
                    self.latency.put_back();
                    let text = format!("a histogram of line {number} of {} is missing before it", line::FILE);
                    return Err(StoreError::damaged(self.latency.path(), Some(at), text));
                }
                Some(Some(histogram)) => histograms
                    .push(histogram.map_err(|text| StoreError::damaged(self.lines.path(), Some(number), text))?),
            }
        }
        let parts = line.parts;
        let window = line.decode(histograms, limits);
        let window = window.map_err(|text| StoreError::damaged(self.lines.path(), Some(number), text))?;
        Ok(Some((window, parts)))
    }
}
