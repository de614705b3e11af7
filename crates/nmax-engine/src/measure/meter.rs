//! Records what one worker measures: into the window of each exchange's end, without locks or allocations.
//!
//! A window that has ended is handed to the collector and replaced by an emptied one. Nothing per exchange
//! crosses a thread.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender};

use nmax_http::Notes;
use nmax_metrics::aggregate::count_address;
use nmax_metrics::{Aggregate, FailureExample, Nanos, Outcome, RawSample, Sample, Section, Window};

use crate::iteration::LocationId;
use crate::measure::exchange_events::ExchangeEvents;
use crate::run::settings::KeepSamples;
use crate::runtime::ThreadTime;

use heartbeat::Heartbeat;
use retained::RetainedSamples;

mod heartbeat;
mod retained;

/// Failure examples per kind, of one worker.
const EXAMPLES_PER_KIND: u32 = 100;
/// Kinds of failure that get examples, of one worker.
const EXAMPLE_KINDS_MAX: usize = 100;
/// Bytes of text that the failure examples of one worker take together, in the whole run.
const EXAMPLES_BYTES_MAX: usize = 64 << 20;

/// What a worker tells the collector.
#[derive(Debug)]
pub enum Report {
    /// A window has ended.
    Window {
        /// Number of the worker.
        worker: u32,
        /// What ended in it.
        window: Box<Window>,
        /// Exchanges kept whole.
        raw: Vec<RawSample>,
        /// Every exchange, for a run that reports them.
        exchange_events: ExchangeEvents,
        /// Failed exchanges kept for study.
        failures: Vec<FailureExample>,
    },
    /// The worker is done; its last window came before.
    Ended {
        /// Number of the worker.
        worker: u32,
        /// When.
        at: Nanos,
        /// When an open workload's last iteration was started, or was to be.
        load_ended: Option<Nanos>,
        /// It broke, which is a defect: what came after is missing.
        broke: bool,
        /// Why it ended early, if it did.
        error: Option<String>,
        /// Backgrounds whose data ended, by number from 1, and when.
        background_ended: Vec<(u32, Nanos)>,
    },
}

/// How a worker ended.
#[derive(Clone, Debug, Default)]
pub struct WorkerEnd {
    /// When an open workload's last iteration was started, or was to be.
    pub load_ended: Option<Nanos>,
    /// It broke, which is a defect.
    pub broke: bool,
    /// Why it ended early, if it did.
    pub error: Option<String>,
    /// Backgrounds whose data ended, by number from 1, and when.
    pub background_ended: Vec<(u32, Nanos)>,
}

/// One worker's way to the collector and back.
#[derive(Debug)]
pub struct Link {
    /// Number of the worker.
    pub worker: u32,
    /// To the collector.
    pub reports: SyncSender<Report>,
    /// Emptied windows coming back.
    pub recycled: Receiver<Box<Window>>,
}

/// What a meter needs to know of the run.
#[derive(Clone, Copy, Debug)]
pub struct MeterSettings {
    /// Width of a window.
    pub width: Nanos,
    /// Statistics interval.
    pub hold: (Nanos, Nanos),
    /// Which exchanges are kept whole.
    pub keep: KeepSamples,
    /// Initial value of the draw.
    pub seed: u64,
}

/// Records what one worker measures.
#[derive(Debug)]
pub struct Meter {
    settings: MeterSettings,
    /// What lies between holds and is none, in order.
    gaps: Vec<Range<u64>>,
    link: Link,
    window: Box<Window>,
    retained: RetainedSamples,
    /// Every exchange of the window, for a run that reports them.
    exchange_events: Option<ExchangeEvents>,
    failures: Vec<FailureExample>,
    examples: HashMap<String, u32>,
    /// Bytes of text that examples may still take.
    examples_room: usize,
    in_flight: u64,
    in_flight_since: Nanos,
    /// The section of `in_flight_since`, and until when it is that.
    section_now: (Section, Nanos),
    /// When the window began.
    window_since: Nanos,
    /// The thread's time then.
    time_at_start: ThreadTime,
    heartbeat: Heartbeat,
}

impl Meter {
    /// A meter at the run's origin; `time` is how the thread has used the processor so far.
    pub fn new(settings: MeterSettings, link: Link, time: ThreadTime) -> Self {
        Self {
            retained: RetainedSamples::new(&settings, link.worker),
            window: Box::new(Window::new(0, settings.width)),
            exchange_events: None,
            failures: Vec::new(),
            examples: HashMap::new(),
            examples_room: EXAMPLES_BYTES_MAX,
            in_flight: 0,
            in_flight_since: Nanos::ZERO,
            section_now: (Section::Outside, Nanos::ZERO),
            window_since: Nanos::ZERO,
            time_at_start: time,
            heartbeat: Heartbeat::default(),
            settings,
            gaps: Vec::new(),
            link,
        }
    }

