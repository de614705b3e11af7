//! A network of queues, event by event, and instruments that look at it as real ones do: counters of busy and queued time
//! that are read once a second, gauges that are sampled, stalls, ticks and background work. None of them uses Little's law.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use nmax_metrics::{Code, Nanos, Network, Outcome, Resource, Sample, Section};

use crate::tests::fixture::{HOME, Run};
use crate::tests::simulate::{Random, point};

/// Host of the system in readings.
pub(super) const HOST: &str = "app1";

/// What a request does next.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Is served at a station for a time of this mean, s.
    At(usize, f64),
    /// Is served by the disk because memory is short.
    Swap(f64),
    /// Waits for one of what is lent.
    Take(usize),
    /// Gives it back.
    Give(usize),
    /// Is somewhere that nothing shows, for a time of this mean, s.
    Elsewhere(f64),
    /// Its first byte arrives.
    FirstByte,
}

/// Stations, by number.
pub(super) const CPU: usize = 0;
pub(super) const DISK: usize = 1;
pub(super) const LINK: usize = 2;
pub(super) const DEPENDENCY: usize = 3;
pub(super) const POOL: usize = 4;
pub(super) const LOCK: usize = 5;
pub(super) const TABLE: usize = 6;
const STATIONS: usize = 7;

/// A system and its load.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// Servers or slots of each station.
    pub(super) servers: [usize; STATIONS],
    /// What each request does.
    pub(super) steps: Vec<Step>,
    /// What some requests do in place of that: share and steps, from this second on.
    pub(super) others: Option<(f64, f64, Vec<Step>)>,
    /// Arrivals per second at each second.
    pub(super) rate_per_s: fn(f64) -> f64,
    /// Length, s.
    pub(super) length_s: usize,
    /// Bytes of a reply.
    pub(super) bytes: u64,
    /// Processors that something else keeps busy.
    pub(super) background: f64,
    /// Collections that stop the application: mean time from the end of one to the next, and their length, s.
    pub(super) pauses: Option<(f64, f64)>,
}

/// Where requests queue.
#[derive(Clone, Debug, Default)]
struct Station {
    servers: usize,
    busy: usize,
    queue: VecDeque<(usize, f64)>,
    /// Of those in it, how many are there because memory is short.
    swapping: usize,
    touched_s: f64,
    /// Whoever is in it neither runs nor waits: the application stands still.
    is_frozen: bool,
    /// Integrals over time: of busy servers, of all in it, of "somebody waits", of "somebody is in it", of "somebody
    /// swaps".
    areas: [f64; 5],
}

impl Station {
    fn touch(&mut self, now_s: f64) {
        let past_s = now_s - self.touched_s;
        let is = |yes: bool| f64::from(u8::from(yes));
        let all = self.busy + self.queue.len();
        let values = [self.busy as f64, all as f64, is(!self.queue.is_empty()), is(all > 0), is(self.swapping > 0)];
        for (area, value) in self.areas.iter_mut().zip(values) {
            *area += if self.is_frozen { 0.0 } else { value * past_s };
        }
        self.touched_s = now_s;
    }
}

#[derive(Clone, Debug)]
struct Job {
    steps: Vec<Step>,
    place: usize,
    began_s: f64,
    first_byte_s: Option<f64>,
}

/// An instant that can be ordered, with a number so that equal ones stay in order.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Due(f64, u64);

impl Eq for Due {}
impl Ord for Due {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}
impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Arrive,
    /// A job is done with its step.
    Done(usize),
    /// A collection begins, and ends.
    Stop,
    Resume,
    Read,
}

struct Simulation<'a> {
    model: &'a Model,
    random: Random,
    now_s: f64,
    events: BinaryHeap<Reverse<(Due, Event)>>,
    number: u64,
    stations: Vec<Station>,
    jobs: Vec<Job>,
    last: Vec<[f64; 5]>,
    last_s: f64,
    done: Vec<(f64, f64, f64)>,
    readings: Vec<Resource>,
    calls: f64,
    swaps: f64,
    collector: Collector,
}

/// What stops the application now and then.
#[derive(Clone, Copy, Debug, Default)]
struct Collector {
    /// The application stands still until then, s.
    until_s: f64,
    /// How long it stood still since the last reading, s.
    stood_s: f64,
    /// What the application says of it, at the end of each collection: time, s, and number since the last reading.
    told_s: f64,
    told: f64,
}

