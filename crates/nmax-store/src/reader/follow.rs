//! A run that is read while it is being written: what is new since the last time, and nothing twice.

use nmax_metrics::{Catalog, FailureExample, Nanos, Reading, Window};

use super::layers::{LayeredReadings, LayeredWindows};
use super::{Lines, RunReader, next_record, open_failures};
use crate::records::{self, Event, EventLine, FailureLine};
use crate::{InjectorRecord, Manifest, StoreError, injectors, names};

/// Most places that are told of what cannot be read; what is damaged all over is told often enough.
const DAMAGE_MAX: usize = 20;

/// Keeps its places in the files of a run. Each [`refresh`](Self::refresh) costs as much as what came since the one before; what
/// is given out is what [`RunReader`] reads of the same bytes, or the sum of that.
///
/// What cannot be read is left out, and told by [`Self::damage`].
pub struct Follower {
    run: RunReader,
    windows: LayeredWindows,
    width: Nanos,
    /// Of each of several injectors.
    injectors: Vec<(InjectorRecord, LayeredWindows)>,
    failures: Option<Lines>,
    readings: LayeredReadings,
    events: Option<Lines>,
    damage: Damage,
}

/// What cannot be read.
#[derive(Debug, Default)]
struct Damage {
    /// Names are numbers.
    is_unnamed: bool,
    told: usize,
    found: Vec<StoreError>,
}

impl Damage {
    /// The next of what `next` gives that is not damaged.
    fn pass<T>(&mut self, mut next: impl FnMut() -> Result<Option<T>, StoreError>) -> Result<Option<T>, StoreError> {
        loop {
            match next() {
                Err(error @ StoreError::Damaged { .. }) => self.add(error),
                other => return other,
            }
        }
    }

    fn add(&mut self, error: StoreError) {
        self.told += 1;
        if self.told <= DAMAGE_MAX {
            self.found.push(error);
        }
    }
}

impl Follower {
    pub(super) fn open(mut run: RunReader, width: Nanos) -> Result<Self, StoreError> {
        let mut damage = Damage { is_unnamed: run.unnamed.is_some(), ..Damage::default() };
        run.unnamed.take().into_iter().for_each(|error| damage.add(error));
        let directory = &run.directory;
        let mut follower = Self {
            windows: LayeredWindows::open(directory, width)?,
            width,
            injectors: Vec::new(),
            failures: open_failures(directory)?,
            readings: LayeredReadings::open(directory, width)?,
            events: Lines::open_any(&directory.join(records::EVENTS))?,
            damage,
            run,
        };
        follower.grow_injectors()?;
        Ok(follower)
    }

    /// Lets what is in the files now be read; whether there are more windows.
    pub fn refresh(&mut self) -> Result<bool, StoreError> {
        for lines in [&mut self.failures, &mut self.events].into_iter().flatten() {
            lines.grow()?;
        }
        self.readings.grow()?;
        self.grow_injectors()?;
        let has_more = self.windows.grow()?;
        if has_more && !self.damage.is_unnamed {
            // Names are written before their first use, so these cover every line up to the lengths seen above.
            self.run.catalog = names::read(&self.run.directory, &self.run.manifest)?;
        }
        Ok(has_more)
    }

    /// Those that came since the last look too.
    fn grow_injectors(&mut self) -> Result<(), StoreError> {
        let records = match self.run.injectors() {
            // What is known of them stays.
            Err(error @ StoreError::Damaged { .. }) => {
                self.damage.add(error);
                return Ok(());
            }
            records => records?,
        };
        for (number, record) in records.into_iter().enumerate() {
            if let Some((known, windows)) = self.injectors.get_mut(number) {
                windows.grow()?;
                *known = record;
            } else {
                let windows = LayeredWindows::open(&injectors::folder(&self.run.directory, number), self.width)?;
                self.injectors.push((record, windows));
            }
        }
        Ok(())
    }

    /// The injectors of a run on several, in their order; none of a run on one.
    pub fn injectors(&self) -> impl ExactSizeIterator<Item = &InjectorRecord> {
        self.injectors.iter().map(|(record, _)| record)
    }

    /// The next full window of one of several injectors.
    pub fn part(&mut self, injector: usize) -> Result<Option<Window>, StoreError> {
        let limits = names::limits(&self.run.catalog);
        self.damage.pass(|| self.injectors[injector].1.next(limits))
    }

    /// Reads again what was run: the load of the run was changed.
    pub fn reload(&mut self) -> Result<&Manifest, StoreError> {
        self.run.manifest = Manifest::read(&self.run.directory)?;
        Ok(&self.run.manifest)
    }

    /// What was run.
    pub fn manifest(&self) -> &Manifest {
        self.run.manifest()
    }

    /// The names behind the ids of windows, as of the last look.
    pub fn catalog(&self) -> &Catalog {
        self.run.catalog()
    }

    /// Whether some process still writes the run.
    pub fn is_running(&self) -> bool {
        self.run.is_running()
    }

    /// End of the last window that is written; `None` without any.
    pub fn last_end(&self) -> Result<Option<Nanos>, StoreError> {
        self.run.last_end()
    }