    /// The same meter, whose first window is that of this instant.
    #[must_use]
    pub fn starting_at(mut self, from: Nanos) -> Self {
        self.window.index = from.0 / self.settings.width.0;
        (self.in_flight_since, self.window_since) = (from, from);
        self
    }

    /// The same meter, for which these parts of the statistics interval, in order, are outside it.
    #[must_use]
    pub fn leaving_out(self, gaps: Vec<Range<u64>>) -> Self {
        Self { gaps, ..self }
    }

    /// The same meter, which reports every exchange.
    #[must_use]
    pub fn with_exchange_events(self) -> Self {
        Self { exchange_events: Some(ExchangeEvents::default()), ..self }
    }

    /// What it reports of the open window, if it does.
    pub(crate) fn exchange_events_mut(&mut self) -> Option<&mut ExchangeEvents> {
        self.exchange_events.as_mut()
    }

    /// The section that an intended instant belongs to.
    #[inline]
    pub fn section(&self, intended: Nanos) -> Section {
        let is_within = intended >= self.settings.hold.0 && intended < self.settings.hold.1;
        if is_within && !self.gaps.iter().any(|gap| gap.contains(&intended.0)) {
            Section::Hold
        } else {
            Section::Outside
        }
    }

    /// The open window's sums, if what ends now ends within the hold.
    pub fn hold_of(&mut self, done: Nanos) -> Option<&mut Aggregate> {
        (self.section(done) == Section::Hold).then_some(&mut self.window.aggregate)
    }

    /// Records one exchange.
    #[inline]
    pub fn record(&mut self, sample: &Sample, vu: u32, iteration: u64) {
        let (due, ended) = (self.section(sample.intended), self.section(sample.done));
        self.window.aggregate.record_between(due, ended, sample);
        self.retained.consider(sample, vu, iteration);
    }

    /// Records one exchange that the statistics exclude, whenever it was due.
    #[cold]
    pub fn record_aside(&mut self, sample: &Sample, vu: u32, iteration: u64) {
        self.window.aggregate.record(Section::Outside, sample);
        self.retained.consider(sample, vu, iteration);
    }

    /// Records one exchange of a user at a location, beside [`Meter::record`].
    pub fn record_at(&mut self, location: LocationId, sample: &Sample) {
        let section = self.section(sample.intended);
        let location = usize::from(location);
        let stats = self.window.aggregate.locations.get_mut(section, location);
        let time_ns = sample.done.since(sample.intended).0;
        stats.exchanges.record(sample.outcome == Outcome::Ok, time_ns);
        if let Some(hold) = self.hold_of(sample.done) {
            hold.locations.get_mut(Section::Hold, location).exchanges.ended_within += 1;
        }
    }

    /// The open window, for counts other than exchanges.
    pub fn window(&mut self) -> &mut Window {
        &mut self.window
    }

    /// Whether to keep a failed exchange for study: there are not enough of its kind, and there is room.
    pub fn wants_example(&mut self, kind: &str) -> bool {
        if self.examples_room == 0 {
            return false;
        }
        if let Some(count) = self.examples.get_mut(kind) {
            *count += 1;
            return *count <= EXAMPLES_PER_KIND;
        }
        if self.examples.len() < EXAMPLE_KINDS_MAX {
            self.examples.insert(kind.to_owned(), 1);
            return true;
        }
        false
    }

    /// Adds an example that [`Meter::wants_example`] asked for. The one that takes the last room says so.
    pub fn keep_example(&mut self, mut example: FailureExample) {
        let bytes = example.request.len() + example.reply.len() + example.text.len();
        self.examples_room = self.examples_room.saturating_sub(bytes);
        if self.examples_room == 0 {
            let worker = self.link.worker;
            let all = EXAMPLES_BYTES_MAX >> 20;
            example.text.push_str(&format!(" [worker {worker} has {all} MiB of examples and keeps no more]"));
        }
        self.failures.push(example);
    }

    /// Iterations in flight change by one.
    #[inline]
    pub fn in_flight(&mut self, now: Nanos, begins: bool) {
        self.integrate(now);
        self.in_flight = if begins { self.in_flight + 1 } else { self.in_flight.saturating_sub(1) };
        let load = self.window.aggregate.load_mut(Section::Hold);
        load.in_flight_max = load.in_flight_max.max(self.in_flight);
    }

