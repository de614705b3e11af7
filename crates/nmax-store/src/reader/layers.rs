//! Two sources of the same: the lines of a rollup, and those of the run where the rollup has none.

use std::collections::VecDeque;
use std::path::Path;

use nmax_metrics::{Nanos, Reading, Resource, Window};

use super::{Lines, Windows, next_record, parse};
use crate::files::Span;
use crate::line::Parts;
use crate::records::{self, ReadingsLine, ResourceLine};
use crate::tag::Limits;
use crate::{StoreError, rollup};

/// Windows of a rollup and of the run.
pub(super) struct LayeredWindows {
    rolled: Option<Windows>,
    /// The next of the rollup.
    next: Option<(Window, Parts)>,
    pub(super) own: Windows,
    /// From when on the rollup is not asked.
    pub(super) fine_from: Nanos,
}

/// Which of both is to be read.
#[derive(Debug, PartialEq, Eq)]
enum Turn {
    /// The rollup: it goes on where the run's own file was read to.
    Rolled,
    /// The run.
    Own,
    /// Neither: what the rollup has was read.
    Known,
}

/// Whose turn it is, when a rollup has something from this byte on of the run's own file, which was read up to `at`.
fn turn(from: u64, at: Option<u64>) -> Turn {
    match at.map(|at| from.cmp(&at)) {
        Some(std::cmp::Ordering::Equal) => Turn::Rolled,
        Some(std::cmp::Ordering::Less) => Turn::Known,
        Some(std::cmp::Ordering::Greater) | None => Turn::Own,
    }
}

impl LayeredWindows {
    pub(super) fn open(directory: &Path, width: Nanos) -> Result<Self, StoreError> {
        let folder = rollup::folder(directory, width);
        let rolled = folder.map(|folder| Windows::open(&folder));
        let rolled = match rolled {
            Some(Err(StoreError::Missing { .. })) | None => None,
            Some(opened) => Some(opened?),
        };
        Ok(Self { rolled, next: None, own: Windows::open(directory)?, fine_from: Nanos::MAX })
    }

    /// Lets what is in the files now be read; whether there may be names that were not known.
    pub(super) fn grow(&mut self) -> Result<bool, StoreError> {
        // First the rollup: what it is the sum of is in the run's own files.
        self.rolled.as_mut().map_or(Ok(false), Windows::grow)?;
        self.own.grow()
    }

    pub(super) fn next(&mut self, limits: Limits) -> Result<Option<Window>, StoreError> {
        loop {
            if self.next.is_none()
                && let Some(rolled) = &mut self.rolled
                && let Some((window, parts)) = rolled.next(limits)?
            {
                self.next = parts.map(|parts| (window, parts));
            }
            let Some((window, parts)) = self.next.take_if(|(window, _)| window.end() <= self.fine_from) else {
                return self.own(limits);
            };
            match turn(parts.windows.from.bytes, self.own.at()) {
                Turn::Rolled => {
                    self.own.skip(&parts)?;
                    return Ok(Some(window));
                }
                Turn::Known => {}
                Turn::Own => {
                    let own = self.own(limits);
                    if let Ok(None) = own {
                        // Of the run's own files less is left than the rollup was made of.
                        self.own.skip(&parts)?;
                        return Ok(Some(window));
                    }
                    self.next = Some((window, parts));
                    return own;
                }
            }
        }
    }

    fn own(&mut self, limits: Limits) -> Result<Option<Window>, StoreError> {
        Ok(self.own.next(limits)?.map(|(window, _)| window))
    }
}

/// Readings of a rollup and of the run.
pub(super) struct LayeredReadings {
    rolled: Option<Lines>,
    /// The next line of the rollup, and which lines of the run it is the sum of.
    next: Option<(Span, VecDeque<Reading>)>,
    /// What of such a line was not given out yet.
    given: VecDeque<Reading>,
    own: Option<Lines>,
    width: Nanos,
    /// From when on the rollup is not asked.
    pub(super) fine_from: Nanos,
}

impl LayeredReadings {
    pub(super) fn open(directory: &Path, width: Nanos) -> Result<Self, StoreError> {
        let folder = rollup::folder(directory, width);
        let rolled = folder.map_or(Ok(None), |folder| Lines::open_any(&folder.join(records::RESOURCES)))?;
        let own = Lines::open_any(&directory.join(records::RESOURCES))?;
        Ok(Self {
            rolled,
            next: None,
            given: VecDeque::new(),
            own,
            width: width.max(Nanos::from_secs(1)),
            fine_from: Nanos::MAX,
        })
    }

    pub(super) fn grow(&mut self) -> Result<(), StoreError> {
        for lines in [&mut self.rolled, &mut self.own].into_iter().flatten() {
            lines.grow()?;
        }
        Ok(())
    }

    pub(super) fn next(&mut self) -> Result<Option<Reading>, StoreError> {
        let Some(own) = &mut self.own else {
            return Ok(None);
        };
        loop {
            if let Some(reading) = self.given.pop_front() {
                return Ok(Some(reading));
            }
            if self.next.is_none()
                && let Some(lines) = &mut self.rolled
                && let Some((number, text)) = lines.next()?
            {
                let line = parse::<ReadingsLine>(text).and_then(|ReadingsLine { lines, readings }| {
                    let readings: Result<_, String> = readings.into_iter().map(TryFrom::try_from).collect();
                    Ok((lines, readings?))
                });
                self.next = Some(line.map_err(|text| StoreError::damaged(lines.path(), Some(number), text))?);
            }
            let turn = |(lines, _): &(Span, _)| turn(lines.from.bytes, Some(own.place().bytes));
            // A line is of a span as long as the width.
            let is_coarse = |(_, readings): &&(Span, VecDeque<Reading>)| {
                readings.iter().all(|reading| reading.resource.at + self.width <= self.fine_from)
            };
            match self.next.as_ref().filter(is_coarse).map_or(Turn::Own, turn) {
                Turn::Own => {
                    let resource = next_record::<ResourceLine, Resource>(own)?;
                    return Ok(resource.map(|resource| Reading::single(resource, self.width)));
                }
                Turn::Known => self.next = None,
                Turn::Rolled => {
                    if let Some((lines, readings)) = self.next.take() {
                        own.go_to(lines.to)?;
                        self.given = readings;
                    }
                }
            }
        }
    }
}