/// A run of a model, as evidence has it: readings without those of `hidden` sources, and the client's own measurements.
pub(super) fn run(model: &Model, seed: u64, hidden: &[&str]) -> Run {
    let mut simulation = Simulation {
        model,
        random: Random::new(seed),
        now_s: 0.0,
        events: BinaryHeap::new(),
        number: 0,
        stations: model.servers.iter().map(|servers| Station { servers: *servers, ..Station::default() }).collect(),
        jobs: Vec::new(),
        last: vec![[0.0; 5]; STATIONS],
        last_s: 0.0,
        done: Vec::new(),
        readings: Vec::new(),
        calls: 0.0,
        swaps: 0.0,
        collector: Collector::default(),
    };
    simulation.go();
    simulation.into_run(hidden)
}

impl Simulation<'_> {
    fn at(&mut self, at_s: f64, event: Event) {
        self.number += 1;
        self.events.push(Reverse((Due(at_s, self.number), event)));
    }

    fn go(&mut self) {
        let end_s = self.model.length_s as f64;
        self.at(0.0, Event::Arrive);
        self.at(1.0, Event::Read);
        self.collect_later();
        while let Some(Reverse((Due(now_s, _), event))) = self.events.pop() {
            self.now_s = now_s;
            match event {
                Event::Arrive if now_s < end_s => {
                    let gap_s = self.random.exponential() / (self.model.rate_per_s)(now_s).max(1e-9);
                    self.at(now_s + gap_s, Event::Arrive);
                    self.arrive();
                }
                Event::Arrive => {}
                Event::Done(job) => self.leave(job),
                Event::Stop if now_s < end_s => self.stop(),
                Event::Stop => {}
                Event::Resume => self.resume(),
                Event::Read => {
                    self.read();
                    if now_s < end_s {
                        // A reader is never quite on time.
                        let late_s = 0.01 * self.random.uniform();
                        self.at(now_s.floor() + 1.0 + late_s, Event::Read);
                    }
                }
            }
        }
    }

    fn arrive(&mut self) {
        let mut steps = &self.model.steps;
        if let Some((share, from_s, other)) = &self.model.others
            && self.now_s >= *from_s
            && self.random.uniform() < *share
        {
            steps = other;
        }
        self.jobs.push(Job { steps: steps.clone(), place: 0, began_s: self.now_s, first_byte_s: None });
        self.go_on(self.jobs.len() - 1);
    }

    fn collect_later(&mut self) {
        if let Some((gap_s, _)) = self.model.pauses {
            let begin_s = self.now_s + gap_s * self.random.exponential();
            self.at(begin_s, Event::Stop);
        }
    }

    /// The application stands still: what it does itself ends later by as much. Disks, links and other systems go on.
    fn stop(&mut self) {
        let length_s = self.model.pauses.map_or(0.0, |(_, length_s)| length_s);
        self.collector.until_s = self.now_s + length_s;
        self.stations[CPU].touch(self.now_s);
        self.stations[CPU].is_frozen = true;
        let jobs = &self.jobs;
        let is_own = |job: usize| {
            let step = jobs[job].steps.get(jobs[job].place);
            matches!(step, Some(Step::At(CPU, _) | Step::Elsewhere(_)))
        };
        let later = |Reverse((Due(at_s, number), event)): Reverse<(Due, Event)>| match event {
            Event::Done(job) if is_own(job) => Reverse((Due(at_s + length_s, number), event)),
            _ => Reverse((Due(at_s, number), event)),
        };
        self.events = std::mem::take(&mut self.events).into_iter().map(later).collect();
        self.at(self.collector.until_s, Event::Resume);
    }

    fn resume(&mut self) {
        let length_s = self.model.pauses.map_or(0.0, |(_, length_s)| length_s);
        self.stations[CPU].touch(self.now_s);
        self.stations[CPU].is_frozen = false;
        self.collector.stood_s += self.now_s - self.last_s.max(self.now_s - length_s);
        (self.collector.told_s, self.collector.told) = (self.collector.told_s + length_s, self.collector.told + 1.0);
        self.collect_later();
    }

    /// Goes on with a job, when the application does. What was written goes over the link without it.
    fn go_on(&mut self, job: usize) {
        let place = self.jobs[job].place;
        let is_written = matches!(self.jobs[job].steps.get(place), Some(Step::At(LINK, _) | Step::FirstByte) | None);
        if is_written || self.now_s >= self.collector.until_s {
            return self.step(job);
        }
        self.jobs[job].steps.insert(place, Step::Elsewhere(0.0));
        self.at(self.collector.until_s, Event::Done(job));
    }

    /// Begins the step of a job, and those after it that take no time.
    fn step(&mut self, job: usize) {
        loop {
            let Some(step) = self.jobs[job].steps.get(self.jobs[job].place).copied() else {
                let Job { began_s, first_byte_s, .. } = self.jobs[job];
                self.done.push((began_s, first_byte_s.unwrap_or(self.now_s), self.now_s));
                self.jobs[job].steps = Vec::new();
                return;
            };
            match step {
                Step::At(station, mean_s) => return self.enter(station, job, mean_s),
                Step::Swap(mean_s) => {
                    self.stations[DISK].touch(self.now_s);
                    self.stations[DISK].swapping += 1;
                    self.swaps += 1.0;
                    return self.enter(DISK, job, mean_s);
                }
                Step::Elsewhere(mean_s) => {
                    let time_s = mean_s * self.random.exponential();
                    return self.at(self.now_s + time_s, Event::Done(job));
                }
                Step::Take(station) => {
                    let lender = &mut self.stations[station];
                    lender.touch(self.now_s);
                    if lender.busy == lender.servers {
                        return lender.queue.push_back((job, 0.0));
                    }
                    lender.busy += 1;
                }
                Step::Give(station) => self.give(station),
                Step::FirstByte => self.jobs[job].first_byte_s = Some(self.now_s),
            }
            self.jobs[job].place += 1;
        }
    }

    fn enter(&mut self, station: usize, job: usize, mean_s: f64) {
        let time_s = mean_s * self.random.exponential();
        self.calls += f64::from(u8::from(station == DEPENDENCY));
        let now_s = self.now_s;
        let entered = &mut self.stations[station];
        entered.touch(now_s);
        if entered.busy == entered.servers {
            return entered.queue.push_back((job, time_s));
        }
        entered.busy += 1;
        self.at(now_s + time_s, Event::Done(job));
    }

    /// A job leaves the station of its step.
    fn leave(&mut self, job: usize) {
        let station = match self.jobs[job].steps[self.jobs[job].place] {
            Step::At(station, _) => Some(station),
            Step::Swap(_) => Some(DISK),
            _ => None,
        };
        if let Some(number) = station {
            let is_swap = matches!(self.jobs[job].steps[self.jobs[job].place], Step::Swap(_));
            let left = &mut self.stations[number];
            left.touch(self.now_s);
            left.swapping -= usize::from(is_swap);
            match left.queue.pop_front() {
                Some((next, time_s)) => self.at(self.now_s + time_s, Event::Done(next)),
                None => left.busy -= 1,
            }
        }
        self.jobs[job].place += 1;
        self.go_on(job);
    }

    fn give(&mut self, station: usize) {
        let lender = &mut self.stations[station];
        lender.touch(self.now_s);
        match lender.queue.pop_front() {
            Some((next, _)) => {
                self.jobs[next].place += 1;
                // Later at the same instant: the giver goes on first.
                self.number += 1;
                let due = Due(self.now_s, self.number);
                let place = self.jobs[next].place;
                self.jobs[next].steps.insert(place, Step::Elsewhere(0.0));
                self.events.push(Reverse((due, Event::Done(next))));
            }
            None => lender.busy -= 1,
        }
    }

    /// Reads every instrument.
    fn read(&mut self) {
        let past_s = self.now_s - self.last_s;
        if self.stations[CPU].is_frozen {
            let length_s = self.model.pauses.map_or(0.0, |(_, length_s)| length_s);
            self.collector.stood_s += self.now_s - self.last_s.max(self.collector.until_s - length_s);
        }
        let mut mean = Vec::new();
        for (station, last) in self.stations.iter_mut().zip(&mut self.last) {
            station.touch(self.now_s);
            let each: Vec<f64> = station.areas.iter().zip(*last).map(|(now, then)| (now - then) / past_s).collect();
            *last = station.areas;
            mean.push(each);
        }
        self.last_s = self.now_s;
        let gauge = |station: &Station| (station.busy as f64, station.queue.len() as f64);
        let gauges: Vec<(f64, f64)> = self.stations.iter().map(gauge).collect();
        let servers = self.model.servers;
        let noise = (0.2 * self.random.normal()).abs() * self.model.background;
        // The kernel counts processors in hundredths of a second.
        // The collector has one thread.
        let collecting = self.collector.stood_s / past_s;
        let busy = ((mean[CPU][0] + collecting + self.model.background + noise) * 100.0).floor() / 100.0;
        let disk = &mean[DISK];
        let background_disk = 0.01 * self.random.exponential();
        let reads = disk[0] / 0.002;
        let (calls, swaps) = (self.calls / past_s, self.swaps / past_s);
        (self.calls, self.swaps) = (0.0, 0.0);
        let swapped = swaps * 262_144.0;
        let mut figures: Vec<(&str, &str, f64)> = vec![
            ("host", "up", 1.0),
            ("cpu", "cores_count", servers[CPU] as f64),
            ("cpu", "busy_cores", busy.min(servers[CPU] as f64)),
            ("cpu", "waiting_count", mean[CPU][1] - mean[CPU][0]),
            ("cpu", "pressure_some_ratio", mean[CPU][2]),
            ("memory", "total_bytes", 8e9),
            ("memory", "available_bytes", if swaps > 0.0 { 3e8 } else { 5e9 }),
            ("memory", "swap_in_bytes_per_s", swapped),
            ("memory", "pressure_some_ratio", disk[4]),
            ("memory", "pressure_full_ratio", 0.0),
            ("io", "pressure_some_ratio", disk[3]),
            ("disk sda", "queue_count", disk[1] + background_disk),
            ("disk sda", "busy_ratio", (disk[3] + background_disk).min(1.0)),
            ("disk sda", "await_ms", 1e3 * disk[1] / reads.max(1.0)),
            ("disk sda", "read_bytes_per_s", reads * 20_000.0 + swapped),
            ("net eth0", "received_bytes_per_s", 1e5),
            ("net eth0", "sent_bytes_per_s", 1e6 * mean[LINK][0]),
            ("net eth0", "speed_bytes_per_s", 1.25e8),
            ("net eth0", "dropped_per_s", 0.0),
            ("tcp", "sent_segments_per_s", 1e3),
            ("tcp", "retransmitted_per_s", 0.1),
            ("tcp", "listen_overflows_per_s", 0.0),
            ("pool orders", "in_use_count", gauges[POOL].0),
            ("pool orders", "waiting_count", gauges[POOL].1),
            ("pool orders", "limit_count", servers[POOL] as f64),
            ("lock stock", "holding_count", gauges[LOCK].0),
            ("lock stock", "waiting_count", gauges[LOCK].1),
            ("dependency mail", "in_flight_count", gauges[DEPENDENCY].0 + gauges[DEPENDENCY].1),
            ("dependency mail", "calls_per_s", calls),
            ("database shop", "active_count", gauges[TABLE].0 + gauges[TABLE].1),
            ("database shop", "running_count", gauges[TABLE].0),
            ("database shop", "wait_lock_count", gauges[TABLE].1),
        ];
        if self.model.pauses.is_some() {
            figures.push(("gc app", "pause_ratio", self.collector.told_s / past_s));
            figures.push(("gc app", "pauses_per_s", self.collector.told / past_s));
        }
        self.collector = Collector { until_s: self.collector.until_s, ..Collector::default() };
        let at = Nanos((self.now_s * 1e9) as u64);
        self.readings.extend(figures.into_iter().map(|(source, metric, value)| Resource {
            at,
            host: HOST.into(),
            source: source.into(),
            metric: metric.into(),
            value,
            unit: "count".into(),
        }));
    }

    fn into_run(self, hidden: &[&str]) -> Run {
        let length_s = self.model.length_s;
        let mut run = Run::empty();
        run.plan.target = format!("http://{HOST}:8080");
        run.hold = (Nanos::from_secs(5), Nanos::from_secs(length_s as u64));
        run.end = Nanos::from_secs(length_s as u64 + 5);
        let is_seen = |reading: &&Resource| !hidden.iter().any(|source| reading.source.starts_with(source));
        self.readings.iter().filter(is_seen).for_each(|reading| run.readings.push(reading));
        let ns = |s: f64| Nanos((s * 1e9) as u64);
        let mut seconds: Vec<Vec<f64>> = vec![Vec::new(); length_s];
        for (began_s, first_byte_s, done_s) in &self.done {
            let section = if *began_s < 5.0 { Section::Outside } else { Section::Hold };
            let is_within = (5.0..length_s as f64).contains(done_s);
            run.totals.record_between(
                section,
                if is_within { Section::Hold } else { Section::Outside },
                &Sample {
                    name: HOME,
                    scenario: 0,
                    outcome: Outcome::Ok,
                    status: Some(Code::new(200)),
                    intended: ns(*began_s),
                    sent: Some(ns(*began_s)),
                    first_byte: Some(ns(*first_byte_s)),
                    done: ns(*done_s),
                    network: Network::default(),
                    send: Nanos::ZERO,
                    slot_wait: Nanos::ZERO,
                    bytes_received: self.model.bytes,
                    bytes_sent: 100,
                    bytes_decoded: 0,
                },
            );
            if let Some(second) = seconds.get_mut(*done_s as usize) {
                second.push((done_s - began_s) * 1e3);
            }
        }
        let n = self.done.iter().filter(|(began_s, ..)| *began_s >= 5.0).count() as u64;
        let load = run.totals.load_mut(Section::Hold);
        (load.due, load.started) = (n, n);
        let points = seconds.iter_mut().enumerate();
        run.course.points = points.map(|(at, times)| point(at as f64, 40.0, times, 0)).collect();
        run.course.points.iter_mut().take(5).for_each(|point| point.held = false);
        run
    }
}
