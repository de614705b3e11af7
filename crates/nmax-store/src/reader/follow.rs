//! A run that is read while it is being written: what is new since the last time, and nothing twice.

use nmax_metrics::{Catalog, FailureExample, Resource, Window};

use super::{Lines, RunReader, Windows, next_record};
use crate::records::{Event, EventLine, FailureLine, ResourceLine};
use crate::{Manifest, StoreError, names};

/// Keeps its places in the files of a run. Each [`refresh`](Self::refresh) costs as much as what came since the one before; what
/// is given out is what [`RunReader`] reads of the same bytes.
pub struct Follower {
    pub(super) run: RunReader,
    pub(super) windows: Windows,
    pub(super) failures: Option<Lines>,
    pub(super) resources: Option<Lines>,
    pub(super) events: Option<Lines>,
}

impl Follower {
    /// Lets what is in the files now be read.
    pub fn refresh(&mut self) -> Result<(), StoreError> {
        for lines in [&mut self.failures, &mut self.resources, &mut self.events].into_iter().flatten() {
            lines.grow()?;
        }
        self.windows.latency.grow()?;
        if self.windows.lines.grow()? {
            // Names are written before their first use, so these cover every line up to the lengths seen above.
            self.run.catalog = names::read(&self.run.directory, &self.run.manifest)?;
        }
        Ok(())
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

    /// The next full window.
    pub fn window(&mut self) -> Result<Option<Window>, StoreError> {
        self.windows.next(names::limits(&self.run.catalog))
    }

    /// The next failed exchange.
    pub fn failure(&mut self) -> Result<Option<FailureExample>, StoreError> {
        self.failures.as_mut().map_or(Ok(None), next_record::<FailureLine, FailureExample>)
    }

    /// The next reading of a host.
    pub fn resource(&mut self) -> Result<Option<Resource>, StoreError> {
        self.resources.as_mut().map_or(Ok(None), next_record::<ResourceLine, Resource>)
    }

    /// The next event.
    pub fn event(&mut self) -> Result<Option<Event>, StoreError> {
        self.events.as_mut().map_or(Ok(None), next_record::<EventLine, Event>)
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

    const FILES: [&str; 5] = [line::FILE, hlog::FILE, records::FAILURES, records::RESOURCES, records::EVENTS];

    type All = (Vec<Window>, Vec<FailureExample>, Vec<Resource>, Vec<Event>);

    fn take(follower: &mut Follower, all: &mut All) {
        follower.refresh().unwrap();
        all.0.extend(std::iter::from_fn(|| follower.window().unwrap()));
        all.1.extend(std::iter::from_fn(|| follower.failure().unwrap()));
        all.2.extend(std::iter::from_fn(|| follower.resource().unwrap()));
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
