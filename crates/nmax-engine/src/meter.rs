//! Records what one worker measures: into the window of each exchange's end, without locks or allocations.
//!
//! A window that has ended is handed to the collector and replaced by an emptied one. Nothing per exchange
//! crosses a thread.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, SyncSender};

use nmax_http::Notes;
use nmax_metrics::{FailureExample, Nanos, Outcome, RawSample, Sample, Section, Why, Window};
use nmax_plan::choice::Choice;

use crate::settings::KeepSamples;

/// Failure examples per kind, of one worker.
pub const EXAMPLES_PER_KIND: u32 = 100;
/// Kinds of failure that get examples, of one worker.
const EXAMPLE_KINDS_MAX: usize = 100;
/// Bytes of text that the failure examples of one worker take together, in the whole run.
const EXAMPLES_BYTES_MAX: usize = 64 << 20;
/// Exchanges kept per window and worker: drawn uniformly, slowest, and not ok.
const KEPT_RANDOM: usize = 100;
const KEPT_SLOW: usize = 20;
const KEPT_ERRORS: usize = 100;
/// Exchanges kept per window and worker when all are wanted.
const KEPT_ALL_MAX: usize = 1_000_000;

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
    link: Link,
    window: Box<Window>,
    kept: Kept,
    failures: Vec<FailureExample>,
    examples: HashMap<String, u32>,
    /// Bytes of text that examples may still take.
    examples_room: usize,
    in_flight: u64,
    in_flight_since: Nanos,
    cpu_at_start: Nanos,
}

impl Meter {
    /// A meter at the run's origin; `cpu` is the thread's CPU time so far.
    pub fn new(settings: MeterSettings, link: Link, cpu: Nanos) -> Self {
        Self {
            kept: Kept::new(&settings, link.worker),
            window: Box::new(Window::new(0, settings.width)),
            failures: Vec::new(),
            examples: HashMap::new(),
            examples_room: EXAMPLES_BYTES_MAX,
            in_flight: 0,
            in_flight_since: Nanos::ZERO,
            cpu_at_start: cpu,
            settings,
            link,
        }
    }

    /// The section that an intended instant belongs to.
    #[inline]
    pub fn section(&self, intended: Nanos) -> Section {
        if intended >= self.settings.hold.0 && intended < self.settings.hold.1 {
            Section::Hold
        } else {
            Section::Outside
        }
    }

    /// Records one exchange.
    #[inline]
    pub fn record(&mut self, sample: &Sample, vu: u32, iteration: u64) {
        self.window.aggregate.record(self.section(sample.intended), sample);
        self.kept.consider(sample, vu, iteration);
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
            example.text.push_str(&format!(
                " [worker {worker} has {all} MiB of examples and keeps no more]"
            ));
        }
        self.failures.push(example);
    }

    /// Iterations in flight change by one.
    #[inline]
    pub fn in_flight(&mut self, now: Nanos, begins: bool) {
        self.integrate(now);
        self.in_flight = if begins {
            self.in_flight + 1
        } else {
            self.in_flight.saturating_sub(1)
        };
        let load = self.window.aggregate.load_mut(Section::Hold);
        load.in_flight_max = load.in_flight_max.max(self.in_flight);
    }

    /// Iterations in flight now.
    pub fn in_flight_now(&self) -> u64 {
        self.in_flight
    }

    /// The load ends at `end`, now or later: what comes after is not of the hold.
    pub fn end_hold(&mut self, now: Nanos, end: Nanos) {
        self.integrate(now);
        let after = Nanos(end.0.saturating_add(1));
        self.settings.hold.1 = self.settings.hold.1.min(after);
    }

    /// Adds the area under the in-flight curve up to `now` to the sections of that time.
    fn integrate(&mut self, now: Nanos) {
        let (begin, end) = self.settings.hold;
        for border in [begin, end, now] {
            let to = border.min(now);
            let span = to.since(self.in_flight_since);
            if span > Nanos::ZERO {
                let section = self.section(self.in_flight_since);
                let area_ns = u128::from(span.0) * u128::from(self.in_flight);
                self.window.aggregate.load_mut(section).in_flight_ns += area_ns;
                self.in_flight_since = to;
            }
        }
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
    }

    /// Ends every window that lies before `now`. `cpu` is read only when one ends.
    #[inline]
    pub fn roll(&mut self, now: Nanos, cpu: impl Fn() -> Nanos) {
        while now >= self.window.end() {
            self.end_window(self.window.end(), cpu());
        }
    }

    /// Ends the open window, as the last one, at `now`.
    pub fn finish(&mut self, now: Nanos, cpu: Nanos, end: WorkerEnd) {
        self.end_window(now, cpu);
        let WorkerEnd {
            load_ended,
            broke,
            error,
        } = end;
        let worker = self.link.worker;
        let _ = self.link.reports.send(Report::Ended {
            worker,
            at: now,
            load_ended,
            broke,
            error,
        });
    }

    fn end_window(&mut self, at: Nanos, cpu: Nanos) {
        self.integrate(at);
        let section = self.section(self.window.start());
        let load = self.window.aggregate.load_mut(section);
        load.cpu = load.cpu + cpu.since(self.cpu_at_start);
        load.worker_time = load.worker_time + at.since(Nanos(self.window.index * self.settings.width.0));
        self.cpu_at_start = cpu;
        let next = self.window.index + 1;
        let mut fresh = self
            .link
            .recycled
            .try_recv()
            .unwrap_or_else(|_| Box::new(Window::new(next, self.settings.width)));
        fresh.index = next;
        let window = std::mem::replace(&mut self.window, fresh);
        let report = Report::Window {
            worker: self.link.worker,
            window,
            raw: self.kept.take(),
            failures: std::mem::take(&mut self.failures),
        };
        // The collector only goes away when the process ends.
        let _ = self.link.reports.send(report);
        let in_flight = self.in_flight;
        let load = self.window.aggregate.load_mut(Section::Hold);
        load.in_flight_max = load.in_flight_max.max(in_flight);
    }
}

