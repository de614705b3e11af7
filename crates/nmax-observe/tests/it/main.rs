//! Sources against the real servers that they read.
//!
//! A server that is not installed fails its tests by name; `scripts/install-test-deps.sh` installs all of them.
//!
//! # Layout
//! - [`server`]: a server in a folder, on a free port ([`ports`]), ended with the test
//! - [`certificates`]: what servers show over TLS
//! - tests: [`nginx`], [`redis`], [`memcached`], [`postgres`]; [`encrypted`]: the databases over TLS

// Servers take a moment to come up, and tests wait for them.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod certificates;
mod encrypted;
mod memcached;
mod nginx;
#[path = "../../../nmax/tests/it/ports.rs"]
mod ports;
mod postgres;
mod redis;
mod server;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use nmax_metrics::Nanos;
use nmax_observe::log::Tap;
use nmax_observe::{Reading, Source, Trouble, open_all};
use nmax_plan::plan::{Observed, ObservedSource};

/// A source of a plan, called `it`, with a clock on which a second passes from one reading to the next.
struct Read {
    source: Box<dyn Source>,
    seconds: u64,
}

impl Read {
    fn every_second(source: ObservedSource) -> Self {
        Self::every(Duration::from_secs(1), source)
    }

    /// A source that believes to be read so often; one that looks several times within a reading takes less time then.
    fn every(every: Duration, source: ObservedSource) -> Self {
        let spec = ObservedSource { host: "db1".into(), name: "it".into(), every, ..source };
        let mut watched = open_all(&[Observed::Source(spec)], None, &Tap::open(None));
        let own = watched.pop().expect("the host comes first, then the plan's sources");
        Self { source: own.source, seconds: 0 }
    }

    /// The next reading. A machine with much else to do may make the server late; then it is asked again, in the same second.
    fn read(&mut self) -> Result<Figures, Trouble> {
        self.seconds += 1;
        let at = Nanos::from_secs(self.seconds);
        let is_late =
            |read: &Result<_, Trouble>| matches!(read, Err(trouble) if trouble.text.contains("did not answer"));
        let mut reads = std::iter::repeat_with(|| self.source.read(at));
        let read = reads.by_ref().take(10).find(|read| !is_late(read));
        let readings = read.unwrap_or_else(|| self.source.read(at))?;
        assert!(readings.iter().all(|reading| reading.value.is_finite()), "{readings:#?}");
        Ok(Figures(readings))
    }

    /// Reads until something fits: what others do to a server shows when it gets to it.
    #[track_caller]
    fn until(&mut self, fits: impl Fn(&Figures) -> bool) -> Figures {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let figures = self.figures();
            if fits(&figures) {
                return figures;
            }
            assert!(Instant::now() < end, "not seen; the last reading was {:#?}", figures.0);
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[track_caller]
    fn figures(&mut self) -> Figures {
        self.read().unwrap_or_else(|trouble| panic!("{trouble}"))
    }

    #[track_caller]
    fn trouble(&mut self) -> Trouble {
        self.read().map(|figures| figures.0).expect_err("it cannot be read")
    }

    /// Its server has ended, and may come back.
    #[track_caller]
    fn is_away(&mut self) {
        let trouble = self.trouble();
        assert!(!trouble.is_final && trouble.text.contains("connection refused"), "{trouble}");
    }
}

/// What one reading gave.
struct Figures(Vec<Reading>);

impl Figures {
    #[track_caller]
    fn get(&self, source: &str, metric: &str) -> f64 {
        let mut all = self.0.iter();
        let found = all.find(|reading| (&*reading.source, &*reading.metric) == (source, metric));
        found.unwrap_or_else(|| panic!("no {source} {metric} in {:#?}", self.0)).value
    }
}

/// Sends lines and takes one line back for each.
fn chat(port: u16, lines: impl IntoIterator<Item = String>) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let mut replies = BufReader::new(stream.try_clone().unwrap()).lines();
    for line in lines {
        stream.write_all(line.as_bytes()).unwrap();
        replies.next().unwrap().unwrap();
    }
}