    /// From when on windows are those of the run, and not of its rollup.
    pub fn fine_from(&mut self, instant: Nanos) {
        self.windows.fine_from = instant;
    }

    /// From when on windows and readings are those of the run, and not of its rollup: what lies before is only passed over.
    pub fn pass_to(&mut self, instant: Nanos) {
        self.fine_from(instant);
        self.injectors.iter_mut().for_each(|(_, windows)| windows.fine_from = instant);
        self.readings.fine_from = instant;
    }

    /// The next full window.
    pub fn window(&mut self) -> Result<Option<Window>, StoreError> {
        let limits = names::limits(&self.run.catalog);
        self.damage.pass(|| self.windows.next(limits))
    }

    /// The next failed exchange.
    pub fn failure(&mut self) -> Result<Option<FailureExample>, StoreError> {
        let next = || self.failures.as_mut().map_or(Ok(None), next_record::<FailureLine, FailureExample>);
        self.damage.pass(next)
    }

    /// The next reading of a host, or several of them.
    pub fn reading(&mut self) -> Result<Option<Reading>, StoreError> {
        self.damage.pass(|| self.readings.next())
    }

    /// The next event.
    pub fn event(&mut self) -> Result<Option<Event>, StoreError> {
        self.damage.pass(|| self.events.as_mut().map_or(Ok(None), next_record::<EventLine, Event>))
    }

    /// What could not be read since this was asked for the last time, with file and line.
    ///
    /// - `ended`: nothing more is written, so what is missing now will never come
    pub fn damage(&mut self, ended: bool) -> Vec<StoreError> {
        let all = self.injectors.iter_mut().map(|(_, windows)| windows).chain([&mut self.windows]);
        let missing: Vec<_> = all.filter(|_| ended).filter_map(|windows| windows.own.unfinished()).collect();
        missing.into_iter().for_each(|missing| self.damage.add(missing));
        std::mem::take(&mut self.damage.found)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;
    use crate::testing::{Scratch, catalog, failure, manifest, resource, windows};
    use crate::{RunWriter, hlog, line, records};
    use nmax_metrics::Resource;

    const FILES: [&str; 5] = [line::FILE, hlog::FILE, records::FAILURES, records::RESOURCES, records::EVENTS];

    type All = (Vec<Window>, Vec<FailureExample>, Vec<Resource>, Vec<Event>);

    fn take(follower: &mut Follower, all: &mut All) {
        follower.refresh().unwrap();
        all.0.extend(std::iter::from_fn(|| follower.window().unwrap()));
        all.1.extend(std::iter::from_fn(|| follower.failure().unwrap()));
        all.2.extend(std::iter::from_fn(|| follower.reading().unwrap()).map(|reading| reading.resource));
        all.3.extend(std::iter::from_fn(|| follower.event().unwrap()));
    }

    /// A run of some windows with records between them; its directory.
    fn written(root: &std::path::Path) -> std::path::PathBuf {
        let mut writer = RunWriter::create(root, &manifest("ab12", "2026-01-31T12:00:05Z")).unwrap();
        for (place, window) in windows(4).iter().enumerate() {
            writer.window(window, &catalog(4)).unwrap();
            writer.failure(&failure(&format!("kind {place}"))).unwrap();
            writer.resource(&Resource { value: place as f64, ..resource() }).unwrap();
            writer.event(window.end(), "CODE", &format!("line {place}")).unwrap();
        }
        writer.path().to_owned()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Law: followed in any pieces, cut anywhere, also within a line and in another order than written, a run says what
        /// it says as a whole.
        #[test]
        fn pieces_are_the_whole(cuts in prop::collection::vec((0..FILES.len(), 0.0..1.0_f64), 0..40)) {
            let scratch = Scratch::new();
            let directory = written(scratch.path());
            let whole = FILES.map(|file| fs::read(directory.join(file)).unwrap());
            let mut want = All::default();
            take(&mut RunReader::open(&directory).unwrap().follow().unwrap(), &mut want);
            let read: Vec<Window> = RunReader::open(&directory).unwrap().windows().unwrap().map(Result::unwrap).collect();
            prop_assert_eq!(&want.0, &read);
            prop_assert_eq!((want.1.len(), want.2.len(), want.3.len()), (4, 4, 4));

            FILES.iter().for_each(|file| fs::write(directory.join(file), "").unwrap());
            let mut follower = RunReader::open(&directory).unwrap().follow().unwrap();
            let (mut written, mut found) = ([0; FILES.len()], All::default());
            let rest = (0..FILES.len()).map(|file| (file, 1.0));
            for (file, share) in cuts.into_iter().chain(rest) {
                let end = (whole[file].len() as f64 * share) as usize;
                let begin = written[file];
                written[file] = end.max(begin);
                let mut open = fs::OpenOptions::new().append(true).open(directory.join(FILES[file])).unwrap();
                open.write_all(&whole[file][begin..written[file]]).unwrap();
                take(&mut follower, &mut found);
            }
            prop_assert_eq!(found, want);
        }
    }
}