/// Exchanges of the open window that are kept whole, in bounded memory.
#[derive(Debug)]
struct Kept {
    mode: KeepSamples,
    worker: u32,
    all: Vec<RawSample>,
    errors: Vec<RawSample>,
    slow: Vec<RawSample>,
    random: Reservoir,
}

impl Kept {
    fn new(settings: &MeterSettings, worker: u32) -> Self {
        let room = |most| if settings.keep == KeepSamples::Some { most } else { 0 };
        Self {
            mode: settings.keep,
            worker,
            all: Vec::new(),
            errors: Vec::with_capacity(room(KEPT_ERRORS)),
            slow: Vec::with_capacity(room(KEPT_SLOW)),
            random: Reservoir::new(settings.seed, worker, room(KEPT_RANDOM)),
        }
    }

    #[inline]
    fn consider(&mut self, sample: &Sample, vu: u32, iteration: u64) {
        let worker = self.worker;
        let raw = |why| RawSample {
            sample: *sample,
            worker,
            vu,
            iteration,
            why,
        };
        match self.mode {
            KeepSamples::None => {}
            KeepSamples::All => {
                if self.all.len() < KEPT_ALL_MAX {
                    self.all.push(raw(Why::All));
                }
            }
            KeepSamples::Some => {
                if sample.outcome != Outcome::Ok && self.errors.len() < KEPT_ERRORS {
                    self.errors.push(raw(Why::Error));
                }
                if self.random.wants() {
                    self.random.put(raw(Why::Random));
                }
                if self.slow.len() < KEPT_SLOW || sample.response_time() > self.slow[0].sample.response_time() {
                    self.keep_slow(raw(Why::Slow));
                }
            }
        }
    }

    /// Keeps the slowest in ascending order; the first is the one to beat.
    fn keep_slow(&mut self, candidate: RawSample) {
        if self.slow.len() == KEPT_SLOW {
            self.slow.remove(0);
        }
        let time = candidate.sample.response_time();
        let place = self.slow.partition_point(|kept| kept.sample.response_time() < time);
        self.slow.insert(place, candidate);
    }

    /// What was kept, each exchange once, in order of its end.
    fn take(&mut self) -> Vec<RawSample> {
        let mut kept = std::mem::take(&mut self.all);
        for list in [&mut self.errors, &mut self.slow, self.random.restart()] {
            kept.append(list);
        }
        let key = |raw: &RawSample| (raw.sample.done, raw.vu, raw.iteration, raw.sample.intended);
        kept.sort_by_key(key);
        kept.dedup_by(|b, a| key(a) == key(b) && a.sample.name == b.sample.name);
        kept
    }
}

/// A uniform draw of `size` out of a stream of unknown length, with few random numbers.
///
/// After the first `size`, the number of items passed over before the next replacement is drawn at once.
/// Source: K.-H. Li, *Reservoir-sampling algorithms of time complexity O(n(1+log(N/n)))*, TOMS 20 (1994), algorithm L.
#[derive(Debug)]
struct Reservoir {
    items: Vec<RawSample>,
    size: usize,
    seed: (u64, u64),
    /// Random numbers drawn in the run.
    draws: u64,
    /// Items seen in this window.
    seen: u64,
    /// The item that is kept next, once there are `size`.
    next: u64,
    /// Largest of `size` uniform keys, as the algorithm sees it.
    weight: f64,
}

impl Reservoir {
    fn new(seed: u64, worker: u32, size: usize) -> Self {
        let items = Vec::with_capacity(size);
        Self {
            items,
            size,
            seed: (seed, u64::from(worker)),
            draws: 0,
            seen: 0,
            next: 0,
            weight: 1.0,
        }
    }

    /// Counts an item; whether it is kept.
    #[inline]
    fn wants(&mut self) -> bool {
        self.seen += 1;
        self.items.len() < self.size || self.seen == self.next
    }