    /// The load ends at `end`, now or later: what comes after is not of the hold.
    pub fn end_hold(&mut self, now: Nanos, end: Nanos) {
        self.integrate(now);
        let after = Nanos(end.0.saturating_add(1));
        self.settings.hold.1 = self.settings.hold.1.min(after);
        self.section_now.1 = now;
    }

    /// The statistics interval is this one from now on; of what was due before, the sections stay what they were.
    pub(crate) fn steer(&mut self, now: Nanos, hold: (Nanos, Nanos), gaps: Vec<Range<u64>>) {
        self.integrate(now);
        (self.settings.hold, self.gaps, self.section_now.1) = (hold, gaps, now);
    }

    /// Adds the area under the in-flight curve up to `now` to the sections of that time.
    #[inline]
    fn integrate(&mut self, now: Nanos) {
        while self.in_flight_since < now {
            if self.in_flight_since >= self.section_now.1 {
                self.section_now = (self.section(self.in_flight_since), self.next_border(self.in_flight_since));
            }
            let (section, border) = self.section_now;
            let to = border.min(now);
            let area_ns = u128::from(to.since(self.in_flight_since).0) * u128::from(self.in_flight);
            self.window.aggregate.load_mut(section).in_flight_ns += area_ns;
            self.in_flight_since = to;
        }
    }

    /// The next instant at which the section changes, or may.
    #[cold]
    fn next_border(&self, from: Nanos) -> Nanos {
        let next = |next: Nanos, border: Nanos| if border > from { next.min(border) } else { next };
        let (begin, end) = self.settings.hold;
        let gaps = self.gaps.iter().flat_map(|gap| [Nanos(gap.start), Nanos(gap.end)]);
        gaps.fold(next(next(Nanos::MAX, begin), end), next)
    }

    /// Whether a window ends at or before `now`.
    #[inline]
    pub fn is_due(&self, now: Nanos) -> bool {
        now >= self.window.end()
    }

    /// Adds what drivers noticed until `now` to the sections of the replies that it comes from.
    pub fn note(&mut self, now: Nanos, notes: &Notes) {
        for (spans, is_open) in [(&notes.held, false), (&notes.held_open, true)] {
            for span in spans {
                let section = self.section(now.since(*span));
                let load = self.window.aggregate.load_mut(section);
                load.held.record(span.0);
                load.held_open += u64::from(is_open);
            }
        }
        if !notes.passed_over.is_empty() {
            let section = self.section(now);
            let load = self.window.aggregate.load_mut(section);
            for (address, count) in &notes.passed_over {
                count_address(&mut load.passed_over, *address, *count);
            }
        }
    }

    /// Ends every window that lies before `now`. `time` is read only when one ends.
    #[inline]
    pub fn roll(&mut self, now: Nanos, time: impl Fn() -> ThreadTime) {
        while now >= self.window.end() {
            self.count_stall(now, self.window.end());
            self.end_window(self.window.end(), time());
        }
    }

    /// Ends the open window, as the last one, at `now`.
    pub fn finish(&mut self, now: Nanos, time: ThreadTime, end: WorkerEnd) {
        self.count_stall(now, now);
        self.end_window(now, time);
        let WorkerEnd { load_ended, broke, error, background_ended } = end;
        let worker = self.link.worker;
        let _ = self.link.reports.send(Report::Ended { worker, at: now, load_ended, broke, error, background_ended });
    }

    fn end_window(&mut self, at: Nanos, time: ThreadTime) {
        self.integrate(at);
        let section = self.section(self.window.start());
        let load = self.window.aggregate.load_mut(section);
        load.cpu = load.cpu + time.cpu.since(self.time_at_start.cpu);
        load.run_wait = load.run_wait + time.run_wait.since(self.time_at_start.run_wait);
        load.worker_time = load.worker_time + at.since(self.window_since);
        (self.window_since, self.time_at_start) = (at, time);
        let (raw, left_out) = self.retained.take();
        load.samples_left_out += left_out;
        let next = self.window.index + 1;
        let mut fresh =
            self.link.recycled.try_recv().unwrap_or_else(|_| Box::new(Window::new(next, self.settings.width)));
        fresh.index = next;
        let window = std::mem::replace(&mut self.window, fresh);
        let report = Report::Window {
            worker: self.link.worker,
            window,
            raw,
            exchange_events: self.exchange_events.as_mut().map(std::mem::take).unwrap_or_default(),
            failures: std::mem::take(&mut self.failures),
        };
        // The collector only goes away when the process ends.
        let _ = self.link.reports.send(report);
        let in_flight = self.in_flight;
        let load = self.window.aggregate.load_mut(Section::Hold);
        load.in_flight_max = load.in_flight_max.max(in_flight);
    }
}

#[cfg(test)]
mod tests;