    fn put(&mut self, item: RawSample) {
        if self.items.len() < self.size {
            self.items.push(item);
            if self.items.len() < self.size {
                return;
            }
        } else {
            let place = (self.unit() * self.size as f64) as usize;
            self.items[place.min(self.size - 1)] = item;
        }
        self.weight *= (self.unit().ln() / self.size as f64).exp();
        let skipped = (self.unit().ln() / (1.0 - self.weight).ln()).floor();
        self.next = self.seen.saturating_add(skipped as u64).saturating_add(1);
    }

    /// Uniform in (0, 1].
    fn unit(&mut self) -> f64 {
        self.draws += 1;
        1.0 - Choice::new(self.seed.0, self.seed.1, self.draws, 0).unit(0)
    }

    /// Begins a new window; the items of the old one are the caller's to take.
    fn restart(&mut self) -> &mut Vec<RawSample> {
        (self.seen, self.next, self.weight) = (0, 0, 1.0);
        &mut self.items
    }
}

#[cfg(test)]
mod tests {
    use nmax_metrics::{NameId, Network};

    use super::*;

    fn item(number: u64) -> RawSample {
        let sample = Sample {
            name: NameId(0),
            scenario: 0,
            outcome: Outcome::Ok,
            status: Some(200),
            intended: Nanos(number),
            sent: Some(Nanos(number)),
            first_byte: None,
            done: Nanos(number),
            network: Network::default(),
            send: Nanos::ZERO,
            slot_wait: Nanos::ZERO,
            bytes_received: 0,
            bytes_sent: 0,
            bytes_decoded: 0,
        };
        RawSample {
            sample,
            worker: 0,
            vu: 0,
            iteration: number,
            why: Why::Random,
        }
    }

    fn meter() -> (Meter, Receiver<Report>) {
        let (reports_in, reports) = std::sync::mpsc::sync_channel(8);
        let (_, recycled) = std::sync::mpsc::sync_channel(1);
        let settings = MeterSettings {
            width: Nanos::from_secs(1),
            hold: (Nanos::from_secs(2), Nanos::from_secs(5)),
            keep: KeepSamples::None,
            seed: 1,
        };
        let link = Link {
            worker: 3,
            reports: reports_in,
            recycled,
        };
        (Meter::new(settings, link, Nanos::ZERO), reports)
    }

    /// A socket that is held counts where its reply did, also when that is only known after the hold.
    #[test]
    fn held_sockets_belong_to_the_section_of_their_reply() {
        let (mut meter, _reports) = meter();
        let s = Nanos::from_secs;
        let notes = Notes {
            held: vec![s(1), s(5)],
            held_open: vec![s(2)],
        };
        meter.note(s(6), &notes);
        let of = |meter: &mut Meter, section| {
            let load = meter.window().aggregate.load(section);
            (load.held.count(), load.held_open)
        };
        assert_eq!(of(&mut meter, Section::Hold), (1, 1), "the one of 4 s, which is open");
        assert_eq!(of(&mut meter, Section::Outside), (2, 0), "those of 5 s and 1 s");
    }

    /// However many and large failures are, their examples stay within the room of a worker, and the last one says so.
    #[test]
    fn examples_are_bounded_together_and_say_so() {
        let (mut meter, _reports) = meter();
        let example = |kind: &str| FailureExample {
            at: Nanos::ZERO,
            name: "n".into(),
            scenario: "s".into(),
            outcome: Outcome::Failed,
            kind: kind.into(),
            status: Some(500),
            text: "t".into(),
            request: "q".repeat(64 << 10),
            reply: "r".repeat(64 << 10),
            response_time: Nanos::ZERO,
        };
        let (mut kept, mut last) = (0, String::new());
        for kind in 0..20 {
            for _ in 0..2 * EXAMPLES_PER_KIND {
                let kind = format!("status {kind}");
                if meter.wants_example(&kind) {
                    meter.keep_example(example(&kind));
                    let added = meter.failures.pop().unwrap();
                    kept += added.request.len() + added.reply.len();
                    last = added.text;
                }
            }
        }
        assert!(kept <= EXAMPLES_BYTES_MAX + (128 << 10), "{kept}");
        assert!(kept > EXAMPLES_BYTES_MAX / 2, "{kept}");
        assert!(last.contains("64 MiB") && last.contains("worker 3"), "{last}");
    }

    /// Each of 1,000 items is kept with probability 0.1: over 2,000 windows each tenth of the stream gets a tenth.
    #[test]
    fn the_reservoir_is_uniform_over_its_window() {
        let mut reservoir = Reservoir::new(7, 0, 100);
        let mut tenths = [0_u32; 10];
        for _ in 0..2_000 {
            for number in 0..1_000 {
                if reservoir.wants() {
                    reservoir.put(item(number));
                }
            }
            let kept = reservoir.restart();
            assert_eq!(kept.len(), 100);
            kept.drain(..)
                .for_each(|raw| tenths[(raw.iteration / 100) as usize] += 1);
        }
        // 20,000 expected in each, standard deviation about 134.
        assert!(tenths.iter().all(|count| count.abs_diff(20_000) < 700), "{tenths:?}");
    }
}
